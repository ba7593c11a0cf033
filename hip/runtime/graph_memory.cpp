#include "hip/runtime/graph_memory.hpp"
#include "hip/runtime/graph.hpp"
#include "hip/runtime/impl.hpp"
#include "hip/runtime/memory_use.hpp"
#include "hip/runtime/runtime.hpp"

#include <algorithm>

namespace bz::hip {
namespace {

GraphMemoryBook& book() { return graph_store().memory; }

} // namespace

Outcome<std::shared_ptr<GraphMemory>> GraphMemory::make(const hipMemAllocNodeParams& p) {
  if (p.bytesize == 0) return Result(hipErrorInvalidValue, "an allocation node of 0 bytes");
  const auto& props = p.poolProps;
  if (props.allocType != hipMemAllocationTypePinned)
    return fail(hipErrorInvalidValue, "allocation type {}: graph memory is hipMemAllocationTypePinned",
                static_cast<int>(props.allocType));
  if (props.location.type != hipMemLocationTypeDevice)
    return fail(hipErrorInvalidValue, "location type {}: graph memory is on devices",
                static_cast<int>(props.location.type));
  if (props.handleTypes != hipMemHandleTypeNone)
    return Result(hipErrorInvalidValue, "graph memory can't be shared with other processes: handleTypes must be none");
  auto device = Runtime::get().device(props.location.id);
  if (!device.ok()) return Result(hipErrorInvalidValue, device.result().message());
  if (p.bytesize > (*device)->vram_size())
    return fail(hipErrorOutOfMemory, "{} bytes don't fit into device {} of {} bytes", p.bytesize, (*device)->ordinal(),
                (*device)->vram_size());
  std::vector<hsa_agent_t> accessors = (*device)->accessors();
  for (size_t i = 0; i < p.accessDescCount; ++i) {
    const auto& a = p.accessDescs[i];
    if (a.location.type != hipMemLocationTypeDevice || a.flags != hipMemAccessFlagsProtReadWrite)
      return fail(hipErrorInvalidValue, "access description {}: read-write access of devices is possible", i);
    auto other = Runtime::get().device(a.location.id);
    if (!other.ok()) return Result(hipErrorInvalidValue, other.result().message());
    const hsa_agent_t agent = (*other)->agent();
    if (std::none_of(accessors.begin(), accessors.end(), [&](auto& x) { return x.handle == agent.handle; }))
      accessors.push_back(agent);
  }
  const size_t granule =
      std::max<size_t>(pool_info<size_t>((*device)->vram(), HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_GRANULE), 4096);
  const size_t pages = (p.bytesize + granule - 1) / granule * granule;
  void* address = nullptr;
  if (Status s = hsa_check(hsa_amd_vmem_address_reserve(&address, pages, 0, 0), "reserving addresses"); !s.ok())
    return s;
  std::shared_ptr<GraphMemory> memory(new GraphMemory(**device, address, p.bytesize, pages));
  memory->accessors_ = std::move(accessors);
  const auto base = reinterpret_cast<uintptr_t>(address);
  Runtime::get().memory.add({.base = base,
                             .size = p.bytesize,
                             .kind = MemoryKind::graph,
                             .device = (*device)->ordinal(),
                             .device_base = base});
  auto& b = book();
  std::lock_guard lock(b.mutex_);
  b.by_address_[address] = memory;
  return memory;
}

GraphMemory::~GraphMemory() {
  Runtime::get().memory.remove(address_);
  wait_for_memory_uses();
  auto& b = book();
  {
    std::lock_guard lock(b.mutex_);
    b.by_address_.erase(address_);
    if (in_use_) b.use_[&device_].used -= size_;
  }
  if (uses_ > 0) {
    uses_ = 1; // nothing that could use it is left
    release();
  }
  (void)hsa_amd_vmem_address_free(address_, pages_);
}

bool GraphMemory::in_use() const {
  std::lock_guard lock(book().mutex_);
  return in_use_;
}

Status GraphMemory::map() {
  BZ_TRY(hsa_check(hsa_amd_vmem_handle_create(device_.vram(), pages_, MEMORY_TYPE_PINNED, 0, &handle_),
                   "allocating memory of a graph"));
  Status s = hsa_check(hsa_amd_vmem_map(address_, pages_, 0, handle_, 0), "mapping memory of a graph");
  if (s.ok()) {
    std::vector<hsa_amd_memory_access_desc_t> access;
    for (auto& agent : accessors_) access.push_back({HSA_ACCESS_PERMISSION_RW, agent});
    s = hsa_check(hsa_amd_vmem_set_access(address_, pages_, access.data(), access.size()),
                  "setting access to memory of a graph");
    if (!s.ok()) (void)hsa_amd_vmem_unmap(address_, pages_);
  }
  if (!s.ok()) (void)hsa_amd_vmem_handle_release(handle_);
  return s;
}

Result GraphMemory::begin() {
  auto& b = book();
  std::lock_guard lock(b.mutex_);
  auto& use = b.use_[&device_];
  if (uses_ == 0) {
    HIP_TRY(map());
    use.reserved += size_;
    use.reserved_high = std::max(use.reserved_high, use.reserved);
  }
  ++uses_;
  in_use_ = true;
  use.used += size_;
  use.used_high = std::max(use.used_high, use.used);
  return {};
}

bool GraphMemory::end(const StreamPtr& stream) {
  {
    auto& b = book();
    std::lock_guard lock(b.mutex_);
    if (!std::exchange(in_use_, false)) return false;
    b.use_[&device_].used -= size_;
  }
  auto later = [self = shared_from_this()] {
    self->release();
    return Status();
  };
  // A stream that can't take the work any more keeps the pages until the node goes.
  if (stream)
    (void)stream->host_or_now(later).ok();
  else
    release();
  return true;
}

void GraphMemory::release() {
  auto& b = book();
  std::lock_guard lock(b.mutex_);
  if (--uses_ > 0) return;
  (void)hsa_amd_vmem_unmap(address_, pages_);
  (void)hsa_amd_vmem_handle_release(handle_);
  b.use_[&device_].reserved -= size_;
}

GraphMemoryUse GraphMemoryBook::use(const Device& device) {
  std::lock_guard lock(mutex_);
  return use_[&device];
}

void GraphMemoryBook::reset_high(const Device& device, bool used, bool reserved) {
  std::lock_guard lock(mutex_);
  auto& use = use_[&device];
  if (used) use.used_high = use.used;
  if (reserved) use.reserved_high = use.reserved;
}

std::shared_ptr<GraphMemory> GraphMemoryBook::find(const void* address) {
  std::lock_guard lock(mutex_);
  auto it = by_address_.find(address);
  return it == by_address_.end() ? nullptr : it->second.lock();
}

Result free_graph_memory(const void* address, const StreamPtr& stream) {
  auto memory = book().find(address);
  if (!memory) return fail(hipErrorInvalidValue, "{} is not the start of graph memory", address);
  if (!memory->end(stream))
    return fail(hipErrorInvalidValue, "{} is memory of a graph that isn't allocated now: launch the graph first",
                address);
  return {};
}

Result check_graph_memory(const void* base) {
  auto memory = book().find(base);
  if (memory && !memory->in_use())
    return fail(hipErrorInvalidValue, "{} is memory of a graph that isn't allocated now: launch the graph first", base);
  return {};
}

namespace impl {
namespace {

Outcome<uint64_t> attribute(const GraphMemoryUse& use, hipGraphMemAttributeType attribute) {
  switch (attribute) {
  case hipGraphMemAttrUsedMemCurrent:
    return use.used;
  case hipGraphMemAttrUsedMemHigh:
    return use.used_high;
  case hipGraphMemAttrReservedMemCurrent:
    return use.reserved;
  case hipGraphMemAttrReservedMemHigh:
    return use.reserved_high;
  }
  return fail(hipErrorInvalidValue, "graph memory attribute {} doesn't exist", static_cast<int>(attribute));
}

} // namespace

Result hipDeviceGetGraphMemAttribute(int device, hipGraphMemAttributeType attr, void* value) {
  HIP_NONNULL(value);
  HIP_TRY_ASSIGN(Device * d, Runtime::get().device(device));
  HIP_TRY_ASSIGN(*static_cast<uint64_t*>(value), attribute(book().use(*d), attr));
  return {};
}

Result hipDeviceSetGraphMemAttribute(int device, hipGraphMemAttributeType attr, void* value) {
  HIP_NONNULL(value);
  HIP_TRY_ASSIGN(Device * d, Runtime::get().device(device));
  HIP_TRY(attribute({}, attr));
  if (attr != hipGraphMemAttrUsedMemHigh && attr != hipGraphMemAttrReservedMemHigh)
    return Result(hipErrorInvalidValue, "the current amounts of graph memory can't be set, only the highest");
  if (*static_cast<uint64_t*>(value) != 0)
    return fail(hipErrorInvalidValue, "the highest amount can be set to 0 alone, not to {}",
                *static_cast<uint64_t*>(value));
  book().reset_high(*d, attr == hipGraphMemAttrUsedMemHigh, attr == hipGraphMemAttrReservedMemHigh);
  return {};
}

/// What isn't in use goes back at once, so there is never anything to trim.
Result hipDeviceGraphMemTrim(int device) { return as_result(Runtime::get().device(device)); }

Result hipGraphAddMemAllocNode(hipGraphNode_t* pGraphNode, hipGraph_t graph, const hipGraphNode_t* pDependencies,
                               size_t numDependencies, hipMemAllocNodeParams* pNodeParams) {
  HIP_NONNULL(pNodeParams);
  if (pNodeParams->accessDescCount > 0) HIP_NONNULL_AS(pNodeParams->accessDescs, "pNodeParams->accessDescs");
  return add_node(pGraphNode, graph, pDependencies, numDependencies,
                  [&]() -> Outcome<WorkPtr> { return alloc_work(*pNodeParams); });
}

Result hipGraphMemAllocNodeGetParams(hipGraphNode_t node, hipMemAllocNodeParams* pNodeParams) {
  HIP_NONNULL(pNodeParams);
  GraphLock lock;
  HIP_TRY_ASSIGN(NodePtr n, graph_store().node(node));
  const auto* w = n->as<AllocWork>();
  if (!w) return fail(hipErrorInvalidValue, "the node is of type {}, not mem alloc", node_type_name(*n->work));
  *pNodeParams = w->parameters;
  return {};
}

Result hipGraphAddMemFreeNode(hipGraphNode_t* pGraphNode, hipGraph_t graph, const hipGraphNode_t* pDependencies,
                              size_t numDependencies, void* dev_ptr) {
  return add_node(pGraphNode, graph, pDependencies, numDependencies, [&] { return free_work(dev_ptr); });
}

Result hipDrvGraphAddMemFreeNode(hipGraphNode_t* phGraphNode, hipGraph_t hGraph, const hipGraphNode_t* dependencies,
                                 size_t numDependencies, hipDeviceptr_t dptr) {
  return impl::hipGraphAddMemFreeNode(phGraphNode, hGraph, dependencies, numDependencies, dptr);
}

Result hipGraphMemFreeNodeGetParams(hipGraphNode_t node, void* dev_ptr) {
  HIP_NONNULL(dev_ptr);
  GraphLock lock;
  HIP_TRY_ASSIGN(NodePtr n, graph_store().node(node));
  const auto* w = n->as<FreeWork>();
  if (!w) return fail(hipErrorInvalidValue, "the node is of type {}, not mem free", node_type_name(*n->work));
  *static_cast<void**>(dev_ptr) = w->memory->address();
  return {};
}

} // namespace impl

Outcome<WorkPtr> alloc_work(hipMemAllocNodeParams& p) {
  auto memory = GraphMemory::make(p);
  if (!memory.ok()) return memory.result();
  p.dptr = (*memory)->address();
  AllocWork w{.memory = *memory, .parameters = p, .access = {}};
  if (p.accessDescCount > 0) w.access.assign(p.accessDescs, p.accessDescs + p.accessDescCount);
  w.parameters.accessDescs = w.access.empty() ? nullptr : w.access.data(); // stays when the vector moves
  return WorkPtr(std::make_shared<const Work>(std::move(w)));
}

Outcome<WorkPtr> free_work(void* address) {
  if (!address) return Result(hipErrorInvalidValue, "argument dev_ptr is null");
  auto memory = book().find(address);
  if (!memory) return fail(hipErrorInvalidValue, "{} is not memory of an allocation node", address);
  if (memory->freed_by_node) return fail(hipErrorInvalidValue, "{} has a free node already", address);
  memory->freed_by_node = true;
  return WorkPtr(std::make_shared<const Work>(FreeWork{std::move(memory)}));
}

} // namespace bz::hip
