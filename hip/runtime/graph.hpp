// Graphs as programs build them: nodes, edges, copies. One lock for all of them (GraphLock): the API permits any
// thread, and building graphs is rare. Must not know how graphs run (graph_exec.hpp) or how captures make them.
#pragma once
#include "hip/runtime/graph_memory.hpp"
#include "hip/runtime/graph_work.hpp"
#include "hip/runtime/handle_table.hpp"

#include <mutex>
#include <span>

namespace bz::hip {

class Capture;
class GraphExec;

class Node {
public:
  Node(uint64_t id, WorkPtr work) : id(id), work(std::move(work)) {}
  const uint64_t id;
  uint64_t origin = 0;    ///< the node that this one was copied from
  Graph* graph = nullptr; ///< null once it is taken out
  WorkPtr work;
  std::vector<Node*> from, to; ///< dependencies, dependents

  hipGraphNode_t handle() { return reinterpret_cast<hipGraphNode_t>(this); }
  template <class W> const W* as() const { return std::get_if<W>(work.get()); }
};
using NodePtr = std::shared_ptr<Node>;

class Graph {
public:
  explicit Graph(uint64_t id) : id(id) {}
  const uint64_t id;
  std::vector<NodePtr> nodes; ///< in the order of their making
  std::vector<UserObjectReferences> user_objects;
  Graph* parent = nullptr; ///< of the copy that a child graph node owns
  uint64_t origin = 0;     ///< the graph that this one was copied from
  unsigned captures = 0;   ///< captures that add to it now
  std::weak_ptr<GraphExec> memory_exec; ///< the one executable graph that a graph with memory nodes may have

  hipGraph_t handle() { return reinterpret_cast<hipGraph_t>(this); }
  NodePtr add(WorkPtr work, std::span<Node* const> from);
  /// Takes a node out with its edges.
  void remove(Node& node);
  bool has_edge(const Node& from, const Node& to) const;
  void connect(Node& from, Node& to);
  void disconnect(Node& from, Node& to);
  size_t edge_count() const;
  /// Nodes so that each comes after its dependencies, else as made; fewer than all if there is a cycle.
  std::vector<Node*> topological() const;
  bool has_memory_nodes() const; ///< child graphs included
};
using GraphPtr = std::shared_ptr<Graph>;

/// All graphs and executable graphs of the process.
class GraphStore {
public:
  std::recursive_mutex mutex;
  HandleTable<Graph> graphs;
  HandleTable<Node> nodes;
  HandleTable<GraphExec> execs;
  HandleTable<UserObject> user_objects;
  GraphMemoryBook memory;
  std::vector<std::shared_ptr<Capture>> captures; ///< those that go on
  std::atomic<int> capturing{0};                  ///< how many

  GraphPtr make();
  /// Graph, nodes and child graphs become handles of the program.
  void publish(const GraphPtr& graph);
  void withdraw(Graph& graph);
  /// A copy with its child graphs, not published. Memory nodes share their memory with the original's.
  GraphPtr copy(const Graph& graph);

  // Handles; hipErrorInvalidValue with a message.
  Outcome<GraphPtr> graph(hipGraph_t handle);
  Outcome<NodePtr> node(hipGraphNode_t handle);
  /// Nodes of this graph, none twice.
  Outcome<std::vector<Node*>> dependencies(const Graph& graph, const hipGraphNode_t* handles, size_t count);
  Outcome<std::shared_ptr<GraphExec>> exec(hipGraphExec_t handle);
};

GraphStore& graph_store();

/// Held while graphs, nodes or captures are looked at or changed.
class GraphLock {
public:
  GraphLock() : lock_(graph_store().mutex) {}

private:
  std::lock_guard<std::recursive_mutex> lock_;
};

/// The whole of hipGraphAdd...Node after the parameters became a description.
Result add_node(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* from, size_t count,
                const std::function<Outcome<WorkPtr>()>& describe);

} // namespace bz::hip
