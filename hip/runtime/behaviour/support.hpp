// Small helpers of the behaviour tests: checks by name, device buffers, launches with typed arguments.
#pragma once
#include "hip/runtime/behaviour/kernels.hpp"

#include <gtest/gtest.h>

#include <vector>

#define EXPECT_HIP(expected, call) EXPECT_STREQ(hipGetErrorName(expected), hipGetErrorName(call)) << #call
#define ASSERT_HIP(expected, call) ASSERT_STREQ(hipGetErrorName(expected), hipGetErrorName(call)) << #call
#define EXPECT_OK(call) EXPECT_HIP(hipSuccess, call)
#define ASSERT_OK(call) ASSERT_HIP(hipSuccess, call)

/// n elements of device memory; freed at the end of the test.
template <class T> class DeviceBuffer {
public:
  explicit DeviceBuffer(size_t n) : n_(n) { EXPECT_OK(hipMalloc(reinterpret_cast<void**>(&p_), n * sizeof(T))); }
  ~DeviceBuffer() { (void)hipFree(p_); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  T* get() const { return p_; }
  operator T*() const { return p_; }
  std::vector<T> read() const {
    std::vector<T> out(n_);
    EXPECT_OK(hipMemcpy(out.data(), p_, n_ * sizeof(T), hipMemcpyDeviceToHost));
    return out;
  }
  void write(const std::vector<T>& v) {
    EXPECT_OK(hipMemcpy(p_, v.data(), v.size() * sizeof(T), hipMemcpyHostToDevice));
  }
  void zero() { EXPECT_OK(hipMemset(p_, 0, n_ * sizeof(T))); }

private:
  T* p_ = nullptr;
  size_t n_;
};

/// Pinned host memory that kernels see at once.
template <class T> class PinnedBuffer {
public:
  explicit PinnedBuffer(size_t n) {
    EXPECT_OK(hipHostMalloc(reinterpret_cast<void**>(&p_), n * sizeof(T), hipHostMallocCoherent | hipHostMallocMapped));
    for (size_t i = 0; i < n; ++i) p_[i] = T();
  }
  ~PinnedBuffer() { (void)hipHostFree(p_); }
  PinnedBuffer(const PinnedBuffer&) = delete;
  T* get() const { return p_; }
  operator T*() const { return p_; }
  void store(size_t i, T value) { __atomic_store(p_ + i, &value, __ATOMIC_RELEASE); }
  T load(size_t i) const {
    T value;
    __atomic_load(p_ + i, &value, __ATOMIC_ACQUIRE);
    return value;
  }
  /// For what a stream has not written yet, being held up by a kernel: ThreadSanitizer does not see a kernel's part in the order.
  __attribute__((no_sanitize("thread"))) T peek(size_t i) const { return *static_cast<volatile T*>(p_ + i); }

private:
  T* p_ = nullptr;
};

template <class... Args>
hipError_t launch(const void* kernel, dim3 grid, dim3 block, size_t shared, hipStream_t stream, Args... args) {
  void* pointers[] = {static_cast<void*>(&args)..., nullptr};
  return hipLaunchKernel(kernel, grid, block, pointers, shared, stream);
}
