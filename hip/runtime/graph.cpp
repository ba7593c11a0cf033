#include "hip/runtime/graph.hpp"
#include "hip/runtime/graph_exec.hpp"
#include "hip/runtime/runtime.hpp"

#include <algorithm>
#include <unordered_map>

namespace bz::hip {
namespace {

std::atomic<uint64_t> next_id{1};

} // namespace

GraphStore& graph_store() { return Runtime::get().graphs(); }

// ---- Graph ----------------------------------------------------------------------------------------------------------

NodePtr Graph::add(WorkPtr work, std::span<Node* const> from) {
  auto node = std::make_shared<Node>(next_id++, std::move(work));
  node->graph = this;
  nodes.push_back(node);
  for (Node* f : from) connect(*f, *node);
  return node;
}

void Graph::remove(Node& node) {
  for (Node* f : node.from) std::erase(f->to, &node);
  for (Node* t : node.to) std::erase(t->from, &node);
  node.from.clear();
  node.to.clear();
  node.graph = nullptr;
  std::erase_if(nodes, [&](auto& n) { return n.get() == &node; });
}

bool Graph::has_edge(const Node& from, const Node& to) const {
  return std::find(from.to.begin(), from.to.end(), &to) != from.to.end();
}

void Graph::connect(Node& from, Node& to) {
  from.to.push_back(&to);
  to.from.push_back(&from);
}

void Graph::disconnect(Node& from, Node& to) {
  std::erase(from.to, &to);
  std::erase(to.from, &from);
}

size_t Graph::edge_count() const {
  size_t n = 0;
  for (auto& node : nodes) n += node->to.size();
  return n;
}

std::vector<Node*> Graph::topological() const {
  std::unordered_map<const Node*, size_t> open; // dependencies that aren't in the list yet
  std::vector<Node*> out;
  out.reserve(nodes.size());
  // Depth first from each root, so that chains stay together.
  std::vector<Node*> stack;
  for (auto it = nodes.rbegin(); it != nodes.rend(); ++it) {
    if ((*it)->from.empty()) stack.push_back(it->get());
    open[it->get()] = (*it)->from.size();
  }
  while (!stack.empty()) {
    Node* n = stack.back();
    stack.pop_back();
    out.push_back(n);
    for (auto t = n->to.rbegin(); t != n->to.rend(); ++t)
      if (--open[*t] == 0) stack.push_back(*t);
  }
  return out;
}

bool Graph::has_memory_nodes() const {
  return std::any_of(nodes.begin(), nodes.end(), [](auto& n) {
    if (auto* child = n->template as<ChildWork>()) return child->graph->has_memory_nodes();
    return n->template as<AllocWork>() || n->template as<FreeWork>();
  });
}

// ---- GraphStore -----------------------------------------------------------------------------------------------------

GraphPtr GraphStore::make() { return std::make_shared<Graph>(next_id++); }

void GraphStore::publish(const GraphPtr& graph) {
  graphs.add(graph);
  for (auto& n : graph->nodes) {
    nodes.add(n);
    if (auto* child = n->as<ChildWork>()) {
      child->graph->parent = graph.get();
      publish(child->graph);
    }
  }
}

void GraphStore::withdraw(Graph& graph) {
  graphs.remove(&graph);
  for (auto& n : graph.nodes) {
    nodes.remove(n.get());
    if (auto* child = n->as<ChildWork>()) withdraw(*child->graph);
  }
}

GraphPtr GraphStore::copy(const Graph& graph) {
  auto out = make();
  out->origin = graph.id;
  std::unordered_map<const Node*, Node*> twin;
  for (auto& n : graph.nodes) {
    WorkPtr work = n->work;
    if (auto* child = n->as<ChildWork>()) work = std::make_shared<const Work>(ChildWork{copy(*child->graph)});
    auto made = out->add(std::move(work), {});
    made->origin = n->id;
    twin[n.get()] = made.get();
  }
  // Edge lists keep their order: it shows in queries.
  for (auto& n : graph.nodes) {
    for (Node* f : n->from) twin[n.get()]->from.push_back(twin[f]);
    for (Node* t : n->to) twin[n.get()]->to.push_back(twin[t]);
  }
  for (auto& held : graph.user_objects) out->user_objects.push_back(held.again());
  return out;
}

Outcome<GraphPtr> GraphStore::graph(hipGraph_t handle) {
  if (!handle) return Result(hipErrorInvalidValue, "the graph is null");
  if (auto g = graphs.find(handle)) return g;
  return fail(hipErrorInvalidValue, "graph {} was never created or is destroyed", static_cast<void*>(handle));
}

Outcome<NodePtr> GraphStore::node(hipGraphNode_t handle) {
  if (!handle) return Result(hipErrorInvalidValue, "the node is null");
  if (auto n = nodes.find(handle)) return n;
  return fail(hipErrorInvalidValue, "node {} was never created or is destroyed", static_cast<void*>(handle));
}

Outcome<std::vector<Node*>> GraphStore::dependencies(const Graph& graph, const hipGraphNode_t* handles, size_t count) {
  std::vector<Node*> out;
  if (count > 0 && !handles) return fail(hipErrorInvalidValue, "{} dependencies, but their array is null", count);
  if (count > graph.nodes.size())
    return fail(hipErrorInvalidValue, "{} dependencies, but the graph has {} nodes", count, graph.nodes.size());
  for (size_t i = 0; i < count; ++i) {
    auto n = node(handles[i]);
    if (!n.ok()) return n.result();
    if ((*n)->graph != &graph) return fail(hipErrorInvalidValue, "dependency {}: the node belongs to another graph", i);
    if (std::find(out.begin(), out.end(), n->get()) != out.end())
      return fail(hipErrorInvalidValue, "dependency {}: the node is in the list twice", i);
    out.push_back(n->get());
  }
  return out;
}

Outcome<std::shared_ptr<GraphExec>> GraphStore::exec(hipGraphExec_t handle) {
  if (!handle) return Result(hipErrorInvalidValue, "the executable graph is null");
  if (auto e = execs.find(handle)) return e;
  return fail(hipErrorInvalidValue, "executable graph {} was never made or is destroyed", static_cast<void*>(handle));
}

Result add_node(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* from, size_t count,
                const std::function<Outcome<WorkPtr>()>& describe) {
  HIP_NONNULL_AS(node, "pGraphNode");
  auto& store = graph_store();
  GraphLock lock;
  HIP_TRY_ASSIGN(GraphPtr g, store.graph(graph));
  HIP_TRY_ASSIGN(auto dependencies, store.dependencies(*g, from, count));
  HIP_TRY_ASSIGN(WorkPtr work, describe());
  auto made = g->add(std::move(work), dependencies);
  store.nodes.add(made);
  if (auto* child = made->as<ChildWork>()) {
    child->graph->parent = g.get();
    store.publish(child->graph);
  }
  *node = made->handle();
  return {};
}

} // namespace bz::hip
