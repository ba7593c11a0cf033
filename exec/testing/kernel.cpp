#include "exec/testing/kernel.hpp"

#include "abi/kernel_descriptor.hpp"
#include "base/segv.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <elf.h>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace bz::exec::testing {
namespace {

constexpr uint64_t kCodeAt = 256;   ///< of a RawKernel, from its descriptor

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

RawKernel::RawKernel(const abi::kernel_descriptor_t& descriptor, std::span<const uint32_t> words) {
  bytes_ = (kCodeAt + words.size_bytes() + 4095) / 4096 * 4096;
  memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory_ == MAP_FAILED) throw std::bad_alloc();
  auto* kd = new (memory_) abi::kernel_descriptor_t{descriptor};
  kd->kernel_code_entry_byte_offset = kCodeAt;
  std::memcpy(static_cast<char*>(memory_) + kCodeAt, words.data(), words.size_bytes());
}
RawKernel::~RawKernel() { munmap(memory_, bytes_); }
uint64_t RawKernel::object() const { return reinterpret_cast<uint64_t>(memory_); }
uint64_t RawKernel::code() const { return object() + kCodeAt; }

abi::kernel_descriptor_t RawKernel::plain_descriptor(isa::Target target) {
  abi::kernel_descriptor_t kd{};
  bool unified = isa::bit(target) & isa::kGfx90aUp;
  // 256 VGPRs (512 with AGPRs), FLOAT_MODE 0xf0, DX10 clamp, IEEE.
  kd.compute_pgm_rsrc1 = 63u | 0xf0u << 12 | 1u << 21 | 1u << 23;
  // Scratch, two user SGPRs, workgroup ids x y z, work-item ids x y z.
  kd.compute_pgm_rsrc2 = 1u | 2u << 1 | 7u << 7 | 2u << 11;
  kd.compute_pgm_rsrc3 = unified ? 63u : 0;
  kd.kernel_code_properties = abi::ENABLE_SGPR_KERNARG_SEGMENT_PTR;
  return kd;
}

namespace {

/// Workgroups of several dispatches, shared by the workers of one test.
struct Crowd {
  struct Launch {
    std::shared_ptr<Dispatch> dispatch;
    uint64_t next, end;
  };
  std::mutex mutex;
  std::deque<Launch> fresh;
  std::deque<std::unique_ptr<ParkedGroup>> parked;
  uint64_t unfinished = 0;   ///< workgroups
  unsigned turn = 0;
  bool stopped = false;
  Outcome outcome;
  Status status;
  std::chrono::steady_clock::time_point deadline;

  void work(Engine& engine, bool alone);
};

void Crowd::work(Engine& engine, bool alone) {
  auto worker = engine.make_worker();
  std::unique_lock lock(mutex);
  while (unfinished > 0 && !stopped) {
    if (std::chrono::steady_clock::now() > deadline) {
      status = error(bz::Code::timed_out, "{} workgroups have not finished in time", unfinished);
      stopped = true;
      return;
    }
    RunResult r;
    uint64_t claimed = 1;
    if (!parked.empty() && (fresh.empty() || ++turn % 2)) {
      auto group = std::move(parked.front());
      parked.pop_front();
      lock.unlock();
      r = worker->resume(std::move(group));
      if (r.state == RunResult::State::parked) std::this_thread::yield();   // it waits for somebody
      lock.lock();
    } else if (!fresh.empty()) {
      Launch l = fresh.front();
      fresh.pop_front();
      // One worker takes ranges, several take single groups.
      claimed = alone ? l.end - l.next : 1;
      if (l.next + claimed < l.end) fresh.push_back({l.dispatch, l.next + claimed, l.end});
      lock.unlock();
      r = worker->run(l.dispatch, l.next, claimed);
      lock.lock();
      if (r.next < l.next + claimed) fresh.push_back({l.dispatch, r.next, l.next + claimed});
      claimed = r.next - l.next;
    } else {
      lock.unlock();
      std::this_thread::yield();
      lock.lock();
      continue;
    }
    outcome.instructions += r.instructions;
    switch (r.state) {
    case RunResult::State::finished: unfinished -= claimed; break;
    case RunResult::State::parked:
      ++outcome.parked;
      unfinished -= claimed - 1;
      parked.push_back(std::move(r.parked));
      break;
    case RunResult::State::halted:
      if (!outcome.halt) outcome.halt = std::move(r.halt);
      stopped = true;
      break;
    }
  }
}

} // namespace

Expected<Outcome> run_dispatches(Engine& engine, std::span<const DispatchInfo> infos, const RunOptions& options) {
  Crowd crowd;
  for (auto& info : infos) {
    BZ_TRY_ASSIGN(auto dispatch, engine.prepare(info));
    crowd.unfinished += dispatch->group_count();
    crowd.fresh.push_back({dispatch, 0, dispatch->group_count()});
  }
  crowd.deadline = std::chrono::steady_clock::now() + std::chrono::microseconds(static_cast<int64_t>(options.seconds * 1e6));
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < options.workers; ++i) threads.emplace_back([&] { crowd.work(engine, false); });
  crowd.work(engine, options.workers == 1);
  for (auto& t : threads) t.join();
  if (!crowd.status.ok()) return crowd.status;
  return std::move(crowd.outcome);
}

Expected<std::unique_ptr<Engine>> make_engine(isa::Target target, const std::string& level) {
  BZ_TRY(segv::install());
  EngineConfig config;
  config.target = target;
  config.simd = level;
  return Engine::create(config);
}

} // namespace bz::exec::testing
