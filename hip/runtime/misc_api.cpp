// Names and addresses of API functions, channel formats.
#include "hip/runtime/dispatch_table.hpp"
#include "hip/runtime/impl.hpp"

#include <iterator>
#include <string>
#include <string_view>
#include <unordered_map>

namespace bz::hip::impl {
namespace {

constexpr const char* kNames[] = {
#define API(slot, name, ...) #name,
#define VALUE(slot, name, ...) #name,
#define SPT(slot, name, ...) #name,
#include "api/hip_runtime.def"
#undef API
#undef VALUE
#undef SPT
};

/// Slots are pointers after a size: the n-th name is the n-th of them.
void* entry_of(std::string_view name, bool per_thread) {
  static const auto& by_name = *[] {
    auto* map = new std::unordered_map<std::string_view, size_t>;
    for (size_t i = 0; i < std::size(kNames); ++i) map->emplace(kNames[i], i);
    return map;
  }();
  if (per_thread)
    if (auto it = by_name.find(std::string(name) + "_spt"); it != by_name.end())
      return reinterpret_cast<void**>(&runtime_table())[1 + it->second];
  // Today's headers call these by another name.
  if (name == "hipGetDeviceProperties") name = "hipGetDevicePropertiesR0600";
  if (name == "hipChooseDevice") name = "hipChooseDeviceR0600";
  auto it = by_name.find(name);
  return it == by_name.end() ? nullptr : reinterpret_cast<void**>(&runtime_table())[1 + it->second];
}

} // namespace

Result hipGetProcAddress(const char* symbol, void** pfn, int version, uint64_t flags,
                         hipDriverProcAddressQueryResult* status) {
  HIP_NONNULL(symbol);
  HIP_NONNULL(pfn);
  if (flags > hipEnablePerThreadDefaultStream) return fail(hipErrorInvalidValue, "flags {:#x} don't exist", flags);
  if (version < 0) return fail(hipErrorInvalidValue, "version {} doesn't exist", version);
  *pfn = entry_of(symbol, flags == hipEnablePerThreadDefaultStream);
  if (status) *status = *pfn ? HIP_GET_PROC_ADDRESS_SUCCESS : HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  if (!*pfn) return fail(hipErrorNotFound, "there is no API function {}", symbol);
  return {};
}

Result hipGetDriverEntryPoint(const char* symbol, void** funcPtr, unsigned long long flags,
                              hipDriverEntryPointQueryResult* status) {
  HIP_NONNULL(symbol);
  HIP_NONNULL(funcPtr);
  if (flags > hipEnablePerThreadDefaultStream) return fail(hipErrorInvalidValue, "flags {:#x} don't exist", flags);
  *funcPtr = entry_of(symbol, flags == hipEnablePerThreadDefaultStream);
  if (status) *status = *funcPtr ? hipDriverEntryPointSuccess : hipDriverEntryPointSymbolNotFound;
  if (!*funcPtr) return fail(hipErrorNotFound, "there is no API function {}", symbol);
  return {};
}

const char* hipApiName(uint32_t id) { return id < std::size(kNames) ? kNames[id] : "unknown"; }

hipChannelFormatDesc hipCreateChannelDesc(int x, int y, int z, int w, hipChannelFormatKind f) {
  return {x, y, z, w, f};
}

// Profilers are attached from outside since ROCm 6; these two stayed as names.
Result hipProfilerStart() {
  return Result(hipErrorNotSupported, "profiling can't be switched by the program: use roctxProfilerResume or a tool");
}
Result hipProfilerStop() {
  return Result(hipErrorNotSupported, "profiling can't be switched by the program: use roctxProfilerPause or a tool");
}

} // namespace bz::hip::impl
