// The KFD ioctl ABI (the kernel's include/uapi/linux/kfd_ioctl.h): numbers, structures, flags, under their published names
// and in the global namespace, as C has them. Layouts only: who answers an ioctl is kfd/, who sends one is thunk/.
#pragma once
#include "abi/layout.hpp"

#include <cstdint>

// Encoded as _IOC(dir, 'K', nr, size).
inline constexpr uint32_t AMDKFD_IOC_GET_VERSION = 0x80084b01;
inline constexpr uint32_t AMDKFD_IOC_CREATE_QUEUE = 0xc0604b02;
inline constexpr uint32_t AMDKFD_IOC_DESTROY_QUEUE = 0xc0084b03;
inline constexpr uint32_t AMDKFD_IOC_SET_MEMORY_POLICY = 0x40204b04;
inline constexpr uint32_t AMDKFD_IOC_GET_CLOCK_COUNTERS = 0xc0284b05;
inline constexpr uint32_t AMDKFD_IOC_GET_PROCESS_APERTURES = 0x81904b06;
inline constexpr uint32_t AMDKFD_IOC_UPDATE_QUEUE = 0x40184b07;
inline constexpr uint32_t AMDKFD_IOC_CREATE_EVENT = 0xc0204b08;
inline constexpr uint32_t AMDKFD_IOC_DESTROY_EVENT = 0x40084b09;
inline constexpr uint32_t AMDKFD_IOC_SET_EVENT = 0x40084b0a;
inline constexpr uint32_t AMDKFD_IOC_RESET_EVENT = 0x40084b0b;
inline constexpr uint32_t AMDKFD_IOC_WAIT_EVENTS = 0xc0184b0c;
inline constexpr uint32_t AMDKFD_IOC_DBG_REGISTER_DEPRECATED = 0x40084b0d;
inline constexpr uint32_t AMDKFD_IOC_DBG_UNREGISTER_DEPRECATED = 0x40084b0e;
inline constexpr uint32_t AMDKFD_IOC_DBG_ADDRESS_WATCH_DEPRECATED = 0x40104b0f;
inline constexpr uint32_t AMDKFD_IOC_DBG_WAVE_CONTROL_DEPRECATED = 0x40104b10;
inline constexpr uint32_t AMDKFD_IOC_SET_SCRATCH_BACKING_VA = 0xc0104b11;
inline constexpr uint32_t AMDKFD_IOC_GET_TILE_CONFIG = 0xc0284b12;
inline constexpr uint32_t AMDKFD_IOC_SET_TRAP_HANDLER = 0x40184b13;
inline constexpr uint32_t AMDKFD_IOC_GET_PROCESS_APERTURES_NEW = 0xc0104b14;
inline constexpr uint32_t AMDKFD_IOC_ACQUIRE_VM = 0x40084b15;
inline constexpr uint32_t AMDKFD_IOC_ALLOC_MEMORY_OF_GPU = 0xc0284b16;
inline constexpr uint32_t AMDKFD_IOC_FREE_MEMORY_OF_GPU = 0x40084b17;
inline constexpr uint32_t AMDKFD_IOC_MAP_MEMORY_TO_GPU = 0xc0184b18;
inline constexpr uint32_t AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU = 0xc0184b19;
inline constexpr uint32_t AMDKFD_IOC_SET_CU_MASK = 0x40104b1a;
inline constexpr uint32_t AMDKFD_IOC_GET_QUEUE_WAVE_STATE = 0xc0184b1b;
inline constexpr uint32_t AMDKFD_IOC_GET_DMABUF_INFO = 0xc0204b1c;
inline constexpr uint32_t AMDKFD_IOC_IMPORT_DMABUF = 0xc0184b1d;
inline constexpr uint32_t AMDKFD_IOC_ALLOC_QUEUE_GWS = 0xc0104b1e;
inline constexpr uint32_t AMDKFD_IOC_SMI_EVENTS = 0xc0084b1f;
inline constexpr uint32_t AMDKFD_IOC_SVM = 0xc0184b20;
inline constexpr uint32_t AMDKFD_IOC_SET_XNACK_MODE = 0xc0044b21;
inline constexpr uint32_t AMDKFD_IOC_CRIU_OP = 0xc0384b22;
inline constexpr uint32_t AMDKFD_IOC_AVAILABLE_MEMORY = 0xc0104b23;
inline constexpr uint32_t AMDKFD_IOC_EXPORT_DMABUF = 0xc0104b24;
inline constexpr uint32_t AMDKFD_IOC_RUNTIME_ENABLE = 0xc0104b25;
inline constexpr uint32_t AMDKFD_IOC_DBG_TRAP = 0xc0204b26;
inline constexpr uint32_t AMDKFD_IOC_IPC_IMPORT_HANDLE = 0xc0304b80;
inline constexpr uint32_t AMDKFD_IOC_IPC_EXPORT_HANDLE = 0xc0204b81;
inline constexpr uint32_t AMDKFD_IOC_CROSS_MEMORY_COPY = 0xc0304b83;
inline constexpr uint32_t AMDKFD_IOC_RLC_SPM = 0xc0204b84;
inline constexpr uint32_t AMDKFD_IOC_PC_SAMPLE = 0xc0204b85;
inline constexpr uint32_t AMDKFD_IOCTL_BASE = 'K';
inline constexpr uint32_t AMDKFD_COMMAND_START = 0x01, AMDKFD_COMMAND_END = 0x27;       // [start, end)
inline constexpr uint32_t AMDKFD_COMMAND_START_2 = 0x80, AMDKFD_COMMAND_END_2 = 0x86;   // [start, end), ROCm's own kernel module only

inline constexpr uint32_t KFD_IOCTL_MAJOR_VERSION = 1;
inline constexpr uint32_t KFD_IOCTL_MINOR_VERSION = 17;
inline constexpr uint32_t KFD_IOC_QUEUE_TYPE_COMPUTE = 0x0;
inline constexpr uint32_t KFD_IOC_QUEUE_TYPE_SDMA = 0x1;
inline constexpr uint32_t KFD_IOC_QUEUE_TYPE_COMPUTE_AQL = 0x2;
inline constexpr uint32_t KFD_IOC_QUEUE_TYPE_SDMA_XGMI = 0x3;
inline constexpr uint32_t KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID = 0x4;
inline constexpr uint32_t KFD_MAX_QUEUE_PERCENTAGE = 100;
inline constexpr uint32_t KFD_MAX_QUEUE_PRIORITY = 15;
inline constexpr uint32_t KFD_IOC_CACHE_POLICY_COHERENT = 0;
inline constexpr uint32_t KFD_IOC_CACHE_POLICY_NONCOHERENT = 1;
inline constexpr uint32_t KFD_DBG_EV_FLAG_CLEAR_STATUS = 1;
inline constexpr uint32_t KFD_DBG_QUEUE_ERROR_BIT = 30;
inline constexpr uint32_t KFD_DBG_QUEUE_INVALID_BIT = 31;
inline constexpr uint32_t KFD_DBG_QUEUE_ERROR_MASK = (1u << KFD_DBG_QUEUE_ERROR_BIT);
inline constexpr uint32_t KFD_DBG_QUEUE_INVALID_MASK = (1u << KFD_DBG_QUEUE_INVALID_BIT);
inline constexpr uint32_t KFD_INVALID_GPUID = 0xffffffff;
inline constexpr uint32_t KFD_INVALID_QUEUEID = 0xffffffff;
inline constexpr uint32_t KFD_INVALID_FD = 0xffffffff;
inline constexpr uint32_t ENABLE_MFMA_HIGH_PRECISION = (1u << 0);
inline constexpr uint32_t KFD_RUNTIME_ENABLE_MODE_ENABLE_MASK = 1;
inline constexpr uint32_t KFD_RUNTIME_ENABLE_MODE_TTMP_SAVE_MASK = 2;
inline constexpr uint32_t KFD_RUNTIME_ENABLE_CAPS_SUPPORTS_CORE_DUMP_MASK = 0x80000000;
inline constexpr uint32_t KFD_IOC_EVENT_SIGNAL = 0;
inline constexpr uint32_t KFD_IOC_EVENT_NODECHANGE = 1;
inline constexpr uint32_t KFD_IOC_EVENT_DEVICESTATECHANGE = 2;
inline constexpr uint32_t KFD_IOC_EVENT_HW_EXCEPTION = 3;
inline constexpr uint32_t KFD_IOC_EVENT_SYSTEM_EVENT = 4;
inline constexpr uint32_t KFD_IOC_EVENT_DEBUG_EVENT = 5;
inline constexpr uint32_t KFD_IOC_EVENT_PROFILE_EVENT = 6;
inline constexpr uint32_t KFD_IOC_EVENT_QUEUE_EVENT = 7;
inline constexpr uint32_t KFD_IOC_EVENT_MEMORY = 8;
inline constexpr uint32_t KFD_IOC_WAIT_RESULT_COMPLETE = 0;
inline constexpr uint32_t KFD_IOC_WAIT_RESULT_TIMEOUT = 1;
inline constexpr uint32_t KFD_IOC_WAIT_RESULT_FAIL = 2;
inline constexpr uint32_t KFD_SIGNAL_EVENT_LIMIT = 4096;
inline constexpr uint32_t KFD_HW_EXCEPTION_WHOLE_GPU_RESET = 0;
inline constexpr uint32_t KFD_HW_EXCEPTION_PER_ENGINE_RESET = 1;
inline constexpr uint32_t KFD_HW_EXCEPTION_GPU_HANG = 0;
inline constexpr uint32_t KFD_HW_EXCEPTION_ECC = 1;
inline constexpr uint32_t KFD_MEM_ERR_NO_RAS = 0;
inline constexpr uint32_t KFD_MEM_ERR_SRAM_ECC = 1;
inline constexpr uint32_t KFD_MEM_ERR_POISON_CONSUMED = 2;
inline constexpr uint32_t KFD_MEM_ERR_GPU_HANG = 3;
inline constexpr uint32_t KFD_IOC_ALLOC_MEM_FLAGS_VRAM = (1u << 0);
inline constexpr uint32_t KFD_IOC_ALLOC_MEM_FLAGS_GTT = (1u << 1);
inline constexpr uint32_t KFD_IOC_ALLOC_MEM_FLAGS_USERPTR = (1u << 2);
inline constexpr uint32_t KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL = (1u << 3);
inline constexpr uint32_t KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP = (1u << 4);
inline constexpr uint32_t KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE = (1u << 31);
inline constexpr uint32_t KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE = (1u << 30);
inline constexpr uint32_t KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC = (1u << 29);
inline constexpr uint32_t KFD_IOC_ALLOC_MEM_FLAGS_NO_SUBSTITUTE = (1u << 28);
inline constexpr uint32_t KFD_IOC_ALLOC_MEM_FLAGS_AQL_QUEUE_MEM = (1u << 27);
inline constexpr uint32_t KFD_IOC_ALLOC_MEM_FLAGS_COHERENT = (1u << 26);
inline constexpr uint32_t KFD_IOC_ALLOC_MEM_FLAGS_UNCACHED = (1u << 25);
inline constexpr uint32_t KFD_IOC_ALLOC_MEM_FLAGS_EXT_COHERENT = (1u << 24);
inline constexpr uint32_t KFD_IOC_ALLOC_MEM_FLAGS_CONTIGUOUS_BEST_EFFORT = (1u << 23);
inline constexpr uint32_t KFD_SMI_EVENT_MSG_SIZE = 96;
inline constexpr uint32_t KFD_CROSS_MEMORY_RW_BIT = (1u << 0);
inline constexpr uint32_t KFD_IOCTL_SVM_FLAG_HOST_ACCESS = 0x00000001;
inline constexpr uint32_t KFD_IOCTL_SVM_FLAG_COHERENT = 0x00000002;
inline constexpr uint32_t KFD_IOCTL_SVM_FLAG_HIVE_LOCAL = 0x00000004;
inline constexpr uint32_t KFD_IOCTL_SVM_FLAG_GPU_RO = 0x00000008;
inline constexpr uint32_t KFD_IOCTL_SVM_FLAG_GPU_EXEC = 0x00000010;
inline constexpr uint32_t KFD_IOCTL_SVM_FLAG_GPU_READ_MOSTLY = 0x00000020;
inline constexpr uint32_t KFD_IOCTL_SVM_FLAG_GPU_ALWAYS_MAPPED = 0x00000040;
inline constexpr uint32_t KFD_IOCTL_SVM_FLAG_EXT_COHERENT = 0x00000080;
inline constexpr uint32_t KFD_IOCTL_PCS_FLAG_POWER_OF_2 = 0x00000001;
inline constexpr uint32_t KFD_IOCTL_PCS_QUERY_TYPE_FULL = (1u << 0);

enum kfd_smi_event : uint32_t {
  KFD_SMI_EVENT_NONE = 0,
  KFD_SMI_EVENT_VMFAULT = 1,
  KFD_SMI_EVENT_THERMAL_THROTTLE = 2,
  KFD_SMI_EVENT_GPU_PRE_RESET = 3,
  KFD_SMI_EVENT_GPU_POST_RESET = 4,
};
enum kfd_mmio_remap : uint32_t {
  KFD_MMIO_REMAP_HDP_MEM_FLUSH_CNTL = 0,
  KFD_MMIO_REMAP_HDP_REG_FLUSH_CNTL = 4,
};
enum kfd_ioctl_svm_op : uint32_t {
  KFD_IOCTL_SVM_OP_SET_ATTR = 0,
  KFD_IOCTL_SVM_OP_GET_ATTR = 1,
};
enum kfd_ioctl_svm_location : uint32_t {
  KFD_IOCTL_SVM_LOCATION_SYSMEM = 0,
  KFD_IOCTL_SVM_LOCATION_UNDEFINED = 4294967295,
};
enum kfd_ioctl_svm_attr_type : uint32_t {
  KFD_IOCTL_SVM_ATTR_PREFERRED_LOC = 0,
  KFD_IOCTL_SVM_ATTR_PREFETCH_LOC = 1,
  KFD_IOCTL_SVM_ATTR_ACCESS = 2,
  KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE = 3,
  KFD_IOCTL_SVM_ATTR_NO_ACCESS = 4,
  KFD_IOCTL_SVM_ATTR_SET_FLAGS = 5,
  KFD_IOCTL_SVM_ATTR_CLR_FLAGS = 6,
  KFD_IOCTL_SVM_ATTR_GRANULARITY = 7,
};

struct kfd_ioctl_get_version_args {
  uint32_t major_version;
  uint32_t minor_version;
};
struct kfd_ioctl_create_queue_args {
  uint64_t ring_base_address;
  uint64_t write_pointer_address;
  uint64_t read_pointer_address;
  uint64_t doorbell_offset;
  uint32_t ring_size;
  uint32_t gpu_id;
  uint32_t queue_type;
  uint32_t queue_percentage;
  uint32_t queue_priority;
  uint32_t queue_id;
  uint64_t eop_buffer_address;
  uint64_t eop_buffer_size;
  uint64_t ctx_save_restore_address;
  uint32_t ctx_save_restore_size;
  uint32_t ctl_stack_size;
  uint32_t sdma_engine_id;
  uint32_t pad;
};
struct kfd_ioctl_destroy_queue_args {
  uint32_t queue_id;
  uint32_t pad;
};
struct kfd_ioctl_update_queue_args {
  uint64_t ring_base_address;
  uint32_t queue_id;
  uint32_t ring_size;
  uint32_t queue_percentage;
  uint32_t queue_priority;
};
struct kfd_ioctl_set_cu_mask_args {
  uint32_t queue_id;
  uint32_t num_cu_mask;
  uint64_t cu_mask_ptr;
};
struct kfd_ioctl_get_queue_wave_state_args {
  uint64_t ctl_stack_address;
  uint32_t ctl_stack_used_size;
  uint32_t save_area_used_size;
  uint32_t queue_id;
  uint32_t pad;
};
struct kfd_queue_snapshot_entry {
  uint64_t exception_status;
  uint64_t ring_base_address;
  uint64_t write_pointer_address;
  uint64_t read_pointer_address;
  uint64_t ctx_save_restore_address;
  uint32_t queue_id;
  uint32_t gpu_id;
  uint32_t ring_size;
  uint32_t queue_type;
  uint32_t ctx_save_restore_area_size;
  uint32_t reserved;
};
struct kfd_ioctl_set_memory_policy_args {
  uint64_t alternate_aperture_base;
  uint64_t alternate_aperture_size;
  uint32_t gpu_id;
  uint32_t default_policy;
  uint32_t alternate_policy;
  uint32_t misc_process_flag;
};
struct kfd_ioctl_get_clock_counters_args {
  uint64_t gpu_clock_counter;
  uint64_t cpu_clock_counter;
  uint64_t system_clock_counter;
  uint64_t system_clock_freq;
  uint32_t gpu_id;
  uint32_t pad;
};
struct kfd_process_device_apertures {
  uint64_t lds_base;
  uint64_t lds_limit;
  uint64_t scratch_base;
  uint64_t scratch_limit;
  uint64_t gpuvm_base;
  uint64_t gpuvm_limit;
  uint32_t gpu_id;
  uint32_t pad;
};
struct kfd_ioctl_get_process_apertures_args {
  kfd_process_device_apertures process_apertures[7];
  uint32_t num_of_nodes;
  uint32_t pad;
};
struct kfd_ioctl_get_process_apertures_new_args {
  uint64_t kfd_process_device_apertures_ptr;
  uint32_t num_of_nodes;
  uint32_t pad;
};
struct kfd_ioctl_runtime_enable_args {
  uint64_t r_debug;
  uint32_t mode_mask;
  uint32_t capabilities_mask;
};
struct kfd_context_save_area_header {
  struct {
    uint32_t control_stack_offset;
    uint32_t control_stack_size;
    uint32_t wave_state_offset;
    uint32_t wave_state_size;
  } wave_state;
  uint32_t debug_offset;
  uint32_t debug_size;
  uint64_t err_payload_addr;
  uint32_t err_event_id;
  uint32_t reserved1;
};
struct kfd_ioctl_create_event_args {
  uint64_t event_page_offset;
  uint32_t event_trigger_data;
  uint32_t event_type;
  uint32_t auto_reset;
  uint32_t node_id;
  uint32_t event_id;
  uint32_t event_slot_index;
};
struct kfd_ioctl_destroy_event_args {
  uint32_t event_id;
  uint32_t pad;
};
struct kfd_ioctl_set_event_args {
  uint32_t event_id;
  uint32_t pad;
};
struct kfd_ioctl_reset_event_args {
  uint32_t event_id;
  uint32_t pad;
};
struct kfd_memory_exception_failure {
  uint32_t NotPresent;
  uint32_t ReadOnly;
  uint32_t NoExecute;
  uint32_t imprecise;
};
struct kfd_hsa_memory_exception_data {
  kfd_memory_exception_failure failure;
  uint64_t va;
  uint32_t gpu_id;
  uint32_t ErrorType;
};
struct kfd_hsa_hw_exception_data {
  uint32_t reset_type;
  uint32_t reset_cause;
  uint32_t memory_lost;
  uint32_t gpu_id;
};
struct kfd_hsa_signal_event_data {
  uint64_t last_event_age;
};
struct kfd_event_data {
  union {
    kfd_hsa_memory_exception_data memory_exception_data;
    kfd_hsa_hw_exception_data hw_exception_data;
    kfd_hsa_signal_event_data signal_event_data;
  };
  uint64_t kfd_event_data_ext;
  uint32_t event_id;
  uint32_t pad;
};
struct kfd_ioctl_wait_events_args {
  uint64_t events_ptr;
  uint32_t num_events;
  uint32_t wait_for_all;
  uint32_t timeout;
  uint32_t wait_result;
};
struct kfd_ioctl_set_scratch_backing_va_args {
  uint64_t va_addr;
  uint32_t gpu_id;
  uint32_t pad;
};
struct kfd_ioctl_get_tile_config_args {
  uint64_t tile_config_ptr;
  uint64_t macro_tile_config_ptr;
  uint32_t num_tile_configs;
  uint32_t num_macro_tile_configs;
  uint32_t gpu_id;
  uint32_t gb_addr_config;
  uint32_t num_banks;
  uint32_t num_ranks;
};
struct kfd_ioctl_set_trap_handler_args {
  uint64_t tba_addr;
  uint64_t tma_addr;
  uint32_t gpu_id;
  uint32_t pad;
};
struct kfd_ioctl_acquire_vm_args {
  uint32_t drm_fd;
  uint32_t gpu_id;
};
struct kfd_ioctl_alloc_memory_of_gpu_args {
  uint64_t va_addr;
  uint64_t size;
  uint64_t handle;
  uint64_t mmap_offset;
  uint32_t gpu_id;
  uint32_t flags;
};
struct kfd_ioctl_free_memory_of_gpu_args {
  uint64_t handle;
};
struct kfd_ioctl_get_available_memory_args {
  uint64_t available;
  uint32_t gpu_id;
  uint32_t pad;
};
struct kfd_ioctl_map_memory_to_gpu_args {
  uint64_t handle;
  uint64_t device_ids_array_ptr;
  uint32_t n_devices;
  uint32_t n_success;
};
struct kfd_ioctl_unmap_memory_from_gpu_args {
  uint64_t handle;
  uint64_t device_ids_array_ptr;
  uint32_t n_devices;
  uint32_t n_success;
};
struct kfd_ioctl_alloc_queue_gws_args {
  uint32_t queue_id;
  uint32_t num_gws;
  uint32_t first_gws;
  uint32_t pad;
};
struct kfd_ioctl_get_dmabuf_info_args {
  uint64_t size;
  uint64_t metadata_ptr;
  uint32_t metadata_size;
  uint32_t gpu_id;
  uint32_t flags;
  uint32_t dmabuf_fd;
};
struct kfd_ioctl_import_dmabuf_args {
  uint64_t va_addr;
  uint64_t handle;
  uint32_t gpu_id;
  uint32_t dmabuf_fd;
};
struct kfd_ioctl_export_dmabuf_args {
  uint64_t handle;
  uint32_t flags;
  uint32_t dmabuf_fd;
};
struct kfd_ioctl_smi_events_args {
  uint32_t gpuid;
  uint32_t anon_fd;
};
struct kfd_ioctl_svm_attribute {
  uint32_t type;
  uint32_t value;
};
struct kfd_ioctl_svm_args {
  uint64_t start_addr;
  uint64_t size;
  uint32_t op;
  uint32_t nattr;
  kfd_ioctl_svm_attribute attrs[];
};
struct kfd_ioctl_set_xnack_mode_args {
  int32_t xnack_enabled;
};
