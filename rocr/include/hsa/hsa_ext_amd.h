/* hsa_ext_amd.h: the AMD extension of the HSA runtime: memory pools, copies, profiling, events.
 * Names, values and layouts are those of the published interface; the words are Boltzmann's. C and C++.
 */
#ifndef HSA_RUNTIME_EXT_AMD_H_
#define HSA_RUNTIME_EXT_AMD_H_

#include "hsa.h"
#include "hsa_ext_image.h"

/** Version of this interface; it grows with additions. */
#define HSA_AMD_INTERFACE_VERSION_MAJOR 1
#define HSA_AMD_INTERFACE_VERSION_MINOR 11

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Packets ----------------------------------------------------------------------------------------------------- */

/** hsa_signal_condition_t in 32 bits. */
typedef uint32_t hsa_signal_condition32_t;

/** Format of a vendor-specific packet, in the byte after its header. */
typedef enum {
  HSA_AMD_PACKET_TYPE_BARRIER_VALUE = 2, /**< hsa_amd_barrier_value_packet_t */
  HSA_AMD_PACKET_TYPE_AIE_ERT = 3
} hsa_amd_packet_type_t;

/** hsa_amd_packet_type_t in 8 bits. */
typedef uint8_t hsa_amd_packet_type8_t;

/** First four bytes of a vendor-specific packet. */
typedef struct hsa_amd_packet_header_s {
  uint16_t header;
  hsa_amd_packet_type8_t AmdFormat;
  uint8_t reserved;
} hsa_amd_vendor_packet_header_t;

/** Waits until (signal & mask) compares with value as cond says. */
typedef struct hsa_amd_barrier_value_packet_s {
  hsa_amd_vendor_packet_header_t header;
  uint32_t reserved0;
  hsa_signal_t signal;
  hsa_signal_value_t value;
  hsa_signal_value_t mask;
  hsa_signal_condition32_t cond;
  uint32_t reserved1;
  uint64_t reserved2;
  uint64_t reserved3;
  hsa_signal_t completion_signal;
} hsa_amd_barrier_value_packet_t;

/** State of a command to an AI engine. */
typedef enum {
  HSA_AMD_AIE_ERT_STATE_NEW = 1,
  HSA_AMD_AIE_ERT_STATE_QUEUED = 2,
  HSA_AMD_AIE_ERT_STATE_RUNNING = 3,
  HSA_AMD_AIE_ERT_STATE_COMPLETED = 4,
  HSA_AMD_AIE_ERT_STATE_ERROR = 5,
  HSA_AMD_AIE_ERT_STATE_ABORT = 6,
  HSA_AMD_AIE_ERT_STATE_SUBMITTED = 7,
  HSA_AMD_AIE_ERT_STATE_TIMEOUT = 8,
  HSA_AMD_AIE_ERT_STATE_NORESPONSE = 9,
  HSA_AMD_AIE_ERT_STATE_SKERROR = 10,
  HSA_AMD_AIE_ERT_STATE_SKCRASHED = 11,
  HSA_AMD_AIE_ERT_STATE_MAX = 12
} hsa_amd_aie_ert_state;

/** Commands to an AI engine. */
typedef enum {
  HSA_AMD_AIE_ERT_START_CU = 0,
  HSA_AMD_AIE_ERT_START_KERNEL = 0,
  HSA_AMD_AIE_ERT_CONFIGURE = 2,
  HSA_AMD_AIE_ERT_EXIT = 3,
  HSA_AMD_AIE_ERT_ABORT = 4,
  HSA_AMD_AIE_ERT_EXEC_WRITE = 5,
  HSA_AMD_AIE_ERT_CU_STAT = 6,
  HSA_AMD_AIE_ERT_START_COPYBO = 7,
  HSA_AMD_AIE_ERT_SK_CONFIG = 8,
  HSA_AMD_AIE_ERT_SK_START = 9,
  HSA_AMD_AIE_ERT_SK_UNCONFIG = 10,
  HSA_AMD_AIE_ERT_INIT_CU = 11,
  HSA_AMD_AIE_ERT_START_FA = 12,
  HSA_AMD_AIE_ERT_CLK_CALIB = 13,
  HSA_AMD_AIE_ERT_MB_VALIDATE = 14,
  HSA_AMD_AIE_ERT_START_KEY_VAL = 15,
  HSA_AMD_AIE_ERT_ACCESS_TEST_C = 16,
  HSA_AMD_AIE_ERT_ACCESS_TEST = 17,
  HSA_AMD_AIE_ERT_START_DPU = 18,
  HSA_AMD_AIE_ERT_CMD_CHAIN = 19,
  HSA_AMD_AIE_ERT_START_NPU = 20,
  HSA_AMD_AIE_ERT_START_NPU_PREEMPT = 21
} hsa_amd_aie_ert_cmd_opcode_t;

/** Payload of HSA_AMD_AIE_ERT_START_KERNEL. The command's own words follow it. */
typedef struct hsa_amd_aie_ert_start_kernel_data_s {
  void* pdi_addr;
  uint32_t data[];
} hsa_amd_aie_ert_start_kernel_data_t;

/** A command to an AI engine. */
typedef struct hsa_amd_aie_ert_packet_s {
  hsa_amd_vendor_packet_header_t header;
  struct {
    uint32_t state : 4;
    uint32_t custom : 8;
    uint32_t count : 11;
    uint32_t opcode : 5;
    uint32_t type : 4;
  };
  uint64_t reserved0;
  uint64_t reserved1;
  uint64_t reserved2;
  uint64_t reserved3;
  uint64_t reserved4;
  uint64_t reserved5;
  uint64_t payload_data;
} hsa_amd_aie_ert_packet_t;

/* ---- Status ------------------------------------------------------------------------------------------------------ */

/** More values of hsa_status_t. */
enum {
  HSA_STATUS_ERROR_INVALID_MEMORY_POOL = 40,       /**< not a memory pool of this runtime */
  HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION = 41, /**< a kernel left the aperture of its segment */
  HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION = 42,       /**< a kernel met an instruction that its target doesn't have */
  HSA_STATUS_ERROR_MEMORY_FAULT = 43,              /**< a kernel accessed memory that it may not access */
  HSA_STATUS_CU_MASK_REDUCED = 44,                 /**< the mask was applied, less than asked for */
  HSA_STATUS_ERROR_OUT_OF_REGISTERS = 45,          /**< a kernel needs more registers than the device has */
  HSA_STATUS_ERROR_RESOURCE_BUSY = 46,             /**< in use by somebody else */
  HSA_STATUS_ERROR_NOT_SUPPORTED = 47              /**< known, but not possible on this system */
};

/* ---- Agents ------------------------------------------------------------------------------------------------------ */

/** Support for an IOMMU. */
typedef enum { HSA_IOMMU_SUPPORT_NONE = 0, HSA_IOMMU_SUPPORT_V2 = 1 } hsa_amd_iommu_version_t;

/** Clocks of an agent and the system, read together. */
typedef struct hsa_amd_clock_counters_s {
  uint64_t gpu_clock_counter;
  uint64_t cpu_clock_counter;
  uint64_t system_clock_counter;
  uint64_t system_clock_frequency;
} hsa_amd_clock_counters_t;

/** More that hsa_agent_get_info can tell. */
typedef enum hsa_amd_agent_info_s {
  HSA_AMD_AGENT_INFO_CHIP_ID = 0xa000,                        /**< uint32_t, PCI device id */
  HSA_AMD_AGENT_INFO_CACHELINE_SIZE = 0xa001,                 /**< uint32_t, bytes */
  HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT = 0xa002,             /**< uint32_t */
  HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY = 0xa003,            /**< uint32_t, MHz */
  HSA_AMD_AGENT_INFO_DRIVER_NODE_ID = 0xa004,                 /**< uint32_t */
  HSA_AMD_AGENT_INFO_MAX_ADDRESS_WATCH_POINTS = 0xa005,       /**< uint32_t */
  HSA_AMD_AGENT_INFO_BDFID = 0xa006,                          /**< uint32_t, PCI bus << 8 | device << 3 | function */
  HSA_AMD_AGENT_INFO_MEMORY_WIDTH = 0xa007,                   /**< uint32_t, bits */
  HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY = 0xa008,           /**< uint32_t, MHz */
  HSA_AMD_AGENT_INFO_PRODUCT_NAME = 0xa009,                   /**< char[64] */
  HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU = 0xa00a,               /**< uint32_t */
  HSA_AMD_AGENT_INFO_NUM_SIMDS_PER_CU = 0xa00b,               /**< uint32_t */
  HSA_AMD_AGENT_INFO_NUM_SHADER_ENGINES = 0xa00c,             /**< uint32_t */
  HSA_AMD_AGENT_INFO_NUM_SHADER_ARRAYS_PER_SE = 0xa00d,       /**< uint32_t */
  HSA_AMD_AGENT_INFO_HDP_FLUSH = 0xa00e,                      /**< hsa_amd_hdp_flush_t */
  HSA_AMD_AGENT_INFO_DOMAIN = 0xa00f,                         /**< uint32_t, PCI domain */
  HSA_AMD_AGENT_INFO_COOPERATIVE_QUEUES = 0xa010,             /**< bool */
  HSA_AMD_AGENT_INFO_UUID = 0xa011,                           /**< char[24], "GPU-" and 16 hex digits, or "GPU-XX" */
  HSA_AMD_AGENT_INFO_ASIC_REVISION = 0xa012,                  /**< uint32_t */
  HSA_AMD_AGENT_INFO_SVM_DIRECT_HOST_ACCESS = 0xa013,         /**< bool */
  HSA_AMD_AGENT_INFO_COOPERATIVE_COMPUTE_UNIT_COUNT = 0xa014, /**< uint32_t */
  HSA_AMD_AGENT_INFO_MEMORY_AVAIL = 0xa015,                   /**< uint64_t, bytes */
  HSA_AMD_AGENT_INFO_TIMESTAMP_FREQUENCY = 0xa016,            /**< uint64_t, Hz */
  HSA_AMD_AGENT_INFO_ASIC_FAMILY_ID = 0xa107,                 /**< uint32_t */
  HSA_AMD_AGENT_INFO_UCODE_VERSION = 0xa108,                  /**< uint32_t */
  HSA_AMD_AGENT_INFO_SDMA_UCODE_VERSION = 0xa109,             /**< uint32_t */
  HSA_AMD_AGENT_INFO_NUM_SDMA_ENG = 0xa10a,                   /**< uint32_t */
  HSA_AMD_AGENT_INFO_NUM_SDMA_XGMI_ENG = 0xa10b,              /**< uint32_t */
  HSA_AMD_AGENT_INFO_IOMMU_SUPPORT = 0xa110,                  /**< hsa_amd_iommu_version_t */
  HSA_AMD_AGENT_INFO_NUM_XCC = 0xa111,                        /**< uint32_t */
  HSA_AMD_AGENT_INFO_DRIVER_UID = 0xa112,                     /**< uint32_t */
  HSA_AMD_AGENT_INFO_NEAREST_CPU = 0xa113,                    /**< hsa_agent_t */
  HSA_AMD_AGENT_INFO_MEMORY_PROPERTIES = 0xa114,     /**< uint8_t[8], bits of hsa_amd_agent_memory_properties_t */
  HSA_AMD_AGENT_INFO_AQL_EXTENSIONS = 0xa115,        /**< uint8_t[8], bits */
  HSA_AMD_AGENT_INFO_SCRATCH_LIMIT_MAX = 0xa116,     /**< uint64_t, bytes */
  HSA_AMD_AGENT_INFO_SCRATCH_LIMIT_CURRENT = 0xa117, /**< uint64_t, bytes */
  HSA_AMD_AGENT_INFO_CLOCK_COUNTERS = 0xa118         /**< hsa_amd_clock_counters_t */
} hsa_amd_agent_info_t;

/** Bit numbers for HSA_AMD_AGENT_INFO_MEMORY_PROPERTIES. */
typedef enum hsa_amd_agent_memory_properties_s {
  HSA_AMD_MEMORY_PROPERTY_AGENT_IS_APU = 1
} hsa_amd_agent_memory_properties_t;

/** Copy engines; bits. */
typedef enum hsa_amd_sdma_engine_id {
  HSA_AMD_SDMA_ENGINE_0 = 1,
  HSA_AMD_SDMA_ENGINE_1 = 2,
  HSA_AMD_SDMA_ENGINE_2 = 4,
  HSA_AMD_SDMA_ENGINE_3 = 8,
  HSA_AMD_SDMA_ENGINE_4 = 16,
  HSA_AMD_SDMA_ENGINE_5 = 32,
  HSA_AMD_SDMA_ENGINE_6 = 64,
  HSA_AMD_SDMA_ENGINE_7 = 128,
  HSA_AMD_SDMA_ENGINE_8 = 256,
  HSA_AMD_SDMA_ENGINE_9 = 0x200,
  HSA_AMD_SDMA_ENGINE_10 = 0x400,
  HSA_AMD_SDMA_ENGINE_11 = 0x800,
  HSA_AMD_SDMA_ENGINE_12 = 0x1000,
  HSA_AMD_SDMA_ENGINE_13 = 0x2000,
  HSA_AMD_SDMA_ENGINE_14 = 0x4000,
  HSA_AMD_SDMA_ENGINE_15 = 0x8000
} hsa_amd_sdma_engine_id_t;

/** Registers that flush the host data path. */
typedef struct hsa_amd_hdp_flush_s {
  uint32_t* HDP_MEM_FLUSH_CNTL;
  uint32_t* HDP_REG_FLUSH_CNTL;
} hsa_amd_hdp_flush_t;

/** More that hsa_region_get_info can tell. */
typedef enum hsa_amd_region_info_s {
  HSA_AMD_REGION_INFO_HOST_ACCESSIBLE = 0xa000,    /**< bool */
  HSA_AMD_REGION_INFO_BASE = 0xa001,               /**< void* */
  HSA_AMD_REGION_INFO_BUS_WIDTH = 0xa002,          /**< uint32_t, bits */
  HSA_AMD_REGION_INFO_MAX_CLOCK_FREQUENCY = 0xa003 /**< uint32_t, MHz */
} hsa_amd_region_info_t;

/** Coherence of an agent with the host. */
typedef enum hsa_amd_coherency_type_s {
  HSA_AMD_COHERENCY_TYPE_COHERENT = 0,
  HSA_AMD_COHERENCY_TYPE_NONCOHERENT = 1
} hsa_amd_coherency_type_t;

/** Coherence of an agent with the host, for its kernels to come. */
hsa_status_t hsa_amd_coherency_get_type(hsa_agent_t agent, hsa_amd_coherency_type_t* type);

/** Sets the coherence of an agent with the host. */
hsa_status_t hsa_amd_coherency_set_type(hsa_agent_t agent, hsa_amd_coherency_type_t type);

/** How a dma-buf is mapped. */
typedef enum hsa_amd_dma_buf_mapping_type_s {
  HSA_AMD_DMABUF_MAPPING_TYPE_NONE = 0,
  HSA_AMD_DMABUF_MAPPING_TYPE_PCIE = 1
} hsa_amd_dma_buf_mapping_type_t;

/** A bit of the 64-bit sets of flags that are passed as uint8_t[8]. */
static inline void hsa_flag_set64(uint8_t* value, uint32_t bit) { value[bit / 8] |= (uint8_t)(1u << (bit % 8)); }
static inline bool hsa_flag_isset64(const uint8_t* value, uint32_t bit) { return (value[bit / 8] >> (bit % 8)) & 1; }

/* ---- Profiling --------------------------------------------------------------------------------------------------- */

/** When a dispatch began and ended, in ticks of the system clock. */
typedef struct hsa_amd_profiling_dispatch_time_s {
  uint64_t start;
  uint64_t end;
} hsa_amd_profiling_dispatch_time_t;

/** When a copy began and ended, in ticks of the system clock. */
typedef struct hsa_amd_profiling_async_copy_time_s {
  uint64_t start;
  uint64_t end;
} hsa_amd_profiling_async_copy_time_t;

/** Turns timestamps of dispatches of a queue on or off. */
hsa_status_t hsa_amd_profiling_set_profiler_enabled(hsa_queue_t* queue, int enable);

/** Turns timestamps of asynchronous copies on or off. */
hsa_status_t hsa_amd_profiling_async_copy_enable(bool enable);

/** Times of the dispatch that completed signal. */
hsa_status_t hsa_amd_profiling_get_dispatch_time(hsa_agent_t agent, hsa_signal_t signal,
                                                 hsa_amd_profiling_dispatch_time_t* time);

/** Times of the copy that completed signal. */
hsa_status_t hsa_amd_profiling_get_async_copy_time(hsa_signal_t signal, hsa_amd_profiling_async_copy_time_t* time);

/** Converts a time of an agent to ticks of the system clock. */
hsa_status_t hsa_amd_profiling_convert_tick_to_system_domain(hsa_agent_t agent, uint64_t agent_tick,
                                                             uint64_t* system_tick);

/* ---- Signals ----------------------------------------------------------------------------------------------------- */

/** Attributes of hsa_amd_signal_create; bits. */
typedef enum { HSA_AMD_SIGNAL_AMD_GPU_ONLY = 1, HSA_AMD_SIGNAL_IPC = 2 } hsa_amd_signal_attribute_t;

/** hsa_signal_create with attributes. */
hsa_status_t hsa_amd_signal_create(hsa_signal_value_t initial_value, uint32_t num_consumers,
                                   const hsa_agent_t* consumers, uint64_t attributes, hsa_signal_t* signal);

/** Address of a signal's value, to be read only. */
hsa_status_t hsa_amd_signal_value_pointer(hsa_signal_t signal, volatile hsa_signal_value_t** value_ptr);

/** Called when the signal meets the condition; true means call again next time. */
typedef bool (*hsa_amd_signal_handler)(hsa_signal_value_t, void*);

/** Calls handler on a thread of the runtime when the signal meets the condition. */
hsa_status_t hsa_amd_signal_async_handler(hsa_signal_t signal, hsa_signal_condition_t cond, hsa_signal_value_t value,
                                          hsa_amd_signal_handler handler, void* arg);

/** Waits until all signals meet their conditions. Returns 0, or UINT32_MAX after the timeout. */
uint32_t hsa_amd_signal_wait_all(uint32_t signal_count, hsa_signal_t* signals, hsa_signal_condition_t* conds,
                                 hsa_signal_value_t* values, uint64_t timeout_hint, hsa_wait_state_t wait_hint,
                                 hsa_signal_value_t* satisfying_values);

/** Waits until one signal meets its condition. Returns its index, or UINT32_MAX after the timeout. */
uint32_t hsa_amd_signal_wait_any(uint32_t signal_count, hsa_signal_t* signals, hsa_signal_condition_t* conds,
                                 hsa_signal_value_t* values, uint64_t timeout_hint, hsa_wait_state_t wait_hint,
                                 hsa_signal_value_t* satisfying_value);

/** Calls callback once on a thread of the runtime. */
hsa_status_t hsa_amd_async_function(void (*callback)(void*), void* arg);

/* ---- Images ------------------------------------------------------------------------------------------------------ */

/** A vendor's description of an image's layout. */
typedef struct hsa_amd_image_descriptor_s {
  uint32_t version;
  uint32_t deviceID;
  uint32_t data[1];
} hsa_amd_image_descriptor_t;

/** Makes an image over memory with a vendor's layout. */
hsa_status_t hsa_amd_image_create(hsa_agent_t agent, const hsa_ext_image_descriptor_t* image_descriptor,
                                  const hsa_amd_image_descriptor_t* image_layout, const void* image_data,
                                  hsa_access_permission_t access_permission, hsa_ext_image_t* image);

/** Greatest size of an image kind. */
hsa_status_t hsa_amd_image_get_info_max_dim(hsa_agent_t agent, hsa_agent_info_t attribute, void* value);

/* ---- Queues ------------------------------------------------------------------------------------------------------ */

/** Restricts a queue to some compute units; num_cu_mask_count counts bits, a multiple of 32. */
hsa_status_t hsa_amd_queue_cu_set_mask(const hsa_queue_t* queue, uint32_t num_cu_mask_count, const uint32_t* cu_mask);

/** The compute units of a queue. */
hsa_status_t hsa_amd_queue_cu_get_mask(const hsa_queue_t* queue, uint32_t num_cu_mask_count, uint32_t* cu_mask);

/** Priority of a queue. */
typedef enum hsa_amd_queue_priority_s {
  HSA_AMD_QUEUE_PRIORITY_LOW = 0,
  HSA_AMD_QUEUE_PRIORITY_NORMAL = 1,
  HSA_AMD_QUEUE_PRIORITY_HIGH = 2
} hsa_amd_queue_priority_t;

/** Where a queue's memory is; bits. */
typedef enum {
  HSA_AMD_QUEUE_CREATE_SYSTEM_MEM = 0,
  HSA_AMD_QUEUE_CREATE_DEVICE_MEM_RING_BUF = 1,
  HSA_AMD_QUEUE_CREATE_DEVICE_MEM_QUEUE_DESCRIPTOR = 2
} hsa_amd_queue_create_flag_t;

/** Sets the priority of a queue. */
hsa_status_t hsa_amd_queue_set_priority(hsa_queue_t* queue, hsa_amd_queue_priority_t priority);

/** What hsa_amd_queue_get_info can tell. */
typedef enum {
  HSA_AMD_QUEUE_INFO_AGENT = 0,      /**< hsa_agent_t */
  HSA_AMD_QUEUE_INFO_DOORBELL_ID = 1 /**< uint64_t */
} hsa_queue_info_attribute_t;

/** Tells a fact about a queue. */
hsa_status_t hsa_amd_queue_get_info(hsa_queue_t* queue, hsa_queue_info_attribute_t attribute, void* value);

/* ---- Memory pools ------------------------------------------------------------------------------------------------ */

/** Segment of a memory pool. */
typedef enum {
  HSA_AMD_SEGMENT_GLOBAL = 0,
  HSA_AMD_SEGMENT_READONLY = 1,
  HSA_AMD_SEGMENT_PRIVATE = 2,
  HSA_AMD_SEGMENT_GROUP = 3
} hsa_amd_segment_t;

/** Memory of one kind that agents can share; the AMD form of a region. */
typedef struct hsa_amd_memory_pool_s {
  uint64_t handle;
} hsa_amd_memory_pool_t;

/** Properties of a global pool; bits. */
typedef enum hsa_amd_memory_pool_global_flag_s {
  HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT = 1,
  HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED = 2,
  HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED = 4,
  HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_EXTENDED_SCOPE_FINE_GRAINED = 8
} hsa_amd_memory_pool_global_flag_t;

/** Where a pool's memory is. */
typedef enum hsa_amd_memory_pool_location_s {
  HSA_AMD_MEMORY_POOL_LOCATION_CPU = 0,
  HSA_AMD_MEMORY_POOL_LOCATION_GPU = 1
} hsa_amd_memory_pool_location_t;

/** What hsa_amd_memory_pool_get_info can tell. */
typedef enum {
  HSA_AMD_MEMORY_POOL_INFO_SEGMENT = 0,                   /**< hsa_amd_segment_t */
  HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS = 1,              /**< uint32_t, bits of hsa_amd_memory_pool_global_flag_t */
  HSA_AMD_MEMORY_POOL_INFO_SIZE = 2,                      /**< size_t, bytes */
  HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED = 5,     /**< bool */
  HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_GRANULE = 6,     /**< size_t, bytes */
  HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALIGNMENT = 7,   /**< size_t, bytes */
  HSA_AMD_MEMORY_POOL_INFO_ACCESSIBLE_BY_ALL = 15,        /**< bool */
  HSA_AMD_MEMORY_POOL_INFO_ALLOC_MAX_SIZE = 16,           /**< size_t, bytes */
  HSA_AMD_MEMORY_POOL_INFO_LOCATION = 17,                 /**< hsa_amd_memory_pool_location_t */
  HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_REC_GRANULE = 18 /**< size_t, bytes, recommended */
} hsa_amd_memory_pool_info_t;

/** How to allocate; bits. */
typedef enum hsa_amd_memory_pool_flag_s {
  HSA_AMD_MEMORY_POOL_STANDARD_FLAG = 0,
  HSA_AMD_MEMORY_POOL_PCIE_FLAG = 1,
  HSA_AMD_MEMORY_POOL_CONTIGUOUS_FLAG = 2,
  HSA_AMD_MEMORY_POOL_EXECUTABLE_FLAG = 4,
  HSA_AMD_MEMORY_POOL_UNCACHED_FLAG = 8
} hsa_amd_memory_pool_flag_t;

/** Tells a fact about a pool. */
hsa_status_t hsa_amd_memory_pool_get_info(hsa_amd_memory_pool_t memory_pool, hsa_amd_memory_pool_info_t attribute,
                                          void* value);

/** Calls callback for every pool whose memory is nearest to this agent. */
hsa_status_t hsa_amd_agent_iterate_memory_pools(hsa_agent_t agent,
                                                hsa_status_t (*callback)(hsa_amd_memory_pool_t, void*), void* data);

/** Allocates size bytes, rounded up to the granule. Other agents need hsa_amd_agents_allow_access. */
hsa_status_t hsa_amd_memory_pool_allocate(hsa_amd_memory_pool_t memory_pool, size_t size, uint32_t flags, void** ptr);

/** Frees what hsa_amd_memory_pool_allocate gave; null is fine. */
hsa_status_t hsa_amd_memory_pool_free(void* ptr);

/** Whether an agent may reach a pool. */
typedef enum {
  HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED = 0,
  HSA_AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT = 1,
  HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT = 2
} hsa_amd_memory_pool_access_t;

/** Kind of a link between agents. */
typedef enum {
  HSA_AMD_LINK_INFO_TYPE_HYPERTRANSPORT = 0,
  HSA_AMD_LINK_INFO_TYPE_QPI = 1,
  HSA_AMD_LINK_INFO_TYPE_PCIE = 2,
  HSA_AMD_LINK_INFO_TYPE_INFINBAND = 3,
  HSA_AMD_LINK_INFO_TYPE_XGMI = 4
} hsa_amd_link_info_type_t;

/** One link on the way from an agent to a pool. Latencies in ns, bandwidths in MB/s. */
typedef struct hsa_amd_memory_pool_link_info_s {
  uint32_t min_latency;
  uint32_t max_latency;
  uint32_t min_bandwidth;
  uint32_t max_bandwidth;
  bool atomic_support_32bit;
  bool atomic_support_64bit;
  bool coherent_support;
  hsa_amd_link_info_type_t link_type;
  uint32_t numa_distance;
} hsa_amd_memory_pool_link_info_t;

/** What hsa_amd_agent_memory_pool_get_info can tell. */
typedef enum {
  HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS = 0,        /**< hsa_amd_memory_pool_access_t */
  HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS = 1, /**< uint32_t */
  HSA_AMD_AGENT_MEMORY_POOL_INFO_LINK_INFO = 2      /**< hsa_amd_memory_pool_link_info_t[hops] */
} hsa_amd_agent_memory_pool_info_t;

/** Tells a fact about the way from an agent to a pool. */
hsa_status_t hsa_amd_agent_memory_pool_get_info(hsa_agent_t agent, hsa_amd_memory_pool_t memory_pool,
                                                hsa_amd_agent_memory_pool_info_t attribute, void* value);

/** Lets exactly these agents (and the owner) use an allocation of a pool. flags must be null. */
hsa_status_t hsa_amd_agents_allow_access(uint32_t num_agents, const hsa_agent_t* agents, const uint32_t* flags,
                                         const void* ptr);

/** Whether memory can move between two pools. */
hsa_status_t hsa_amd_memory_pool_can_migrate(hsa_amd_memory_pool_t src_memory_pool,
                                             hsa_amd_memory_pool_t dst_memory_pool, bool* result);

/** Moves an allocation to another pool. */
hsa_status_t hsa_amd_memory_migrate(const void* ptr, hsa_amd_memory_pool_t memory_pool, uint32_t flags);

/* ---- Copies ------------------------------------------------------------------------------------------------------ */

/**
 * Copies after all dep_signals are 0, then subtracts 1 from completion_signal. Copies run beside kernels. A failed
 * copy sets completion_signal to a negative value.
 */
hsa_status_t hsa_amd_memory_async_copy(void* dst, hsa_agent_t dst_agent, const void* src, hsa_agent_t src_agent,
                                       size_t size, uint32_t num_dep_signals, const hsa_signal_t* dep_signals,
                                       hsa_signal_t completion_signal);

/** hsa_amd_memory_async_copy on one copy engine. */
hsa_status_t hsa_amd_memory_async_copy_on_engine(void* dst, hsa_agent_t dst_agent, const void* src,
                                                 hsa_agent_t src_agent, size_t size, uint32_t num_dep_signals,
                                                 const hsa_signal_t* dep_signals, hsa_signal_t completion_signal,
                                                 hsa_amd_sdma_engine_id_t engine_id, bool force_copy_on_sdma);

/** Which copy engines between two agents are free; bits of hsa_amd_sdma_engine_id_t. */
hsa_status_t hsa_amd_memory_copy_engine_status(hsa_agent_t dst_agent, hsa_agent_t src_agent, uint32_t* engine_ids_mask);

/** Which copy engines are best between two agents; bits of hsa_amd_sdma_engine_id_t. */
hsa_status_t hsa_amd_memory_get_preferred_copy_engine(hsa_agent_t dst_agent, hsa_agent_t src_agent,
                                                      uint32_t* recommended_ids_mask);

/** A box in memory: bytes from row to row and from slice to slice. */
typedef struct hsa_pitched_ptr_s {
  void* base;
  size_t pitch;
  size_t slice;
} hsa_pitched_ptr_t;

/** Direction of a copy. */
typedef enum {
  hsaHostToHost = 0,
  hsaHostToDevice = 1,
  hsaDeviceToHost = 2,
  hsaDeviceToDevice = 3
} hsa_amd_copy_direction_t;

/** Copies a box; x of offsets and range is in bytes. */
hsa_status_t hsa_amd_memory_async_copy_rect(const hsa_pitched_ptr_t* dst, const hsa_dim3_t* dst_offset,
                                            const hsa_pitched_ptr_t* src, const hsa_dim3_t* src_offset,
                                            const hsa_dim3_t* range, hsa_agent_t copy_agent,
                                            hsa_amd_copy_direction_t dir, uint32_t num_dep_signals,
                                            const hsa_signal_t* dep_signals, hsa_signal_t completion_signal);

/** Writes count 32-bit words and waits. */
hsa_status_t hsa_amd_memory_fill(void* ptr, uint32_t value, size_t count);

/* ---- Host memory and pointers ------------------------------------------------------------------------------------ */

/** Pins host memory for agents (all agents if num_agent is 0) and gives the address that they use. */
hsa_status_t hsa_amd_memory_lock(void* host_ptr, size_t size, hsa_agent_t* agents, int num_agent, void** agent_ptr);

/** hsa_amd_memory_lock with the properties of a pool. */
hsa_status_t hsa_amd_memory_lock_to_pool(void* host_ptr, size_t size, hsa_agent_t* agents, int num_agent,
                                         hsa_amd_memory_pool_t pool, uint32_t flags, void** agent_ptr);

/** Unpins host memory. */
hsa_status_t hsa_amd_memory_unlock(void* host_ptr);

/** Maps a graphics buffer. */
hsa_status_t hsa_amd_interop_map_buffer(uint32_t num_agents, hsa_agent_t* agents, int interop_handle, uint32_t flags,
                                        size_t* size, void** ptr, size_t* metadata_size, const void** metadata);

/** Unmaps a graphics buffer. */
hsa_status_t hsa_amd_interop_unmap_buffer(void* ptr);

/** What a pointer belongs to. */
typedef enum {
  HSA_EXT_POINTER_TYPE_UNKNOWN = 0,
  HSA_EXT_POINTER_TYPE_HSA = 1,
  HSA_EXT_POINTER_TYPE_LOCKED = 2,
  HSA_EXT_POINTER_TYPE_GRAPHICS = 3,
  HSA_EXT_POINTER_TYPE_IPC = 4,
  HSA_EXT_POINTER_TYPE_RESERVED_ADDR = 5,
  HSA_EXT_POINTER_TYPE_HSA_VMEM = 6
} hsa_amd_pointer_type_t;

/** What is known of a pointer. Set size to sizeof of your structure before the call. */
typedef struct hsa_amd_pointer_info_s {
  uint32_t size;
  hsa_amd_pointer_type_t type;
  void* agentBaseAddress;
  void* hostBaseAddress;
  size_t sizeInBytes;
  void* userData;
  hsa_agent_t agentOwner;
  uint32_t global_flags;
  bool registered;
} hsa_amd_pointer_info_t;

/** Tells what a pointer belongs to. alloc, if not null, gives memory for the list of agents that can access it. */
hsa_status_t hsa_amd_pointer_info(const void* ptr, hsa_amd_pointer_info_t* info, void* (*alloc)(size_t),
                                  uint32_t* num_agents_accessible, hsa_agent_t** accessible);

/** Attaches a value of the program's to an allocation. */
hsa_status_t hsa_amd_pointer_info_set_userdata(const void* ptr, void* userdata);

/** Called with the freed pointer and user_data. */
typedef void (*hsa_amd_deallocation_callback_t)(void*, void*);

/** Calls callback when the allocation is freed. */
hsa_status_t hsa_amd_register_deallocation_callback(void* ptr, hsa_amd_deallocation_callback_t callback,
                                                    void* user_data);

/** Takes a callback back. */
hsa_status_t hsa_amd_deregister_deallocation_callback(void* ptr, hsa_amd_deallocation_callback_t callback);

/* ---- Between processes ------------------------------------------------------------------------------------------- */

/** Names an allocation between processes. */
typedef struct hsa_amd_ipc_memory_s {
  uint32_t handle[8];
} hsa_amd_ipc_memory_t;

/** Makes a handle for other processes. */
hsa_status_t hsa_amd_ipc_memory_create(void* ptr, size_t len, hsa_amd_ipc_memory_t* handle);

/** Maps another process's allocation. */
hsa_status_t hsa_amd_ipc_memory_attach(const hsa_amd_ipc_memory_t* handle, size_t len, uint32_t num_agents,
                                       const hsa_agent_t* mapping_agents, void** mapped_ptr);

/** Unmaps another process's allocation. */
hsa_status_t hsa_amd_ipc_memory_detach(void* mapped_ptr);

/** Names a signal between processes. */
typedef hsa_amd_ipc_memory_t hsa_amd_ipc_signal_t;

/** Makes a handle for other processes; the signal must have HSA_AMD_SIGNAL_IPC. */
hsa_status_t hsa_amd_ipc_signal_create(hsa_signal_t signal, hsa_amd_ipc_signal_t* handle);

/** Opens another process's signal. */
hsa_status_t hsa_amd_ipc_signal_attach(const hsa_amd_ipc_signal_t* handle, hsa_signal_t* signal);

/** Exports the allocation around ptr as a dma-buf. */
hsa_status_t hsa_amd_portable_export_dmabuf(const void* ptr, size_t size, int* dmabuf, uint64_t* offset);

/** hsa_amd_portable_export_dmabuf with bits of hsa_amd_dma_buf_mapping_type_t. */
hsa_status_t hsa_amd_portable_export_dmabuf_v2(const void* ptr, size_t size, int* dmabuf, uint64_t* offset,
                                               uint64_t flags);

/** Closes a dma-buf. */
hsa_status_t hsa_amd_portable_close_dmabuf(int dmabuf);

/* ---- Events ------------------------------------------------------------------------------------------------------ */

/** What happened. */
typedef enum hsa_amd_event_type_s {
  HSA_AMD_GPU_MEMORY_FAULT_EVENT = 0,
  HSA_AMD_GPU_HW_EXCEPTION_EVENT = 1,
  HSA_AMD_GPU_MEMORY_ERROR_EVENT = 2
} hsa_amd_event_type_t;

/** Why a memory access failed; bits. */
typedef enum {
  HSA_AMD_MEMORY_FAULT_PAGE_NOT_PRESENT = 1,
  HSA_AMD_MEMORY_FAULT_READ_ONLY = 2,
  HSA_AMD_MEMORY_FAULT_NX = 4,
  HSA_AMD_MEMORY_FAULT_HOST_ONLY = 8,
  HSA_AMD_MEMORY_FAULT_DRAMECC = 16,
  HSA_AMD_MEMORY_FAULT_IMPRECISE = 32,
  HSA_AMD_MEMORY_FAULT_SRAMECC = 64,
  HSA_AMD_MEMORY_FAULT_HANG = 0x80000000
} hsa_amd_memory_fault_reason_t;

/** A memory access of a GPU that failed. */
typedef struct hsa_amd_gpu_memory_fault_info_s {
  hsa_agent_t agent;
  uint64_t virtual_address;
  uint32_t fault_reason_mask;
} hsa_amd_gpu_memory_fault_info_t;

/** Why memory is bad; bits. */
typedef enum { HSA_AMD_MEMORY_ERROR_MEMORY_IN_USE = 1 } hsa_amd_memory_error_reason_t;

/** Memory that went bad. */
typedef struct hsa_amd_gpu_memory_error_info_s {
  hsa_agent_t agent;
  uint64_t virtual_address;
  uint32_t error_reason_mask;
} hsa_amd_gpu_memory_error_info_t;

/** How the device was reset; bits. */
typedef enum { HSA_AMD_HW_EXCEPTION_RESET_TYPE_OTHER = 1 } hsa_amd_hw_exception_reset_type_t;

/** Why the device was reset; bits. */
typedef enum {
  HSA_AMD_HW_EXCEPTION_CAUSE_GPU_HANG = 1,
  HSA_AMD_HW_EXCEPTION_CAUSE_ECC = 2
} hsa_amd_hw_exception_reset_cause_t;

/** A reset. */
typedef struct hsa_amd_gpu_hw_exception_info_s {
  hsa_agent_t agent;
  hsa_amd_hw_exception_reset_type_t reset_type;
  hsa_amd_hw_exception_reset_cause_t reset_cause;
} hsa_amd_gpu_hw_exception_info_t;

/** An event of the system; event_type says which member holds. */
typedef struct hsa_amd_event_s {
  hsa_amd_event_type_t event_type;
  union {
    hsa_amd_gpu_memory_fault_info_t memory_fault;
    hsa_amd_gpu_hw_exception_info_t hw_exception;
    hsa_amd_gpu_memory_error_info_t memory_error;
  };
} hsa_amd_event_t;

/** Called for an event; SUCCESS means that it was handled. */
typedef hsa_status_t (*hsa_amd_system_event_callback_t)(const hsa_amd_event_t*, void*);

/**
 * Registers a callback for events that belong to no queue, such as memory faults. Without one, a memory fault
 * prints a message and aborts.
 */
hsa_status_t hsa_amd_register_system_event_handler(hsa_amd_system_event_callback_t callback, void* data);

/* ---- Shared virtual memory --------------------------------------------------------------------------------------- */

/** Coherence of shared virtual memory. */
typedef enum hsa_amd_svm_model_s {
  HSA_AMD_SVM_GLOBAL_FLAG_FINE_GRAINED = 0,
  HSA_AMD_SVM_GLOBAL_FLAG_COARSE_GRAINED = 1,
  HSA_AMD_SVM_GLOBAL_FLAG_INDETERMINATE = 2
} hsa_amd_svm_model_t;

/** Attributes of shared virtual memory. */
typedef enum hsa_amd_svm_attribute_s {
  HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG = 0,
  HSA_AMD_SVM_ATTRIB_READ_ONLY = 1,
  HSA_AMD_SVM_ATTRIB_HIVE_LOCAL = 2,
  HSA_AMD_SVM_ATTRIB_MIGRATION_GRANULARITY = 3,
  HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION = 4,
  HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION = 5,
  HSA_AMD_SVM_ATTRIB_READ_MOSTLY = 6,
  HSA_AMD_SVM_ATTRIB_GPU_EXEC = 7,
  HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE = 0x200,
  HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE_IN_PLACE = 0x201,
  HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS = 0x202,
  HSA_AMD_SVM_ATTRIB_ACCESS_QUERY = 0x203
} hsa_amd_svm_attribute_t;

/** An attribute and its value. */
typedef struct hsa_amd_svm_attribute_pair_s {
  uint64_t attribute;
  uint64_t value;
} hsa_amd_svm_attribute_pair_t;

/** Sets attributes of a range of ordinary memory. */
hsa_status_t hsa_amd_svm_attributes_set(void* ptr, size_t size, hsa_amd_svm_attribute_pair_t* attribute_list,
                                        size_t attribute_count);

/** Reads attributes of a range of ordinary memory. */
hsa_status_t hsa_amd_svm_attributes_get(void* ptr, size_t size, hsa_amd_svm_attribute_pair_t* attribute_list,
                                        size_t attribute_count);

/** Moves a range to an agent's memory after dep_signals are 0. */
hsa_status_t hsa_amd_svm_prefetch_async(void* ptr, size_t size, hsa_agent_t agent, uint32_t num_dep_signals,
                                        const hsa_signal_t* dep_signals, hsa_signal_t completion_signal);

/* ---- Streaming performance monitor ------------------------------------------------------------------------------- */

/** Takes the streaming performance monitor of an agent. */
hsa_status_t hsa_amd_spm_acquire(hsa_agent_t preferred_agent);

/** Gives the streaming performance monitor back. */
hsa_status_t hsa_amd_spm_release(hsa_agent_t preferred_agent);

/** Sets where the streaming performance monitor writes. */
hsa_status_t hsa_amd_spm_set_dest_buffer(hsa_agent_t preferred_agent, size_t size_in_bytes, uint32_t* timeout,
                                         uint32_t* size_copied, void* dest, bool* is_data_loss);

/* ---- Virtual memory: addresses and physical memory apart --------------------------------------------------------- */

/** How to reserve addresses; bits. */
typedef enum hsa_amd_vmem_address_reserve_flag_s {
  HSA_AMD_VMEM_ADDRESS_NO_REGISTER = 1
} hsa_amd_vmem_address_reserve_flag_t;

/** Physical memory without an address. */
typedef struct hsa_amd_vmem_alloc_handle_s {
  uint64_t handle;
} hsa_amd_vmem_alloc_handle_t;

/** Whether physical memory may move. */
typedef enum { MEMORY_TYPE_NONE = 0, MEMORY_TYPE_PINNED = 1 } hsa_amd_memory_type_t;

/** What an agent may do with mapped memory. */
typedef struct hsa_amd_memory_access_desc_s {
  hsa_access_permission_t permissions;
  hsa_agent_t agent_handle;
} hsa_amd_memory_access_desc_t;

/** Reserves a range of addresses. */
hsa_status_t hsa_amd_vmem_address_reserve(void** va, size_t size, uint64_t address, uint64_t flags);

/** hsa_amd_vmem_address_reserve with an alignment. */
hsa_status_t hsa_amd_vmem_address_reserve_align(void** va, size_t size, uint64_t address, uint64_t alignment,
                                                uint64_t flags);

/** Gives a range of addresses back. */
hsa_status_t hsa_amd_vmem_address_free(void* va, size_t size);

/** Allocates physical memory of a pool. */
hsa_status_t hsa_amd_vmem_handle_create(hsa_amd_memory_pool_t pool, size_t size, hsa_amd_memory_type_t type,
                                        uint64_t flags, hsa_amd_vmem_alloc_handle_t* memory_handle);

/** Frees physical memory once it is mapped nowhere. */
hsa_status_t hsa_amd_vmem_handle_release(hsa_amd_vmem_alloc_handle_t memory_handle);

/** Maps physical memory at a reserved address; nobody has access yet. */
hsa_status_t hsa_amd_vmem_map(void* va, size_t size, size_t in_offset, hsa_amd_vmem_alloc_handle_t memory_handle,
                              uint64_t flags);

/** Unmaps physical memory. */
hsa_status_t hsa_amd_vmem_unmap(void* va, size_t size);

/** Sets what agents may do with mapped memory. */
hsa_status_t hsa_amd_vmem_set_access(void* va, size_t size, const hsa_amd_memory_access_desc_t* desc, size_t desc_cnt);

/** What an agent may do with mapped memory. */
hsa_status_t hsa_amd_vmem_get_access(void* va, hsa_access_permission_t* perms, hsa_agent_t agent_handle);

/** Exports physical memory as a file descriptor. */
hsa_status_t hsa_amd_vmem_export_shareable_handle(int* dmabuf_fd, hsa_amd_vmem_alloc_handle_t handle, uint64_t flags);

/** Imports physical memory from a file descriptor. */
hsa_status_t hsa_amd_vmem_import_shareable_handle(int dmabuf_fd, hsa_amd_vmem_alloc_handle_t* handle);

/** The handle of the physical memory that is mapped at addr; counts one user more. */
hsa_status_t hsa_amd_vmem_retain_alloc_handle(hsa_amd_vmem_alloc_handle_t* memory_handle, void* addr);

/** Pool and type of physical memory. */
hsa_status_t hsa_amd_vmem_get_alloc_properties_from_handle(hsa_amd_vmem_alloc_handle_t memory_handle,
                                                           hsa_amd_memory_pool_t* pool, hsa_amd_memory_type_t* type);

/* ---- Scratch and logging ----------------------------------------------------------------------------------------- */

/** Up to how much scratch an agent keeps between dispatches. */
hsa_status_t hsa_amd_agent_set_async_scratch_limit(hsa_agent_t agent, size_t threshold);

/** What is logged; bit numbers. */
typedef enum hsa_amd_log_flag_s {
  HSA_AMD_LOG_FLAG_BLIT_KERNEL_PKTS = 0,
  HSA_AMD_LOG_FLAG_AQL = 0,
  HSA_AMD_LOG_FLAG_SDMA = 1,
  HSA_AMD_LOG_FLAG_INFO = 2
} hsa_amd_log_flag_t;

/** Logs what the 8 bytes of flags say to a FILE*. */
hsa_status_t hsa_amd_enable_logging(uint8_t* flags, void* file);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* HSA_RUNTIME_EXT_AMD_H_ */
