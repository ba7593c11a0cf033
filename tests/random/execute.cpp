#include "execute.hpp"

#include "emulator.hpp"
#include "random.hpp"

#include <hip/hip_runtime_api.h>

#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <stdexcept>

namespace bz::random {
namespace {

template <class F> F edgy_float(Random& r) {
  static const double special[] = {0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 1e-8, 65504, 1e-40, 5e-324, INFINITY, -INFINITY, 1e30, -1e300, 3.0, 0.1};
  if (r.chance(35)) return static_cast<F>(special[r.below(std::size(special))]);
  if (r.chance(30)) return static_cast<F>(static_cast<int>(r.below(2000)) - 1000);
  const double significand = 1 + static_cast<double>(r.word() >> 12) / 0x1p52;
  const int range = sizeof(F) == 2 ? 14 : r.chance(60) ? 20 : sizeof(F) == 4 ? 140 : 1060;
  return static_cast<F>(std::ldexp(r.chance(50) ? significand : -significand, static_cast<int>(r.below(2 * static_cast<uint32_t>(range))) - range));
}

Memory fresh_memory(Random r, uint32_t lanes) {
  Memory m;
  for (int i = 0; i < 256; ++i) {
    m.in.push_back(edgy_word(r));
    m.floats.push_back(edgy_float<float>(r));
    m.doubles.push_back(edgy_float<double>(r));
    m.halves.push_back(edgy_float<_Float16>(r));
  }
  m.out.assign(static_cast<size_t>(lanes) * kOutWords, 0x5a5a5a5a5a5a5a5a);
  for (uint32_t i = 0; i < lanes * kScratchWords; ++i) m.scratch.push_back(edgy_word(r));
  for (int i = 0; i < 32; ++i) m.atomics32.push_back(static_cast<uint32_t>(r.word())), m.atomics64.push_back(r.word());
  m.atomics_f32.assign(4, 1.0f);
  m.atomics_f64.assign(4, 2.0);
  return m;
}

void check(hipError_t e, const char* what) {
  if (e != hipSuccess) throw std::runtime_error(std::string(what) + ": " + hipGetErrorString(e));
}

/// A vector's copy on the device, for as long as it lives.
template <class T> class OnDevice {
public:
  explicit OnDevice(const std::vector<T>& v) : bytes_(v.size() * sizeof(T)) {
    check(hipMalloc(reinterpret_cast<void**>(&pointer_), bytes_), "hipMalloc");
    check(hipMemcpy(pointer_, v.data(), bytes_, hipMemcpyHostToDevice), "hipMemcpy");
  }
  OnDevice(const OnDevice&) = delete;
  ~OnDevice() { (void)hipFree(pointer_); }
  T* get() const { return pointer_; }
  std::vector<T> back() const {
    std::vector<T> v(bytes_ / sizeof(T));
    check(hipMemcpy(v.data(), pointer_, bytes_, hipMemcpyDeviceToHost), "hipMemcpy");
    return v;
  }

private:
  T* pointer_ = nullptr;
  size_t bytes_;
};

template <class T> std::string difference(const char* what, const std::vector<T>& got, const std::vector<T>& wanted, int per_lane) {
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::memcmp(&got[i], &wanted[i], sizeof(T)) == 0) continue;
    uint64_t g = 0, w = 0;
    std::memcpy(&g, &got[i], sizeof(T));
    std::memcpy(&w, &wanted[i], sizeof(T));
    char text[200];
    if (per_lane) std::snprintf(text, sizeof text, "%s: thread %zu word %zu is 0x%" PRIx64 ", the host has 0x%" PRIx64, what, i / per_lane, i % per_lane, g, w);
    else std::snprintf(text, sizeof text, "%s[%zu] is 0x%" PRIx64 ", the host has 0x%" PRIx64, what, i, g, w);
    return text;
  }
  return "";
}

} // namespace

std::vector<Expected> on_host(const std::string& library, uint64_t seed) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) throw std::runtime_error(dlerror());
  std::vector<Expected> all;
  for (auto* k = static_cast<const HostKernel*>(dlsym(handle, "kernels")); k->name; ++k) {
    const uint64_t index = std::strtoull(k->name + 1, nullptr, 10);
    Expected e{k->name, k->groups, k->size, fresh_memory(Random(seed * 31 + index), k->groups * k->size), {}};
    e.after = e.before;
    Memory& m = e.after;
    const Args args{m.in.data(), m.floats.data(), m.doubles.data(), m.halves.data(), m.out.data(), m.scratch.data(), m.atomics32.data(),
                    m.atomics64.data(), m.atomics_f32.data(), m.atomics_f64.data(), k->groups, k->size};
    if (std::string wrong = emulate(*k, args); !wrong.empty()) throw std::runtime_error(std::string(k->name) + ": " + wrong);
    all.push_back(std::move(e));
  }
  dlclose(handle);
  return all;
}

std::vector<std::string> on_device(const std::string& code_object, const std::vector<Expected>& expected,
                                   const std::set<std::string>& left_out) {
  std::vector<std::string> wrong;
  // Recursion and calls through pointers: the compiler can't know how deep the stack gets.
  check(hipDeviceSetLimit(hipLimitStackSize, 32 << 10), "hipDeviceSetLimit");
  hipModule_t module;
  check(hipModuleLoad(&module, code_object.c_str()), "hipModuleLoad");
  for (const Expected& e : expected) {
    if (left_out.contains(e.kernel)) continue;
    std::fprintf(stderr, "running [%s]\n", e.kernel.c_str()); // the last such line tells where a fault was
    hipFunction_t function;
    check(hipModuleGetFunction(&function, module, e.kernel.c_str()), "hipModuleGetFunction");
    const Memory& m = e.before;
    OnDevice in(m.in), out(m.out), scratch(m.scratch), atomics64(m.atomics64);
    OnDevice floats(m.floats), atomics_f32(m.atomics_f32);
    OnDevice doubles(m.doubles), atomics_f64(m.atomics_f64);
    OnDevice halves(m.halves);
    OnDevice atomics32(m.atomics32);
    Args args{in.get(), floats.get(), doubles.get(), halves.get(), out.get(), scratch.get(), atomics32.get(),
              atomics64.get(), atomics_f32.get(), atomics_f64.get(), e.groups, e.size};
    // Args spells its types as both sides of a program do.
    void* parameters[] = {&args};
    check(hipModuleLaunchKernel(function, e.groups, 1, 1, e.size, 1, 1, 0, nullptr, parameters, nullptr), "hipModuleLaunchKernel");
    check(hipDeviceSynchronize(), "hipDeviceSynchronize");
    for (std::string d : {difference("out", out.back(), e.after.out, kOutWords), difference("scratch", scratch.back(), e.after.scratch, kScratchWords),
                          difference("atomics32", atomics32.back(), e.after.atomics32, 0), difference("atomics64", atomics64.back(), e.after.atomics64, 0),
                          difference("atomics_f32", atomics_f32.back(), e.after.atomics_f32, 0), difference("atomics_f64", atomics_f64.back(), e.after.atomics_f64, 0)})
      if (!d.empty()) {
        wrong.push_back(d + " [" + e.kernel + "]");
        break; // one line a kernel
      }
  }
  return wrong;
}

} // namespace bz::random
