// The functions of the API that make nodes of each type and get and set their parameters. A type of node is a
// description (graph_work.hpp); what the functions have in common is written once, at the top.
#include "hip/runtime/event.hpp"
#include "hip/runtime/graph_exec.hpp"
#include "hip/runtime/impl.hpp"
#include "hip/runtime/stream_attributes.hpp"

namespace bz::hip::impl {
namespace {

template <class W> Outcome<const W*> as(const Node& n) {
  if (const W* w = n.as<W>()) return w;
  return fail(hipErrorInvalidValue, "the node is of type {}, which this function doesn't take",
              node_type_name(*n.work));
}

/// hipGraph...NodeGetParams: `read` takes the description.
template <class W, class Read> Result get(hipGraphNode_t node, Read read) {
  GraphLock lock;
  HIP_TRY_ASSIGN(NodePtr n, graph_store().node(node));
  HIP_TRY_ASSIGN(const W* w, as<W>(*n));
  read(*w);
  return {};
}

/// hipGraph...NodeSetParams: `describe` makes the new description from the old one.
template <class W, class Describe> Result set(hipGraphNode_t node, Describe describe) {
  GraphLock lock;
  HIP_TRY_ASSIGN(NodePtr n, graph_store().node(node));
  HIP_TRY_ASSIGN(const W* w, as<W>(*n));
  HIP_TRY_ASSIGN(WorkPtr work, describe(*w));
  n->work = std::move(work);
  return {};
}

/// hipGraphExec...NodeSetParams: the same for the next launches of an executable graph.
template <class W, class Describe> Result exec_set(hipGraphExec_t exec, hipGraphNode_t node, Describe describe) {
  GraphLock lock;
  HIP_TRY_ASSIGN(auto e, graph_store().exec(exec));
  HIP_TRY_ASSIGN(NodePtr n, graph_store().node(node));
  HIP_TRY_ASSIGN(Node * twin, e->twin(*n));
  HIP_TRY_ASSIGN(const W* w, as<W>(*twin));
  HIP_TRY_ASSIGN(WorkPtr work, describe(*w));
  HIP_TRY(GraphExec::may_become(*twin->work, *work));
  return e->set_work(*twin, std::move(work));
}

Outcome<WorkPtr> copy_1d(void* dst, const void* src, size_t count, hipMemcpyKind kind) {
  if (!dst) return Result(hipErrorInvalidValue, "argument dst is null");
  if (!src) return Result(hipErrorInvalidValue, "argument src is null");
  if (count == 0) return Result(hipErrorInvalidValue, "a copy node of 0 bytes");
  if (dst == src) return fail(hipErrorInvalidValue, "a copy node from {} to itself", src);
  return copy_work(Box{.dst = static_cast<char*>(dst), .src = static_cast<const char*>(src), .width = count}, kind);
}

/// For functions whose only code of a bad parameter is hipErrorInvalidValue.
Outcome<WorkPtr> no_pitch_code(Outcome<WorkPtr> work) {
  if (!work.ok() && work.result().code() == hipErrorInvalidPitchValue)
    return Result(hipErrorInvalidValue, work.result().message());
  return work;
}

Outcome<WorkPtr> copy_to_symbol(const void* symbol, const void* src, size_t count, size_t offset, hipMemcpyKind kind) {
  if (Result r = check_symbol_kind(kind, true); !r.ok()) return r;
  auto dst = symbol_part(symbol, count, offset);
  if (!dst.ok()) return dst.result();
  return copy_1d(*dst, src, count, kind);
}

Outcome<WorkPtr> copy_from_symbol(void* dst, const void* symbol, size_t count, size_t offset, hipMemcpyKind kind) {
  if (Result r = check_symbol_kind(kind, false); !r.ok()) return r;
  auto src = symbol_part(symbol, count, offset);
  if (!src.ok()) return src.result();
  return copy_1d(dst, *src, count, kind);
}

HIP_MEMCPY3D as_driver_parameters(const hipMemcpy3DParms& p) {
  auto& memory = Runtime::get().memory;
  auto type = [&](const void* pointer) {
    auto a = memory.find(pointer);
    return a && a->on_device() ? hipMemoryTypeDevice : hipMemoryTypeHost;
  };
  HIP_MEMCPY3D c{};
  c.srcXInBytes = p.srcPos.x;
  c.srcY = p.srcPos.y;
  c.srcZ = p.srcPos.z;
  c.srcMemoryType = type(p.srcPtr.ptr);
  (c.srcMemoryType == hipMemoryTypeHost ? c.srcHost : const_cast<const void*&>(c.srcDevice)) = p.srcPtr.ptr;
  c.srcPitch = p.srcPtr.pitch;
  c.srcHeight = p.srcPtr.ysize;
  c.dstXInBytes = p.dstPos.x;
  c.dstY = p.dstPos.y;
  c.dstZ = p.dstPos.z;
  c.dstMemoryType = type(p.dstPtr.ptr);
  (c.dstMemoryType == hipMemoryTypeHost ? c.dstHost : c.dstDevice) = p.dstPtr.ptr;
  c.dstPitch = p.dstPtr.pitch;
  c.dstHeight = p.dstPtr.ysize;
  c.WidthInBytes = p.extent.width;
  c.Height = p.extent.height;
  c.Depth = p.extent.depth;
  return c;
}

/// A context is a device; which one doesn't matter, because addresses are unique in the process.
Result check_context(hipCtx_t ctx) {
  unsigned version = 0;
  return impl::hipCtxGetApiVersion(ctx, &version);
}

hipKernelNodeParams parameters_of(const KernelWork& k) {
  hipKernelNodeParams p{};
  p.func = k.function;
  p.gridDim = k.grid;
  p.blockDim = k.block;
  p.sharedMemBytes = unsigned(k.shape.dynamic_lds);
  if (k.packed)
    p.extra = const_cast<void**>(k.extra.data());
  else
    p.kernelParams = const_cast<void**>(k.pointers.data());
  return p;
}

/// New parameters leave the attributes as they are.
Outcome<WorkPtr> with_attributes(Outcome<WorkPtr> work, const KernelAttributes& attributes) {
  if (!work.ok()) return work;
  auto changed = std::make_shared<Work>(**work);
  auto& k = std::get<KernelWork>(*changed);
  k.attributes = attributes;
  k.bind();
  LaunchOptions options;
  options.cooperative = attributes.cooperative != 0;
  if (Result r = check_launch(*k.kernel, k.shape, options); !r.ok()) return r;
  return WorkPtr(std::move(changed));
}

Outcome<WorkPtr> as_work(const KernelWork& k) {
  return with_attributes(WorkPtr(std::make_shared<const Work>(k)), k.attributes);
}

hipEvent_t handle_of(const std::shared_ptr<Event>& e) { return reinterpret_cast<hipEvent_t>(e.get()); }

Outcome<WorkPtr> child_work(hipGraph_t graph) {
  auto g = graph_store().graph(graph);
  if (!g.ok()) return g.result();
  if ((*g)->has_memory_nodes())
    return Result(hipErrorNotSupported, "a graph with allocation or free nodes can't be a child graph");
  return WorkPtr(std::make_shared<const Work>(ChildWork{graph_store().copy(**g)}));
}

} // namespace

// ---- Empty ----------------------------------------------------------------------------------------------------------

Result hipGraphAddEmptyNode(hipGraphNode_t* pGraphNode, hipGraph_t graph, const hipGraphNode_t* pDependencies,
                            size_t numDependencies) {
  return add_node(pGraphNode, graph, pDependencies, numDependencies,
                  []() -> Outcome<WorkPtr> { return WorkPtr(std::make_shared<const Work>(EmptyWork{})); });
}

// ---- Kernels --------------------------------------------------------------------------------------------------------

namespace {

Result check_kernel_parameters(const hipKernelNodeParams* p) {
  HIP_NONNULL_AS(p, "pNodeParams");
  if (!p->func) return Result(hipErrorInvalidDeviceFunction, "the kernel node's function is null");
  if (!p->kernelParams && !p->extra)
    return Result(hipErrorInvalidValue, "the kernel node's arguments are neither in kernelParams nor in extra");
  return {};
}

} // namespace

Result hipGraphAddKernelNode(hipGraphNode_t* pGraphNode, hipGraph_t graph, const hipGraphNode_t* pDependencies,
                             size_t numDependencies, const hipKernelNodeParams* pNodeParams) {
  HIP_TRY(check_kernel_parameters(pNodeParams));
  return add_node(pGraphNode, graph, pDependencies, numDependencies, [&] { return kernel_work(*pNodeParams); });
}

Result hipGraphKernelNodeGetParams(hipGraphNode_t node, hipKernelNodeParams* pNodeParams) {
  HIP_NONNULL(pNodeParams);
  return get<KernelWork>(node, [&](const KernelWork& k) { *pNodeParams = parameters_of(k); });
}

Result hipGraphKernelNodeSetParams(hipGraphNode_t node, const hipKernelNodeParams* pNodeParams) {
  HIP_TRY(check_kernel_parameters(pNodeParams));
  return set<KernelWork>(node,
                         [&](const KernelWork& k) { return with_attributes(kernel_work(*pNodeParams), k.attributes); });
}

Result hipGraphExecKernelNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t node,
                                       const hipKernelNodeParams* pNodeParams) {
  HIP_TRY(check_kernel_parameters(pNodeParams));
  return exec_set<KernelWork>(
      hGraphExec, node, [&](const KernelWork& k) { return with_attributes(kernel_work(*pNodeParams), k.attributes); });
}

Result hipGraphKernelNodeGetAttribute(hipGraphNode_t hNode, hipLaunchAttributeID attr, hipLaunchAttributeValue* value) {
  HIP_NONNULL(value);
  GraphLock lock;
  HIP_TRY_ASSIGN(NodePtr n, graph_store().node(hNode));
  HIP_TRY_ASSIGN(const KernelWork* k, as<KernelWork>(*n));
  switch (int(attr)) {
  case hipLaunchAttributeCooperative:
    value->cooperative = k->attributes.cooperative;
    return {};
  case hipLaunchAttributePriority:
    value->priority = k->attributes.priority;
    return {};
  case hipLaunchAttributeAccessPolicyWindow:
    value->accessPolicyWindow = k->attributes.window;
    return {};
  }
  return fail(hipErrorInvalidValue, "kernel nodes have no attribute {}", static_cast<int>(attr));
}

Result hipGraphKernelNodeSetAttribute(hipGraphNode_t hNode, hipLaunchAttributeID attr,
                                      const hipLaunchAttributeValue* value) {
  HIP_NONNULL(value);
  return set<KernelWork>(hNode, [&](const KernelWork& k) -> Outcome<WorkPtr> {
    KernelAttributes a = k.attributes;
    switch (int(attr)) {
    case hipLaunchAttributeCooperative:
      a.cooperative = value->cooperative;
      break;
    case hipLaunchAttributePriority:
      a.priority = value->priority;
      break;
    case hipLaunchAttributeAccessPolicyWindow:
      if (Result r = check_window(value->accessPolicyWindow, k.kernel->code->device()); !r.ok()) return r;
      a.window = value->accessPolicyWindow;
      break;
    default:
      return fail(hipErrorInvalidValue, "kernel nodes have no attribute {}", static_cast<int>(attr));
    }
    return with_attributes(as_work(k), a);
  });
}

Result hipGraphKernelNodeCopyAttributes(hipGraphNode_t hSrc, hipGraphNode_t hDst) {
  GraphLock lock;
  HIP_TRY_ASSIGN(NodePtr source, graph_store().node(hSrc));
  HIP_TRY_ASSIGN(const KernelWork* from, as<KernelWork>(*source));
  return set<KernelWork>(hDst, [&](const KernelWork& k) { return with_attributes(as_work(k), from->attributes); });
}

// ---- Copies ---------------------------------------------------------------------------------------------------------

Result hipGraphAddMemcpyNode(hipGraphNode_t* pGraphNode, hipGraph_t graph, const hipGraphNode_t* pDependencies,
                             size_t numDependencies, const hipMemcpy3DParms* pCopyParams) {
  HIP_NONNULL(pCopyParams);
  return add_node(pGraphNode, graph, pDependencies, numDependencies, [&] { return copy_work(*pCopyParams); });
}

Result hipGraphMemcpyNodeGetParams(hipGraphNode_t node, hipMemcpy3DParms* pNodeParams) {
  HIP_NONNULL(pNodeParams);
  return get<CopyWork>(node, [&](const CopyWork& c) { *pNodeParams = c.parameters; });
}

Result hipGraphMemcpyNodeSetParams(hipGraphNode_t node, const hipMemcpy3DParms* pNodeParams) {
  HIP_NONNULL(pNodeParams);
  return set<CopyWork>(node, [&](const CopyWork&) { return copy_work(*pNodeParams); });
}

Result hipGraphExecMemcpyNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t node, hipMemcpy3DParms* pNodeParams) {
  HIP_NONNULL(pNodeParams);
  return exec_set<CopyWork>(hGraphExec, node, [&](const CopyWork&) { return no_pitch_code(copy_work(*pNodeParams)); });
}

Result hipGraphAddMemcpyNode1D(hipGraphNode_t* pGraphNode, hipGraph_t graph, const hipGraphNode_t* pDependencies,
                               size_t numDependencies, void* dst, const void* src, size_t count, hipMemcpyKind kind) {
  return add_node(pGraphNode, graph, pDependencies, numDependencies, [&] { return copy_1d(dst, src, count, kind); });
}

Result hipGraphMemcpyNodeSetParams1D(hipGraphNode_t node, void* dst, const void* src, size_t count,
                                     hipMemcpyKind kind) {
  return set<CopyWork>(node, [&](const CopyWork&) { return copy_1d(dst, src, count, kind); });
}

Result hipGraphExecMemcpyNodeSetParams1D(hipGraphExec_t hGraphExec, hipGraphNode_t node, void* dst, const void* src,
                                         size_t count, hipMemcpyKind kind) {
  return exec_set<CopyWork>(hGraphExec, node, [&](const CopyWork&) { return copy_1d(dst, src, count, kind); });
}

Result hipGraphAddMemcpyNodeFromSymbol(hipGraphNode_t* pGraphNode, hipGraph_t graph,
                                       const hipGraphNode_t* pDependencies, size_t numDependencies, void* dst,
                                       const void* symbol, size_t count, size_t offset, hipMemcpyKind kind) {
  return add_node(pGraphNode, graph, pDependencies, numDependencies,
                  [&] { return copy_from_symbol(dst, symbol, count, offset, kind); });
}

Result hipGraphMemcpyNodeSetParamsFromSymbol(hipGraphNode_t node, void* dst, const void* symbol, size_t count,
                                             size_t offset, hipMemcpyKind kind) {
  return set<CopyWork>(node, [&](const CopyWork&) { return copy_from_symbol(dst, symbol, count, offset, kind); });
}

Result hipGraphExecMemcpyNodeSetParamsFromSymbol(hipGraphExec_t hGraphExec, hipGraphNode_t node, void* dst,
                                                 const void* symbol, size_t count, size_t offset, hipMemcpyKind kind) {
  return exec_set<CopyWork>(hGraphExec, node,
                            [&](const CopyWork&) { return copy_from_symbol(dst, symbol, count, offset, kind); });
}

Result hipGraphAddMemcpyNodeToSymbol(hipGraphNode_t* pGraphNode, hipGraph_t graph, const hipGraphNode_t* pDependencies,
                                     size_t numDependencies, const void* symbol, const void* src, size_t count,
                                     size_t offset, hipMemcpyKind kind) {
  return add_node(pGraphNode, graph, pDependencies, numDependencies,
                  [&] { return copy_to_symbol(symbol, src, count, offset, kind); });
}

Result hipGraphMemcpyNodeSetParamsToSymbol(hipGraphNode_t node, const void* symbol, const void* src, size_t count,
                                           size_t offset, hipMemcpyKind kind) {
  return set<CopyWork>(node, [&](const CopyWork&) { return copy_to_symbol(symbol, src, count, offset, kind); });
}

Result hipGraphExecMemcpyNodeSetParamsToSymbol(hipGraphExec_t hGraphExec, hipGraphNode_t node, const void* symbol,
                                               const void* src, size_t count, size_t offset, hipMemcpyKind kind) {
  return exec_set<CopyWork>(hGraphExec, node,
                            [&](const CopyWork&) { return copy_to_symbol(symbol, src, count, offset, kind); });
}

Result hipDrvGraphAddMemcpyNode(hipGraphNode_t* phGraphNode, hipGraph_t hGraph, const hipGraphNode_t* dependencies,
                                size_t numDependencies, const HIP_MEMCPY3D* copyParams, hipCtx_t ctx) {
  HIP_NONNULL(copyParams);
  HIP_TRY(check_context(ctx));
  return add_node(phGraphNode, hGraph, dependencies, numDependencies,
                  [&] { return no_pitch_code(copy_work(*copyParams)); });
}

Result hipDrvGraphMemcpyNodeGetParams(hipGraphNode_t hNode, HIP_MEMCPY3D* nodeParams) {
  HIP_NONNULL(nodeParams);
  return get<CopyWork>(hNode, [&](const CopyWork& c) { *nodeParams = as_driver_parameters(c.parameters); });
}

Result hipDrvGraphMemcpyNodeSetParams(hipGraphNode_t hNode, const HIP_MEMCPY3D* nodeParams) {
  HIP_NONNULL(nodeParams);
  return set<CopyWork>(hNode, [&](const CopyWork&) { return copy_work(*nodeParams); });
}

Result hipDrvGraphExecMemcpyNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t hNode,
                                          const HIP_MEMCPY3D* copyParams, hipCtx_t ctx) {
  HIP_NONNULL(copyParams);
  HIP_TRY(check_context(ctx));
  return exec_set<CopyWork>(hGraphExec, hNode, [&](const CopyWork& c) -> Outcome<WorkPtr> {
    auto plain = bz::hip::parameters_of(copyParams);
    if (!plain.ok()) return plain.result();
    plain->kind = c.kind; // this form has no kind
    return no_pitch_code(copy_work(*plain));
  });
}

// ---- Fills ----------------------------------------------------------------------------------------------------------

Result hipGraphAddMemsetNode(hipGraphNode_t* pGraphNode, hipGraph_t graph, const hipGraphNode_t* pDependencies,
                             size_t numDependencies, const hipMemsetParams* pMemsetParams) {
  HIP_NONNULL(pMemsetParams);
  return add_node(pGraphNode, graph, pDependencies, numDependencies, [&] { return fill_work(*pMemsetParams); });
}

Result hipGraphMemsetNodeGetParams(hipGraphNode_t node, hipMemsetParams* pNodeParams) {
  HIP_NONNULL(pNodeParams);
  return get<FillWork>(node, [&](const FillWork& f) { *pNodeParams = f.parameters; });
}

Result hipGraphMemsetNodeSetParams(hipGraphNode_t node, const hipMemsetParams* pNodeParams) {
  HIP_NONNULL(pNodeParams);
  return set<FillWork>(node, [&](const FillWork&) { return fill_work(*pNodeParams); });
}

Result hipGraphExecMemsetNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t node,
                                       const hipMemsetParams* pNodeParams) {
  HIP_NONNULL(pNodeParams);
  return exec_set<FillWork>(hGraphExec, node, [&](const FillWork&) { return fill_work(*pNodeParams); });
}

Result hipDrvGraphAddMemsetNode(hipGraphNode_t* phGraphNode, hipGraph_t hGraph, const hipGraphNode_t* dependencies,
                                size_t numDependencies, const hipMemsetParams* memsetParams, hipCtx_t ctx) {
  HIP_TRY(check_context(ctx));
  return impl::hipGraphAddMemsetNode(phGraphNode, hGraph, dependencies, numDependencies, memsetParams);
}

Result hipDrvGraphExecMemsetNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t hNode,
                                          const hipMemsetParams* memsetParams, hipCtx_t ctx) {
  HIP_TRY(check_context(ctx));
  return impl::hipGraphExecMemsetNodeSetParams(hGraphExec, hNode, memsetParams);
}

// ---- Host functions -------------------------------------------------------------------------------------------------

Result hipGraphAddHostNode(hipGraphNode_t* pGraphNode, hipGraph_t graph, const hipGraphNode_t* pDependencies,
                           size_t numDependencies, const hipHostNodeParams* pNodeParams) {
  HIP_NONNULL(pNodeParams);
  return add_node(pGraphNode, graph, pDependencies, numDependencies, [&] { return host_work(*pNodeParams); });
}

Result hipGraphHostNodeGetParams(hipGraphNode_t node, hipHostNodeParams* pNodeParams) {
  HIP_NONNULL(pNodeParams);
  return get<HostWork>(node, [&](const HostWork& h) { *pNodeParams = {h.function, h.data}; });
}

Result hipGraphHostNodeSetParams(hipGraphNode_t node, const hipHostNodeParams* pNodeParams) {
  HIP_NONNULL(pNodeParams);
  return set<HostWork>(node, [&](const HostWork&) { return host_work(*pNodeParams); });
}

Result hipGraphExecHostNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t node,
                                     const hipHostNodeParams* pNodeParams) {
  HIP_NONNULL(pNodeParams);
  return exec_set<HostWork>(hGraphExec, node, [&](const HostWork&) { return host_work(*pNodeParams); });
}

// ---- Events ---------------------------------------------------------------------------------------------------------

Result hipGraphAddEventRecordNode(hipGraphNode_t* pGraphNode, hipGraph_t graph, const hipGraphNode_t* pDependencies,
                                  size_t numDependencies, hipEvent_t event) {
  return add_node(pGraphNode, graph, pDependencies, numDependencies, [&] { return event_record_work(event); });
}

Result hipGraphEventRecordNodeGetEvent(hipGraphNode_t node, hipEvent_t* event_out) {
  HIP_NONNULL(event_out);
  return get<EventRecordWork>(node, [&](const EventRecordWork& r) { *event_out = handle_of(r.event); });
}

Result hipGraphEventRecordNodeSetEvent(hipGraphNode_t node, hipEvent_t event) {
  return set<EventRecordWork>(node, [&](const EventRecordWork&) { return event_record_work(event); });
}

Result hipGraphExecEventRecordNodeSetEvent(hipGraphExec_t hGraphExec, hipGraphNode_t hNode, hipEvent_t event) {
  return exec_set<EventRecordWork>(hGraphExec, hNode, [&](const EventRecordWork&) { return event_record_work(event); });
}

Result hipGraphAddEventWaitNode(hipGraphNode_t* pGraphNode, hipGraph_t graph, const hipGraphNode_t* pDependencies,
                                size_t numDependencies, hipEvent_t event) {
  return add_node(pGraphNode, graph, pDependencies, numDependencies, [&] { return event_wait_work(event); });
}

Result hipGraphEventWaitNodeGetEvent(hipGraphNode_t node, hipEvent_t* event_out) {
  HIP_NONNULL(event_out);
  return get<EventWaitWork>(node, [&](const EventWaitWork& w) { *event_out = handle_of(w.event); });
}

Result hipGraphEventWaitNodeSetEvent(hipGraphNode_t node, hipEvent_t event) {
  return set<EventWaitWork>(node, [&](const EventWaitWork&) { return event_wait_work(event); });
}

Result hipGraphExecEventWaitNodeSetEvent(hipGraphExec_t hGraphExec, hipGraphNode_t hNode, hipEvent_t event) {
  return exec_set<EventWaitWork>(hGraphExec, hNode, [&](const EventWaitWork&) { return event_wait_work(event); });
}

// ---- Memory operations ----------------------------------------------------------------------------------------------

Result hipGraphAddBatchMemOpNode(hipGraphNode_t* phGraphNode, hipGraph_t hGraph, const hipGraphNode_t* dependencies,
                                 size_t numDependencies, const hipBatchMemOpNodeParams* nodeParams) {
  HIP_NONNULL(nodeParams);
  return add_node(phGraphNode, hGraph, dependencies, numDependencies, [&] { return batch_work(*nodeParams); });
}

Result hipGraphBatchMemOpNodeGetParams(hipGraphNode_t hNode, hipBatchMemOpNodeParams* nodeParams_out) {
  HIP_NONNULL(nodeParams_out);
  return get<BatchWork>(hNode, [&](const BatchWork& b) {
    *nodeParams_out = {b.context, unsigned(b.operations.list.size()),
                       const_cast<hipStreamBatchMemOpParams*>(b.operations.list.data()), b.flags};
  });
}

Result hipGraphBatchMemOpNodeSetParams(hipGraphNode_t hNode, hipBatchMemOpNodeParams* nodeParams) {
  HIP_NONNULL(nodeParams);
  return set<BatchWork>(hNode, [&](const BatchWork&) { return batch_work(*nodeParams); });
}

Result hipGraphExecBatchMemOpNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t hNode,
                                           const hipBatchMemOpNodeParams* nodeParams) {
  HIP_NONNULL(nodeParams);
  return exec_set<BatchWork>(hGraphExec, hNode, [&](const BatchWork&) { return batch_work(*nodeParams); });
}

// ---- Child graphs ---------------------------------------------------------------------------------------------------

Result hipGraphAddChildGraphNode(hipGraphNode_t* pGraphNode, hipGraph_t graph, const hipGraphNode_t* pDependencies,
                                 size_t numDependencies, hipGraph_t childGraph) {
  return add_node(pGraphNode, graph, pDependencies, numDependencies, [&] { return child_work(childGraph); });
}

Result hipGraphChildGraphNodeGetGraph(hipGraphNode_t node, hipGraph_t* pGraph) {
  HIP_NONNULL(pGraph);
  return get<ChildWork>(node, [&](const ChildWork& c) { *pGraph = c.graph->handle(); });
}

Result hipGraphExecChildGraphNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t node, hipGraph_t childGraph) {
  GraphLock lock;
  HIP_TRY_ASSIGN(auto e, graph_store().exec(hGraphExec));
  HIP_TRY_ASSIGN(NodePtr n, graph_store().node(node));
  HIP_TRY_ASSIGN(GraphPtr g, graph_store().graph(childGraph));
  HIP_TRY_ASSIGN(Node * twin, e->twin(*n));
  HIP_TRY_ASSIGN(const ChildWork* child, as<ChildWork>(*twin));
  return e->update_child(*child->graph, *g);
}

// ---- By a parameter structure that says its type --------------------------------------------------------------------

namespace {

/// Calls the function of a node's type with its member of the union.
template <class Call> Result by_type(hipGraphNodeParams* p, Call call) {
  HIP_NONNULL_AS(p, "nodeParams");
  switch (int(p->type)) {
  case hipGraphNodeTypeKernel:
    HIP_TRY(check_kernel_parameters(&p->kernel));
    return call([&] { return kernel_work(p->kernel); });
  case hipGraphNodeTypeMemcpy:
    return call([&] { return copy_work(p->memcpy.copyParams); });
  case hipGraphNodeTypeMemset:
    return call([&] { return fill_work(p->memset); });
  case hipGraphNodeTypeHost:
    return call([&] { return host_work(p->host); });
  case hipGraphNodeTypeGraph:
    return call([&] { return child_work(p->graph.graph); });
  case hipGraphNodeTypeEmpty:
    return call([&]() -> Outcome<WorkPtr> { return WorkPtr(std::make_shared<const Work>(EmptyWork{})); });
  case hipGraphNodeTypeWaitEvent:
    return call([&] { return event_wait_work(p->eventWait.event); });
  case hipGraphNodeTypeEventRecord:
    return call([&] { return event_record_work(p->eventRecord.event); });
  case hipGraphNodeTypeMemAlloc:
    return call([&] { return alloc_work(p->alloc); });
  case hipGraphNodeTypeMemFree:
    return call([&] { return free_work(p->free.dptr); });
  case hipGraphNodeTypeExtSemaphoreSignal:
  case hipGraphNodeTypeExtSemaphoreWait:
    return Result(hipErrorNotSupported, "nodes of external semaphores are not implemented");
  }
  return fail(hipErrorInvalidValue, "there is no node type {} for this structure", static_cast<int>(p->type));
}

} // namespace

Result hipGraphAddNode(hipGraphNode_t* pGraphNode, hipGraph_t graph, const hipGraphNode_t* pDependencies,
                       size_t numDependencies, hipGraphNodeParams* nodeParams) {
  return by_type(nodeParams,
                 [&](auto describe) { return add_node(pGraphNode, graph, pDependencies, numDependencies, describe); });
}

Result hipGraphNodeSetParams(hipGraphNode_t node, hipGraphNodeParams* nodeParams) {
  HIP_NONNULL(nodeParams);
  GraphLock lock;
  HIP_TRY_ASSIGN(NodePtr n, graph_store().node(node));
  if (node_type(*n->work) != nodeParams->type)
    return fail(hipErrorInvalidValue, "the node is of type {}, the parameters are of another",
                node_type_name(*n->work));
  if (n->as<AllocWork>() || n->as<FreeWork>() || n->as<ChildWork>())
    return fail(hipErrorNotSupported, "parameters of a {} node can't be set", node_type_name(*n->work));
  return by_type(nodeParams, [&](auto describe) -> Result {
    HIP_TRY_ASSIGN(WorkPtr work, describe());
    if (auto* k = n->as<KernelWork>()) { HIP_TRY_ASSIGN(work, with_attributes(work, k->attributes)); }
    n->work = std::move(work);
    return {};
  });
}

Result hipGraphExecNodeSetParams(hipGraphExec_t graphExec, hipGraphNode_t node, hipGraphNodeParams* nodeParams) {
  HIP_NONNULL(nodeParams);
  GraphLock lock;
  HIP_TRY_ASSIGN(auto e, graph_store().exec(graphExec));
  HIP_TRY_ASSIGN(NodePtr n, graph_store().node(node));
  HIP_TRY_ASSIGN(Node * twin, e->twin(*n));
  if (node_type(*twin->work) != nodeParams->type)
    return fail(hipErrorInvalidValue, "the node is of type {}, the parameters are of another",
                node_type_name(*twin->work));
  if (nodeParams->type == hipGraphNodeTypeGraph)
    return impl::hipGraphExecChildGraphNodeSetParams(graphExec, node, nodeParams->graph.graph);
  if (twin->as<AllocWork>() || twin->as<FreeWork>())
    return fail(hipErrorNotSupported, "parameters of a {} node can't be set", node_type_name(*twin->work));
  return by_type(nodeParams, [&](auto describe) -> Result {
    HIP_TRY_ASSIGN(WorkPtr work, describe());
    if (auto* k = twin->as<KernelWork>()) { HIP_TRY_ASSIGN(work, with_attributes(work, k->attributes)); }
    HIP_TRY(GraphExec::may_become(*twin->work, *work));
    return e->set_work(*twin, std::move(work));
  });
}

// ---- Switching nodes off --------------------------------------------------------------------------------------------

namespace {

Outcome<Node*> switchable(hipGraphExec_t exec, hipGraphNode_t node, std::shared_ptr<GraphExec>& e) {
  auto found = graph_store().exec(exec);
  if (!found.ok()) return found.result();
  e = *found;
  auto n = graph_store().node(node);
  if (!n.ok()) return n.result();
  auto twin = e->twin(**n);
  if (!twin.ok()) return twin;
  if (!(*twin)->as<KernelWork>() && !(*twin)->as<CopyWork>() && !(*twin)->as<FillWork>())
    return fail(hipErrorInvalidValue, "a {} node can't be switched off: kernel, memcpy and memset nodes can",
                node_type_name(*(*twin)->work));
  return twin;
}

} // namespace

Result hipGraphNodeSetEnabled(hipGraphExec_t hGraphExec, hipGraphNode_t hNode, unsigned int isEnabled) {
  GraphLock lock;
  std::shared_ptr<GraphExec> e;
  HIP_TRY_ASSIGN(Node * twin, switchable(hGraphExec, hNode, e));
  return e->set_enabled(*twin, isEnabled != 0);
}

Result hipGraphNodeGetEnabled(hipGraphExec_t hGraphExec, hipGraphNode_t hNode, unsigned int* isEnabled) {
  HIP_NONNULL(isEnabled);
  GraphLock lock;
  std::shared_ptr<GraphExec> e;
  HIP_TRY_ASSIGN(Node * twin, switchable(hGraphExec, hNode, e));
  *isEnabled = e->enabled(*twin);
  return {};
}

} // namespace bz::hip::impl
