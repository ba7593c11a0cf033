#include "rocr/fake_thunk.hpp"

#include "abi/signal.hpp"
#include "hsakmt/boltzmann.h"

#include <sys/mman.h>
#include <time.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>

namespace fake_thunk {
namespace {

struct Event {
  HsaEvent event{};
  bool manual = false, set = false;
  uint64_t age = 1;
  HsaMemoryAccessFault fault{};
};

std::mutex mutex;
std::condition_variable changed;
Limits limits;
std::map<uint32_t, std::unique_ptr<Event>> events;
std::map<uint64_t, std::unique_ptr<Queue>> live_queues;
std::map<void*, uint64_t> memory, device_memory;
uint64_t device_bytes = 0, next_id = 1;
std::atomic<bool> help_allowed{false};
std::atomic<uint32_t> helped{0};

void set(Event& e) {
  e.set = true;
  ++e.age;
  changed.notify_all();
}

HSAKMT_STATUS map_memory(uint64_t bytes, uint64_t alignment, void** address) {
  const uint64_t room = bytes + alignment;
  void* p = mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return HSAKMT_STATUS_NO_MEMORY;
  const uint64_t at = (reinterpret_cast<uint64_t>(p) + alignment - 1) & ~(alignment - 1);
  if (const uint64_t before = at - reinterpret_cast<uint64_t>(p)) munmap(p, before);
  if (const uint64_t after = reinterpret_cast<uint64_t>(p) + room - (at + bytes))
    munmap(reinterpret_cast<void*>(at + bytes), after);
  *address = reinterpret_cast<void*>(at);
  memory[*address] = bytes;
  return HSAKMT_STATUS_SUCCESS;
}

} // namespace

void set_limits(Limits l) { limits = l; }

std::vector<Queue*> queues() {
  std::lock_guard lock(mutex);
  std::vector<Queue*> list;
  for (auto& [id, q] : live_queues) list.push_back(q.get());
  return list;
}

void raise_exception(Queue& queue, uint64_t mask) {
  __atomic_fetch_or(queue.resource.ErrorReason, static_cast<int64_t>(mask), __ATOMIC_SEQ_CST);
  hsaKmtSetEvent(queue.event);
}

void raise_memory_fault(uint64_t address) {
  std::lock_guard lock(mutex);
  for (auto& [id, e] : events)
    if (e->event.EventData.EventType == HSA_EVENTTYPE_MEMORY) {
      e->fault.NodeId = 1;
      e->fault.VirtualAddress = address;
      e->fault.Failure.NotPresent = 1;
      set(*e);
    }
}

void finish_signal(uint64_t handle) {
  auto* s = reinterpret_cast<bz::abi::amd_signal_t*>(handle);
  __atomic_fetch_sub(&s->value, 1, __ATOMIC_SEQ_CST);
  if (!s->event_mailbox_ptr) return;
  __atomic_store_n(reinterpret_cast<uint64_t*>(s->event_mailbox_ptr), s->event_id, __ATOMIC_SEQ_CST);
  std::lock_guard lock(mutex);
  if (const auto e = events.find(s->event_id); e != events.end()) set(*e->second);
}

size_t live_allocations() {
  std::lock_guard lock(mutex);
  return memory.size();
}
size_t live_events() {
  std::lock_guard lock(mutex);
  return events.size();
}
void allow_help(bool allowed) { help_allowed = allowed; }
uint32_t help_calls() { return helped; }

} // namespace fake_thunk

using namespace fake_thunk;

extern "C" {

HSAKMT_STATUS hsaKmtOpenKFD() { return HSAKMT_STATUS_SUCCESS; }
HSAKMT_STATUS hsaKmtCloseKFD() { return HSAKMT_STATUS_SUCCESS; }
HSAKMT_STATUS hsaKmtReleaseSystemProperties() { return HSAKMT_STATUS_SUCCESS; }
HSAKMT_STATUS hsaKmtRuntimeEnable(void*, bool) { return HSAKMT_STATUS_SUCCESS; }
HSAKMT_STATUS hsaKmtRuntimeDisable() { return HSAKMT_STATUS_SUCCESS; }

HSAKMT_STATUS hsaKmtAcquireSystemProperties(HsaSystemProperties* p) {
  *p = {};
  p->NumNodes = 2;
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtGetNodeProperties(HSAuint32 node, HsaNodeProperties* p) {
  *p = {};
  p->NumMemoryBanks = 1;
  p->NumIOLinks = 1;
  const auto name = [&](std::string_view text) {
    for (size_t i = 0; i < text.size(); ++i) p->MarketingName[i] = static_cast<HSAuint16>(text[i]);
  };
  if (node == 0) {
    p->NumCPUCores = 4;
    name("Test CPU");
    return HSAKMT_STATUS_SUCCESS;
  }
  if (node != 1) return HSAKMT_STATUS_INVALID_NODE_UNIT;
  name("AMD Instinct MI300X");
  p->NumFComputeCores = 1216;
  p->NumSIMDPerCU = 4;
  p->MaxWavesPerSIMD = 8;
  p->WaveFrontSize = 64;
  p->LDSSizeInKB = 64;
  p->NumShaderBanks = 32;
  p->NumArrays = 1;
  p->EngineId.ui32.Major = 9;
  p->EngineId.ui32.Minor = 4;
  p->EngineId.ui32.Stepping = 2;
  p->Capability.ui32.SRAM_EDCSupport = 1;
  p->MaxEngineClockMhzFCompute = 2100;
  p->DeviceId = 0x74a1;
  p->UniqueID = 0x1234;
  p->NumGws = 64;
  p->NumCaches = 2;
  p->NumXcc = 8;
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtGetNodeMemoryProperties(HSAuint32 node, HSAuint32, HsaMemoryProperties* p) {
  *p = {};
  p->HeapType = node ? HSA_HEAPTYPE_FRAME_BUFFER_PUBLIC : HSA_HEAPTYPE_SYSTEM;
  p->SizeInBytes = uint64_t(16) << 30;
  p->Width = 8192;
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtGetNodeCacheProperties(HSAuint32, HSAuint32, HSAuint32 count, HsaCacheProperties* p) {
  for (uint32_t i = 0; i < count; ++i) {
    p[i] = {};
    p[i].CacheLevel = i + 1;
    p[i].CacheSize = i ? 4096 : 32;
    p[i].CacheLineSize = 128;
    p[i].CacheType.ui32.Data = 1;
  }
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtGetNodeIoLinkProperties(HSAuint32 node, HSAuint32, HsaIoLinkProperties* p) {
  *p = {};
  p->IoLinkType = HSA_IOLINKTYPE_PCIEXPRESS;
  p->NodeFrom = node;
  p->NodeTo = 1 - node;
  return HSAKMT_STATUS_SUCCESS;
}

HSAint32 xnack_mode = 0;
HSAKMT_STATUS hsaKmtGetXNACKMode(HSAint32* enable) {
  *enable = xnack_mode;
  return HSAKMT_STATUS_SUCCESS;
}
HSAKMT_STATUS hsaKmtSetXNACKMode(HSAint32 enable) {
  xnack_mode = enable;
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtGetClockCounters(HSAuint32, HsaClockCounters* c) {
  timespec t{};
  clock_gettime(CLOCK_BOOTTIME, &t);
  c->SystemClockCounter = uint64_t(t.tv_sec) * 1'000'000'000 + uint64_t(t.tv_nsec);
  c->CPUClockCounter = c->SystemClockCounter;
  c->GPUClockCounter = c->SystemClockCounter / 10;
  c->SystemClockFrequencyHz = 1'000'000'000;
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtAvailableMemory(HSAuint32, HSAuint64* bytes) {
  *bytes = limits.device_memory - device_bytes;
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtAllocMemoryAlign(HSAuint32 node, HSAuint64 bytes, HSAuint64 alignment, HsaMemFlags,
                                     void** address) {
  std::lock_guard lock(mutex);
  if (node == 1 && device_bytes + bytes > limits.device_memory) return HSAKMT_STATUS_NO_MEMORY;
  const HSAKMT_STATUS s = map_memory(bytes, alignment, address);
  if (s == HSAKMT_STATUS_SUCCESS && node == 1) {
    device_bytes += bytes;
    device_memory[*address] = bytes;
  }
  return s;
}
HSAKMT_STATUS hsaKmtAllocMemory(HSAuint32 node, HSAuint64 bytes, HsaMemFlags flags, void** address) {
  return hsaKmtAllocMemoryAlign(node, bytes, 4096, flags, address);
}
HSAKMT_STATUS hsaKmtFreeMemory(void* address, HSAuint64 bytes) {
  std::lock_guard lock(mutex);
  const auto at = memory.find(address);
  if (at == memory.end() || at->second != bytes) return HSAKMT_STATUS_INVALID_PARAMETER;
  munmap(address, bytes);
  memory.erase(at);
  if (device_memory.erase(address)) device_bytes -= bytes;
  return HSAKMT_STATUS_SUCCESS;
}
HSAKMT_STATUS hsaKmtMapMemoryToGPUNodes(void*, HSAuint64, HSAuint64* address, HsaMemMapFlags, HSAuint64, HSAuint32*) {
  *address = 0;
  return HSAKMT_STATUS_SUCCESS;
}
HSAKMT_STATUS hsaKmtUnmapMemoryToGPU(void*) { return HSAKMT_STATUS_SUCCESS; }
HSAKMT_STATUS hsaKmtRegisterMemoryWithFlags(void*, HSAuint64, HsaMemFlags) { return HSAKMT_STATUS_SUCCESS; }
HSAKMT_STATUS hsaKmtDeregisterMemory(void*) { return HSAKMT_STATUS_SUCCESS; }
HSAKMT_STATUS hsaKmtSVMSetAttr(void*, HSAuint64, unsigned int, HSA_SVM_ATTRIBUTE*) { return HSAKMT_STATUS_SUCCESS; }
HSAKMT_STATUS hsaKmtSVMGetAttr(void*, HSAuint64, unsigned int, HSA_SVM_ATTRIBUTE*) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

// Sharing needs a device: rocr_device_test and the tests of several processes have one.
HSAKMT_STATUS hsaKmtMapMemoryToGPU(void*, HSAuint64, HSAuint64* address) {
  *address = 0;
  return HSAKMT_STATUS_SUCCESS;
}
HSAKMT_STATUS hsaKmtExportDMABufHandle(void*, HSAuint64, int*, HSAuint64*) { return HSAKMT_STATUS_NOT_SUPPORTED; }
HSAKMT_STATUS hsaKmtShareMemory(void*, HSAuint64, HsaSharedMemoryHandle*) { return HSAKMT_STATUS_NOT_SUPPORTED; }
HSAKMT_STATUS hsaKmtRegisterSharedHandleToNodes(const HsaSharedMemoryHandle*, void**, HSAuint64*, HSAuint64, HSAuint32*) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}
HSAKMT_STATUS hsaKmtQueryPointerInfo(const void*, HsaPointerInfo*) { return HSAKMT_STATUS_NOT_SUPPORTED; }
HSAKMT_STATUS hsaKmtRegisterGraphicsHandleToNodesExt(HSAuint64, HsaGraphicsResourceInfo*, HSAuint64, HSAuint32*,
                                                     HSA_REGISTER_MEM_FLAGS) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtCreateEvent(HsaEventDescriptor* d, bool manual, bool signaled, HsaEvent** event) {
  static uint64_t mailbox[1 << 16];
  std::lock_guard lock(mutex);
  if (events.size() >= limits.events) return HSAKMT_STATUS_OUT_OF_RESOURCES;
  const auto id = static_cast<uint32_t>(next_id++);
  auto e = std::make_unique<Event>();
  e->event.EventId = id;
  e->event.EventData.EventType = d->EventType;
  e->event.EventData.HWData2 = reinterpret_cast<uint64_t>(&mailbox[id & 0xffff]);
  e->manual = manual;
  e->set = signaled;
  *event = &e->event;
  events.emplace(id, std::move(e));
  return HSAKMT_STATUS_SUCCESS;
}
HSAKMT_STATUS hsaKmtDestroyEvent(HsaEvent* event) {
  std::lock_guard lock(mutex);
  return events.erase(event->EventId) ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_INVALID_HANDLE;
}
HSAKMT_STATUS hsaKmtSetEvent(HsaEvent* event) {
  std::lock_guard lock(mutex);
  const auto at = events.find(event->EventId);
  if (at == events.end()) return HSAKMT_STATUS_INVALID_HANDLE;
  set(*at->second);
  return HSAKMT_STATUS_SUCCESS;
}
HSAKMT_STATUS hsaKmtResetEvent(HsaEvent* event) {
  std::lock_guard lock(mutex);
  const auto at = events.find(event->EventId);
  if (at == events.end()) return HSAKMT_STATUS_INVALID_HANDLE;
  at->second->set = false;
  return HSAKMT_STATUS_SUCCESS;
}
HSAKMT_STATUS hsaKmtWaitOnMultipleEvents_Ext(HsaEvent* list[], HSAuint32 count, bool, HSAuint32 ms, uint64_t* ages) {
  std::unique_lock lock(mutex);
  const auto ready = [&] {
    bool any = false;
    for (uint32_t i = 0; i < count; ++i) {
      const auto at = events.find(list[i]->EventId);
      if (at == events.end()) continue;
      Event& e = *at->second;
      if (!e.set && e.age == ages[i]) continue;
      any = true;
      ages[i] = e.age;
      if (!e.manual) e.set = false;
      if (e.event.EventData.EventType == HSA_EVENTTYPE_MEMORY) e.event.EventData.EventData.MemoryAccessFault = e.fault;
    }
    return any;
  };
  return changed.wait_for(lock, std::chrono::milliseconds(ms), ready) ? HSAKMT_STATUS_SUCCESS
                                                                      : HSAKMT_STATUS_WAIT_TIMEOUT;
}

HSAKMT_STATUS hsaKmtCreateQueueExt(HSAuint32 node, HSA_QUEUE_TYPE, HSAuint32 percentage, HSA_QUEUE_PRIORITY priority,
                                   HSAuint32, void* ring, HSAuint64 bytes, HsaEvent* event,
                                   HsaQueueResource* resource) {
  std::lock_guard lock(mutex);
  auto q = std::make_unique<Queue>();
  q->id = next_id++;
  q->node = node;
  q->percentage = percentage;
  q->priority = priority;
  q->ring = ring;
  q->ring_bytes = bytes;
  q->event = event;
  resource->QueueId = q->id;
  resource->Queue_DoorBell_aql = &q->doorbell;
  q->resource = *resource;
  live_queues.emplace(q->id, std::move(q));
  return HSAKMT_STATUS_SUCCESS;
}
HSAKMT_STATUS hsaKmtUpdateQueue(HSA_QUEUEID id, HSAuint32 percentage, HSA_QUEUE_PRIORITY priority, void*, HSAuint64,
                                HsaEvent*) {
  std::lock_guard lock(mutex);
  const auto at = live_queues.find(id);
  if (at == live_queues.end()) return HSAKMT_STATUS_INVALID_HANDLE;
  at->second->percentage = percentage;
  at->second->priority = priority;
  return HSAKMT_STATUS_SUCCESS;
}
HSAKMT_STATUS hsaKmtDestroyQueue(HSA_QUEUEID id) {
  std::lock_guard lock(mutex);
  return live_queues.erase(id) ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_INVALID_HANDLE;
}
HSAKMT_STATUS hsaKmtSetQueueCUMask(HSA_QUEUEID id, HSAuint32 bits, HSAuint32* mask) {
  std::lock_guard lock(mutex);
  const auto at = live_queues.find(id);
  if (at == live_queues.end()) return HSAKMT_STATUS_INVALID_HANDLE;
  at->second->cu_mask.assign(mask, mask + bits / 32);
  return HSAKMT_STATUS_SUCCESS;
}
HSAKMT_STATUS hsaKmtAllocQueueGWS(HSA_QUEUEID id, HSAuint32, HSAuint32* first) {
  std::lock_guard lock(mutex);
  if (live_queues.find(id) == live_queues.end()) return HSAKMT_STATUS_INVALID_HANDLE;
  *first = 0;
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS bzHsaKmtHelp(const volatile int64_t*, HSAuint32, int64_t, HSAuint32, HSAuint32* result) {
  ++helped;
  *result = BZ_HELP_IDLE;
  return help_allowed ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_NOT_SUPPORTED;
}

} // extern "C"
