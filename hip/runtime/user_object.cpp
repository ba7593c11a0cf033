#include "hip/runtime/user_object.hpp"
#include "hip/runtime/graph.hpp"
#include "hip/runtime/impl.hpp"
#include "hip/runtime/runtime.hpp"

namespace bz::hip {

bool UserObject::release(unsigned count) {
  unsigned now = references_.load();
  do {
    if (count > now) return false;
  } while (!references_.compare_exchange_weak(now, now - count));
  if (now != count) return true;
  auto self = graph_store().user_objects.remove(this); // the handle ends before the destructor runs
  destroy_(object_);
  return true;
}

namespace {

Outcome<UserObjectPtr> find_object(hipUserObject_t handle) {
  if (!handle) return Result(hipErrorInvalidValue, "the user object is null");
  if (auto o = graph_store().user_objects.find(handle)) return o;
  return fail(hipErrorInvalidValue, "user object {} was never created or has no references left",
              static_cast<void*>(handle));
}

Result check_count(unsigned count) {
  if (count == 0 || count > INT_MAX) return fail(hipErrorInvalidValue, "a count of {} references", count);
  return {};
}

} // namespace

namespace impl {

Result hipUserObjectCreate(hipUserObject_t* object_out, void* ptr, hipHostFn_t destroy, unsigned int initialRefcount,
                           unsigned int flags) {
  HIP_NONNULL(object_out);
  HIP_NONNULL(destroy);
  HIP_TRY(check_count(initialRefcount));
  if (flags != hipUserObjectNoDestructorSync)
    return fail(hipErrorInvalidValue, "user object flags are {:#x}, they must be hipUserObjectNoDestructorSync", flags);
  auto object = std::make_shared<UserObject>(ptr, destroy, initialRefcount);
  *object_out = reinterpret_cast<hipUserObject_t>(object.get());
  graph_store().user_objects.add(std::move(object));
  return {};
}

Result hipUserObjectRetain(hipUserObject_t object, unsigned int count) {
  HIP_TRY(check_count(count));
  HIP_TRY_ASSIGN(UserObjectPtr o, find_object(object));
  o->retain(count);
  return {};
}

Result hipUserObjectRelease(hipUserObject_t object, unsigned int count) {
  HIP_TRY(check_count(count));
  HIP_TRY_ASSIGN(UserObjectPtr o, find_object(object));
  if (!o->release(count)) return fail(hipErrorInvalidValue, "the user object has fewer than {} references", count);
  return {};
}

Result hipGraphRetainUserObject(hipGraph_t graph, hipUserObject_t object, unsigned int count, unsigned int flags) {
  HIP_TRY(check_count(count));
  if (flags != 0 && flags != hipGraphUserObjectMove)
    return fail(hipErrorInvalidValue, "flags {:#x} don't exist", flags);
  GraphLock lock;
  HIP_TRY_ASSIGN(GraphPtr g, graph_store().graph(graph));
  HIP_TRY_ASSIGN(UserObjectPtr o, find_object(object));
  if (!(flags & hipGraphUserObjectMove)) o->retain(count); // moved references were the caller's
  for (auto& held : g->user_objects)
    if (held.object() == o) {
      held.add(count);
      return {};
    }
  g->user_objects.emplace_back(std::move(o), count);
  return {};
}

Result hipGraphReleaseUserObject(hipGraph_t graph, hipUserObject_t object, unsigned int count) {
  HIP_TRY(check_count(count));
  UserObjectReferences gone; // given back outside of the lock: the destructor is the program's
  {
    GraphLock lock;
    HIP_TRY_ASSIGN(GraphPtr g, graph_store().graph(graph));
    HIP_TRY_ASSIGN(UserObjectPtr o, find_object(object));
    auto held = g->user_objects.begin();
    while (held != g->user_objects.end() && held->object() != o) ++held;
    if (held == g->user_objects.end() || !held->take(count))
      return fail(hipErrorInvalidValue, "the graph doesn't hold {} references of this user object", count);
    gone = UserObjectReferences(o, count);
    if (held->count() == 0) g->user_objects.erase(held);
  }
  return {};
}

} // namespace impl
} // namespace bz::hip
