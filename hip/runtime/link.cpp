// hipLinkCreate and its relatives: bitcode and objects to a code object. The linker is hipRTC's (hip/rtc).
#include "hip/rtc/link_state.hpp"

#include "base/readable.hpp"
#include "hip/runtime/device.hpp"
#include "hip/runtime/handle_table.hpp"
#include "hip/runtime/impl.hpp"
#include "hip/runtime/runtime.hpp"

#include <memory>

namespace bz::hip {
namespace {

HandleTable<rtc::LinkState>& links() {
  static auto& table = *new HandleTable<rtc::LinkState>; // never destroyed, as the runtime
  return table;
}

Outcome<std::shared_ptr<rtc::LinkState>> find_link(hipLinkState_t handle) {
  auto state = links().find(handle);
  if (!state) return fail(hipErrorInvalidHandle, "{} is no link, or was destroyed", static_cast<const void*>(handle));
  return state;
}

Result check_options(unsigned count, const hipJitOption* options, void** optionValues) {
  if (count == 0) return {};
  HIP_NONNULL(options);
  HIP_NONNULL(optionValues);
  return {};
}

} // namespace

namespace impl {

Result hipLinkCreate(unsigned int numOptions, hipJitOption* options, void** optionValues, hipLinkState_t* stateOut) {
  HIP_NONNULL(stateOut);
  *stateOut = nullptr;
  HIP_TRY(check_options(numOptions, options, optionValues));
  auto state = std::make_shared<rtc::LinkState>();
  HIP_TRY(state->set_options({numOptions, options, optionValues}));
  *stateOut = reinterpret_cast<hipLinkState_t>(state.get());
  links().add(std::move(state));
  return {};
}

Result hipLinkAddData(hipLinkState_t state, hipJitInputType type, void* data, size_t size, const char* name,
                      unsigned int numOptions, hipJitOption* options, void** optionValues) {
  HIP_TRY_ASSIGN(auto link, find_link(state));
  HIP_NONNULL(data);
  if (size == 0) return fail(hipErrorInvalidValue, "the input has no bytes");
  if (const uint64_t readable = readable_bytes(data); readable < size)
    return fail(hipErrorInvalidValue, "{} bytes at {}: only {} can be read", size, data, readable);
  HIP_TRY(check_options(numOptions, options, optionValues));
  return link->add(type, data, size, name, {numOptions, options, optionValues});
}

Result hipLinkAddFile(hipLinkState_t state, hipJitInputType type, const char* path, unsigned int numOptions,
                      hipJitOption* options, void** optionValues) {
  HIP_TRY_ASSIGN(auto link, find_link(state));
  HIP_NONNULL(path);
  HIP_TRY(check_options(numOptions, options, optionValues));
  const Status added = link->add_file(type, path, {numOptions, options, optionValues});
  return added.code() == Code::not_found ? Result(hipErrorFileNotFound, added.message()) : Result(added);
}

Result hipLinkComplete(hipLinkState_t state, void** hipBinOut, size_t* sizeOut) {
  HIP_TRY_ASSIGN(auto link, find_link(state));
  HIP_NONNULL(hipBinOut);
  HIP_NONNULL(sizeOut);
  HIP_TRY(link->complete(Runtime::get().current().target().str()));
  *hipBinOut = const_cast<char*>(link->code().data());
  *sizeOut = link->code().size();
  return {};
}

Result hipLinkDestroy(hipLinkState_t state) {
  if (!links().remove(state))
    return fail(hipErrorInvalidHandle, "{} is no link, or was destroyed", static_cast<const void*>(state));
  return {};
}

} // namespace impl
} // namespace bz::hip
