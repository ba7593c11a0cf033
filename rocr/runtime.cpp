#include "rocr/runtime.hpp"

#include "base/fork.hpp"
#include "base/log.hpp"
#include "base/selection.hpp"
#include "rocr/entry.hpp"

#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace bz::rocr {

namespace {

// The only state outside a Runtime: which one is open, and for how many users.
std::mutex open_mutex;
std::atomic<Runtime*> open_runtime{nullptr};
uint32_t users = 0;

bool flag(const char* variable, bool otherwise) {
  const char* text = std::getenv(variable);
  if (!text || !*text) return otherwise;
  return std::strcmp(text, "0") != 0;
}

/// ROCR_VISIBLE_DEVICES: numbers or UUIDs of the GPUs that this process may see, in the order that it sees them.
void keep_visible(std::vector<Agent*>& gpus) {
  const char* list = std::getenv("ROCR_VISIBLE_DEVICES");
  if (!list || !*list) return;
  std::vector<std::string> names;
  for (const Agent* a : gpus) names.push_back(a->uuid());
  const Selection chosen = select_listed(list, names);
  if (chosen.picked.empty() && !gpus.empty())
    log("rocr", Level::warn, "ROCR_VISIBLE_DEVICES=\"{}\" leaves none of {} GPUs", list, gpus.size());
  else if (!chosen.rejected.empty())
    log("rocr", Level::warn, "ROCR_VISIBLE_DEVICES=\"{}\": \"{}\" is none of {} GPUs; it and what follows is ignored",
        list, chosen.rejected, gpus.size());
  std::vector<Agent*> kept;
  for (size_t i : chosen.picked) kept.push_back(gpus[i]);
  gpus = std::move(kept);
}

/// HSA_XNACK=1 or 0 sets the process's XNACK mode, before the agents say what code they run.
void set_xnack_mode() {
  const char* text = std::getenv("HSA_XNACK");
  if (!text || !*text) return;
  const bool off = std::strcmp(text, "0") == 0;
  if (!off && std::strcmp(text, "1") != 0) {
    log("rocr", Level::warn, "HSA_XNACK=\"{}\" is neither 0 nor 1 and is ignored", text);
    return;
  }
  if (Status s = thunk::check(hsaKmtSetXNACKMode(off ? 0 : 1), "hsaKmtSetXNACKMode"); !s.ok())
    log("rocr", Level::warn, "HSA_XNACK={}: {}; the mode stays as it is", text, s.message());
}

uint64_t physical_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? static_cast<uint64_t>(pages) * static_cast<uint64_t>(size) : 0;
}

} // namespace

bool in_forked_child() {
  if (!forked_child() || !open_runtime.load(std::memory_order_relaxed)) return false;
  static std::atomic<bool> said{false};
  if (!said.exchange(true)) log("rocr", Level::error, "{}", kForkedChild);
  return true;
}

Runtime* Runtime::current() { return open_runtime.load(std::memory_order_acquire); }

Outcome Runtime::open() {
  if (in_forked_child()) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  std::lock_guard lock(open_mutex);
  if (users == 0) {
    std::unique_ptr<Runtime> runtime(new Runtime);
    if (Outcome o = runtime->start(); !o.ok()) {
      if (!o.message().empty()) log("rocr", Level::error, "the runtime can't start: {}", o.message());
      return o.code(); // said
    }
    watch_forks();
    Runtime* r = runtime.release();
    open_runtime.store(r, std::memory_order_release);
    users = 1;
    r->tools_.load(); // tools call the interface, so the runtime is open for them
    return {};
  }
  if (users == kMaxUsers) return fail(HSA_STATUS_ERROR_REFCOUNT_OVERFLOW, "hsa_init was called {} times", users);
  ++users;
  return {};
}

Outcome Runtime::close() {
  if (in_forked_child()) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  std::lock_guard lock(open_mutex);
  if (users == 0) return fail(HSA_STATUS_ERROR_NOT_INITIALIZED, "hsa_shut_down without hsa_init");
  if (--users) return {};
  Runtime* r = open_runtime.load();
  r->tools_.unload();
  reset_api_table();
  open_runtime.store(nullptr, std::memory_order_release);
  delete r;
  return {};
}

Outcome Runtime::start() {
  if (Status s = thunk::check(hsaKmtOpenKFD(), "hsaKmtOpenKFD"); !s.ok()) {
    log("rocr", Level::info, "no device: {}", s.message()); // the thunk or the device said why
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
  opened_ = true;
  HsaSystemProperties system{};
  ROCR_TRY(thunk::check(hsaKmtAcquireSystemProperties(&system), "hsaKmtAcquireSystemProperties"));
  set_xnack_mode();
  const uint64_t memory = physical_memory();
  for (uint32_t node = 0; node < system.NumNodes; ++node) {
    ROCR_TRY_ASSIGN(auto agent, Agent::create(node, memory));
    (agent->is_gpu() ? gpus_ : agent_list_).push_back(agent.get());
    agents_.push_back(std::move(agent));
  }
  keep_visible(gpus_);
  // CPUs first, as programs that take "the first agent" for the host expect.
  agent_list_.insert(agent_list_.end(), gpus_.begin(), gpus_.end());
  for (Agent* a : agent_list_)
    if (!a->is_gpu() && !system_pool_) system_pool_ = a->default_pool();
  if (!system_pool_) return fail(HSA_STATUS_ERROR, "the topology has no CPU node");
  if (gpus_.empty()) log("rocr", Level::info, "the topology has no GPU");
  queue_messages_ = flag("HSA_ENABLE_QUEUE_FAULT_MESSAGE", true);

  memory_ = std::make_unique<Memory>(gpus_);
  vmem_ = std::make_unique<VirtualMemory>();
  images_ = std::make_unique<Images>([this]() -> void* {
    auto page = memory_->allocate(*system_pool_, Pool::kGranule, {});
    return page.ok() ? *page : nullptr;
  });
  signals_ = std::make_unique<SignalPool>(
      [this](size_t bytes, bool shareable) -> void* {
        auto block = memory_->allocate(*system_pool_, bytes, {.shareable = shareable, .alignment = bytes});
        return block.ok() ? *block : nullptr;
      },
      [this](void* block, size_t) { (void)memory_->free(block); });
  loader_ = std::make_unique<Loader>(*memory_);
  faults_ = std::make_unique<FaultWatch>(*this, flag("HSA_ENABLE_VM_FAULT_MESSAGE", true));
  ROCR_TRY(faults_->start());
  // Tells the driver where debuggers find the list of code objects; drivers without debugging refuse, which is fine.
  if (Status s = thunk::check(hsaKmtRuntimeEnable(debug_map_root(), false), "hsaKmtRuntimeEnable"); s.ok())
    debug_enabled_ = true;
  else
    log("rocr", Level::debug, "debuggers can't attach: {}", s.message());
  return {};
}

Runtime::~Runtime() {
  user_loop_.stop();
  copies_.stop();
  queues_.clear();
  soft_queues_.clear();
  intercept_queues_.clear();
  internal_loop_.stop();
  loader_.reset();
  faults_.reset();
  if (debug_enabled_) hsaKmtRuntimeDisable();
  signals_.reset();
  vmem_.reset();
  memory_.reset();
  if (opened_) {
    hsaKmtReleaseSystemProperties();
    hsaKmtCloseKFD();
  }
}

Result<Agent*> Runtime::agent(hsa_agent_t handle) const {
  for (Agent* a : agent_list_)
    if (a->handle().handle == handle.handle) return a;
  return fail(HSA_STATUS_ERROR_INVALID_AGENT, "{:#x} is no agent", handle.handle);
}

Result<Agent*> Runtime::gpu(hsa_agent_t handle) const {
  ROCR_TRY_ASSIGN(Agent * a, agent(handle));
  if (!a->is_gpu()) return fail(HSA_STATUS_ERROR_INVALID_AGENT, "{} is a CPU, a GPU is needed", a->name());
  return a;
}

Agent* Runtime::agent_of_node(uint32_t node) const {
  for (Agent* a : agent_list_)
    if (a->node() == node) return a;
  return nullptr;
}

Agent* Runtime::nearest_cpu(const Agent& agent) const {
  for (const Link& l : agent.links())
    if (Agent* a = agent_of_node(l.to_node); a && !a->is_gpu()) return a;
  return agent_list_.front();
}

Result<Pool*> Runtime::pool(uint64_t handle, int invalid) const {
  for (Agent* a : agent_list_)
    for (const auto& p : a->pools())
      if (reinterpret_cast<uint64_t>(p.get()) == handle) return p.get();
  return fail(static_cast<hsa_status_t>(invalid), "{:#x} is no memory pool or region", handle);
}

Result<Cache*> Runtime::cache(hsa_cache_t handle) const {
  for (Agent* a : agent_list_)
    for (const auto& c : a->caches())
      if (reinterpret_cast<uint64_t>(c.get()) == handle.handle) return c.get();
  return fail(HSA_STATUS_ERROR_INVALID_CACHE, "{:#x} is no cache", handle.handle);
}

Result<Isa*> Runtime::isa(hsa_isa_t handle) const {
  for (Agent* a : gpus_)
    if (handle_of(a->isa()).handle == handle.handle) return a->isa();
  std::lock_guard lock(isa_mutex_);
  for (const auto& i : isas_)
    if (handle_of(i.get()).handle == handle.handle) return i.get();
  return fail(HSA_STATUS_ERROR_INVALID_ISA, "{:#x} is no instruction set", handle.handle);
}

Isa* Runtime::isa_of(const codeobj::TargetId& target) {
  const std::string name = target.isa_name();
  for (Agent* a : gpus_)
    if (a->isa()->name == name) return a->isa();
  std::lock_guard lock(isa_mutex_);
  for (const auto& i : isas_)
    if (i->name == name) return i.get();
  const bool wave32 = target.processor->generation >= codeobj::Generation::gfx10;
  isas_.push_back(std::make_unique<Isa>(Isa{target, name, wave32 ? 32u : 64u, 0}));
  return isas_.back().get();
}

Result<const Wavefront*> Runtime::wavefront(hsa_wavefront_t handle) const {
  for (const Wavefront& w : wavefronts_)
    if (reinterpret_cast<uint64_t>(&w) == handle.handle) return &w;
  return fail(HSA_STATUS_ERROR_INVALID_WAVEFRONT, "{:#x} is no kind of wavefront", handle.handle);
}

Outcome Runtime::add_queue(std::unique_ptr<Queue> queue) {
  const hsa_queue_t* key = queue->public_queue();
  const hsa_agent_t agent = queue->agent()->handle();
  std::vector<std::pair<hsa_amd_runtime_queue_notifier, void*>> notify;
  {
    std::unique_lock lock(queue_mutex_);
    queues_.emplace(key, std::move(queue));
    notify = queue_notifiers_;
  }
  for (const auto& [notifier, data] : notify) notifier(key, agent, data);
  return {};
}

void Runtime::add_soft_queue(std::unique_ptr<SoftQueue> queue) {
  std::unique_lock lock(queue_mutex_);
  soft_queues_.emplace(queue->public_queue(), std::move(queue));
}

bool Runtime::is_soft_queue(const hsa_queue_t* queue) const {
  std::shared_lock lock(queue_mutex_);
  return soft_queues_.contains(queue);
}

Outcome Runtime::remove_queue(hsa_queue_t* queue) {
  // Destroyed here, after the lock (it waits for its error handler) and after the calls of other threads that use it.
  std::shared_ptr<Queue> gone;
  std::shared_ptr<InterceptQueue> intercepting;
  {
    std::unique_lock lock(queue_mutex_);
    if (soft_queues_.erase(queue)) return {};
    if (const auto at = intercept_queues_.find(queue); at != intercept_queues_.end()) {
      intercepting = std::move(at->second);
      intercept_queues_.erase(at);
    } else if (const auto found = queues_.find(queue); found != queues_.end()) {
      gone = std::move(found->second);
      queues_.erase(found);
    } else {
      return fail(HSA_STATUS_ERROR_INVALID_QUEUE, "{} is no live queue", static_cast<void*>(queue));
    }
  }
  while (gone.use_count() > 1 || intercepting.use_count() > 1) std::this_thread::yield();
  return {};
}

Result<std::shared_ptr<Queue>> Runtime::queue(const hsa_queue_t* queue) const {
  std::shared_lock lock(queue_mutex_);
  if (const auto at = queues_.find(queue); at != queues_.end()) return at->second;
  if (const auto at = intercept_queues_.find(queue); at != intercept_queues_.end())
    return std::shared_ptr<Queue>(at->second, &at->second->device_queue());
  return fail(HSA_STATUS_ERROR_INVALID_QUEUE, "{} is no live queue", static_cast<const void*>(queue));
}

void Runtime::add_intercept_queue(std::unique_ptr<InterceptQueue> queue) {
  std::unique_lock lock(queue_mutex_);
  intercept_queues_.emplace(queue->public_queue(), std::move(queue));
}

Result<std::shared_ptr<InterceptQueue>> Runtime::intercept_queue(const hsa_queue_t* queue) const {
  std::shared_lock lock(queue_mutex_);
  if (const auto at = intercept_queues_.find(queue); at != intercept_queues_.end()) return at->second;
  return fail(HSA_STATUS_ERROR_INVALID_QUEUE, "{} is no intercepting queue", static_cast<const void*>(queue));
}

void Runtime::add_queue_notifier(hsa_amd_runtime_queue_notifier notifier, void* data) {
  std::unique_lock lock(queue_mutex_);
  queue_notifiers_.emplace_back(notifier, data);
}

} // namespace bz::rocr
