#include "hip/runtime/runtime.hpp"
#include "base/environment.hpp"
#include "base/log.hpp"
#include "base/selection.hpp"
#include "hip/runtime/capture.hpp"
#include "hip/runtime/entry.hpp"
#include "hip/runtime/module.hpp"
#include "hip/runtime/ipc.hpp"
#include "hip/runtime/pool.hpp"
#include "hip/runtime/registry.hpp"
#include "hip/runtime/texture.hpp"
#include "hip/runtime/thread_state.hpp"

#include <chrono>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <unordered_set>

namespace bz::hip {

Runtime& Runtime::get() {
  static auto& runtime = *new Runtime;
  return runtime;
}

Runtime::Runtime() : registry_(new Registry), pools_(new MemoryPools), imported_(new ImportedMemory), textures_(new TextureObjects), graphs_(new GraphStore) {}

Result Runtime::start() {
  if (forked_child()) {
    static std::atomic<bool> said{false};
    if (!said.exchange(true)) log("hip", Level::error, "{}", kForkedChild);
    return hipErrorNotInitialized;
  }
  std::call_once(once_, [&] {
    const Result result = start_once();
    started_ = result.code(); // the words once, not at each call
    if (result.ok()) watch_forks();
    runs_.store(result.ok(), std::memory_order_release);
    if (!result.message().empty()) log("hip", Level::warn, "{}: {}", error_name(result.code()), result.message());
  });
  return started_;
}

namespace {

/// HIP_VISIBLE_DEVICES: numbers or UUIDs; what follows the first entry that fits no device is ignored.
Outcome<std::vector<size_t>> visible_devices(const std::vector<hsa_agent_t>& agents) {
  std::vector<std::string> names;
  for (auto agent : agents) {
    char uuid[25] = {};
    (void)hsa_agent_get_info(agent, static_cast<hsa_agent_info_t>(HSA_AMD_AGENT_INFO_UUID), uuid);
    names.emplace_back(uuid);
  }
  const char* variable = std::getenv("HIP_VISIBLE_DEVICES") ? "HIP_VISIBLE_DEVICES" : "CUDA_VISIBLE_DEVICES";
  const char* list = std::getenv(variable);
  if (!list || !*list) {
    std::vector<size_t> all(agents.size());
    std::iota(all.begin(), all.end(), size_t(0));
    return all;
  }
  Selection chosen = select_listed(list, names);
  if (chosen.picked.empty()) return fail(hipErrorNoDevice, "{}=\"{}\" leaves none of {} GPUs", variable, list, agents.size());
  if (!chosen.rejected.empty())
    log("hip", Level::warn, "{}=\"{}\": \"{}\" is none of {} GPUs; it and what follows is ignored", variable, list,
        chosen.rejected, agents.size());
  return chosen.picked;
}

} // namespace

Result Runtime::start_once() {
  if (hsa_status_t s = hsa_init(); s != HSA_STATUS_SUCCESS) { // the rooms below said why
    log("hip", Level::info, "{}", hsa_check(s, "starting the HSA runtime").message());
    return hipErrorNoDevice;
  }
  std::vector<hsa_agent_t> gpus;
  struct Found {
    std::vector<hsa_agent_t>* gpus;
    hsa_agent_t* cpu;
  } found{&gpus, &host_.agent};
  auto each_agent = [](hsa_agent_t agent, void* data) {
    auto& f = *static_cast<Found*>(data);
    hsa_device_type_t type{};
    if (hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type) != HSA_STATUS_SUCCESS) return HSA_STATUS_SUCCESS;
    if (type == HSA_DEVICE_TYPE_GPU) f.gpus->push_back(agent);
    if (type == HSA_DEVICE_TYPE_CPU && !f.cpu->handle) *f.cpu = agent;
    return HSA_STATUS_SUCCESS;
  };
  HIP_TRY(hsa_check(hsa_iterate_agents(each_agent, &found), "looking for agents"));
  if (!host_.agent.handle) return Result(hipErrorNoDevice, "HSA reports no CPU agent");
  auto each_pool = [](hsa_amd_memory_pool_t pool, void* data) {
    auto& h = *static_cast<HostAgent*>(data);
    if (pool_info<hsa_amd_segment_t>(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT) != HSA_AMD_SEGMENT_GLOBAL)
      return HSA_STATUS_SUCCESS;
    auto flags = pool_info<uint32_t>(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS);
    if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT && !h.kernarg.handle) h.kernarg = pool;
    if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED &&
        (!h.fine.handle || !(flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT)))
      h.fine = pool;
    if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED && !h.coarse.handle) h.coarse = pool;
    return HSA_STATUS_SUCCESS;
  };
  HIP_TRY(hsa_check(hsa_amd_agent_iterate_memory_pools(host_.agent, each_pool, &host_), "looking for host memory"));
  if (!host_.fine.handle) return Result(hipErrorNoDevice, "the CPU agent has no fine-grained memory pool");
  if (!host_.kernarg.handle) host_.kernarg = host_.fine;
  host_.has_coarse = host_.coarse.handle != 0;
  if (!host_.has_coarse) host_.coarse = host_.fine;
  (void)hsa_amd_profiling_async_copy_enable(true); // event times

  if (gpus.empty()) {
    const char* hidden = std::getenv("ROCR_VISIBLE_DEVICES");
    if (hidden && *hidden) return hipErrorNoDevice; // the HSA runtime said that it leaves none
    return Result(hipErrorNoDevice, "no GPU found: set BZ_GPUS, for example BZ_GPUS=mi300x");
  }
  HIP_TRY_ASSIGN(const auto visible, visible_devices(gpus));
  for (size_t index : visible) {
    auto device = Device::create(static_cast<int>(devices_.size()), gpus[index], host_);
    if (!device.ok()) {
      log("hip", Level::warn, "GPU {} is left out: {}", index, device.status().message());
      continue;
    }
    devices_.push_back(std::move(*device));
  }
  if (devices_.empty()) return Result(hipErrorNoDevice, "none of the GPUs can be used");
  return {};
}

Outcome<Device*> Runtime::device(int ordinal) const {
  if (ordinal < 0 || static_cast<size_t>(ordinal) >= devices_.size())
    return fail(hipErrorInvalidDevice, "there is no device {}: {} found", ordinal, devices_.size());
  return devices_[static_cast<size_t>(ordinal)].get();
}

Device& Runtime::current() const {
  auto& t = thread_state();
  if (!t.device_chosen && !t.valid_devices.empty()) return *devices_[static_cast<size_t>(t.valid_devices.front())];
  return *devices_[static_cast<size_t>(t.device)];
}

std::vector<hsa_agent_t> Runtime::gpu_agents() const {
  std::vector<hsa_agent_t> out;
  for (auto& d : devices_) out.push_back(d->agent());
  return out;
}

void Runtime::synchronize_devices() const {
  for (auto& d : devices_) d->synchronize();
}

Outcome<StreamPtr> Runtime::stream(hipStream_t handle, StreamUse use, hipError_t none) {
  auto found = find_stream(handle, none);
  if (found.ok() && use != StreamUse::inquire && graphs_->capturing.load(std::memory_order_relaxed) > 0)
    if (Result r = check_use(*found, use); !r.ok()) return r;
  return found;
}

Outcome<StreamPtr> Runtime::find_stream(hipStream_t handle, hipError_t none) {
  auto& t = thread_state();
  Device& device = current();
  if (handle == hipStreamPerThread || (!handle && t.null_is_per_thread)) {
    t.per_thread_streams.resize(devices_.size());
    auto& slot = t.per_thread_streams[static_cast<size_t>(device.ordinal())];
    if (!slot) slot = device.create_stream({});
    return slot;
  }
  if (!handle || handle == hipStreamLegacy) return device.null_stream();
  if (auto s = streams.find(handle)) return s;
  return fail(none, "stream {} was never created or is destroyed", static_cast<void*>(handle));
}

Outcome<std::shared_ptr<Event>> Runtime::event(hipEvent_t handle, EventUse use) {
  if (!handle) return fail(hipErrorInvalidHandle, "the event is null");
  if (auto e = events.find(handle)) {
    if (e->captured() || graphs_->capturing.load(std::memory_order_relaxed) > 0)
      if (Result r = check_use(*e, use); !r.ok()) return r;
    return e;
  }
  return fail(hipErrorInvalidHandle, "event {} was never created or is destroyed", static_cast<void*>(handle));
}

bool launch_blocking() {
  static const bool blocking = environment_number("hip", "HIP_LAUNCH_BLOCKING", 0, 0, INT_MAX) != 0;
  return blocking;
}

// ---- Threads --------------------------------------------------------------------------------------------------------

ThreadState& thread_state() {
  thread_local ThreadState state;
  return state;
}

ThreadState::~ThreadState() {
  if (forked_child()) { // the streams are the parent's: to destroy them is to wait for a device that isn't here
    new auto(std::move(per_thread_streams));
    return;
  }
  for (auto& stream : per_thread_streams)
    if (stream) stream->device().forget_stream(stream);
}

// ---- What surrounds a call (entry.hpp) ------------------------------------------------------------------------------

PerThreadNullStream::PerThreadNullStream() { ++thread_state().null_is_per_thread; }
PerThreadNullStream::~PerThreadNullStream() { --thread_state().null_is_per_thread; }

Result start_runtime() {
  auto& runtime = Runtime::get();
  return runtime.runs() ? Result() : runtime.start();
}

namespace {

/// True the first time that a text is seen, so that a loop of failing calls says so once.
bool first_time(const std::string& text) {
  static std::mutex mutex;
  static auto& seen = *new std::unordered_set<std::string>;
  std::lock_guard lock(mutex);
  return seen.size() < 1000 && seen.insert(text).second;
}

} // namespace

hipError_t finish(const char* name, const Result& result, bool record) {
  auto& t = thread_state();
  if (record) {
    t.last_status = result.code();
    // Not ready is an answer, not an error.
    if (!result.ok() && result.code() != hipErrorNotReady) t.last_error = result.code();
  }
  if (!result.message().empty()) {
    const char* code = error_name(result.code());
    std::string text = fmt::format("{}: {}: {}", name, code ? code : "hipErrorUnknown", result.message());
    if (log_enabled("hip", Level::warn) && first_time(text)) log_line("hip", Level::warn, text);
  }
  if (trace_enabled()) trace_line(fmt::format("{} returned {}", name, print_argument(result.code())));
  return result.code();
}

hipError_t unsupported(const char* name) {
  if (trace_enabled()) trace_line(fmt::format("{}(...)", name));
  return finish(name, Result(hipErrorNotSupported, "not implemented"), true);
}

} // namespace bz::hip
