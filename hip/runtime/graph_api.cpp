// The functions of the API that make graphs and ask about their shape, and the nodes of fixed kinds.
#include "hip/runtime/capture.hpp"
#include "hip/runtime/graph_exec.hpp"
#include "hip/runtime/impl.hpp"

#include <algorithm>

namespace bz::hip::impl {
namespace {

/// The protocol of all queries of lists: a null array asks for the number; a larger array is filled up with null.
template <class Get> Result give_list(size_t count, hipGraphNode_t* out, size_t* number, const char* name, Get get) {
  HIP_NONNULL_AS(number, name);
  if (!out) {
    *number = count;
    return {};
  }
  const size_t room = *number;
  for (size_t i = 0; i < room; ++i) out[i] = i < count ? get(i) : nullptr;
  *number = std::min(room, count);
  return {};
}

/// Two lists of nodes that belong to the graph, pairwise.
Outcome<std::vector<std::pair<Node*, Node*>>> pairs(const Graph& graph, const hipGraphNode_t* from,
                                                    const hipGraphNode_t* to, size_t count) {
  std::vector<std::pair<Node*, Node*>> out;
  if (count == 0) return out;
  if (!from) return Result(hipErrorInvalidValue, "argument from is null");
  if (!to) return Result(hipErrorInvalidValue, "argument to is null");
  for (size_t i = 0; i < count; ++i) {
    auto f = graph_store().node(from[i]);
    if (!f.ok()) return f.result();
    auto t = graph_store().node(to[i]);
    if (!t.ok()) return t.result();
    if ((*f)->graph != &graph || (*t)->graph != &graph)
      return fail(hipErrorInvalidValue, "edge {}: a node belongs to another graph", i);
    out.emplace_back(f->get(), t->get());
  }
  return out;
}

Result no_memory_nodes(const Graph& graph, const char* what) {
  if (graph.has_memory_nodes())
    return fail(hipErrorNotSupported, "a graph with allocation or free nodes can't {}", what);
  return {};
}

} // namespace

Result hipGraphCreate(hipGraph_t* pGraph, unsigned int flags) {
  HIP_NONNULL(pGraph);
  if (flags != 0) return fail(hipErrorInvalidValue, "graph flags {:#x} must be 0", flags);
  GraphLock lock;
  auto g = graph_store().make();
  *pGraph = g->handle();
  graph_store().publish(g);
  return {};
}

Result hipGraphDestroy(hipGraph_t graph) {
  GraphPtr g; // goes outside of the lock: destructors of user objects are the program's
  GraphLock lock;
  HIP_TRY_ASSIGN(g, graph_store().graph(graph));
  if (g->parent)
    return Result(hipErrorInvalidValue, "the graph belongs to a child graph node, which ends with its graph");
  if (g->captures) return Result(hipErrorInvalidValue, "a stream captures into the graph: end the capture first");
  graph_store().withdraw(*g);
  return {};
}

Result hipGraphClone(hipGraph_t* pGraphClone, hipGraph_t originalGraph) {
  HIP_NONNULL(pGraphClone);
  GraphLock lock;
  HIP_TRY_ASSIGN(GraphPtr g, graph_store().graph(originalGraph));
  HIP_TRY(no_memory_nodes(*g, "be cloned"));
  auto copy = graph_store().copy(*g);
  graph_store().publish(copy);
  *pGraphClone = copy->handle();
  return {};
}

Result hipGraphNodeFindInClone(hipGraphNode_t* pNode, hipGraphNode_t originalNode, hipGraph_t clonedGraph) {
  HIP_NONNULL(pNode);
  GraphLock lock;
  HIP_TRY_ASSIGN(NodePtr original, graph_store().node(originalNode));
  HIP_TRY_ASSIGN(GraphPtr g, graph_store().graph(clonedGraph));
  for (auto& n : g->nodes)
    if (n->origin == original->id) {
      *pNode = n->handle();
      return {};
    }
  return Result(hipErrorInvalidValue, "the graph is no clone of the node's graph, or the node isn't in it any more");
}

Result hipGraphAddDependencies(hipGraph_t graph, const hipGraphNode_t* from, const hipGraphNode_t* to,
                               size_t numDependencies) {
  GraphLock lock;
  HIP_TRY_ASSIGN(GraphPtr g, graph_store().graph(graph));
  HIP_TRY_ASSIGN(auto edges, pairs(*g, from, to, numDependencies));
  for (auto it = edges.begin(); it != edges.end(); ++it) {
    if (it->first == it->second) return Result(hipErrorInvalidValue, "a node can't depend on itself");
    if (g->has_edge(*it->first, *it->second) || std::find(edges.begin(), it, *it) != it)
      return fail(hipErrorInvalidValue, "edge {} exists already", it - edges.begin());
  }
  for (auto& [f, t] : edges) g->connect(*f, *t);
  return {};
}

Result hipGraphRemoveDependencies(hipGraph_t graph, const hipGraphNode_t* from, const hipGraphNode_t* to,
                                  size_t numDependencies) {
  GraphLock lock;
  HIP_TRY_ASSIGN(GraphPtr g, graph_store().graph(graph));
  HIP_TRY_ASSIGN(auto edges, pairs(*g, from, to, numDependencies));
  HIP_TRY(no_memory_nodes(*g, "lose edges"));
  for (auto it = edges.begin(); it != edges.end(); ++it)
    if (!g->has_edge(*it->first, *it->second) || std::find(edges.begin(), it, *it) != it)
      return fail(hipErrorInvalidValue, "edge {} doesn't exist", it - edges.begin());
  for (auto& [f, t] : edges) g->disconnect(*f, *t);
  return {};
}

Result hipGraphGetEdges(hipGraph_t graph, hipGraphNode_t* from, hipGraphNode_t* to, size_t* numEdges) {
  GraphLock lock;
  HIP_TRY_ASSIGN(GraphPtr g, graph_store().graph(graph));
  HIP_NONNULL(numEdges);
  if (!from != !to) return Result(hipErrorInvalidValue, "one of from and to is null: give both or none");
  std::vector<std::pair<Node*, Node*>> edges;
  for (auto& n : g->nodes)
    for (Node* t : n->to) edges.emplace_back(n.get(), t);
  size_t room = *numEdges;
  HIP_TRY(give_list(edges.size(), from, numEdges, "numEdges", [&](size_t i) { return edges[i].first->handle(); }));
  return give_list(edges.size(), to, to ? &room : numEdges, "numEdges",
                   [&](size_t i) { return edges[i].second->handle(); });
}

Result hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t* nodes, size_t* numNodes) {
  GraphLock lock;
  HIP_TRY_ASSIGN(GraphPtr g, graph_store().graph(graph));
  return give_list(g->nodes.size(), nodes, numNodes, "numNodes", [&](size_t i) { return g->nodes[i]->handle(); });
}

Result hipGraphGetRootNodes(hipGraph_t graph, hipGraphNode_t* pRootNodes, size_t* pNumRootNodes) {
  GraphLock lock;
  HIP_TRY_ASSIGN(GraphPtr g, graph_store().graph(graph));
  std::vector<Node*> roots;
  for (auto& n : g->nodes)
    if (n->from.empty()) roots.push_back(n.get());
  return give_list(roots.size(), pRootNodes, pNumRootNodes, "pNumRootNodes",
                   [&](size_t i) { return roots[i]->handle(); });
}

Result hipGraphNodeGetDependencies(hipGraphNode_t node, hipGraphNode_t* pDependencies, size_t* pNumDependencies) {
  GraphLock lock;
  HIP_TRY_ASSIGN(NodePtr n, graph_store().node(node));
  return give_list(n->from.size(), pDependencies, pNumDependencies, "pNumDependencies",
                   [&](size_t i) { return n->from[i]->handle(); });
}

Result hipGraphNodeGetDependentNodes(hipGraphNode_t node, hipGraphNode_t* pDependentNodes, size_t* pNumDependentNodes) {
  GraphLock lock;
  HIP_TRY_ASSIGN(NodePtr n, graph_store().node(node));
  return give_list(n->to.size(), pDependentNodes, pNumDependentNodes, "pNumDependentNodes",
                   [&](size_t i) { return n->to[i]->handle(); });
}

Result hipGraphNodeGetType(hipGraphNode_t node, hipGraphNodeType* pType) {
  HIP_NONNULL(pType);
  GraphLock lock;
  HIP_TRY_ASSIGN(NodePtr n, graph_store().node(node));
  *pType = node_type(*n->work);
  return {};
}

Result hipGraphDestroyNode(hipGraphNode_t node) {
  NodePtr n;
  GraphLock lock;
  HIP_TRY_ASSIGN(n, graph_store().node(node));
  if (n->as<AllocWork>() || n->as<FreeWork>())
    return Result(hipErrorNotSupported, "allocation and free nodes stay until their graph is destroyed");
  graph_store().nodes.remove(n.get());
  if (auto* child = n->as<ChildWork>()) graph_store().withdraw(*child->graph);
  n->graph->remove(*n);
  return {};
}

// ---- Executable graphs ----------------------------------------------------------------------------------------------

namespace {

constexpr unsigned long long kInstantiateFlags = hipGraphInstantiateFlagAutoFreeOnLaunch |
                                                 hipGraphInstantiateFlagUpload | hipGraphInstantiateFlagDeviceLaunch |
                                                 hipGraphInstantiateFlagUseNodePriority;

Outcome<std::shared_ptr<GraphExec>> instantiate(hipGraph_t graph, unsigned long long flags, Node** bad) {
  *bad = nullptr;
  if (flags & ~kInstantiateFlags) return fail(hipErrorInvalidValue, "instantiation flags {:#x} don't exist", flags);
  if (flags & hipGraphInstantiateFlagDeviceLaunch)
    return Result(hipErrorNotSupported, "graphs can't be launched by kernels (hipGraphInstantiateFlagDeviceLaunch)");
  auto g = graph_store().graph(graph);
  if (!g.ok()) return g.result();
  const bool memory = (*g)->has_memory_nodes();
  if (memory && !(*g)->memory_exec.expired())
    return Result(hipErrorNotSupported,
                  "a graph with allocation or free nodes has one executable at a time: destroy it");
  auto exec = GraphExec::make(**g, flags, bad);
  if (!exec.ok()) return exec;
  if (memory) (*g)->memory_exec = *exec;
  graph_store().execs.add(*exec);
  return exec;
}

} // namespace

Result hipGraphInstantiate(hipGraphExec_t* pGraphExec, hipGraph_t graph, hipGraphNode_t* pErrorNode, char* pLogBuffer,
                           size_t bufferSize) {
  HIP_NONNULL(pGraphExec);
  GraphLock lock;
  Node* bad = nullptr;
  auto exec = instantiate(graph, 0, &bad);
  if (pErrorNode) *pErrorNode = bad ? bad->handle() : nullptr;
  if (pLogBuffer && bufferSize > 0) {
    const Result r = exec.result();
    const std::string& text = r.message();
    pLogBuffer[text.copy(pLogBuffer, bufferSize - 1)] = '\0';
  }
  if (!exec.ok()) return exec.result();
  *pGraphExec = (*exec)->handle();
  return {};
}

Result hipGraphInstantiateWithFlags(hipGraphExec_t* pGraphExec, hipGraph_t graph, unsigned long long flags) {
  HIP_NONNULL(pGraphExec);
  if (flags & hipGraphInstantiateFlagUpload)
    return Result(hipErrorInvalidValue, "an upload needs a stream: use hipGraphInstantiateWithParams");
  GraphLock lock;
  Node* bad = nullptr;
  HIP_TRY_ASSIGN(auto exec, instantiate(graph, flags, &bad));
  *pGraphExec = exec->handle();
  return {};
}

Result hipGraphInstantiateWithParams(hipGraphExec_t* pGraphExec, hipGraph_t graph, hipGraphInstantiateParams* params) {
  HIP_NONNULL(pGraphExec);
  HIP_NONNULL_AS(params, "instantiateParams");
  GraphLock lock;
  params->errNode_out = nullptr;
  params->result_out = hipGraphInstantiateError;
  StreamPtr upload;
  if (params->flags & hipGraphInstantiateFlagUpload) {
    HIP_TRY_ASSIGN(upload, Runtime::get().stream(params->uploadStream));
  }
  Node* bad = nullptr;
  auto exec = instantiate(graph, params->flags, &bad);
  params->errNode_out = bad ? bad->handle() : nullptr;
  if (!exec.ok()) return exec.result();
  if (upload) HIP_TRY((*exec)->upload(upload));
  params->result_out = hipGraphInstantiateSuccess;
  *pGraphExec = (*exec)->handle();
  return {};
}

Result hipGraphExecDestroy(hipGraphExec_t graphExec) {
  std::shared_ptr<GraphExec> gone;
  GraphLock lock;
  HIP_TRY_ASSIGN(gone, graph_store().exec(graphExec));
  graph_store().execs.remove(gone.get());
  return {};
}

Result hipGraphExecGetFlags(hipGraphExec_t graphExec, unsigned long long* flags) {
  HIP_NONNULL(flags);
  HIP_TRY_ASSIGN(auto exec, graph_store().exec(graphExec));
  *flags = exec->flags();
  return {};
}

Result hipGraphLaunch(hipGraphExec_t graphExec, hipStream_t stream) {
  HIP_TRY_ASSIGN(auto exec, graph_store().exec(graphExec));
  auto found = Runtime::get().stream(stream, StreamUse::enqueue);
  if (!found.ok())
    return found.result().code() == hipErrorInvalidHandle ? Result(hipErrorInvalidValue, found.result().message())
                                                          : found.result();
  const StreamPtr& s = *found;
  if (s->capturing()) {
    GraphLock lock;
    HIP_TRY(no_memory_nodes(exec->graph(), "be launched into a capture"));
    return capture(s, WorkPtr(std::make_shared<const Work>(ChildWork{graph_store().copy(exec->graph())})));
  }
  return exec->launch(s);
}

Result hipGraphUpload(hipGraphExec_t graphExec, hipStream_t stream) {
  HIP_TRY_ASSIGN(auto exec, graph_store().exec(graphExec));
  auto s = Runtime::get().stream(stream);
  if (!s.ok())
    return s.result().code() == hipErrorInvalidHandle ? Result(hipErrorInvalidValue, s.result().message()) : s.result();
  return exec->upload(*s);
}

Result hipGraphExecUpdate(hipGraphExec_t hGraphExec, hipGraph_t hGraph, hipGraphNode_t* hErrorNode_out,
                          hipGraphExecUpdateResult* updateResult_out) {
  HIP_NONNULL(hErrorNode_out);
  HIP_NONNULL(updateResult_out);
  GraphLock lock;
  HIP_TRY_ASSIGN(auto exec, graph_store().exec(hGraphExec));
  HIP_TRY_ASSIGN(GraphPtr g, graph_store().graph(hGraph));
  Node* bad = nullptr;
  Result r = exec->update(*g, updateResult_out, &bad);
  *hErrorNode_out = bad ? bad->handle() : nullptr;
  return r;
}

} // namespace bz::hip::impl
