// bz-jit: what a kernel of a code object becomes. `bz jit explain FILE KERNEL` is this program.
#include "codeobj/codeobj.hpp"
#include "isa/decode.hpp"
#include "jit/flow/unit.hpp"
#include "jit/module/compile.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

namespace bz::jit {
namespace {

int fail(const std::string& why) {
  fmt::print(stderr, "bz jit: error: {}\n", why);
  return 2;
}

constexpr const char* kUsage =
    "usage: bz jit explain FILE KERNEL [--block X[,Y[,Z]]] [--lds BYTES] [--ir] [--asm] [--times] [--off NAMES] [--cpu NAME]\n"
    "  FILE    a code object for gfx9 (hipcc --genco)\n"
    "  --ir    LLVM IR, --asm x86 assembly, --times where compile time went; without them: each instruction and its x86 code\n"
    "  --off   optimisations that are not to be used: patterns, dead, yields\n";

struct Options {
  std::string file, kernel, off, cpu;
  std::array<uint32_t, 3> block{256, 1, 1};
  uint32_t lds = 0;
  bool ir = false, assembly = false, times = false, nodes = false;
};

std::vector<uint32_t> work_items(const Options& o, bool packed, uint32_t rows, uint32_t waves) {
  const uint32_t total = o.block[0] * o.block[1] * o.block[2];
  std::vector<uint32_t> ids(size_t{rows} * waves * 64);
  for (uint32_t i = 0; i < total; ++i) {
    const uint32_t x = i % o.block[0], y = i / o.block[0] % o.block[1], z = i / o.block[0] / o.block[1];
    const uint32_t id[3] = {packed ? x | y << 10 | z << 20 : x, y, z};
    for (uint32_t r = 0; r < rows; ++r) ids[size_t{r} * waves * 64 + i] = id[r];
  }
  return ids;
}

int explain(const Options& o) {
  std::ifstream in(o.file, std::ios::binary);
  if (!in) return fail("can't read " + o.file);
  std::vector<char> bytes((std::istreambuf_iterator<char>(in)), {});
  auto object = codeobj::CodeObject::parse(codeobj::Bytes(reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()));
  if (!object) return fail(o.file + ": " + object.status().message());
  const auto* kernel = object->find_kernel(o.kernel);
  if (!kernel) {
    std::string names;
    for (auto& k : object->kernels()) names += " " + std::string(k.name);
    return fail(fmt::format("{} has no kernel {}; it has{}", o.file, o.kernel, names));
  }
  auto target = isa::target_from_name(object->target().processor->name);
  if (!target) return fail("not a target of the tables");
  const auto* segment = object->segment_at(kernel->entry_address, 4);
  if (!segment) return fail("the kernel's code is not in the file");
  auto code = object->bytes_at(segment->address, segment->file_size);
  std::vector<uint32_t> words(code->size() / 4);
  std::memcpy(words.data(), code->data(), words.size() * 4);

  auto raw = object->bytes_at(kernel->descriptor_address, 64);
  uint32_t rsrc[3];
  std::memcpy(&rsrc[2], raw->data() + 44, 4);
  std::memcpy(&rsrc[0], raw->data() + 48, 4);
  std::memcpy(&rsrc[1], raw->data() + 52, 4);
  const bool unified = *target == isa::Target::gfx90a || *target == isa::Target::gfx942 || *target == isa::Target::gfx950;
  exec::NativeRequest r;
  r.target = *target;
  r.accum_offset = unified ? ((rsrc[2] & 63) + 1) * 4 : 256;
  r.mode = (rsrc[0] >> 12 & 0xff) | (rsrc[0] >> 21 & 1) << 8 | (rsrc[0] >> 23 & 1) << 9 | (rsrc[0] >> 26 & 1) << 23;
  r.begin = segment->address;
  r.words = words.data();
  r.dwords = words.size();
  r.entries = {kernel->entry_address};
  r.kernel_start = true;
  r.waves = (o.block[0] * o.block[1] * o.block[2] + 63) / 64;
  r.id_rows = unified ? 1 : (rsrc[1] >> 11 & 3) + 1;
  r.ids = work_items(o, unified, r.id_rows, r.waves);
  r.lds_bytes = o.lds ? o.lds : static_cast<uint32_t>(kernel->descriptor.group_segment_fixed_size());
  r.cpu = o.cpu;
  r.off = o.off;

  if (o.nodes) {
    auto unit = make_unit(r);
    if (!unit) return fail(unit.status().message());
    for (auto& b : unit->blocks) {
      fmt::print("block {:#x} next {} taken {}\n", unit->instructions[b.first].lifted.pc, int(b.next), int(b.taken));
      for (uint32_t i = 0; i < b.count; ++i) {
        auto& x = unit->instructions[b.first + i];
        fmt::print("{:#x} {}{}\n{}", x.lifted.pc, isa::disassemble(*target, x.lifted.inst), x.outcall ? "   // interpreter" : "", text_of(x.lifted));
      }
    }
    return 0;
  }
  exec::NativeImage image;
  CompileReport report;
  auto status = compile(r, image, &report, !o.times);
  if (o.ir) std::fputs(report.ir.c_str(), stdout);
  if (!status.ok()) return fail(status.message());
  if (o.assembly) std::fputs(report.assembly.c_str(), stdout);
  if (o.times || o.ir || o.assembly) {
    const double total = report.analysis_ms + report.emit_ms + report.passes_ms + report.codegen_ms;
    fmt::print(stderr, "{} instructions, {} bytes, {} outcalls, {} places, stack {} bytes, {} attempts; ms: analysis {:.1f}, emit {:.1f}, passes {:.1f}, codegen {:.1f}; {:.3f} an instruction\n",
               image.instructions, image.text.size(), image.outcalls.size(), image.places.size(), image.stack_bytes, report.attempts, report.analysis_ms,
               report.emit_ms, report.passes_ms, report.codegen_ms, total / std::max(1u, image.instructions));
  }
  return 0;
}

int run(int argc, char** argv) {
  Options o;
  std::vector<std::string> names;
  for (int i = 1; i < argc; ++i) {
    std::string_view a = argv[i];
    auto value = [&]() -> std::string { return i + 1 < argc ? argv[++i] : ""; };
    if (a == "--ir") o.ir = true;
    else if (a == "--asm") o.assembly = true;
    else if (a == "--times") o.times = true;
    else if (a == "--nodes") o.nodes = true;
    else if (a == "--off") o.off = value();
    else if (a == "--cpu") o.cpu = value();
    else if (a == "--lds") o.lds = static_cast<uint32_t>(std::atoi(value().c_str()));
    else if (a == "--block") {
      std::string v = value();
      if (std::sscanf(v.c_str(), "%u,%u,%u", &o.block[0], &o.block[1], &o.block[2]) < 1 || !o.block[0] || !o.block[1] || !o.block[2]) return fail("--block " + v + " is no size");
    } else if (a.starts_with("-")) {
      std::fputs(kUsage, stderr);
      return 2;
    } else names.emplace_back(a);
  }
  if (names.size() != 3 || names[0] != "explain") {
    std::fputs(kUsage, stderr);
    return 2;
  }
  o.file = names[1];
  o.kernel = names[2];
  return explain(o);
}

} // namespace
} // namespace bz::jit

int main(int argc, char** argv) { return bz::jit::run(argc, argv); }
