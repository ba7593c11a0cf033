/* A kernel launch with nothing between the program and the GPU's queue but hsa.h: find the agents and their memory,
 * load a code object from a file, write one AQL packet by hand, ring the doorbell, wait for the completion signal,
 * check.
 *
 *   aql kernel.co        prints PASSED
 */
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECK(call)                                                                                                    \
  do {                                                                                                                 \
    hsa_status_t status_ = (call);                                                                                     \
    if (status_ != HSA_STATUS_SUCCESS) {                                                                               \
      const char* text_ = "unknown status";                                                                            \
      hsa_status_string(status_, &text_);                                                                              \
      fprintf(stderr, "FAILED: %s\n  %s\n", #call, text_);                                                             \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)

enum { kGroupSize = 64, kCount = 100000 }; /* kGroupSize as in kernel.cl */

/* The arguments as kernel.cl declares them; the code object's metadata says the same. */
typedef struct {
  float a;
  const float* x;
  float* y;
  uint32_t n;
} Arguments;

typedef struct {
  hsa_agent_t gpu, cpu;
  hsa_amd_memory_pool_t device, kernarg; /* memory of the GPU; host memory for kernel arguments */
} System;

static hsa_status_t visit_pool(hsa_amd_memory_pool_t pool, void* data) {
  hsa_amd_memory_pool_t* found = data; /* [0]: coarse-grained, [1]: for kernel arguments */
  hsa_amd_segment_t segment;
  uint32_t flags = 0;
  CHECK(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment));
  if (segment != HSA_AMD_SEGMENT_GLOBAL) return HSA_STATUS_SUCCESS;
  CHECK(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags));
  if ((flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED) && !found[0].handle) found[0] = pool;
  if ((flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT) && !found[1].handle) found[1] = pool;
  return HSA_STATUS_SUCCESS;
}

static hsa_status_t visit_agent(hsa_agent_t agent, void* data) {
  System* s = data;
  hsa_device_type_t type;
  hsa_amd_memory_pool_t pools[2] = {{0}, {0}};
  CHECK(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
  CHECK(hsa_amd_agent_iterate_memory_pools(agent, visit_pool, pools));
  if (type == HSA_DEVICE_TYPE_GPU && !s->gpu.handle) {
    s->gpu = agent;
    s->device = pools[0];
  }
  if (type == HSA_DEVICE_TYPE_CPU && !s->cpu.handle) {
    s->cpu = agent;
    s->kernarg = pools[1];
  }
  return HSA_STATUS_SUCCESS;
}

/* Called on a thread of the runtime if the queue fails, for instance by an illegal instruction. */
static void on_queue_error(hsa_status_t status, hsa_queue_t* queue, void* data) {
  const char* text = "unknown status";
  (void)queue;
  (void)data;
  hsa_status_string(status, &text);
  fprintf(stderr, "FAILED: the queue stopped: %s\n", text);
  exit(1);
}

int main(int argc, char** argv) {
  System s;
  char name[64];
  float *x, *y;
  Arguments* arguments;
  int file, i;
  hsa_code_object_reader_t reader;
  hsa_executable_t executable;
  hsa_executable_symbol_t symbol;
  uint64_t kernel = 0, index;
  uint32_t kernarg_size = 0, group_bytes = 0, private_bytes = 0;
  hsa_queue_t* queue;
  hsa_signal_t done;
  hsa_kernel_dispatch_packet_t* packet;
  hsa_amd_profiling_dispatch_time_t time;

  if (argc != 2) {
    fprintf(stderr, "usage: %s kernel.co\n", argv[0]);
    return 2;
  }
  memset(&s, 0, sizeof s);
  CHECK(hsa_init());
  CHECK(hsa_iterate_agents(visit_agent, &s));
  if (!s.gpu.handle || !s.device.handle || !s.kernarg.handle) {
    fprintf(stderr, "FAILED: no GPU agent with memory\n");
    return 1;
  }
  CHECK(hsa_agent_get_info(s.gpu, HSA_AGENT_INFO_NAME, name));
  printf("GPU agent: %s\n", name);

  /* Data lives in the GPU's memory; the host gets access too, so that it can fill and read it in place. */
  CHECK(hsa_amd_memory_pool_allocate(s.device, kCount * sizeof *x, 0, (void**)&x));
  CHECK(hsa_amd_memory_pool_allocate(s.device, kCount * sizeof *y, 0, (void**)&y));
  CHECK(hsa_amd_agents_allow_access(1, &s.cpu, NULL, x));
  CHECK(hsa_amd_agents_allow_access(1, &s.cpu, NULL, y));
  for (i = 0; i < kCount; ++i) {
    x[i] = (float)i;
    y[i] = 0.5f;
  }

  /* Code: file -> reader -> executable -> symbol. A kernel's symbol is that of its descriptor. */
  file = open(argv[1], O_RDONLY);
  if (file < 0) {
    perror(argv[1]);
    return 1;
  }
  CHECK(hsa_code_object_reader_create_from_file(file, &reader));
  CHECK(hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, NULL, &executable));
  CHECK(hsa_executable_load_agent_code_object(executable, s.gpu, reader, NULL, NULL));
  CHECK(hsa_executable_freeze(executable, NULL));
  CHECK(hsa_executable_get_symbol_by_name(executable, "scale_add.kd", &s.gpu, &symbol));
  CHECK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &kernel));
  CHECK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE, &kernarg_size));
  CHECK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE, &group_bytes));
  CHECK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE, &private_bytes));
  if (kernarg_size < sizeof(Arguments) - 4) {
    fprintf(stderr, "FAILED: the kernel takes %u bytes of arguments\n", kernarg_size);
    return 1;
  }
  CHECK(hsa_amd_memory_pool_allocate(s.kernarg, kernarg_size < sizeof(Arguments) ? sizeof(Arguments) : kernarg_size, 0,
                                     (void**)&arguments));
  CHECK(hsa_amd_agents_allow_access(1, &s.gpu, NULL, arguments));
  arguments->a = 2.0f;
  arguments->x = x;
  arguments->y = y;
  arguments->n = kCount;

  CHECK(hsa_queue_create(s.gpu, 64, HSA_QUEUE_TYPE_SINGLE, on_queue_error, NULL, UINT32_MAX, UINT32_MAX, &queue));
  CHECK(hsa_amd_profiling_set_profiler_enabled(queue, 1));
  CHECK(hsa_signal_create(1, 0, NULL, &done));

  /* The packet: everything but its first word, then that word with release order. From then on the device may read it.
   */
  index = hsa_queue_add_write_index_relaxed(queue, 1);
  packet = (hsa_kernel_dispatch_packet_t*)queue->base_address + index % queue->size;
  memset((char*)packet + 4, 0, sizeof *packet - 4);
  packet->workgroup_size_x = kGroupSize;
  packet->workgroup_size_y = 1;
  packet->workgroup_size_z = 1;
  packet->grid_size_x = (kCount + kGroupSize - 1) / kGroupSize * kGroupSize; /* in work-items */
  packet->grid_size_y = 1;
  packet->grid_size_z = 1;
  packet->private_segment_size = private_bytes;
  packet->group_segment_size = group_bytes;
  packet->kernel_object = kernel;
  packet->kernarg_address = arguments;
  packet->completion_signal = done;
  {
    const uint32_t header = HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE |
                            HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                            HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
    const uint32_t setup = 1 << HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS;
    __atomic_store_n(&packet->full_header, header | setup << 16, __ATOMIC_RELEASE);
  }
  hsa_signal_store_screlease(queue->doorbell_signal, (hsa_signal_value_t)index);

  while (hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED) >= 1) {}
  CHECK(hsa_amd_profiling_get_dispatch_time(s.gpu, done, &time));
  printf("%d elements in %.1f us\n", kCount, (double)(time.end - time.start) / 1000.0);

  for (i = 0; i < kCount; ++i)
    if (y[i] != 2.0f * (float)i + 0.5f) {
      fprintf(stderr, "FAILED: element %d is %g, not %g\n", i, (double)y[i], 2.0 * i + 0.5);
      return 1;
    }

  CHECK(hsa_signal_destroy(done));
  CHECK(hsa_queue_destroy(queue));
  CHECK(hsa_executable_destroy(executable));
  CHECK(hsa_code_object_reader_destroy(reader));
  CHECK(hsa_amd_memory_pool_free(arguments));
  CHECK(hsa_amd_memory_pool_free(x));
  CHECK(hsa_amd_memory_pool_free(y));
  CHECK(hsa_shut_down());
  close(file);
  printf("PASSED\n");
  return 0;
}
