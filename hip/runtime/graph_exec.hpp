// Executable graphs: a copy of a graph, put into an order of steps on lanes. Must not know how graphs are built or
// captured.
//
// A lane is a stream of its own, but for the first, which is the stream of the launch. Nodes that follow each other
// stay on one lane, independent ones go to different lanes, up to kMaxLanes. Kernels that follow each other on a lane
// are written into its queue in one go, with one completion signal. A program is never changed while a launch that
// uses it is under way: new parameters make a new one.
#pragma once
#include "hip/runtime/graph.hpp"

#include <unordered_map>

namespace bz::hip {

struct ExecNode {
  uint64_t id = 0; ///< of the node in the executable's own copy of the graph; 0 for the end of a child graph
  WorkPtr work;
  std::vector<uint32_t> from;
  std::shared_ptr<PreparedLaunch> launch; ///< kernels that can be batched
  bool enabled = true;
  uint16_t lane = 0;
  bool marked = false; ///< another lane waits for it
};

/// Nodes [first, first + count): kernels, or one node.
struct Step {
  uint32_t first = 0, count = 1;
  std::vector<uint32_t> waits; ///< nodes of other lanes
};

struct Program {
  std::vector<ExecNode> nodes; ///< in the order of submission
  std::vector<Step> steps;
  struct Lane {
    Device* device = nullptr; ///< null: that of the launch
    int priority = 0;
  };
  std::vector<Lane> lanes;
  bool use_priority = false; ///< hipGraphInstantiateFlagUseNodePriority
  std::vector<UserObjectReferences> user_objects; ///< given back when no launch uses the program any more
  void plan();
};

class GraphExec : public std::enable_shared_from_this<GraphExec> {
public:
  static constexpr size_t kMaxLanes = 8;

  /// `bad` is the node that can't be made executable.
  static Outcome<std::shared_ptr<GraphExec>> make(const Graph& graph, unsigned long long flags, Node** bad);
  ~GraphExec();

  unsigned long long flags() const { return flags_; }
  hipGraphExec_t handle() { return reinterpret_cast<hipGraphExec_t>(this); }

  Result launch(const StreamPtr& stream);
  /// Makes what the first launch on this stream would have to make.
  Result upload(const StreamPtr& stream);

  // Under GraphLock. The node is one of the graph that this was made from.
  Outcome<Node*> twin(const Node& original);
  Result set_work(Node& twin, WorkPtr work);
  Result set_enabled(const Node& twin, bool enabled);
  bool enabled(const Node& twin) const;
  /// Takes over the parameters of a graph of the same shape. `bad` is the node of `graph` that doesn't fit.
  Result update(const Graph& graph, hipGraphExecUpdateResult* result, Node** bad);
  /// The same for the child graph of one node; `mine` is this executable's copy.
  Result update_child(const Graph& mine, const Graph& graph);
  /// May the parameters of a node change to these? hipErrorInvalidValue with a message.
  static Result may_become(const Work& now, const Work& wanted);
  const Graph& graph() const { return *graph_; }

private:
  GraphExec() = default;
  Outcome<std::vector<uint32_t>> flatten(const Graph& graph, const std::vector<uint32_t>& before, Program& program,
                                         Node** bad);
  static Result prepare(ExecNode& node);
  Program& changeable();
  StreamPtr lane(const Program& program, size_t index, const StreamPtr& first);
  Result prepare_memory(const Program& program);
  Result submit(const StreamPtr& stream);
  static Result run(const ExecNode& node, const StreamPtr& stream);
  using Changes = std::vector<std::pair<Node*, WorkPtr>>;
  Result compare(const Graph& mine, const Graph& other, Changes& changes, hipGraphExecUpdateResult* result, Node** bad);
  Result apply(Changes& changes);

  unsigned long long flags_ = 0;
  GraphPtr graph_;                                    ///< own copy, under GraphLock
  std::unordered_map<uint64_t, Node*> by_origin_;     ///< nodes of graph_ and its children
  std::unordered_map<uint64_t, uint32_t> index_;      ///< node id to place in the program
  mutable std::mutex mutex_;                          ///< program_, lanes_, last_
  std::shared_ptr<Program> program_;
  std::map<std::tuple<Device*, int, size_t>, StreamPtr> lanes_; ///< by device, priority and number
  std::vector<MarkerPtr> last_; ///< the end of the last launch
};

} // namespace bz::hip
