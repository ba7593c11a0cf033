// Libraries: modules by another name, whose kernels have handles of their own type. A hipKernel_t may be launched where
// a hipFunction_t is asked for.
#include "hip/runtime/impl.hpp"
#include "hip/runtime/module.hpp"
#include "hip/runtime/runtime.hpp"

namespace bz::hip::impl {
namespace {

hipKernel_t kernel_handle(Kernel& k) { return reinterpret_cast<hipKernel_t>(&k); }
hipModule_t as_module(hipLibrary_t library) { return reinterpret_cast<hipModule_t>(library); }

Outcome<std::shared_ptr<Module>> find_library(hipLibrary_t handle) {
  if (!handle) return Result(hipErrorInvalidHandle, "the library is null");
  if (auto m = Runtime::get().modules.find(handle)) return m;
  return fail(hipErrorInvalidHandle, "library {} was never loaded or is unloaded", static_cast<void*>(handle));
}

Outcome<std::shared_ptr<Kernel>> find_library_kernel(hipKernel_t handle) {
  return find_kernel(reinterpret_cast<hipFunction_t>(handle));
}

Result check_options(hipJitOption** jit, void** jit_values, unsigned jit_count, hipLibraryOption** options,
                     void** values, unsigned count) {
  if (jit_count > 0) {
    HIP_NONNULL_AS(jit, "jitOptions");
    HIP_NONNULL_AS(jit_values, "jitOptionsValues");
  }
  if (count > 0) {
    HIP_NONNULL_AS(options, "libraryOptions");
    HIP_NONNULL_AS(values, "libraryOptionValues");
    for (unsigned i = 0; i < count; ++i)
      if (options[i] && *options[i] == hipLibraryHostUniversalFunctionAndDataTable)
        return Result(hipErrorNotSupported, "hipLibraryHostUniversalFunctionAndDataTable is not supported");
    // hipLibraryBinaryIsPreserved permits not to copy; a copy is made all the same.
  }
  return {};
}

} // namespace

Result hipLibraryLoadData(hipLibrary_t* library, const void* code, hipJitOption** jit, void** jit_values,
                          unsigned int jit_count, hipLibraryOption** options, void** values, unsigned int count) {
  HIP_NONNULL(library);
  HIP_NONNULL(code);
  *library = nullptr;
  HIP_TRY(check_options(jit, jit_values, jit_count, options, values, count));
  hipModule_t module = nullptr;
  HIP_TRY(impl::hipModuleLoadFatBinary(&module, code));
  *library = reinterpret_cast<hipLibrary_t>(module);
  return {};
}

Result hipLibraryLoadFromFile(hipLibrary_t* library, const char* fileName, hipJitOption** jit, void** jit_values,
                              unsigned int jit_count, hipLibraryOption** options, void** values, unsigned int count) {
  HIP_NONNULL(library);
  HIP_NONNULL(fileName);
  *library = nullptr;
  HIP_TRY(check_options(jit, jit_values, jit_count, options, values, count));
  hipModule_t module = nullptr;
  HIP_TRY(impl::hipModuleLoad(&module, fileName));
  *library = reinterpret_cast<hipLibrary_t>(module);
  return {};
}

Result hipLibraryUnload(hipLibrary_t library) {
  HIP_TRY(find_library(library));
  return impl::hipModuleUnload(as_module(library));
}

Result hipLibraryGetKernel(hipKernel_t* pKernel, hipLibrary_t library, const char* name) {
  HIP_NONNULL(pKernel);
  HIP_NONNULL(name);
  *pKernel = nullptr;
  HIP_TRY_ASSIGN(auto l, find_library(library));
  HIP_TRY_ASSIGN(auto k, l->code->kernel(name));
  *pKernel = kernel_handle(*k);
  return {};
}

Result hipLibraryGetKernelCount(unsigned int* count, hipLibrary_t library) {
  HIP_NONNULL(count);
  HIP_TRY_ASSIGN(auto l, find_library(library));
  *count = static_cast<unsigned>(l->code->object().kernels().size());
  return {};
}

Result hipLibraryEnumerateKernels(hipKernel_t* kernels, unsigned int count, hipLibrary_t library) {
  HIP_NONNULL(kernels);
  HIP_TRY_ASSIGN(auto l, find_library(library));
  const auto& all = l->code->object().kernels();
  for (unsigned i = 0; i < count && i < all.size(); ++i) {
    HIP_TRY_ASSIGN(auto k, l->code->kernel(std::string(all[i].name)));
    kernels[i] = kernel_handle(*k);
  }
  return {};
}

Result hipKernelGetLibrary(hipLibrary_t* library, hipKernel_t kernel) {
  HIP_NONNULL(library);
  HIP_TRY_ASSIGN(auto k, find_library_kernel(kernel));
  const Module* found = nullptr;
  Runtime::get().modules.for_each([&](Module& m) {
    if (m.code.get() == k->code) found = &m;
  });
  if (!found) return fail(hipErrorInvalidHandle, "kernel {} belongs to no library", k->name);
  *library = reinterpret_cast<hipLibrary_t>(const_cast<Module*>(found));
  return {};
}

Result hipKernelGetName(const char** name, hipKernel_t kernel) {
  HIP_NONNULL(name);
  HIP_TRY_ASSIGN(auto k, find_library_kernel(kernel));
  *name = k->name.c_str();
  return {};
}

} // namespace bz::hip::impl
