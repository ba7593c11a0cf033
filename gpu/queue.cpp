#include "gpu/queue.hpp"

#include "abi/queue.hpp"
#include "gpu/device.hpp"
#include "gpu/guard.hpp"

#include <algorithm>
#include <ctime>

namespace bz::gpu {
namespace {

constexpr uint32_t kMaxGroupItems = 1024; // HSA_AGENT_INFO_WORKGROUP_MAX_SIZE of every target here
constexpr int kDependencies = 5;

uint16_t load_header(uint64_t packet) {
  return __atomic_load_n(reinterpret_cast<const uint16_t*>(packet), __ATOMIC_ACQUIRE);
}

/// A condition that isn't defined counts as reached: processing the packet then refuses it by name.
bool value_reached(const abi::hsa_amd_barrier_value_packet_t& packet) {
  if (packet.signal.handle == 0) return true;
  auto* signal = reinterpret_cast<const abi::amd_signal_t*>(packet.signal.handle);
  int64_t value = __atomic_load_n(&signal->value, __ATOMIC_ACQUIRE) & packet.mask;
  switch (packet.cond) {
  case abi::HSA_SIGNAL_CONDITION_EQ:
    return value == packet.value;
  case abi::HSA_SIGNAL_CONDITION_NE:
    return value != packet.value;
  case abi::HSA_SIGNAL_CONDITION_LT:
    return value < packet.value;
  case abi::HSA_SIGNAL_CONDITION_GTE:
    return value >= packet.value;
  default:
    return true;
  }
}

} // namespace

uint64_t Launch::todo_groups() const {
  uint64_t n = 0;
  for (const Range& r : todo) n += r.end - r.first;
  return n;
}

bool Launch::runnable() const {
  if (dropped) return false;
  return !parked.empty() || (!todo.empty() && running + parked.size() < resident);
}

Head Queue::look() {
  uint64_t rung = device->doorbells().read(doorbell);
  if (rung != last_rung) {
    // Doorbells of several producers may arrive out of order, and a later store hides an earlier one of a higher index.
    // So a ring announces all that was reserved by now; a slot that isn't written yet still has an invalid header.
    last_rung = rung;
    uint64_t reserved = 0;
    if (!load_shared(reserved, config.write_pointer)) return Head::unreadable;
    limit = std::max({limit, rung + 1, reserved});
  }
  if (read >= limit) return Head::empty;
  Head head = Head::ready;
  uint64_t at = packet_address(read);
  bool readable = guarded([&] {
    uint16_t header = load_header(at);
    uint16_t type = abi::packet_type(header);
    if (type == abi::HSA_PACKET_TYPE_INVALID) {
      head = Head::empty;
      return;
    }
    if (abi::packet_barrier(header) && !active.empty()) {
      head = Head::barrier;
      return;
    }
    if (type == abi::HSA_PACKET_TYPE_KERNEL_DISPATCH && active.size() >= kMaxActive) {
      head = Head::full;
      return;
    }
    if (type == abi::HSA_PACKET_TYPE_VENDOR_SPECIFIC) {
      auto* packet = reinterpret_cast<const abi::hsa_amd_barrier_value_packet_t*>(at);
      if (packet->AmdFormat == abi::HSA_AMD_PACKET_TYPE_BARRIER_VALUE && !value_reached(*packet)) head = Head::signals;
      return;
    }
    if (type != abi::HSA_PACKET_TYPE_BARRIER_AND && type != abi::HSA_PACKET_TYPE_BARRIER_OR) return;
    auto* packet = reinterpret_cast<const abi::hsa_barrier_and_packet_t*>(at);
    bool any = false, all = true, none = true;
    for (int i = 0; i < kDependencies; ++i) {
      uint64_t handle = packet->dep_signal[i].handle;
      if (handle == 0) continue;
      none = false;
      // A dependency once seen at 0 counts, whatever its signal does later (section 2.9.8).
      if (!(deps_met >> i & 1)) {
        auto* signal = reinterpret_cast<const abi::amd_signal_t*>(handle);
        if (__atomic_load_n(&signal->value, __ATOMIC_ACQUIRE) == 0) deps_met |= 1u << i;
      }
      bool met = deps_met >> i & 1;
      any |= met;
      all &= met;
    }
    bool satisfied = none || (type == abi::HSA_PACKET_TYPE_BARRIER_AND ? all : any);
    if (!satisfied) head = Head::signals;
  });
  return readable ? head : Head::unreadable;
}

bool Queue::consume() {
  uint64_t at = packet_address(read);
  deps_met = 0;
  ++read;
  return guarded([&] {
    __atomic_store_n(reinterpret_cast<uint16_t*>(at), uint16_t{abi::HSA_PACKET_TYPE_INVALID}, __ATOMIC_RELEASE);
    __atomic_store_n(reinterpret_cast<uint64_t*>(config.read_pointer), read, __ATOMIC_RELEASE);
  });
}

kfd_dbg_trap_exception_code check_dispatch(const abi::hsa_kernel_dispatch_packet_t& p, uint32_t lds_bytes,
                                           std::string& why) {
  uint32_t dims = p.setup & 3;
  if (dims < 1 || dims > 3) {
    why = fmt::format("the setup field asks for {} dimensions (1 to 3 are possible)", dims);
    return EC_QUEUE_PACKET_DISPATCH_DIM_INVALID;
  }
  if (p.grid_size_x == 0 || (dims > 1 && p.grid_size_y == 0) || (dims > 2 && p.grid_size_z == 0)) {
    why = fmt::format("a grid of {} x {} x {} work-items", p.grid_size_x, p.grid_size_y, p.grid_size_z);
    return EC_QUEUE_PACKET_DISPATCH_DIM_INVALID;
  }
  uint64_t items =
      uint64_t{p.workgroup_size_x} * (dims > 1 ? p.workgroup_size_y : 1) * (dims > 2 ? p.workgroup_size_z : 1);
  if (items == 0 || items > kMaxGroupItems) {
    why = fmt::format("a workgroup of {} x {} x {} work-items (1 to {} are possible)", p.workgroup_size_x,
                      p.workgroup_size_y, p.workgroup_size_z, kMaxGroupItems);
    return EC_QUEUE_PACKET_DISPATCH_WORK_GROUP_SIZE_INVALID;
  }
  if (p.group_segment_size > lds_bytes) {
    why = fmt::format("{} bytes of LDS per workgroup ({} is the limit)", p.group_segment_size, lds_bytes);
    return EC_QUEUE_PACKET_DISPATCH_GROUP_SEGMENT_SIZE_INVALID;
  }
  if (p.kernel_object == 0) {
    why = "kernel_object is 0";
    return EC_QUEUE_PACKET_DISPATCH_CODE_INVALID;
  }
  return EC_NONE;
}

exec::DispatchInfo dispatch_info(const Launch& launch, uint64_t dispatch_id) {
  const auto& p = launch.packet;
  uint32_t dims = p.setup & 3;
  exec::DispatchInfo info;
  info.group_size = {p.workgroup_size_x, dims > 1 ? p.workgroup_size_y : uint16_t{1},
                     dims > 2 ? p.workgroup_size_z : uint16_t{1}};
  info.grid_size = {p.grid_size_x, dims > 1 ? p.grid_size_y : 1, dims > 2 ? p.grid_size_z : 1};
  info.private_bytes = p.private_segment_size;
  info.group_bytes = p.group_segment_size;
  info.kernel_object = p.kernel_object;
  info.kernarg = reinterpret_cast<uint64_t>(p.kernarg_address);
  info.packet_address = reinterpret_cast<uint64_t>(&launch.packet);
  info.queue_address = launch.queue->config.write_pointer - offsetof(abi::amd_queue_t, write_dispatch_id);
  info.dispatch_id = dispatch_id;
  return info;
}

uint64_t gpu_clock() {
  timespec t{};
  clock_gettime(CLOCK_BOOTTIME, &t);
  constexpr uint64_t kNs = 1'000'000'000;
  return (static_cast<uint64_t>(t.tv_sec) * kNs + static_cast<uint64_t>(t.tv_nsec)) / (kNs / abi::kGpuClockHz);
}

} // namespace bz::gpu
