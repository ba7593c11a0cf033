// What a graph's nodes do: one description per kind of work. Captures make them from stream calls, the API from
// parameter structures; graph_exec.cpp runs them. Descriptions never change: new parameters are a new description, so
// launches in flight keep theirs. Must not know nodes or edges.
#pragma once
#include "hip/runtime/batch_operations.hpp"
#include "hip/runtime/copy.hpp"
#include "hip/runtime/launch.hpp"
#include "hip/runtime/user_object.hpp"

#include <array>
#include <memory>
#include <variant>
#include <vector>

namespace bz::hip {

class Event;
class Graph;
class GraphMemory;

struct EmptyWork {};

/// Launch attributes of a kernel node. The priority counts in executables that ask for it; the window is a hint.
struct KernelAttributes {
  int cooperative = 0; ///< as the program set it: not 0 is yes
  int priority = 0;
  hipAccessPolicyWindow window{};
};

struct KernelWork {
  std::shared_ptr<Kernel> kernel;
  void* function = nullptr; ///< host stub or hipFunction_t, as the program gave it
  dim3 grid, block;
  LaunchShape shape;
  KernelAttributes attributes;
  std::vector<std::byte> arguments; ///< explicit ones, at the offsets of the metadata
  bool packed = false;              ///< given as HIP_LAUNCH_PARAM_BUFFER_*

  /// What hipKernelNodeParams points at; set by bind().
  std::vector<void*> pointers;
  size_t size = 0;
  std::array<void*, 5> extra{};
  void bind();
  Arguments launch_arguments() const { return {.packed = arguments.data(), .packed_size = arguments.size()}; }
};

struct CopyWork {
  Box box;
  hipMemcpyKind kind = hipMemcpyDefault;
  hipMemcpy3DParms parameters{}; ///< as given, or the same copy in this form
};

struct FillWork {
  Fill fill;
  hipMemsetParams parameters{};
};

struct HostWork {
  hipHostFn_t function = nullptr;
  void* data = nullptr;
};

struct ChildWork {
  std::shared_ptr<Graph> graph; ///< the node's own copy
};

struct EventRecordWork {
  std::shared_ptr<Event> event;
};

struct EventWaitWork {
  std::shared_ptr<Event> event;
};

struct AllocWork {
  std::shared_ptr<GraphMemory> memory;
  hipMemAllocNodeParams parameters{};
  std::vector<hipMemAccessDesc> access;
};

struct FreeWork {
  std::shared_ptr<GraphMemory> memory;
};

struct BatchWork {
  MemoryOperations operations;
  hipCtx_t context = nullptr;
  unsigned flags = 0;
};

/// In the order of nothing: node_type() names them.
using Work = std::variant<EmptyWork, KernelWork, CopyWork, FillWork, HostWork, ChildWork, EventRecordWork,
                          EventWaitWork, AllocWork, FreeWork, BatchWork>;
using WorkPtr = std::shared_ptr<const Work>;

hipGraphNodeType node_type(const Work& work);
const char* node_type_name(const Work& work);

// Descriptions from what programs give, checked as the stream call would check them.
Outcome<WorkPtr> kernel_work(std::shared_ptr<Kernel> kernel, void* function, const LaunchShape& shape,
                             const Arguments& arguments, const LaunchOptions& options);
Outcome<WorkPtr> kernel_work(const hipKernelNodeParams& parameters);
Outcome<WorkPtr> copy_work(const Box& box, hipMemcpyKind kind);
Outcome<WorkPtr> copy_work(const hipMemcpy3DParms& parameters);
Outcome<WorkPtr> copy_work(const HIP_MEMCPY3D& parameters);
Outcome<WorkPtr> fill_work(const Fill& fill);
Outcome<WorkPtr> fill_work(const hipMemsetParams& parameters);
Outcome<WorkPtr> host_work(const hipHostNodeParams& parameters);
Outcome<WorkPtr> event_record_work(hipEvent_t event);
Outcome<WorkPtr> event_wait_work(hipEvent_t event);
/// Makes the memory; its address comes back in the parameters.
Outcome<WorkPtr> alloc_work(hipMemAllocNodeParams& parameters);
Outcome<WorkPtr> free_work(void* address);
Outcome<WorkPtr> batch_work(const hipBatchMemOpNodeParams& parameters);

} // namespace bz::hip
