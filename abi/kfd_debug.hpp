// The KFD ioctl ABI, second part: debugger, checkpoint (CRIU), PC sampling, streaming counters, cross-process copies. The
// same rules as kfd_ioctl.hpp; apart because few read it.
#pragma once
#include "abi/kfd_ioctl.hpp"

enum kfd_dbg_trap_override_mode : uint32_t {
  KFD_DBG_TRAP_OVERRIDE_OR = 0,
  KFD_DBG_TRAP_OVERRIDE_REPLACE = 1,
};
enum kfd_dbg_trap_mask : int64_t {
  KFD_DBG_TRAP_MASK_FP_INVALID = 1,
  KFD_DBG_TRAP_MASK_FP_INPUT_DENORMAL = 2,
  KFD_DBG_TRAP_MASK_FP_DIVIDE_BY_ZERO = 4,
  KFD_DBG_TRAP_MASK_FP_OVERFLOW = 8,
  KFD_DBG_TRAP_MASK_FP_UNDERFLOW = 16,
  KFD_DBG_TRAP_MASK_FP_INEXACT = 32,
  KFD_DBG_TRAP_MASK_INT_DIVIDE_BY_ZERO = 64,
  KFD_DBG_TRAP_MASK_DBG_ADDRESS_WATCH = 128,
  KFD_DBG_TRAP_MASK_DBG_MEMORY_VIOLATION = 256,
  KFD_DBG_TRAP_MASK_TRAP_ON_WAVE_START = 1073741824,
  KFD_DBG_TRAP_MASK_TRAP_ON_WAVE_END = -2147483648LL,
};
enum kfd_dbg_trap_wave_launch_mode : uint32_t {
  KFD_DBG_TRAP_WAVE_LAUNCH_MODE_NORMAL = 0,
  KFD_DBG_TRAP_WAVE_LAUNCH_MODE_HALT = 1,
  KFD_DBG_TRAP_WAVE_LAUNCH_MODE_DEBUG = 3,
};
enum kfd_dbg_trap_address_watch_mode : uint32_t {
  KFD_DBG_TRAP_ADDRESS_WATCH_MODE_READ = 0,
  KFD_DBG_TRAP_ADDRESS_WATCH_MODE_NONREAD = 1,
  KFD_DBG_TRAP_ADDRESS_WATCH_MODE_ATOMIC = 2,
  KFD_DBG_TRAP_ADDRESS_WATCH_MODE_ALL = 3,
};
enum kfd_dbg_trap_flags : uint32_t {
  KFD_DBG_TRAP_FLAG_SINGLE_MEM_OP = 1,
};
enum kfd_dbg_trap_exception_code : uint32_t {
  EC_NONE = 0,
  EC_QUEUE_WAVE_ABORT = 1,
  EC_QUEUE_WAVE_TRAP = 2,
  EC_QUEUE_WAVE_MATH_ERROR = 3,
  EC_QUEUE_WAVE_ILLEGAL_INSTRUCTION = 4,
  EC_QUEUE_WAVE_MEMORY_VIOLATION = 5,
  EC_QUEUE_WAVE_APERTURE_VIOLATION = 6,
  EC_QUEUE_PACKET_DISPATCH_DIM_INVALID = 16,
  EC_QUEUE_PACKET_DISPATCH_GROUP_SEGMENT_SIZE_INVALID = 17,
  EC_QUEUE_PACKET_DISPATCH_CODE_INVALID = 18,
  EC_QUEUE_PACKET_RESERVED = 19,
  EC_QUEUE_PACKET_UNSUPPORTED = 20,
  EC_QUEUE_PACKET_DISPATCH_WORK_GROUP_SIZE_INVALID = 21,
  EC_QUEUE_PACKET_DISPATCH_REGISTER_INVALID = 22,
  EC_QUEUE_PACKET_VENDOR_UNSUPPORTED = 23,
  EC_QUEUE_PREEMPTION_ERROR = 30,
  EC_QUEUE_NEW = 31,
  EC_DEVICE_QUEUE_DELETE = 32,
  EC_DEVICE_MEMORY_VIOLATION = 33,
  EC_DEVICE_RAS_ERROR = 34,
  EC_DEVICE_FATAL_HALT = 35,
  EC_DEVICE_NEW = 36,
  EC_PROCESS_RUNTIME = 48,
  EC_PROCESS_DEVICE_REMOVE = 49,
  EC_MAX = 50,
};
enum kfd_dbg_runtime_state : uint32_t {
  DEBUG_RUNTIME_STATE_DISABLED = 0,
  DEBUG_RUNTIME_STATE_ENABLED = 1,
  DEBUG_RUNTIME_STATE_ENABLED_BUSY = 2,
  DEBUG_RUNTIME_STATE_ENABLED_ERROR = 3,
};
enum kfd_dbg_trap_operations : uint32_t {
  KFD_IOC_DBG_TRAP_ENABLE = 0,
  KFD_IOC_DBG_TRAP_DISABLE = 1,
  KFD_IOC_DBG_TRAP_SEND_RUNTIME_EVENT = 2,
  KFD_IOC_DBG_TRAP_SET_EXCEPTIONS_ENABLED = 3,
  KFD_IOC_DBG_TRAP_SET_WAVE_LAUNCH_OVERRIDE = 4,
  KFD_IOC_DBG_TRAP_SET_WAVE_LAUNCH_MODE = 5,
  KFD_IOC_DBG_TRAP_SUSPEND_QUEUES = 6,
  KFD_IOC_DBG_TRAP_RESUME_QUEUES = 7,
  KFD_IOC_DBG_TRAP_SET_NODE_ADDRESS_WATCH = 8,
  KFD_IOC_DBG_TRAP_CLEAR_NODE_ADDRESS_WATCH = 9,
  KFD_IOC_DBG_TRAP_SET_FLAGS = 10,
  KFD_IOC_DBG_TRAP_QUERY_DEBUG_EVENT = 11,
  KFD_IOC_DBG_TRAP_QUERY_EXCEPTION_INFO = 12,
  KFD_IOC_DBG_TRAP_GET_QUEUE_SNAPSHOT = 13,
  KFD_IOC_DBG_TRAP_GET_DEVICE_SNAPSHOT = 14,
};
enum kfd_ioctl_spm_op : uint32_t {
  KFD_IOCTL_SPM_OP_ACQUIRE = 0,
  KFD_IOCTL_SPM_OP_RELEASE = 1,
  KFD_IOCTL_SPM_OP_SET_DEST_BUF = 2,
};
enum kfd_criu_op : uint32_t {
  KFD_CRIU_OP_PROCESS_INFO = 0,
  KFD_CRIU_OP_CHECKPOINT = 1,
  KFD_CRIU_OP_UNPAUSE = 2,
  KFD_CRIU_OP_RESTORE = 3,
  KFD_CRIU_OP_RESUME = 4,
};
enum kfd_ioctl_pc_sample_op : uint32_t {
  KFD_IOCTL_PCS_OP_QUERY_CAPABILITIES = 0,
  KFD_IOCTL_PCS_OP_CREATE = 1,
  KFD_IOCTL_PCS_OP_DESTROY = 2,
  KFD_IOCTL_PCS_OP_START = 3,
  KFD_IOCTL_PCS_OP_STOP = 4,
};
enum kfd_ioctl_pc_sample_method : uint32_t {
  KFD_IOCTL_PCS_METHOD_HOSTTRAP = 1,
  KFD_IOCTL_PCS_METHOD_STOCHASTIC = 2,
};
enum kfd_ioctl_pc_sample_type : uint32_t {
  KFD_IOCTL_PCS_TYPE_TIME_US = 0,
  KFD_IOCTL_PCS_TYPE_CLOCK_CYCLES = 1,
  KFD_IOCTL_PCS_TYPE_INSTRUCTIONS = 2,
};
constexpr uint64_t KFD_EC_MASK(uint32_t code) { return code ? 1ull << (code - 1) : 0; }

struct kfd_dbg_device_info_entry {
  uint64_t exception_status;
  uint64_t lds_base;
  uint64_t lds_limit;
  uint64_t scratch_base;
  uint64_t scratch_limit;
  uint64_t gpuvm_base;
  uint64_t gpuvm_limit;
  uint32_t gpu_id;
  uint32_t location_id;
  uint32_t vendor_id;
  uint32_t device_id;
  uint32_t revision_id;
  uint32_t subsystem_vendor_id;
  uint32_t subsystem_device_id;
  uint32_t fw_version;
  uint32_t gfx_target_version;
  uint32_t simd_count;
  uint32_t max_waves_per_simd;
  uint32_t array_count;
  uint32_t simd_arrays_per_engine;
  uint32_t num_xcc;
  uint32_t capability;
  uint32_t debug_prop;
};
struct kfd_ioctl_dbg_register_args {
  uint32_t gpu_id;
  uint32_t pad;
};
struct kfd_ioctl_dbg_unregister_args {
  uint32_t gpu_id;
  uint32_t pad;
};
struct kfd_ioctl_dbg_address_watch_args {
  uint64_t content_ptr;
  uint32_t gpu_id;
  uint32_t buf_size_in_bytes;
};
struct kfd_ioctl_dbg_wave_control_args {
  uint64_t content_ptr;
  uint32_t gpu_id;
  uint32_t buf_size_in_bytes;
};
struct kfd_runtime_info {
  uint64_t r_debug;
  uint32_t runtime_state;
  uint32_t ttmp_setup;
};
struct kfd_ioctl_dbg_trap_enable_args {
  uint64_t exception_mask;
  uint64_t rinfo_ptr;
  uint32_t rinfo_size;
  uint32_t dbg_fd;
};
struct kfd_ioctl_dbg_trap_send_runtime_event_args {
  uint64_t exception_mask;
  uint32_t gpu_id;
  uint32_t queue_id;
};
struct kfd_ioctl_dbg_trap_set_exceptions_enabled_args {
  uint64_t exception_mask;
};
struct kfd_ioctl_dbg_trap_set_wave_launch_override_args {
  uint32_t override_mode;
  uint32_t enable_mask;
  uint32_t support_request_mask;
  uint32_t pad;
};
struct kfd_ioctl_dbg_trap_set_wave_launch_mode_args {
  uint32_t launch_mode;
  uint32_t pad;
};
struct kfd_ioctl_dbg_trap_suspend_queues_args {
  uint64_t exception_mask;
  uint64_t queue_array_ptr;
  uint32_t num_queues;
  uint32_t grace_period;
};
struct kfd_ioctl_dbg_trap_resume_queues_args {
  uint64_t queue_array_ptr;
  uint32_t num_queues;
  uint32_t pad;
};
struct kfd_ioctl_dbg_trap_set_node_address_watch_args {
  uint64_t address;
  uint32_t mode;
  uint32_t mask;
  uint32_t gpu_id;
  uint32_t id;
};
struct kfd_ioctl_dbg_trap_clear_node_address_watch_args {
  uint32_t gpu_id;
  uint32_t id;
};
struct kfd_ioctl_dbg_trap_set_flags_args {
  uint32_t flags;
  uint32_t pad;
};
struct kfd_ioctl_dbg_trap_query_debug_event_args {
  uint64_t exception_mask;
  uint32_t gpu_id;
  uint32_t queue_id;
};
struct kfd_ioctl_dbg_trap_query_exception_info_args {
  uint64_t info_ptr;
  uint32_t info_size;
  uint32_t source_id;
  uint32_t exception_code;
  uint32_t clear_exception;
};
struct kfd_ioctl_dbg_trap_queue_snapshot_args {
  uint64_t exception_mask;
  uint64_t snapshot_buf_ptr;
  uint32_t num_queues;
  uint32_t entry_size;
};
struct kfd_ioctl_dbg_trap_device_snapshot_args {
  uint64_t exception_mask;
  uint64_t snapshot_buf_ptr;
  uint32_t num_devices;
  uint32_t entry_size;
};
struct kfd_ioctl_dbg_trap_args {
  uint32_t pid;
  uint32_t op;
  union {
    kfd_ioctl_dbg_trap_enable_args enable;
    kfd_ioctl_dbg_trap_send_runtime_event_args send_runtime_event;
    kfd_ioctl_dbg_trap_set_exceptions_enabled_args set_exceptions_enabled;
    kfd_ioctl_dbg_trap_set_wave_launch_override_args launch_override;
    kfd_ioctl_dbg_trap_set_wave_launch_mode_args launch_mode;
    kfd_ioctl_dbg_trap_suspend_queues_args suspend_queues;
    kfd_ioctl_dbg_trap_resume_queues_args resume_queues;
    kfd_ioctl_dbg_trap_set_node_address_watch_args set_node_address_watch;
    kfd_ioctl_dbg_trap_clear_node_address_watch_args clear_node_address_watch;
    kfd_ioctl_dbg_trap_set_flags_args set_flags;
    kfd_ioctl_dbg_trap_query_debug_event_args query_debug_event;
    kfd_ioctl_dbg_trap_query_exception_info_args query_exception_info;
    kfd_ioctl_dbg_trap_queue_snapshot_args queue_snapshot;
    kfd_ioctl_dbg_trap_device_snapshot_args device_snapshot;
  };
};
struct kfd_ioctl_spm_args {
  uint64_t dest_buf;
  uint32_t buf_size;
  uint32_t op;
  uint32_t timeout;
  uint32_t gpu_id;
  uint32_t bytes_copied;
  uint32_t has_data_loss;
};
struct kfd_ioctl_spm_buffer_header {
  uint32_t version;
  uint32_t bytes_copied;
  uint32_t has_data_loss;
  uint32_t reserved[5];
};
struct kfd_ioctl_criu_args {
  uint64_t devices;
  uint64_t bos;
  uint64_t priv_data;
  uint64_t priv_data_size;
  uint32_t num_devices;
  uint32_t num_bos;
  uint32_t num_objects;
  uint32_t pid;
  uint32_t op;
};
struct kfd_criu_device_bucket {
  uint32_t user_gpu_id;
  uint32_t actual_gpu_id;
  uint32_t drm_fd;
  uint32_t pad;
};
struct kfd_criu_bo_bucket {
  uint64_t addr;
  uint64_t size;
  uint64_t offset;
  uint64_t restored_offset;
  uint32_t gpu_id;
  uint32_t alloc_flags;
  uint32_t dmabuf_fd;
  uint32_t pad;
};
struct kfd_ioctl_ipc_export_handle_args {
  uint64_t handle;
  uint32_t share_handle[4];
  uint32_t gpu_id;
  uint32_t flags;
};
struct kfd_ioctl_ipc_import_handle_args {
  uint64_t handle;
  uint64_t va_addr;
  uint64_t mmap_offset;
  uint32_t share_handle[4];
  uint32_t gpu_id;
  uint32_t flags;
};
struct kfd_memory_range {
  uint64_t va_addr;
  uint64_t size;
};
struct kfd_ioctl_cross_memory_copy_args {
  uint32_t pid;
  uint32_t flags;
  uint64_t src_mem_range_array;
  uint64_t src_mem_array_size;
  uint64_t dst_mem_range_array;
  uint64_t dst_mem_array_size;
  uint64_t bytes_copied;
};
struct kfd_pc_sample_info {
  uint64_t interval;
  uint64_t interval_min;
  uint64_t interval_max;
  uint64_t flags;
  uint32_t method;
  uint32_t type;
};
struct kfd_ioctl_pc_sample_args {
  uint64_t sample_info_ptr;
  uint32_t num_sample_info;
  uint32_t op;
  uint32_t gpu_id;
  uint32_t trace_id;
  uint32_t flags;
  uint32_t reserved;
};
