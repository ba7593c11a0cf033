#include "codeobj/loader.hpp"

#include "codeobj/testdata/testdata.hpp"

namespace bz::codeobj {
namespace {

using Image = std::vector<std::byte>;
constexpr uint64_t kDevice = 0x7000'0000'0000;

std::optional<uint64_t> resolve(std::string_view name) {
  if (name == "outside") return 0x1234'5678'9abc'0000;
  return std::nullopt;
}

template <class T> T loaded(const std::vector<std::byte>& memory, const CodeObject& o, uint64_t own_address) {
  return *read<T>(memory, own_address - o.layout().first_address);
}

TEST(Loader, SegmentsZerosAndRelativeRelocations) {
  Image image = testdata::read_file("gfx942_v6.co");
  CodeObject o = *CodeObject::parse(image);
  std::vector<std::byte> memory(o.layout().size + 16, std::byte{0xcc});
  Status s = load(o, std::span(memory).first(o.layout().size), kDevice, {});
  ASSERT_TRUE(s) << s.message();
  for (size_t i = 0; i < 16; ++i) EXPECT_EQ(memory[o.layout().size + i], std::byte{0xcc}) << "wrote past the layout";
  // What the memory must be: zeros, then each PT_LOAD's file bytes, then the one patched pointer.
  std::vector<std::byte> expected(o.layout().size, std::byte{0});
  for (const Segment& g : o.segments())
    if (g.type == 1) std::memcpy(expected.data() + g.address, image.data() + g.offset, g.file_size);
  uint64_t middle = o.find_symbol("middle")->value, table = o.find_symbol("table")->value;
  uint64_t pointer = kDevice + table + 8;
  std::memcpy(expected.data() + middle, &pointer, 8);
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), memory.begin()));
  EXPECT_EQ(loaded<int>(memory, o, table + 8), 30);
  EXPECT_EQ(device_address_of(o, kDevice, table), kDevice + table);
}

TEST(Loader, ExternalWeakAndOwnSymbols) {
  Image image = testdata::read_file("facts_gfx942.co");
  CodeObject o = *CodeObject::parse(image);
  std::vector<std::byte> memory(o.layout().size);
  Status s = load(o, memory, kDevice, resolve);
  ASSERT_TRUE(s) << s.message();
  uint64_t pointers = o.find_symbol("pointers")->value;
  EXPECT_EQ(loaded<uint64_t>(memory, o, pointers), 0x1234'5678'9abc'0010u);
  EXPECT_EQ(loaded<uint64_t>(memory, o, pointers + 8), 0u) << "weak and unknown";
  EXPECT_EQ(loaded<uint64_t>(memory, o, pointers + 16), kDevice + o.find_symbol("counter")->value);
  EXPECT_EQ(loaded<uint64_t>(memory, o, pointers + 24), 0x1122334455667788u);
  for (const SymbolResolver& none : {SymbolResolver(), SymbolResolver([](auto) { return std::nullopt; })}) {
    Status missing = load(o, memory, kDevice, none);
    EXPECT_EQ(missing.code(), Code::not_found);
    EXPECT_NE(missing.message().find("'outside'"), std::string::npos);
  }
}

struct KindCase {
  RelocationKind kind;
  int64_t addend;
  uint64_t outside;  // what the resolver answers
  uint64_t expected; // in the width of the kind; the bytes after it must stay
  int width;
  bool fits = true;
};

// The first relocation of facts (against `outside`, at `pointers`) turned into each kind; P is its place.
TEST(Loader, EveryKindByItsFormula) {
  const Image good = testdata::read_file("facts_gfx906.co");
  CodeObject original = *CodeObject::parse(good);
  const uint64_t entry = original.find_section(".rela.dyn")->offset;
  const uint64_t own = original.find_symbol("pointers")->value;
  ASSERT_EQ(original.relocations()[0].address, own);
  const uint64_t P = kDevice + own;
  const uint64_t got = (original.layout().size + 7) / 8 * 8; // the slots follow the segments
  const KindCase cases[] = {
      {RelocationKind::none, 4, 0, 0, 0},
      {RelocationKind::abs64, -8, 0x1000, 0xff8, 8},
      {RelocationKind::abs32, 4, 0xffff'fff0, 0xffff'fff4, 4},
      {RelocationKind::abs32, 0x10, 0xffff'fff0, 0, 4, false},
      {RelocationKind::abs32_lo, 4, 0x1234'5678'9abc'def0, 0x9abc'def4, 4},
      {RelocationKind::abs32_hi, 4, 0x1234'5678'ffff'fffe, 0x1234'5679, 4},
      {RelocationKind::rel32, 4, P - 0x100, 0xffff'ff04, 4},
      {RelocationKind::rel32, 0, P + 0x7fff'ffff, 0x7fff'ffff, 4},
      {RelocationKind::rel32, 0, P + 0x8000'0000, 0, 4, false},
      {RelocationKind::rel32, -1, P - 0x8000'0000, 0, 4, false},
      {RelocationKind::rel32_lo, 4, P + 0x1'2345'6780, 0x2345'6784, 4},
      {RelocationKind::rel32_hi, 4, P + 0x1'2345'6780, 0x1, 4},
      {RelocationKind::rel32_hi, 0, P - 8, 0xffff'ffff, 4},
      {RelocationKind::rel64, 1, P - 8, static_cast<uint64_t>(-7), 8},
      {RelocationKind::relative64, 0x20, 0, kDevice + 0x20, 8},
      {RelocationKind::rel16, 4, P + 40, 10, 2},
      {RelocationKind::rel16, 0, P - 4, 0xfffe, 2},
      {RelocationKind::rel16, 0, P + 2, 0, 2, false},
      {RelocationKind::rel16, 0, P + 0x40000, 0, 2, false},
      {RelocationKind::gotpcrel, 4, 0x77, (got + 4 - own) & UINT32_MAX, 4},
      {RelocationKind::gotpcrel32_lo, 4, 0x77, (got + 4 - own) & UINT32_MAX, 4},
      {RelocationKind::gotpcrel32_hi, 0, 0x77, 0, 4},
      {RelocationKind::gotpcrel, int64_t{1} << 40, 0x77, 0, 4, false},
  };
  for (const KindCase& c : cases) {
    Image image = good;
    testdata::poke<uint32_t>(image, entry + 8, static_cast<uint32_t>(c.kind));
    testdata::poke<int64_t>(image, entry + 16, c.addend);
    Expected<CodeObject> o = CodeObject::parse(image);
    std::string_view name = relocation_facts(static_cast<uint32_t>(c.kind))->name;
    ASSERT_TRUE(o) << name << ": " << o.status().message();
    std::vector<std::byte> memory(o->layout().size);
    Status s = load(*o, memory, kDevice, [&](std::string_view n) -> std::optional<uint64_t> {
      return n == "outside" ? std::optional(c.outside) : std::nullopt;
    });
    if (!c.fits) {
      EXPECT_EQ(s.code(), Code::invalid_image) << name;
      EXPECT_NE(s.message().find(name), std::string::npos) << s.message();
      continue;
    }
    ASSERT_TRUE(s) << name << ": " << s.message();
    uint64_t value = loaded<uint64_t>(memory, *o, own),
             mask = c.width == 8 ? ~uint64_t{0} : (uint64_t{1} << 8 * c.width) - 1;
    EXPECT_EQ(value & mask, c.expected) << name;
    EXPECT_EQ(value & ~mask, 0u) << name << " wrote past its width";
    if (relocation_facts(static_cast<uint32_t>(c.kind))->via_got) {
      EXPECT_EQ(o->layout().got_offset, got);
      EXPECT_EQ(o->layout().size, got + 8);
      EXPECT_EQ(*read<uint64_t>(memory, got), c.outside) << "the slot holds the symbol's address";
    }
  }
}

TEST(Loader, LinkedAtAHighAddress) {
  Image image = testdata::read_file("facts_high.co");
  CodeObject o = *CodeObject::parse(image);
  EXPECT_EQ(o.layout().first_address, 0x200000u);
  EXPECT_LT(o.layout().size, 0x10000u);
  std::vector<std::byte> memory(o.layout().size);
  Status s = load(o, memory, kDevice, resolve);
  ASSERT_TRUE(s) << s.message();
  uint64_t counter = o.find_symbol("counter")->value;
  EXPECT_EQ(loaded<uint64_t>(memory, o, counter), 5u);
  EXPECT_EQ(loaded<uint64_t>(memory, o, o.find_symbol("pointers")->value + 16), kDevice + counter - 0x200000);
  EXPECT_EQ(device_address_of(o, kDevice, counter), kDevice + counter - 0x200000);
}

TEST(Loader, Arguments) {
  Image image = testdata::read_file("gfx942_v6.co");
  CodeObject o = *CodeObject::parse(image);
  std::vector<std::byte> memory(o.layout().size);
  EXPECT_EQ(load(o, std::span(memory).first(memory.size() - 1), kDevice, {}).code(), Code::invalid_argument);
  EXPECT_EQ(load(o, memory, kDevice + 64, {}).code(), Code::invalid_argument);
  EXPECT_EQ(load(o, memory, uint64_t{0} - 4096, {}).code(), Code::invalid_argument);
}

TEST(Loader, TargetErrorsComeThrough) {
  Image image = testdata::read_file("gfx942_v6.co");
  CodeObject o = *CodeObject::parse(image);
  struct Full final : LoadTarget {
    Status write(uint64_t offset, Bytes) override {
      return offset > 0x1000 ? error(Code::fault, "no memory at {}", offset) : Status();
    }
    Status fill_zero(uint64_t, uint64_t) override { return {}; }
  } target;
  EXPECT_EQ(load(o, target, kDevice, {}).code(), Code::fault);
}

} // namespace
} // namespace bz::codeobj
