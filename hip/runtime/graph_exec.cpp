#include "hip/runtime/graph_exec.hpp"
#include "hip/runtime/capture.hpp"
#include "hip/runtime/device.hpp"
#include "hip/runtime/event.hpp"

#include <algorithm>

namespace bz::hip {
namespace {

/// The device whose stream the work has to be on, or null if any will do.
Device* device_of(const Work& work) {
  if (auto* k = std::get_if<KernelWork>(&work)) return &k->kernel->code->device();
  if (auto* r = std::get_if<EventRecordWork>(&work)) return &r->event->device();
  return nullptr;
}

int priority_of(const Work& work) {
  auto* k = std::get_if<KernelWork>(&work);
  return k ? std::clamp(k->attributes.priority, Device::kGreatestPriority, Device::kLeastPriority) : 0;
}

/// Bits of the nodes that come before each node; empty for graphs where that would be large.
class Ancestors {
public:
  explicit Ancestors(const std::vector<ExecNode>& nodes) {
    constexpr size_t kMost = 4096;
    if (nodes.size() > kMost) return;
    words_ = (nodes.size() + 63) / 64;
    bits_.resize(nodes.size() * words_);
    for (size_t i = 0; i < nodes.size(); ++i)
      for (uint32_t f : nodes[i].from) {
        for (size_t w = 0; w < words_; ++w) bits_[i * words_ + w] |= bits_[f * words_ + w];
        bits_[i * words_ + f / 64] |= uint64_t(1) << f % 64;
      }
  }
  bool before(uint32_t earlier, uint32_t later) const {
    return words_ && bits_[later * words_ + earlier / 64] >> earlier % 64 & 1;
  }

private:
  size_t words_ = 0;
  std::vector<uint64_t> bits_;
};

bool is_batchable(const ExecNode& n) { return n.launch && n.enabled; }

} // namespace

// ---- Planning -------------------------------------------------------------------------------------------------------

void Program::plan() {
  steps.clear();
  lanes.clear();
  const Ancestors ancestors(nodes);
  std::vector<uint32_t> tails; // last node of each lane
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    ExecNode& n = nodes[i];
    n.marked = false;
    Device* device = device_of(*n.work);
    const int priority = use_priority ? priority_of(*n.work) : 0;
    auto fits = [&](size_t lane) {
      const Lane& l = lanes[lane];
      return (!device || !l.device || l.device == device) && l.priority == priority;
    };
    size_t lane = lanes.size();
    for (uint32_t f : n.from) // goes on where a dependency ended
      if (tails[nodes[f].lane] == f && fits(nodes[f].lane)) lane = std::min<size_t>(lane, nodes[f].lane);
    if (lane == lanes.size()) // or where all of a lane is over anyway
      for (size_t l = 0; l < lanes.size() && lane == lanes.size(); ++l)
        if (ancestors.before(tails[l], i) && fits(l)) lane = l;
    if (lane == lanes.size() && lanes.size() >= GraphExec::kMaxLanes) { // or on the lane that is longest untouched
      for (size_t l = 0; l < lanes.size(); ++l)
        if (fits(l) && (lane == lanes.size() || tails[l] < tails[lane])) lane = l;
    }
    if (lane == lanes.size()) {
      lanes.push_back({.priority = priority});
      tails.push_back(i);
    }
    if (device) lanes[lane].device = device;
    tails[lane] = i;
    n.lane = uint16_t(lane);
  }
  std::vector<size_t> open(lanes.size(), SIZE_MAX); // step that the next kernel of a lane may join
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    ExecNode& n = nodes[i];
    Step step{.first = i};
    for (uint32_t f : n.from)
      if (nodes[f].lane != n.lane) {
        step.waits.push_back(f);
        nodes[f].marked = true;
      }
    const bool joins = is_batchable(n) && step.waits.empty() && !steps.empty() && open[n.lane] == steps.size() - 1;
    if (joins) {
      ++steps.back().count;
    } else {
      steps.push_back(std::move(step));
      open[n.lane] = is_batchable(n) ? steps.size() - 1 : SIZE_MAX;
    }
  }
}

// ---- Making ---------------------------------------------------------------------------------------------------------

Result GraphExec::prepare(ExecNode& n) {
  n.launch.reset();
  const auto* k = std::get_if<KernelWork>(n.work.get());
  if (!k) return {};
  LaunchOptions options;
  options.cooperative = k->attributes.cooperative != 0;
  HIP_TRY_ASSIGN(PreparedLaunch launch, PreparedLaunch::make(k->kernel, k->shape, k->launch_arguments(), options));
  // Arguments that name the queue, and the counters of a cooperative grid, are made anew for each launch.
  if (!launch.names_queue() && !options.cooperative) n.launch = std::make_shared<PreparedLaunch>(std::move(launch));
  return {};
}

Outcome<std::vector<uint32_t>> GraphExec::flatten(const Graph& graph, const std::vector<uint32_t>& before,
                                                  Program& program, Node** bad) {
  const auto order = graph.topological();
  if (order.size() != graph.nodes.size()) {
    *bad = nullptr;
    return fail(hipErrorInvalidValue, "the graph has a cycle: {} of {} nodes can be put in order", order.size(),
                graph.nodes.size());
  }
  std::unordered_map<const Node*, uint32_t> end; // where a node's dependents begin
  std::vector<uint32_t> leaves;
  for (Node* n : order) {
    ExecNode e;
    e.id = n->id;
    e.work = n->work;
    for (Node* f : n->from) e.from.push_back(end[f]);
    if (n->from.empty()) e.from = before;
    *bad = n;
    if (Result r = prepare(e); !r.ok()) return r;
    auto at = uint32_t(program.nodes.size());
    index_[n->id] = at;
    by_origin_[n->origin] = n;
    program.nodes.push_back(std::move(e));
    if (auto* child = n->as<ChildWork>()) {
      auto inner = flatten(*child->graph, {at}, program, bad);
      if (!inner.ok()) return inner;
      ExecNode after;
      after.work = std::make_shared<const Work>(EmptyWork{});
      after.from = inner->empty() ? std::vector<uint32_t>{at} : *inner;
      at = uint32_t(program.nodes.size());
      program.nodes.push_back(std::move(after));
    }
    end[n] = at;
    if (n->to.empty()) leaves.push_back(at);
  }
  *bad = nullptr;
  return leaves;
}

Outcome<std::shared_ptr<GraphExec>> GraphExec::make(const Graph& graph, unsigned long long flags, Node** bad) {
  std::shared_ptr<GraphExec> exec(new GraphExec);
  exec->flags_ = flags;
  exec->graph_ = graph_store().copy(graph);
  exec->program_ = std::make_shared<Program>();
  auto& program = *exec->program_;
  program.use_priority = flags & hipGraphInstantiateFlagUseNodePriority;
  Node* inner = nullptr;
  auto leaves = exec->flatten(*exec->graph_, {}, program, &inner);
  if (!leaves.ok()) {
    *bad = nullptr;
    if (inner)
      for (auto& n : graph.nodes)
        if (n->id == inner->origin) *bad = n.get(); // a node of a child graph has no handle of the caller's
    return leaves.result();
  }
  program.user_objects = std::move(exec->graph_->user_objects);
  exec->graph_->user_objects.clear();
  program.plan();
  return exec;
}

GraphExec::~GraphExec() {
  for (auto& [key, stream] : lanes_) stream->device().forget_stream(stream);
}

// ---- Launching ------------------------------------------------------------------------------------------------------

StreamPtr GraphExec::lane(const Program& program, size_t index, const StreamPtr& first) {
  const auto& wanted = program.lanes[index];
  Device* device = wanted.device ? wanted.device : &first->device();
  if (index == 0 && device == &first->device() && wanted.priority == 0) return first;
  auto& stream = lanes_[{device, wanted.priority, index}];
  if (!stream) {
    Stream::Options options;
    options.priority = wanted.priority;
    options.flags = hipStreamNonBlocking; // the launch puts it in order with the null stream
    stream = device->create_stream(options);
  }
  return stream;
}

/// What can fail for want of memory is done before anything is submitted: copies and fills of memory that was freed
/// meanwhile are refused, allocations made.
Result GraphExec::prepare_memory(const Program& program) {
  std::vector<GraphMemory*> begun;
  Result r = [&]() -> Result {
    for (auto& n : program.nodes) {
      if (!n.enabled) continue;
      if (auto* c = std::get_if<CopyWork>(n.work.get())) {
        HIP_TRY(check_copy(c->box, c->kind));
      } else if (auto* f = std::get_if<FillWork>(n.work.get())) {
        Fill fill = f->fill;
        HIP_TRY(check_fill(fill));
      } else if (auto* a = std::get_if<AllocWork>(n.work.get())) {
        if (!a->memory->in_use()) {
          HIP_TRY(a->memory->begin());
          begun.push_back(a->memory.get());
        } else if (!(flags_ & hipGraphInstantiateFlagAutoFreeOnLaunch)) {
          return fail(hipErrorInvalidValue,
                      "memory {} of the graph's last launch isn't freed: free it, or instantiate with "
                      "hipGraphInstantiateFlagAutoFreeOnLaunch",
                      a->memory->address());
        }
      }
    }
    return {};
  }();
  if (!r.ok())
    for (auto* memory : begun) memory->end(nullptr);
  return r;
}

Result GraphExec::run(const ExecNode& n, const StreamPtr& s) {
  if (!n.enabled) return {};
  struct Run {
    const StreamPtr& s;
    Result operator()(const EmptyWork&) { return {}; }
    Result operator()(const ChildWork&) { return {}; } // its nodes are beside it
    Result operator()(const KernelWork& k) {
      LaunchOptions options;
      options.cooperative = k.attributes.cooperative != 0;
      return hip::launch(k.kernel, k.shape, k.launch_arguments(), s, options);
    }
    Result operator()(const CopyWork& c) { return copy_box(c.box, c.kind, s, When::deferred); }
    Result operator()(const FillWork& f) { return fill_box(f.fill, s, When::deferred); }
    Result operator()(const HostWork& h) {
      return as_result(s->host([function = h.function, data = h.data] { function(data); }));
    }
    Result operator()(const EventRecordWork& r) {
      r.event->record(s->record());
      return {};
    }
    Result operator()(const EventWaitWork& w) {
      s->wait_for(w.event->markers());
      return {};
    }
    Result operator()(const AllocWork&) { return {}; } // done before the launch
    Result operator()(const FreeWork& f) {
      f.memory->end(s);
      return {};
    }
    Result operator()(const BatchWork& b) { return run_batch(b.operations, s); }
  };
  return std::visit(Run{s}, *n.work);
}

Result GraphExec::launch(const StreamPtr& stream) {
  HIP_TRY(submit(stream));
  if (launch_blocking()) stream->synchronize();
  return {};
}

Result GraphExec::submit(const StreamPtr& stream) {
  std::lock_guard lock(mutex_);
  const std::shared_ptr<const Program> program = program_;
  HIP_TRY(prepare_memory(*program));
  std::vector<StreamPtr> lanes;
  for (size_t i = 0; i < program->lanes.size(); ++i) lanes.push_back(lane(*program, i, stream));
  auto sequence = stream->sequence();
  stream->wait_for(last_);
  const bool alone = lanes.size() <= 1 && (lanes.empty() || lanes[0] == stream);
  if (!alone) {
    const auto entry = stream->frontier(true);
    for (auto& l : lanes)
      if (l != stream) l->wait_for(entry);
  }
  std::unordered_map<uint32_t, std::vector<MarkerPtr>> marks;
  std::vector<BatchedDispatch> batch;
  for (const Step& step : program->steps) {
    const ExecNode& first = program->nodes[step.first];
    const StreamPtr& s = lanes[first.lane];
    for (uint32_t w : step.waits) s->wait_for(marks[w]);
    if (is_batchable(first)) {
      batch.clear();
      for (uint32_t i = step.first; i < step.first + step.count; ++i)
        batch.push_back({&program->nodes[i].launch->packet(), program->nodes[i].marked});
      std::vector<MarkerPtr> made;
      HIP_TRY(s->dispatch_all(batch, made));
      auto next = made.begin();
      for (uint32_t i = step.first; i < step.first + step.count; ++i)
        if (program->nodes[i].marked) marks[i] = {*next++};
    } else {
      HIP_TRY(run(first, s));
      if (first.marked) marks[step.first] = s->record();
    }
  }
  for (auto& l : lanes) {
    l->keep(program);
    if (l != stream) stream->wait_for(l->own_frontier());
  }
  last_ = stream->own_frontier();
  stream->device().context_active = true;
  return {};
}

Result GraphExec::upload(const StreamPtr& stream) {
  std::lock_guard lock(mutex_);
  for (size_t i = 0; i < program_->lanes.size(); ++i) HIP_TRY(lane(*program_, i, stream)->queue());
  return {};
}

// ---- Changing -------------------------------------------------------------------------------------------------------

Program& GraphExec::changeable() {
  if (program_.use_count() > 1) {
    auto copy = std::make_shared<Program>();
    copy->nodes = program_->nodes;
    copy->use_priority = program_->use_priority;
    for (auto& held : program_->user_objects) copy->user_objects.push_back(held.again());
    program_ = std::move(copy);
  }
  return *program_;
}

Outcome<Node*> GraphExec::twin(const Node& original) {
  auto it = by_origin_.find(original.id);
  if (it == by_origin_.end()) return Result(hipErrorInvalidValue, "the executable graph has no such node");
  return it->second;
}

Result GraphExec::set_work(Node& twin, WorkPtr work) {
  ExecNode changed;
  changed.work = work;
  HIP_TRY(prepare(changed));
  std::lock_guard lock(mutex_);
  twin.work = work;
  Program& program = changeable();
  ExecNode& n = program.nodes[index_.at(twin.id)];
  n.work = std::move(changed.work);
  n.launch = std::move(changed.launch);
  program.plan();
  return {};
}

Result GraphExec::set_enabled(const Node& twin, bool enabled) {
  std::lock_guard lock(mutex_);
  Program& program = changeable();
  program.nodes[index_.at(twin.id)].enabled = enabled;
  program.plan();
  return {};
}

bool GraphExec::enabled(const Node& twin) const {
  std::lock_guard lock(mutex_);
  return program_->nodes[index_.at(twin.id)].enabled;
}

namespace {

/// Where the two ends of a copy are: a copy node keeps that.
std::pair<bool, bool> sides(const CopyWork& c) {
  auto& memory = Runtime::get().memory;
  auto on_device = [&](const void* p) {
    auto a = memory.find(p);
    return a && a->on_device();
  };
  return {on_device(c.box.dst), on_device(c.box.src)};
}

} // namespace

Result GraphExec::may_become(const Work& now, const Work& wanted) {
  if (now.index() != wanted.index())
    return fail(hipErrorInvalidValue, "a node of type {} can't become one of type {}", node_type_name(now),
                node_type_name(wanted));
  if (auto* k = std::get_if<KernelWork>(&now)) {
    const auto& w = std::get<KernelWork>(wanted);
    if (&k->kernel->code->device() != &w.kernel->code->device())
      return Result(hipErrorInvalidValue, "a kernel node can't change its device");
  }
  if (auto* c = std::get_if<CopyWork>(&now)) {
    const auto& w = std::get<CopyWork>(wanted);
    if (c->kind != w.kind || sides(*c) != sides(w))
      return Result(hipErrorInvalidValue, "a copy node can't change its kind, nor between device and host memory");
  }
  if (auto* a = std::get_if<AllocWork>(&now); a && a->memory != std::get<AllocWork>(wanted).memory)
    return Result(hipErrorInvalidValue, "an allocation node can't change its memory");
  if (auto* f = std::get_if<FreeWork>(&now); f && f->memory != std::get<FreeWork>(wanted).memory)
    return Result(hipErrorInvalidValue, "a free node can't change its memory");
  return {};
}

Result GraphExec::compare(const Graph& mine, const Graph& other, Changes& changes, hipGraphExecUpdateResult* result,
                          Node** bad) {
  auto differ = [&](hipGraphExecUpdateResult why, Node* where, std::string text) {
    *result = why;
    *bad = where;
    return Result(hipErrorGraphExecUpdateFailure, std::move(text));
  };
  if (mine.nodes.size() != other.nodes.size())
    return differ(hipGraphExecUpdateErrorTopologyChanged, nullptr,
                  fmt::format("the executable has {} nodes, the graph {}", mine.nodes.size(), other.nodes.size()));
  std::unordered_map<const Node*, const Node*> pair;
  for (size_t i = 0; i < mine.nodes.size(); ++i) pair[other.nodes[i].get()] = mine.nodes[i].get();
  for (size_t i = 0; i < mine.nodes.size(); ++i) {
    Node& m = *mine.nodes[i];
    Node& o = *other.nodes[i];
    if (node_type(*m.work) != node_type(*o.work))
      return differ(hipGraphExecUpdateErrorNodeTypeChanged, &o,
                    fmt::format("node {} is of type {}, not {}", i, node_type_name(*o.work), node_type_name(*m.work)));
    bool same = m.from.size() == o.from.size();
    for (Node* f : o.from) same = same && std::find(m.from.begin(), m.from.end(), pair[f]) != m.from.end();
    if (!same)
      return differ(hipGraphExecUpdateErrorTopologyChanged, &o, fmt::format("node {} has other dependencies", i));
    if (auto* child = m.as<ChildWork>()) {
      Result r = compare(*child->graph, *o.as<ChildWork>()->graph, changes, result, bad);
      if (!r.ok()) return r;
      continue;
    }
    if (Result r = may_become(*m.work, *o.work); !r.ok()) {
      const bool memory = m.as<AllocWork>() || m.as<FreeWork>();
      return differ(memory               ? hipGraphExecUpdateErrorNotSupported
                    : m.as<KernelWork>() ? hipGraphExecUpdateErrorUnsupportedFunctionChange
                                         : hipGraphExecUpdateErrorParametersChanged,
                    &o, r.message());
    }
    if (m.work != o.work) changes.emplace_back(&m, o.work);
  }
  return {};
}

Result GraphExec::apply(Changes& changes) {
  std::vector<ExecNode> prepared(changes.size()); // all or nothing
  for (size_t i = 0; i < changes.size(); ++i) {
    prepared[i].work = changes[i].second;
    HIP_TRY(prepare(prepared[i]));
  }
  std::lock_guard lock(mutex_);
  Program& program = changeable();
  for (size_t i = 0; i < changes.size(); ++i) {
    changes[i].first->work = changes[i].second;
    ExecNode& n = program.nodes[index_.at(changes[i].first->id)];
    n.work = std::move(prepared[i].work);
    n.launch = std::move(prepared[i].launch);
  }
  program.plan();
  return {};
}

Result GraphExec::update(const Graph& graph, hipGraphExecUpdateResult* result, Node** bad) {
  *result = hipGraphExecUpdateSuccess;
  *bad = nullptr;
  Changes changes;
  HIP_TRY(compare(*graph_, graph, changes, result, bad));
  Result r = apply(changes);
  if (r.ok()) return r;
  *result = hipGraphExecUpdateError;
  return Result(hipErrorGraphExecUpdateFailure, r.message());
}

Result GraphExec::update_child(const Graph& mine, const Graph& graph) {
  hipGraphExecUpdateResult why = hipGraphExecUpdateSuccess;
  Node* bad = nullptr;
  Changes changes;
  if (Result r = compare(mine, graph, changes, &why, &bad); !r.ok()) return Result(hipErrorInvalidValue, r.message());
  return apply(changes);
}

} // namespace bz::hip
