// bz-jit: what a kernel of a code object becomes. `bz jit explain FILE KERNEL` is this program.
#include "codeobj/codeobj.hpp"
#include "isa/decode.hpp"
#include "jit/flow/unit.hpp"
#include "jit/module/compile.hpp"

#include <fmt/format.h>

#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>

#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>

namespace bz::jit {
namespace {

int fail(const std::string& why) {
  fmt::print(stderr, "bz jit: error: {}\n", why);
  return 2;
}

constexpr const char* kUsage =
    "usage: bz jit explain FILE KERNEL [--block X[,Y[,Z]]] [--lds BYTES] [--ir] [--asm] [--times] [--off NAMES] [--cpu NAME] [--target gfx9xx]\n"
    "  FILE    a program, library, bundle or code object with code for gfx9\n"
    "  --ir    LLVM IR, --asm x86 assembly, --times where compile time went; without them: each instruction and its x86 code\n"
    "  --off   optimisations that are not to be used, by name (docs/guide.md, BZ_JIT_OFF)\n";

struct Options {
  std::string file, kernel, off, cpu, target;
  std::array<uint32_t, 3> block{256, 1, 1};
  uint32_t lds = 0;
  bool ir = false, assembly = false, times = false, nodes = false;
};

/// Each instruction, what was decided about it, and the x86 code that it became. Code of several instructions that the compiler
/// has merged stands with one of them.
void list(const exec::NativeRequest& r, const exec::NativeImage& image, const CompileReport& report) {
  LLVMInitializeX86Disassembler();
  LLVMDisasmContextRef x86 = LLVMCreateDisasmCPU("x86_64-pc-linux-gnu", "x86-64-v4", nullptr, 0, nullptr, nullptr);
  std::map<uint32_t, std::vector<std::pair<uint32_t, uint32_t>>> ranges;   // by dword: host code from, to
  for (size_t i = 0; i < image.places.size(); ++i) {
    const uint32_t from = image.places[i].host, to = i + 1 < image.places.size() ? image.places[i + 1].host : from;
    if (to > from) ranges[image.places[i].guest].emplace_back(from, to);
  }
  auto unit = make_unit(r);
  if (!unit) return;
  for (auto& x : unit->instructions) {
    const auto dword = static_cast<uint32_t>((x.lifted.pc - r.begin) / 4);
    uint32_t bytes = 0;
    auto it = ranges.find(dword);
    if (it != ranges.end())
      for (auto& [from, to] : it->second) bytes += to - from;
    fmt::print("\n{:#x}  {}   // {} bytes\n", x.lifted.pc, isa::disassemble(r.target, x.lifted.inst), bytes);
    if (auto n = report.notes.find(dword); n != report.notes.end())
      for (auto& text : n->second) fmt::print("    // {}\n", text);
    if (it == ranges.end()) continue;
    for (auto& [from, to] : it->second) {
      for (uint32_t at = from; at < to && x86;) {
        char line[256];
        size_t size = LLVMDisasmInstruction(x86, const_cast<uint8_t*>(image.text.data()) + at, to - at, at, line, sizeof line);
        if (!size) break;
        fmt::print("    {:6x}{}\n", at, line);
        at += static_cast<uint32_t>(size);
      }
    }
  }
  if (x86) LLVMDisasmDispose(x86);
}

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

/// The first code object of a file that has the kernel; what the file has, if none does.
struct Found {
  std::vector<std::byte> bytes;
  std::vector<std::shared_ptr<const std::vector<std::byte>>> unpacked;
  std::optional<codeobj::CodeObject> object;
  std::string kernels;
};
void look_into(Found& found, codeobj::Bytes image, const std::string& kernel, const std::string& target) {
  if (found.object) return;
  if (auto object = codeobj::CodeObject::parse(image)) {
    std::string name(object->target().processor->name);
    for (auto& k : object->kernels()) found.kernels += fmt::format("\n  {} ({})", k.name, name);
    if (object->find_kernel(kernel) && (target.empty() || target == name) && isa::target_from_name(name)) found.object.emplace(std::move(*object));
    return;
  }
  if (codeobj::as_text(image).starts_with("CCOB")) {
    auto plain = codeobj::decompress_bundle(image);
    if (!plain) return;
    found.unpacked.push_back(std::make_shared<const std::vector<std::byte>>(std::move(*plain)));
    return look_into(found, *found.unpacked.back(), kernel, target);
  }
  if (auto bundle = codeobj::Bundle::parse(image)) {
    for (auto& e : bundle->entries())
      if (!e.is_host() && !e.bytes.empty()) look_into(found, e.bytes, kernel, target);
    return;
  }
  // A program or library: bundles lie in it somewhere.
  auto text = codeobj::as_text(image);
  for (size_t at = 1; at < text.size() && !found.object; ++at) {
    at = std::min(text.find("__CLANG_OFFLOAD_BUNDLE__", at), text.find("CCOB", at));
    if (at == std::string_view::npos) break;
    if (at % 8) continue;
    if (auto size = codeobj::image_size(image.data() + at, image.size() - at)) look_into(found, image.subspan(at, *size), kernel, target);
  }
}

int explain(const Options& o) {
  std::ifstream in(o.file, std::ios::binary);
  if (!in) return fail("can't read " + o.file);
  std::vector<char> text((std::istreambuf_iterator<char>(in)), {});
  Found found;
  found.bytes.assign(reinterpret_cast<const std::byte*>(text.data()), reinterpret_cast<const std::byte*>(text.data() + text.size()));
  look_into(found, found.bytes, o.kernel, o.target);
  if (!found.object) return fail(fmt::format("{} has no kernel {}{}; it has{}", o.file, o.kernel, o.target.empty() ? "" : " for " + o.target, found.kernels.empty() ? " none" : found.kernels));
  auto* object = &*found.object;
  const auto* kernel = object->find_kernel(o.kernel);
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
  r.full_waves = o.block[0] * o.block[1] * o.block[2] % 64 == 0;
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
  if (!o.times && !o.ir && !o.assembly) list(r, image, report);
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
    else if (a == "--target") o.target = value();
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
