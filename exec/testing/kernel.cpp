#include "exec/testing/kernel.hpp"

#include "abi/kernel_descriptor.hpp"
#include "base/segv.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <elf.h>
#include <fstream>
#include <iterator>
#include <map>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace bz::exec::testing {
namespace {

/// A directory that goes away with its files.
struct TempDir {
  std::string path;
  TempDir() {
    std::string t = (std::getenv("TMPDIR") ? std::string(std::getenv("TMPDIR")) : "/tmp") + "/bz-exec-XXXXXX";
    if (mkdtemp(t.data())) path = t;
  }
  ~TempDir() {
    if (path.empty()) return;
    for (const char* n : {"/in", "/out", "/log"}) unlink((path + n).c_str());
    rmdir(path.c_str());
  }
};

std::vector<uint8_t> read_file(const std::string& path) {
  std::ifstream f(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(f), std::istreambuf_iterator<char>()};
}

Expected<std::vector<uint8_t>> run_clang(std::string_view input, const std::string& args) {
  TempDir dir;
  if (dir.path.empty()) return error(bz::Code::internal, "no temporary directory");
  std::ofstream(dir.path + "/in", std::ios::binary) << input;
  std::string cmd = "clang-22 " + args + " " + dir.path + "/in -o " + dir.path + "/out >" + dir.path + "/log 2>&1";
  if (int rc = std::system(cmd.c_str()); rc != 0) {
    auto log = read_file(dir.path + "/log");
    return error(bz::Code::invalid_argument, "clang-22 says ({}): {}", WEXITSTATUS(rc), std::string(log.begin(), log.end()));
  }
  return read_file(dir.path + "/out");
}

std::string cpu(isa::Target t) { return "-mcpu=" + std::string(isa::target_name(t)); }

} // namespace

Expected<std::vector<uint32_t>> assemble(isa::Target target, std::string_view text) {
  BZ_TRY_ASSIGN(auto elf, run_clang(std::string(text) + "\n", "-x assembler -target amdgcn-amd-amdhsa " + cpu(target) + " -c"));
  auto* header = reinterpret_cast<const Elf64_Ehdr*>(elf.data());
  auto* sections = reinterpret_cast<const Elf64_Shdr*>(elf.data() + header->e_shoff);
  const char* names = reinterpret_cast<const char*>(elf.data() + sections[header->e_shstrndx].sh_offset);
  for (int i = 0; i < header->e_shnum; ++i) {
    if (std::string_view(names + sections[i].sh_name) != ".text") continue;
    std::vector<uint32_t> words(sections[i].sh_size / 4);
    std::memcpy(words.data(), elf.data() + sections[i].sh_offset, words.size() * 4);
    return words;
  }
  return error(bz::Code::invalid_image, "the assembler made no .text");
}

Expected<std::vector<uint8_t>> compile_device(isa::Target target, std::string_view source, std::string_view flags) {
  return run_clang(source, "-x c++ -std=c++20 -target amdgcn-amd-amdhsa " + cpu(target) + " -nogpulib -nogpuinc -ffreestanding -fno-exceptions -fno-rtti " +
                               std::string(flags));
}

struct Image::Impl {
  char* base = nullptr;
  size_t size = 0;
  std::map<std::string, uint64_t, std::less<>> symbols;
  ~Impl() {
    if (base) munmap(base, size);
  }
};
Image::Image() : impl_(std::make_unique<Impl>()) {}
Image::~Image() = default;
uint64_t Image::symbol(std::string_view name) const {
  auto it = impl_->symbols.find(name);
  return it == impl_->symbols.end() ? 0 : it->second;
}

Expected<std::unique_ptr<Image>> Image::load(const std::vector<uint8_t>& elf) {
  std::unique_ptr<Image> image(new Image);
  Impl& m = *image->impl_;
  auto* header = reinterpret_cast<const Elf64_Ehdr*>(elf.data());
  if (elf.size() < sizeof *header || header->e_machine != 224) return error(bz::Code::invalid_image, "not an AMDGPU ELF file");
  auto* program = reinterpret_cast<const Elf64_Phdr*>(elf.data() + header->e_phoff);
  for (int i = 0; i < header->e_phnum; ++i)
    if (program[i].p_type == PT_LOAD) m.size = std::max<size_t>(m.size, program[i].p_vaddr + program[i].p_memsz);
  m.size = (m.size + 4095) / 4096 * 4096;
  void* p = mmap(nullptr, m.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return error(bz::Code::out_of_memory, "mmap of {} bytes", m.size);
  m.base = static_cast<char*>(p);
  for (int i = 0; i < header->e_phnum; ++i)
    if (program[i].p_type == PT_LOAD) std::memcpy(m.base + program[i].p_vaddr, elf.data() + program[i].p_offset, program[i].p_filesz);
  auto* sections = reinterpret_cast<const Elf64_Shdr*>(elf.data() + header->e_shoff);
  for (int i = 0; i < header->e_shnum; ++i) {
    if (sections[i].sh_type == SHT_DYNSYM) {
      auto* s = reinterpret_cast<const Elf64_Sym*>(elf.data() + sections[i].sh_offset);
      const char* names = reinterpret_cast<const char*>(elf.data() + sections[sections[i].sh_link].sh_offset);
      for (size_t k = 0; k < sections[i].sh_size / sizeof *s; ++k)
        if (s[k].st_shndx != SHN_UNDEF) m.symbols[names + s[k].st_name] = reinterpret_cast<uint64_t>(m.base) + s[k].st_value;
    }
    if (sections[i].sh_type == SHT_RELA) {
      auto* r = reinterpret_cast<const Elf64_Rela*>(elf.data() + sections[i].sh_offset);
      for (size_t k = 0; k < sections[i].sh_size / sizeof *r; ++k) {
        constexpr uint32_t kRelative64 = 13;
        if (ELF64_R_TYPE(r[k].r_info) != kRelative64) return error(bz::Code::unsupported, "relocation type {} in a test image", ELF64_R_TYPE(r[k].r_info));
        uint64_t value = reinterpret_cast<uint64_t>(m.base) + static_cast<uint64_t>(r[k].r_addend);
        std::memcpy(m.base + r[k].r_offset, &value, 8);
      }
    }
  }
  return image;
}

RawKernel::RawKernel(isa::Target target, std::vector<uint32_t> words) {
  bytes_ = (256 + words.size() * 4 + 4095) / 4096 * 4096;
  memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory_ == MAP_FAILED) throw std::bad_alloc();
  auto* kd = new (memory_) abi::kernel_descriptor_t{};
  kd->kernel_code_entry_byte_offset = 256;
  std::memcpy(static_cast<char*>(memory_) + 256, words.data(), words.size() * 4);
  bool unified = target == isa::Target::gfx90a || target == isa::Target::gfx942 || target == isa::Target::gfx950;
  // 256 VGPRs (512 with AGPRs), FLOAT_MODE 0xf0, DX10 clamp, IEEE.
  kd->compute_pgm_rsrc1 = 63u | 0xf0u << 12 | 1u << 21 | 1u << 23;
  // Scratch, two user SGPRs, workgroup ids x y z, work-item ids x y z.
  kd->compute_pgm_rsrc2 = 1u | 2u << 1 | 7u << 7 | 2u << 11;
  kd->compute_pgm_rsrc3 = unified ? 63u : 0;
  kd->kernel_code_properties = abi::ENABLE_SGPR_KERNARG_SEGMENT_PTR;
}
RawKernel::~RawKernel() { munmap(memory_, bytes_); }
uint64_t RawKernel::object() const { return reinterpret_cast<uint64_t>(memory_); }

Expected<Outcome> run_dispatch(Engine& engine, const DispatchInfo& info) {
  BZ_TRY_ASSIGN(auto dispatch, engine.prepare(info));
  auto worker = engine.make_worker();
  Outcome out;
  std::deque<std::unique_ptr<ParkedGroup>> parked;
  uint64_t next = 0, count = dispatch->group_count();
  while (next < count || !parked.empty()) {
    RunResult r;
    // Parked groups get their turn between the new ones.
    if (!parked.empty() && (next == count || out.parked % 2)) {
      auto p = std::move(parked.front());
      parked.pop_front();
      r = worker->resume(std::move(p));
    } else {
      r = worker->run(dispatch, next, count - next);
      next = r.next;
    }
    out.instructions += r.instructions;
    if (r.state == RunResult::State::halted) {
      out.halt = std::move(r.halt);
      return out;
    }
    if (r.state == RunResult::State::parked) {
      ++out.parked;
      parked.push_back(std::move(r.parked));
    }
  }
  return out;
}

Expected<std::unique_ptr<Engine>> make_engine(isa::Target target, const std::string& level) {
  BZ_TRY(segv::install());
  EngineConfig config;
  config.target = target;
  config.simd = level;
  return Engine::create(config);
}

} // namespace bz::exec::testing
