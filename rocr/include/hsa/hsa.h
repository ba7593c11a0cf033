/* hsa.h: the HSA runtime, core interface 1.2.
 * Names, values and layouts are those of the published interface; the words are Boltzmann's. C and C++.
 */
#ifndef HSA_RUNTIME_INC_HSA_H_
#define HSA_RUNTIME_INC_HSA_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef HSA_CALL
#define HSA_CALL
#endif
#ifndef HSA_EXPORT_DECORATOR
#define HSA_EXPORT_DECORATOR __attribute__((visibility("default")))
#endif
#define HSA_API_EXPORT HSA_EXPORT_DECORATOR HSA_CALL
#define HSA_API_IMPORT HSA_CALL
#ifndef HSA_API
#define HSA_API HSA_API_IMPORT
#endif

/** Marks calls that have a better successor. -DHSA_NO_DEPRECATION_WARNINGS (or building the runtime) turns it off. */
#ifndef HSA_DEPRECATED
#if defined(HSA_NO_DEPRECATION_WARNINGS)
#define HSA_DEPRECATED
#elif defined(__GNUC__)
#define HSA_DEPRECATED __attribute__((deprecated))
#else
#define HSA_DEPRECATED
#endif
#endif

#if defined(__LP64__) || defined(_LP64)
#define HSA_LARGE_MODEL
#endif
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define HSA_LITTLE_ENDIAN
#endif

#define HSA_VERSION_1_0 1

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Status ------------------------------------------------------------------------------------------------------ */

/**
 * What a call returns. Success is 0, informative values are positive and small, errors start at 0x1000 (and at 40
 * for the AMD extension).
 */
typedef enum {
  HSA_STATUS_SUCCESS = 0,                     /**< done */
  HSA_STATUS_INFO_BREAK = 1,                  /**< a callback asked to stop the iteration early */
  HSA_STATUS_ERROR = 0x1000,                  /**< failed for a reason without its own code */
  HSA_STATUS_ERROR_INVALID_ARGUMENT = 0x1001, /**< an argument is outside its documented range, often a null pointer */
  HSA_STATUS_ERROR_INVALID_QUEUE_CREATION = 0x1002, /**< the agent has no queue of this type */
  HSA_STATUS_ERROR_INVALID_ALLOCATION = 0x1003,     /**< this size or kind of allocation is impossible here */
  HSA_STATUS_ERROR_INVALID_AGENT = 0x1004,          /**< not an agent of this runtime */
  HSA_STATUS_ERROR_INVALID_REGION = 0x1005,         /**< not a region of this runtime */
  HSA_STATUS_ERROR_INVALID_SIGNAL = 0x1006,         /**< not a live signal */
  HSA_STATUS_ERROR_INVALID_QUEUE = 0x1007,          /**< not a live queue */
  HSA_STATUS_ERROR_OUT_OF_RESOURCES = 0x1008, /**< memory, queues, signals or another bounded resource is used up */
  HSA_STATUS_ERROR_INVALID_PACKET_FORMAT = 0x1009,  /**< a packet in a queue makes no sense */
  HSA_STATUS_ERROR_RESOURCE_FREE = 0x100a,          /**< a resource could not be freed */
  HSA_STATUS_ERROR_NOT_INITIALIZED = 0x100b,        /**< hsa_init was not called, or hsa_shut_down closed the runtime */
  HSA_STATUS_ERROR_REFCOUNT_OVERFLOW = 0x100c,      /**< hsa_init was called too often */
  HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS = 0x100d, /**< each argument is fine but they don't fit together */
  HSA_STATUS_ERROR_INVALID_INDEX = 0x100e,          /**< an index beyond the count that a query gives */
  HSA_STATUS_ERROR_INVALID_ISA = 0x100f,            /**< not an instruction set of this runtime */
  HSA_STATUS_ERROR_INVALID_ISA_NAME = 0x1017,       /**< not the name of a known instruction set */
  HSA_STATUS_ERROR_INVALID_CODE_OBJECT = 0x1010,    /**< not a well-formed code object */
  HSA_STATUS_ERROR_INVALID_EXECUTABLE = 0x1011,     /**< not a live executable */
  HSA_STATUS_ERROR_FROZEN_EXECUTABLE = 0x1012,      /**< the executable can't change any more */
  HSA_STATUS_ERROR_INVALID_SYMBOL_NAME = 0x1013,    /**< no symbol of this name */
  HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED = 0x1014,   /**< the variable has a definition already */
  HSA_STATUS_ERROR_VARIABLE_UNDEFINED = 0x1015,         /**< a variable is used but defined nowhere */
  HSA_STATUS_ERROR_EXCEPTION = 0x1016,                  /**< a kernel raised an exception */
  HSA_STATUS_ERROR_INVALID_CODE_SYMBOL = 0x1018,        /**< not a symbol of a code object */
  HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL = 0x1019,  /**< not a symbol of an executable */
  HSA_STATUS_ERROR_INVALID_FILE = 0x1020,               /**< the file descriptor can't be read */
  HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER = 0x1021, /**< not a live code object reader */
  HSA_STATUS_ERROR_INVALID_CACHE = 0x1022,              /**< not a cache of this runtime */
  HSA_STATUS_ERROR_INVALID_WAVEFRONT = 0x1023,          /**< not a wavefront kind of this runtime */
  HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP = 0x1024,       /**< not a live signal group */
  HSA_STATUS_ERROR_INVALID_RUNTIME_STATE = 0x1025,      /**< the runtime is in the wrong state for this call */
  HSA_STATUS_ERROR_FATAL = 0x1026                       /**< a queue or device failed for good */
} hsa_status_t;

/**
 * Gives a text for a status in *status_string. It is constant and needs no freeing. INVALID_ARGUMENT: an unknown
 * status or a null pointer. Works before hsa_init.
 */
hsa_status_t hsa_status_string(hsa_status_t status, const char** status_string);

/* ---- Common types ------------------------------------------------------------------------------------------------ */

/** A count or a position in three dimensions. */
typedef struct hsa_dim3_s {
  uint32_t x;
  uint32_t y;
  uint32_t z;
} hsa_dim3_t;

/** Who may do what with memory. */
typedef enum {
  HSA_ACCESS_PERMISSION_NONE = 0,
  HSA_ACCESS_PERMISSION_RO = 1,
  HSA_ACCESS_PERMISSION_WO = 2,
  HSA_ACCESS_PERMISSION_RW = 3
} hsa_access_permission_t;

/** An open POSIX file descriptor. */
typedef int hsa_file_t;

/* ---- Runtime and system ------------------------------------------------------------------------------------------ */

/** Opens the runtime or, if it is open, counts one user more. Every other call but hsa_status_string needs it. */
hsa_status_t hsa_init(void);

/**
 * Takes one user away. With the last one, queues, memory and handles of this process are gone; every later call
 * gives NOT_INITIALIZED until hsa_init is called again.
 */
hsa_status_t hsa_shut_down(void);

/** Byte order of the system. */
typedef enum { HSA_ENDIANNESS_LITTLE = 0, HSA_ENDIANNESS_BIG = 1 } hsa_endianness_t;

/** Width of an address: small is 32 bits, large 64. */
typedef enum { HSA_MACHINE_MODEL_SMALL = 0, HSA_MACHINE_MODEL_LARGE = 1 } hsa_machine_model_t;

/** How much of the HSA specification an agent follows. */
typedef enum { HSA_PROFILE_BASE = 0, HSA_PROFILE_FULL = 1 } hsa_profile_t;

/** What hsa_system_get_info can tell. The type of the answer stands beside each attribute. */
typedef enum {
  HSA_SYSTEM_INFO_VERSION_MAJOR = 0,                     /**< uint16_t */
  HSA_SYSTEM_INFO_VERSION_MINOR = 1,                     /**< uint16_t */
  HSA_SYSTEM_INFO_TIMESTAMP = 2,                         /**< uint64_t, now, in ticks of the system clock */
  HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY = 3,               /**< uint64_t, ticks per second */
  HSA_SYSTEM_INFO_SIGNAL_MAX_WAIT = 4,                   /**< uint64_t, ticks, longest time that a wait may take */
  HSA_SYSTEM_INFO_ENDIANNESS = 5,                        /**< hsa_endianness_t */
  HSA_SYSTEM_INFO_MACHINE_MODEL = 6,                     /**< hsa_machine_model_t */
  HSA_SYSTEM_INFO_EXTENSIONS = 7,                        /**< uint8_t[128], bit n is set if extension n is there */
  HSA_AMD_SYSTEM_INFO_BUILD_VERSION = 0x200,             /**< const char* */
  HSA_AMD_SYSTEM_INFO_SVM_SUPPORTED = 0x201,             /**< bool */
  HSA_AMD_SYSTEM_INFO_SVM_ACCESSIBLE_BY_DEFAULT = 0x202, /**< bool, all agents reach ordinary host memory */
  HSA_AMD_SYSTEM_INFO_MWAITX_ENABLED = 0x203,            /**< bool */
  HSA_AMD_SYSTEM_INFO_DMABUF_SUPPORTED = 0x204,          /**< bool */
  HSA_AMD_SYSTEM_INFO_VIRTUAL_MEM_API_SUPPORTED = 0x205, /**< bool, the hsa_amd_vmem calls work */
  HSA_AMD_SYSTEM_INFO_XNACK_ENABLED = 0x206,             /**< bool */
  HSA_AMD_SYSTEM_INFO_EXT_VERSION_MAJOR = 0x207,         /**< uint16_t, HSA_AMD_INTERFACE_VERSION_MAJOR */
  HSA_AMD_SYSTEM_INFO_EXT_VERSION_MINOR = 0x208          /**< uint16_t, HSA_AMD_INTERFACE_VERSION_MINOR */
} hsa_system_info_t;

/** Tells a fact about the system; value must have the type that stands beside the attribute. */
hsa_status_t hsa_system_get_info(hsa_system_info_t attribute, void* value);

/** Numbers of the extensions. */
typedef enum {
  HSA_EXTENSION_FINALIZER = 0,
  HSA_EXTENSION_IMAGES = 1,
  HSA_EXTENSION_PERFORMANCE_COUNTERS = 2,
  HSA_EXTENSION_PROFILING_EVENTS = 3,
  HSA_EXTENSION_STD_LAST = 3,
  HSA_AMD_FIRST_EXTENSION = 0x200,
  HSA_EXTENSION_AMD_PROFILER = 0x200,
  HSA_EXTENSION_AMD_LOADER = 0x201,
  HSA_EXTENSION_AMD_AQLPROFILE = 0x202,
  HSA_EXTENSION_AMD_PC_SAMPLING = 0x203,
  HSA_AMD_LAST_EXTENSION = 0x203
} hsa_extension_t;

/** The name of an extension, as in HSA_EXTENSION_AMD_LOADER. The text is constant. */
hsa_status_t hsa_extension_get_name(uint16_t extension, const char** name);

/** Whether the system has this version of an extension. Use hsa_system_major_extension_supported. */
HSA_DEPRECATED hsa_status_t hsa_system_extension_supported(uint16_t extension, uint16_t version_major,
                                                           uint16_t version_minor, bool* result);

/** Whether the system has an extension of this major version; *version_minor becomes the newest minor version. */
hsa_status_t hsa_system_major_extension_supported(uint16_t extension, uint16_t version_major, uint16_t* version_minor,
                                                  bool* result);

/** Fills table with the entry points of an extension. Use hsa_system_get_major_extension_table. */
HSA_DEPRECATED hsa_status_t hsa_system_get_extension_table(uint16_t extension, uint16_t version_major,
                                                           uint16_t version_minor, void* table);

/**
 * Fills up to table_length bytes of table with the entry points of an extension, as in
 * hsa_ven_amd_loader_1_03_pfn_t.
 */
hsa_status_t hsa_system_get_major_extension_table(uint16_t extension, uint16_t version_major, size_t table_length,
                                                  void* table);

/* ---- Agents ------------------------------------------------------------------------------------------------------ */

/** A device (or the host's processors) that takes part. */
typedef struct hsa_agent_s {
  uint64_t handle;
} hsa_agent_t;

/** What an agent can do; bits. */
typedef enum { HSA_AGENT_FEATURE_KERNEL_DISPATCH = 1, HSA_AGENT_FEATURE_AGENT_DISPATCH = 2 } hsa_agent_feature_t;

/** What kind of hardware an agent is. */
typedef enum {
  HSA_DEVICE_TYPE_CPU = 0,
  HSA_DEVICE_TYPE_GPU = 1,
  HSA_DEVICE_TYPE_DSP = 2,
  HSA_DEVICE_TYPE_AIE = 3
} hsa_device_type_t;

/** Rounding that a kernel starts with. */
typedef enum {
  HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT = 0,
  HSA_DEFAULT_FLOAT_ROUNDING_MODE_ZERO = 1,
  HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR = 2
} hsa_default_float_rounding_mode_t;

/** What hsa_agent_get_info can tell. hsa_amd_agent_info_t and the image extension add more. */
typedef enum {
  HSA_AGENT_INFO_NAME = 0,                                       /**< char[64]: gfx942 and the like for a GPU */
  HSA_AGENT_INFO_VENDOR_NAME = 1,                                /**< char[64] */
  HSA_AGENT_INFO_FEATURE = 2,                                    /**< hsa_agent_feature_t */
  HSA_AGENT_INFO_MACHINE_MODEL = 3,                              /**< hsa_machine_model_t */
  HSA_AGENT_INFO_PROFILE = 4,                                    /**< hsa_profile_t */
  HSA_AGENT_INFO_DEFAULT_FLOAT_ROUNDING_MODE = 5,                /**< hsa_default_float_rounding_mode_t */
  HSA_AGENT_INFO_BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES = 23, /**< bits of hsa_default_float_rounding_mode_t */
  HSA_AGENT_INFO_FAST_F16_OPERATION = 24,                        /**< bool */
  HSA_AGENT_INFO_WAVEFRONT_SIZE = 6,                             /**< uint32_t */
  HSA_AGENT_INFO_WORKGROUP_MAX_DIM = 7,                          /**< uint16_t[3] */
  HSA_AGENT_INFO_WORKGROUP_MAX_SIZE = 8,                         /**< uint32_t */
  HSA_AGENT_INFO_GRID_MAX_DIM = 9,                               /**< hsa_dim3_t */
  HSA_AGENT_INFO_GRID_MAX_SIZE = 10,                             /**< uint32_t */
  HSA_AGENT_INFO_FBARRIER_MAX_SIZE = 11,                         /**< uint32_t */
  HSA_AGENT_INFO_QUEUES_MAX = 12,                                /**< uint32_t */
  HSA_AGENT_INFO_QUEUE_MIN_SIZE = 13,                            /**< uint32_t, packets */
  HSA_AGENT_INFO_QUEUE_MAX_SIZE = 14,                            /**< uint32_t, packets */
  HSA_AGENT_INFO_QUEUE_TYPE = 15,                                /**< hsa_queue_type32_t */
  HSA_AGENT_INFO_NODE = 16,                                      /**< uint32_t, NUMA node */
  HSA_AGENT_INFO_DEVICE = 17,                                    /**< hsa_device_type_t */
  HSA_AGENT_INFO_CACHE_SIZE = 18,    /**< uint32_t[4], bytes per level; use hsa_agent_iterate_caches */
  HSA_AGENT_INFO_ISA = 19,           /**< hsa_isa_t; use hsa_agent_iterate_isas */
  HSA_AGENT_INFO_EXTENSIONS = 20,    /**< uint8_t[128], as HSA_SYSTEM_INFO_EXTENSIONS */
  HSA_AGENT_INFO_VERSION_MAJOR = 21, /**< uint16_t */
  HSA_AGENT_INFO_VERSION_MINOR = 22, /**< uint16_t */
  HSA_AGENT_INFO_LAST = 0x7fffffff
} hsa_agent_info_t;

/** Tells a fact about an agent; value must have the type that stands beside the attribute. */
hsa_status_t hsa_agent_get_info(hsa_agent_t agent, hsa_agent_info_t attribute, void* value);

/** Calls callback for every agent until one call doesn't return SUCCESS; that status is returned. */
hsa_status_t hsa_iterate_agents(hsa_status_t (*callback)(hsa_agent_t, void*), void* data);

/** What happens at a floating-point exception; bits. */
typedef enum { HSA_EXCEPTION_POLICY_BREAK = 1, HSA_EXCEPTION_POLICY_DETECT = 2 } hsa_exception_policy_t;

/** Exception policies of an agent for a profile. Use hsa_isa_get_exception_policies. */
HSA_DEPRECATED hsa_status_t hsa_agent_get_exception_policies(hsa_agent_t agent, hsa_profile_t profile, uint16_t* mask);

/** A cache of an agent. */
typedef struct hsa_cache_s {
  uint64_t handle;
} hsa_cache_t;

/** What hsa_cache_get_info can tell. */
typedef enum {
  HSA_CACHE_INFO_NAME_LENGTH = 0, /**< uint32_t, without the final zero */
  HSA_CACHE_INFO_NAME = 1,        /**< char[], with a final zero */
  HSA_CACHE_INFO_LEVEL = 2,       /**< uint8_t */
  HSA_CACHE_INFO_SIZE = 3         /**< uint32_t, bytes; 0 if not known */
} hsa_cache_info_t;

/** Tells a fact about a cache. */
hsa_status_t hsa_cache_get_info(hsa_cache_t cache, hsa_cache_info_t attribute, void* value);

/** Calls callback for every cache of an agent until one call doesn't return SUCCESS. */
hsa_status_t hsa_agent_iterate_caches(hsa_agent_t agent, hsa_status_t (*callback)(hsa_cache_t, void*), void* data);

/** Whether an agent has this version of an extension. Use hsa_agent_major_extension_supported. */
HSA_DEPRECATED hsa_status_t hsa_agent_extension_supported(uint16_t extension, hsa_agent_t agent, uint16_t version_major,
                                                          uint16_t version_minor, bool* result);

/** Whether an agent has an extension of this major version; *version_minor becomes the newest minor version. */
hsa_status_t hsa_agent_major_extension_supported(uint16_t extension, hsa_agent_t agent, uint16_t version_major,
                                                 uint16_t* version_minor, bool* result);

/* ---- Signals ----------------------------------------------------------------------------------------------------- */
/* A null, destroyed or foreign handle given to a call without a status is undefined in the interface; this runtime
   says so and aborts where it can tell. */

/** A 64-bit value that hosts and agents wait for and change atomically. Handle 0 is no signal. */
typedef struct hsa_signal_s {
  uint64_t handle;
} hsa_signal_t;

/** Value of a signal. */
typedef int64_t hsa_signal_value_t;

/**
 * Makes a signal. consumers lists the agents that will wait for it, null with 0 means any; a wait by others is
 * undefined. OUT_OF_RESOURCES: no memory or no event. INVALID_ARGUMENT: signal is null, or consumers is null with a
 * count, or names an agent twice.
 */
hsa_status_t hsa_signal_create(hsa_signal_value_t initial_value, uint32_t num_consumers, const hsa_agent_t* consumers,
                               hsa_signal_t* signal);

/** Destroys a signal that nobody waits for or writes any more. */
hsa_status_t hsa_signal_destroy(hsa_signal_t signal);

/** Reads a signal. Memory order: sequentially consistent acquire. */
hsa_signal_value_t hsa_signal_load_scacquire(hsa_signal_t signal);

/** Reads a signal. Memory order: no ordering. */
hsa_signal_value_t hsa_signal_load_relaxed(hsa_signal_t signal);

/** Older spelling of hsa_signal_load_scacquire. */
HSA_DEPRECATED hsa_signal_value_t hsa_signal_load_acquire(hsa_signal_t signal);

/**
 * Writes a signal and wakes its waiters. On a queue's doorbell: tells the device that packets up to this index are
 * ready. Memory order: no ordering.
 */
void hsa_signal_store_relaxed(hsa_signal_t signal, hsa_signal_value_t value);

/**
 * Writes a signal and wakes its waiters. On a queue's doorbell: tells the device that packets up to this index are
 * ready. Memory order: sequentially consistent release.
 */
void hsa_signal_store_screlease(hsa_signal_t signal, hsa_signal_value_t value);

/** Older spelling of hsa_signal_store_screlease. */
HSA_DEPRECATED void hsa_signal_store_release(hsa_signal_t signal, hsa_signal_value_t value);

/** Writes a signal and wakes nobody. Memory order: no ordering. */
void hsa_signal_silent_store_relaxed(hsa_signal_t signal, hsa_signal_value_t value);

/** Writes a signal and wakes nobody. Memory order: sequentially consistent release. */
void hsa_signal_silent_store_screlease(hsa_signal_t signal, hsa_signal_value_t value);

/** Writes a signal and returns the value before. Memory order: sequentially consistent acquire and release. */
hsa_signal_value_t hsa_signal_exchange_scacq_screl(hsa_signal_t signal, hsa_signal_value_t value);

/** Older spelling of hsa_signal_exchange_scacq_screl. */
HSA_DEPRECATED hsa_signal_value_t hsa_signal_exchange_acq_rel(hsa_signal_t signal, hsa_signal_value_t value);

/** Writes a signal and returns the value before. Memory order: sequentially consistent acquire. */
hsa_signal_value_t hsa_signal_exchange_scacquire(hsa_signal_t signal, hsa_signal_value_t value);

/** Older spelling of hsa_signal_exchange_scacquire. */
HSA_DEPRECATED hsa_signal_value_t hsa_signal_exchange_acquire(hsa_signal_t signal, hsa_signal_value_t value);

/** Writes a signal and returns the value before. Memory order: no ordering. */
hsa_signal_value_t hsa_signal_exchange_relaxed(hsa_signal_t signal, hsa_signal_value_t value);

/** Writes a signal and returns the value before. Memory order: sequentially consistent release. */
hsa_signal_value_t hsa_signal_exchange_screlease(hsa_signal_t signal, hsa_signal_value_t value);

/** Older spelling of hsa_signal_exchange_screlease. */
HSA_DEPRECATED hsa_signal_value_t hsa_signal_exchange_release(hsa_signal_t signal, hsa_signal_value_t value);

/**
 * Writes value if the signal holds expected; returns the value before. Memory order: sequentially consistent
 * acquire and release.
 */
hsa_signal_value_t hsa_signal_cas_scacq_screl(hsa_signal_t signal, hsa_signal_value_t expected,
                                              hsa_signal_value_t value);

/** Older spelling of hsa_signal_cas_scacq_screl. */
HSA_DEPRECATED hsa_signal_value_t hsa_signal_cas_acq_rel(hsa_signal_t signal, hsa_signal_value_t expected,
                                                         hsa_signal_value_t value);

/**
 * Writes value if the signal holds expected; returns the value before. Memory order: sequentially consistent
 * acquire.
 */
hsa_signal_value_t hsa_signal_cas_scacquire(hsa_signal_t signal, hsa_signal_value_t expected, hsa_signal_value_t value);

/** Older spelling of hsa_signal_cas_scacquire. */
HSA_DEPRECATED hsa_signal_value_t hsa_signal_cas_acquire(hsa_signal_t signal, hsa_signal_value_t expected,
                                                         hsa_signal_value_t value);

/** Writes value if the signal holds expected; returns the value before. Memory order: no ordering. */
hsa_signal_value_t hsa_signal_cas_relaxed(hsa_signal_t signal, hsa_signal_value_t expected, hsa_signal_value_t value);

/**
 * Writes value if the signal holds expected; returns the value before. Memory order: sequentially consistent
 * release.
 */
hsa_signal_value_t hsa_signal_cas_screlease(hsa_signal_t signal, hsa_signal_value_t expected, hsa_signal_value_t value);

/** Older spelling of hsa_signal_cas_screlease. */
HSA_DEPRECATED hsa_signal_value_t hsa_signal_cas_release(hsa_signal_t signal, hsa_signal_value_t expected,
                                                         hsa_signal_value_t value);

/** Adds to a signal. Memory order: sequentially consistent acquire and release. */
void hsa_signal_add_scacq_screl(hsa_signal_t signal, hsa_signal_value_t value);

/** Older spelling of hsa_signal_add_scacq_screl. */
HSA_DEPRECATED void hsa_signal_add_acq_rel(hsa_signal_t signal, hsa_signal_value_t value);

/** Adds to a signal. Memory order: sequentially consistent acquire. */
void hsa_signal_add_scacquire(hsa_signal_t signal, hsa_signal_value_t value);

/** Older spelling of hsa_signal_add_scacquire. */
HSA_DEPRECATED void hsa_signal_add_acquire(hsa_signal_t signal, hsa_signal_value_t value);

/** Adds to a signal. Memory order: no ordering. */
void hsa_signal_add_relaxed(hsa_signal_t signal, hsa_signal_value_t value);

/** Adds to a signal. Memory order: sequentially consistent release. */
void hsa_signal_add_screlease(hsa_signal_t signal, hsa_signal_value_t value);

/** Older spelling of hsa_signal_add_screlease. */
HSA_DEPRECATED void hsa_signal_add_release(hsa_signal_t signal, hsa_signal_value_t value);

/** Subtracts from a signal. Memory order: sequentially consistent acquire and release. */
void hsa_signal_subtract_scacq_screl(hsa_signal_t signal, hsa_signal_value_t value);

/** Older spelling of hsa_signal_subtract_scacq_screl. */
HSA_DEPRECATED void hsa_signal_subtract_acq_rel(hsa_signal_t signal, hsa_signal_value_t value);

/** Subtracts from a signal. Memory order: sequentially consistent acquire. */
void hsa_signal_subtract_scacquire(hsa_signal_t signal, hsa_signal_value_t value);

/** Older spelling of hsa_signal_subtract_scacquire. */
HSA_DEPRECATED void hsa_signal_subtract_acquire(hsa_signal_t signal, hsa_signal_value_t value);

/** Subtracts from a signal. Memory order: no ordering. */
void hsa_signal_subtract_relaxed(hsa_signal_t signal, hsa_signal_value_t value);

/** Subtracts from a signal. Memory order: sequentially consistent release. */
void hsa_signal_subtract_screlease(hsa_signal_t signal, hsa_signal_value_t value);

/** Older spelling of hsa_signal_subtract_screlease. */
HSA_DEPRECATED void hsa_signal_subtract_release(hsa_signal_t signal, hsa_signal_value_t value);

/** Bitwise and with a signal. Memory order: sequentially consistent acquire and release. */
void hsa_signal_and_scacq_screl(hsa_signal_t signal, hsa_signal_value_t value);

/** Older spelling of hsa_signal_and_scacq_screl. */
HSA_DEPRECATED void hsa_signal_and_acq_rel(hsa_signal_t signal, hsa_signal_value_t value);

/** Bitwise and with a signal. Memory order: sequentially consistent acquire. */
void hsa_signal_and_scacquire(hsa_signal_t signal, hsa_signal_value_t value);

/** Older spelling of hsa_signal_and_scacquire. */
HSA_DEPRECATED void hsa_signal_and_acquire(hsa_signal_t signal, hsa_signal_value_t value);

/** Bitwise and with a signal. Memory order: no ordering. */
void hsa_signal_and_relaxed(hsa_signal_t signal, hsa_signal_value_t value);

/** Bitwise and with a signal. Memory order: sequentially consistent release. */
void hsa_signal_and_screlease(hsa_signal_t signal, hsa_signal_value_t value);

/** Older spelling of hsa_signal_and_screlease. */
HSA_DEPRECATED void hsa_signal_and_release(hsa_signal_t signal, hsa_signal_value_t value);

/** Bitwise or with a signal. Memory order: sequentially consistent acquire and release. */
void hsa_signal_or_scacq_screl(hsa_signal_t signal, hsa_signal_value_t value);

/** Older spelling of hsa_signal_or_scacq_screl. */
HSA_DEPRECATED void hsa_signal_or_acq_rel(hsa_signal_t signal, hsa_signal_value_t value);

/** Bitwise or with a signal. Memory order: sequentially consistent acquire. */
void hsa_signal_or_scacquire(hsa_signal_t signal, hsa_signal_value_t value);

/** Older spelling of hsa_signal_or_scacquire. */
HSA_DEPRECATED void hsa_signal_or_acquire(hsa_signal_t signal, hsa_signal_value_t value);

/** Bitwise or with a signal. Memory order: no ordering. */
void hsa_signal_or_relaxed(hsa_signal_t signal, hsa_signal_value_t value);

/** Bitwise or with a signal. Memory order: sequentially consistent release. */
void hsa_signal_or_screlease(hsa_signal_t signal, hsa_signal_value_t value);

/** Older spelling of hsa_signal_or_screlease. */
HSA_DEPRECATED void hsa_signal_or_release(hsa_signal_t signal, hsa_signal_value_t value);

/** Bitwise exclusive or with a signal. Memory order: sequentially consistent acquire and release. */
void hsa_signal_xor_scacq_screl(hsa_signal_t signal, hsa_signal_value_t value);

/** Older spelling of hsa_signal_xor_scacq_screl. */
HSA_DEPRECATED void hsa_signal_xor_acq_rel(hsa_signal_t signal, hsa_signal_value_t value);

/** Bitwise exclusive or with a signal. Memory order: sequentially consistent acquire. */
void hsa_signal_xor_scacquire(hsa_signal_t signal, hsa_signal_value_t value);

/** Older spelling of hsa_signal_xor_scacquire. */
HSA_DEPRECATED void hsa_signal_xor_acquire(hsa_signal_t signal, hsa_signal_value_t value);

/** Bitwise exclusive or with a signal. Memory order: no ordering. */
void hsa_signal_xor_relaxed(hsa_signal_t signal, hsa_signal_value_t value);

/** Bitwise exclusive or with a signal. Memory order: sequentially consistent release. */
void hsa_signal_xor_screlease(hsa_signal_t signal, hsa_signal_value_t value);

/** Older spelling of hsa_signal_xor_screlease. */
HSA_DEPRECATED void hsa_signal_xor_release(hsa_signal_t signal, hsa_signal_value_t value);

/** How a wait compares the signal with its value. */
typedef enum {
  HSA_SIGNAL_CONDITION_EQ = 0, /**< equal */
  HSA_SIGNAL_CONDITION_NE = 1, /**< not equal */
  HSA_SIGNAL_CONDITION_LT = 2, /**< less than, signed */
  HSA_SIGNAL_CONDITION_GTE = 3 /**< greater or equal, signed */
} hsa_signal_condition_t;

/** How a waiting thread passes the time. */
typedef enum {
  HSA_WAIT_STATE_BLOCKED = 0, /**< it may sleep */
  HSA_WAIT_STATE_ACTIVE = 1   /**< it spins, for the shortest latency */
} hsa_wait_state_t;

/**
 * Waits until the signal meets the condition or timeout_hint ticks (of HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY) are
 * over, and returns the value seen last. A wait may end early: check the value. Memory order: sequentially
 * consistent acquire.
 */
hsa_signal_value_t hsa_signal_wait_scacquire(hsa_signal_t signal, hsa_signal_condition_t condition,
                                             hsa_signal_value_t compare_value, uint64_t timeout_hint,
                                             hsa_wait_state_t wait_state_hint);

/**
 * Waits until the signal meets the condition or timeout_hint ticks (of HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY) are
 * over, and returns the value seen last. A wait may end early: check the value. Memory order: no ordering.
 */
hsa_signal_value_t hsa_signal_wait_relaxed(hsa_signal_t signal, hsa_signal_condition_t condition,
                                           hsa_signal_value_t compare_value, uint64_t timeout_hint,
                                           hsa_wait_state_t wait_state_hint);

/** Older spelling of hsa_signal_wait_scacquire. */
HSA_DEPRECATED hsa_signal_value_t hsa_signal_wait_acquire(hsa_signal_t signal, hsa_signal_condition_t condition,
                                                          hsa_signal_value_t compare_value, uint64_t timeout_hint,
                                                          hsa_wait_state_t wait_state_hint);

/** Signals that are waited for together. */
typedef struct hsa_signal_group_s {
  uint64_t handle;
} hsa_signal_group_t;

/** Makes a group of num_signals signals. */
hsa_status_t hsa_signal_group_create(uint32_t num_signals, const hsa_signal_t* signals, uint32_t num_consumers,
                                     const hsa_agent_t* consumers, hsa_signal_group_t* signal_group);

/** Destroys a group, not its signals. */
hsa_status_t hsa_signal_group_destroy(hsa_signal_group_t signal_group);

/**
 * Waits until one signal of a group meets its condition; gives that signal and the value seen. Memory order:
 * sequentially consistent acquire.
 */
hsa_status_t hsa_signal_group_wait_any_scacquire(hsa_signal_group_t signal_group,
                                                 const hsa_signal_condition_t* conditions,
                                                 const hsa_signal_value_t* compare_values,
                                                 hsa_wait_state_t wait_state_hint, hsa_signal_t* signal,
                                                 hsa_signal_value_t* value);

/**
 * Waits until one signal of a group meets its condition; gives that signal and the value seen. Memory order: no
 * ordering.
 */
hsa_status_t hsa_signal_group_wait_any_relaxed(hsa_signal_group_t signal_group,
                                               const hsa_signal_condition_t* conditions,
                                               const hsa_signal_value_t* compare_values,
                                               hsa_wait_state_t wait_state_hint, hsa_signal_t* signal,
                                               hsa_signal_value_t* value);

/* ---- Queues ------------------------------------------------------------------------------------------------------ */

/** Memory of one kind that an agent sees. */
typedef struct hsa_region_s {
  uint64_t handle;
} hsa_region_t;

/** How many threads write a queue. */
typedef enum {
  HSA_QUEUE_TYPE_MULTI = 0,      /**< many */
  HSA_QUEUE_TYPE_SINGLE = 1,     /**< one */
  HSA_QUEUE_TYPE_COOPERATIVE = 2 /**< many, and all workgroups of a dispatch are resident together */
} hsa_queue_type_t;

/** hsa_queue_type_t in 32 bits. */
typedef uint32_t hsa_queue_type32_t;

/** Which packets a queue takes; bits. */
typedef enum { HSA_QUEUE_FEATURE_KERNEL_DISPATCH = 1, HSA_QUEUE_FEATURE_AGENT_DISPATCH = 2 } hsa_queue_feature_t;

/**
 * The part of a queue that a program sees. A packet goes to base_address + 64 * (index % size); its header is
 * written last, with release ordering; then the doorbell signal gets the index.
 */
typedef struct hsa_queue_s {
  hsa_queue_type32_t type;
  uint32_t features;
  void* base_address;
  hsa_signal_t doorbell_signal;
  uint32_t size;
  uint32_t reserved1;
  uint64_t id;
} hsa_queue_t;

/**
 * Makes a queue of size packets (a power of two within the agent's limits). callback, which may be null, is called
 * on a thread of the runtime when the queue fails; the queue is then dead. Sizes of private and group memory are
 * hints, UINT32_MAX means unknown.
 */
hsa_status_t hsa_queue_create(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
                              void (*callback)(hsa_status_t, hsa_queue_t*, void*), void* data,
                              uint32_t private_segment_size, uint32_t group_segment_size, hsa_queue_t** queue);

/** Makes a queue whose packets the program itself processes. */
hsa_status_t hsa_soft_queue_create(hsa_region_t region, uint32_t size, hsa_queue_type32_t type, uint32_t features,
                                   hsa_signal_t doorbell_signal, hsa_queue_t** queue);

/** Destroys a queue; packets that are not complete may never be. */
hsa_status_t hsa_queue_destroy(hsa_queue_t* queue);

/** Stops a queue; packets that are not complete may never be. INVALID_QUEUE: no such queue. */
hsa_status_t hsa_queue_inactivate(hsa_queue_t* queue);

/** Older spelling of hsa_queue_load_read_index_scacquire. */
HSA_DEPRECATED uint64_t hsa_queue_load_read_index_acquire(const hsa_queue_t* queue);

/** Index of the first packet that the device hasn't taken. Memory order: sequentially consistent acquire. */
uint64_t hsa_queue_load_read_index_scacquire(const hsa_queue_t* queue);

/** Index of the first packet that the device hasn't taken. Memory order: no ordering. */
uint64_t hsa_queue_load_read_index_relaxed(const hsa_queue_t* queue);

/** Older spelling of hsa_queue_load_write_index_scacquire. */
HSA_DEPRECATED uint64_t hsa_queue_load_write_index_acquire(const hsa_queue_t* queue);

/** Index of the next packet that nobody has reserved. Memory order: sequentially consistent acquire. */
uint64_t hsa_queue_load_write_index_scacquire(const hsa_queue_t* queue);

/** Index of the next packet that nobody has reserved. Memory order: no ordering. */
uint64_t hsa_queue_load_write_index_relaxed(const hsa_queue_t* queue);

/** Sets the write index; for queues with one writer. Memory order: no ordering. */
void hsa_queue_store_write_index_relaxed(const hsa_queue_t* queue, uint64_t value);

/** Older spelling of hsa_queue_store_write_index_screlease. */
HSA_DEPRECATED void hsa_queue_store_write_index_release(const hsa_queue_t* queue, uint64_t value);

/** Sets the write index; for queues with one writer. Memory order: sequentially consistent release. */
void hsa_queue_store_write_index_screlease(const hsa_queue_t* queue, uint64_t value);

/** Older spelling of hsa_queue_cas_write_index_scacq_screl. */
HSA_DEPRECATED uint64_t hsa_queue_cas_write_index_acq_rel(const hsa_queue_t* queue, uint64_t expected, uint64_t value);

/**
 * Sets the write index if it is expected; returns the index before. Memory order: sequentially consistent acquire
 * and release.
 */
uint64_t hsa_queue_cas_write_index_scacq_screl(const hsa_queue_t* queue, uint64_t expected, uint64_t value);

/** Older spelling of hsa_queue_cas_write_index_scacquire. */
HSA_DEPRECATED uint64_t hsa_queue_cas_write_index_acquire(const hsa_queue_t* queue, uint64_t expected, uint64_t value);

/** Sets the write index if it is expected; returns the index before. Memory order: sequentially consistent acquire. */
uint64_t hsa_queue_cas_write_index_scacquire(const hsa_queue_t* queue, uint64_t expected, uint64_t value);

/** Sets the write index if it is expected; returns the index before. Memory order: no ordering. */
uint64_t hsa_queue_cas_write_index_relaxed(const hsa_queue_t* queue, uint64_t expected, uint64_t value);

/** Older spelling of hsa_queue_cas_write_index_screlease. */
HSA_DEPRECATED uint64_t hsa_queue_cas_write_index_release(const hsa_queue_t* queue, uint64_t expected, uint64_t value);

/** Sets the write index if it is expected; returns the index before. Memory order: sequentially consistent release. */
uint64_t hsa_queue_cas_write_index_screlease(const hsa_queue_t* queue, uint64_t expected, uint64_t value);

/** Older spelling of hsa_queue_add_write_index_scacq_screl. */
HSA_DEPRECATED uint64_t hsa_queue_add_write_index_acq_rel(const hsa_queue_t* queue, uint64_t value);

/**
 * Reserves value packets and returns the index of the first. Memory order: sequentially consistent acquire and
 * release.
 */
uint64_t hsa_queue_add_write_index_scacq_screl(const hsa_queue_t* queue, uint64_t value);

/** Older spelling of hsa_queue_add_write_index_scacquire. */
HSA_DEPRECATED uint64_t hsa_queue_add_write_index_acquire(const hsa_queue_t* queue, uint64_t value);

/** Reserves value packets and returns the index of the first. Memory order: sequentially consistent acquire. */
uint64_t hsa_queue_add_write_index_scacquire(const hsa_queue_t* queue, uint64_t value);

/** Reserves value packets and returns the index of the first. Memory order: no ordering. */
uint64_t hsa_queue_add_write_index_relaxed(const hsa_queue_t* queue, uint64_t value);

/** Older spelling of hsa_queue_add_write_index_screlease. */
HSA_DEPRECATED uint64_t hsa_queue_add_write_index_release(const hsa_queue_t* queue, uint64_t value);

/** Reserves value packets and returns the index of the first. Memory order: sequentially consistent release. */
uint64_t hsa_queue_add_write_index_screlease(const hsa_queue_t* queue, uint64_t value);

/** Sets the read index; for soft queues. Memory order: no ordering. */
void hsa_queue_store_read_index_relaxed(const hsa_queue_t* queue, uint64_t value);

/** Older spelling of hsa_queue_store_read_index_screlease. */
HSA_DEPRECATED void hsa_queue_store_read_index_release(const hsa_queue_t* queue, uint64_t value);

/** Sets the read index; for soft queues. Memory order: sequentially consistent release. */
void hsa_queue_store_read_index_screlease(const hsa_queue_t* queue, uint64_t value);

/* ---- Packets of the architected queuing language (AQL) ----------------------------------------------------------- */

/** Kind of an AQL packet, the low byte of its header. */
typedef enum {
  HSA_PACKET_TYPE_VENDOR_SPECIFIC = 0, /**< see hsa_amd_packet_type_t */
  HSA_PACKET_TYPE_INVALID = 1,         /**< a free slot: the device waits here */
  HSA_PACKET_TYPE_KERNEL_DISPATCH = 2, /**< hsa_kernel_dispatch_packet_t */
  HSA_PACKET_TYPE_BARRIER_AND = 3,     /**< hsa_barrier_and_packet_t */
  HSA_PACKET_TYPE_AGENT_DISPATCH = 4,  /**< hsa_agent_dispatch_packet_t */
  HSA_PACKET_TYPE_BARRIER_OR = 5       /**< hsa_barrier_or_packet_t */
} hsa_packet_type_t;

/** How far a packet's fence reaches. */
typedef enum { HSA_FENCE_SCOPE_NONE = 0, HSA_FENCE_SCOPE_AGENT = 1, HSA_FENCE_SCOPE_SYSTEM = 2 } hsa_fence_scope_t;

/** Bit offsets in a packet header. */
typedef enum {
  HSA_PACKET_HEADER_TYPE = 0,
  HSA_PACKET_HEADER_BARRIER = 8,
  HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE = 9,
  HSA_PACKET_HEADER_ACQUIRE_FENCE_SCOPE = 9,
  HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE = 11,
  HSA_PACKET_HEADER_RELEASE_FENCE_SCOPE = 11
} hsa_packet_header_t;

/** Bit widths in a packet header. */
typedef enum {
  HSA_PACKET_HEADER_WIDTH_TYPE = 8,
  HSA_PACKET_HEADER_WIDTH_BARRIER = 1,
  HSA_PACKET_HEADER_WIDTH_SCACQUIRE_FENCE_SCOPE = 2,
  HSA_PACKET_HEADER_WIDTH_ACQUIRE_FENCE_SCOPE = 2,
  HSA_PACKET_HEADER_WIDTH_SCRELEASE_FENCE_SCOPE = 2,
  HSA_PACKET_HEADER_WIDTH_RELEASE_FENCE_SCOPE = 2
} hsa_packet_header_width_t;

/** Bit offsets in the setup field. */
typedef enum { HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS = 0 } hsa_kernel_dispatch_packet_setup_t;

/** Bit widths in the setup field. */
typedef enum { HSA_KERNEL_DISPATCH_PACKET_SETUP_WIDTH_DIMENSIONS = 2 } hsa_kernel_dispatch_packet_setup_width_t;

/** Runs a kernel over a grid of work-items. */
typedef struct hsa_kernel_dispatch_packet_s {
  union {
    struct {
      uint16_t header; /**< hsa_packet_header_t; written last, atomically with setup */
      uint16_t setup;  /**< number of dimensions */
    };
    uint32_t full_header;
  };
  uint16_t workgroup_size_x; /**< work-items */
  uint16_t workgroup_size_y;
  uint16_t workgroup_size_z;
  uint16_t reserved0;
  uint32_t grid_size_x; /**< work-items, not workgroups */
  uint32_t grid_size_y;
  uint32_t grid_size_z;
  uint32_t private_segment_size; /**< bytes per work-item */
  uint32_t group_segment_size;   /**< bytes per workgroup */
  uint64_t kernel_object;        /**< HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT */
  void* kernarg_address;
  uint64_t reserved2;
  hsa_signal_t completion_signal; /**< 1 is subtracted at the end; handle 0: nobody is told */
} hsa_kernel_dispatch_packet_t;

/** Asks an agent for a built-in function. */
typedef struct hsa_agent_dispatch_packet_s {
  uint16_t header;
  uint16_t type;
  uint32_t reserved0;
  void* return_address;
  uint64_t arg[4];
  uint64_t reserved2;
  hsa_signal_t completion_signal;
} hsa_agent_dispatch_packet_t;

/** Waits until all of up to five signals are 0; null handles count as done. */
typedef struct hsa_barrier_and_packet_s {
  uint16_t header;
  uint16_t reserved0;
  uint32_t reserved1;
  hsa_signal_t dep_signal[5];
  uint64_t reserved2;
  hsa_signal_t completion_signal;
} hsa_barrier_and_packet_t;

/** Waits until one of up to five signals is 0. */
typedef struct hsa_barrier_or_packet_s {
  uint16_t header;
  uint16_t reserved0;
  uint32_t reserved1;
  hsa_signal_t dep_signal[5];
  uint64_t reserved2;
  hsa_signal_t completion_signal;
} hsa_barrier_or_packet_t;

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

/** Segment that a region belongs to. */
typedef enum {
  HSA_REGION_SEGMENT_GLOBAL = 0,
  HSA_REGION_SEGMENT_READONLY = 1,
  HSA_REGION_SEGMENT_PRIVATE = 2,
  HSA_REGION_SEGMENT_GROUP = 3,
  HSA_REGION_SEGMENT_KERNARG = 4
} hsa_region_segment_t;

/** Properties of a global region; bits. */
typedef enum {
  HSA_REGION_GLOBAL_FLAG_KERNARG = 1,
  HSA_REGION_GLOBAL_FLAG_FINE_GRAINED = 2,
  HSA_REGION_GLOBAL_FLAG_COARSE_GRAINED = 4,
  HSA_REGION_GLOBAL_FLAG_EXTENDED_SCOPE_FINE_GRAINED = 8
} hsa_region_global_flag_t;

/** What hsa_region_get_info can tell. */
typedef enum {
  HSA_REGION_INFO_SEGMENT = 0,                          /**< hsa_region_segment_t */
  HSA_REGION_INFO_GLOBAL_FLAGS = 1,                     /**< uint32_t, bits of hsa_region_global_flag_t */
  HSA_REGION_INFO_SIZE = 2,                             /**< size_t, bytes */
  HSA_REGION_INFO_ALLOC_MAX_SIZE = 4,                   /**< size_t, bytes */
  HSA_REGION_INFO_ALLOC_MAX_PRIVATE_WORKGROUP_SIZE = 8, /**< uint32_t, bytes */
  HSA_REGION_INFO_RUNTIME_ALLOC_ALLOWED = 5,            /**< bool */
  HSA_REGION_INFO_RUNTIME_ALLOC_GRANULE = 6,            /**< size_t, bytes */
  HSA_REGION_INFO_RUNTIME_ALLOC_ALIGNMENT = 7           /**< size_t, bytes */
} hsa_region_info_t;

/** Tells a fact about a region. */
hsa_status_t hsa_region_get_info(hsa_region_t region, hsa_region_info_t attribute, void* value);

/** Calls callback for every region of an agent until one call doesn't return SUCCESS. */
hsa_status_t hsa_agent_iterate_regions(hsa_agent_t agent, hsa_status_t (*callback)(hsa_region_t, void*), void* data);

/** Allocates size bytes in a region, rounded up to its granule. */
hsa_status_t hsa_memory_allocate(hsa_region_t region, size_t size, void** ptr);

/** Frees what hsa_memory_allocate or hsa_amd_memory_pool_allocate gave; null is fine. */
hsa_status_t hsa_memory_free(void* ptr);

/** Copies and waits; either side may be host or agent memory. */
hsa_status_t hsa_memory_copy(void* dst, const void* src, size_t size);

/** Changes the owner of a coarse-grained buffer. */
hsa_status_t hsa_memory_assign_agent(void* ptr, hsa_agent_t agent, hsa_access_permission_t access);

/** Announces host memory that agents will use. */
hsa_status_t hsa_memory_register(void* ptr, size_t size);

/** Takes an announcement back; it must name the same range. */
hsa_status_t hsa_memory_deregister(void* ptr, size_t size);

/* ---- Instruction sets -------------------------------------------------------------------------------------------- */

/** An instruction set, as "amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-". */
typedef struct hsa_isa_s {
  uint64_t handle;
} hsa_isa_t;

/** The instruction set of this name. INVALID_ISA_NAME: the runtime knows none. */
hsa_status_t hsa_isa_from_name(const char* name, hsa_isa_t* isa);

/** Calls callback for every instruction set of an agent, best first, until one call doesn't return SUCCESS. */
hsa_status_t hsa_agent_iterate_isas(hsa_agent_t agent, hsa_status_t (*callback)(hsa_isa_t, void*), void* data);

/** What hsa_isa_get_info_alt can tell. */
typedef enum {
  HSA_ISA_INFO_NAME_LENGTH = 0,                                      /**< uint32_t, with the final zero */
  HSA_ISA_INFO_NAME = 1,                                             /**< char[], with a final zero */
  HSA_ISA_INFO_CALL_CONVENTION_COUNT = 2,                            /**< uint32_t */
  HSA_ISA_INFO_CALL_CONVENTION_INFO_WAVEFRONT_SIZE = 3,              /**< uint32_t */
  HSA_ISA_INFO_CALL_CONVENTION_INFO_WAVEFRONTS_PER_COMPUTE_UNIT = 4, /**< uint32_t */
  HSA_ISA_INFO_MACHINE_MODELS = 5,                                   /**< bool[2] */
  HSA_ISA_INFO_PROFILES = 6,                                         /**< bool[2] */
  HSA_ISA_INFO_DEFAULT_FLOAT_ROUNDING_MODES = 7,                     /**< bool[3] */
  HSA_ISA_INFO_BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES = 8,        /**< bool[3] */
  HSA_ISA_INFO_FAST_F16_OPERATION = 9,                               /**< bool */
  HSA_ISA_INFO_WORKGROUP_MAX_DIM = 12,                               /**< uint16_t[3] */
  HSA_ISA_INFO_WORKGROUP_MAX_SIZE = 13,                              /**< uint32_t */
  HSA_ISA_INFO_GRID_MAX_DIM = 14,                                    /**< hsa_dim3_t */
  HSA_ISA_INFO_GRID_MAX_SIZE = 16,                                   /**< uint64_t */
  HSA_ISA_INFO_FBARRIER_MAX_SIZE = 17                                /**< uint32_t */
} hsa_isa_info_t;

/** Older form of hsa_isa_get_info_alt; index names a call convention. */
HSA_DEPRECATED hsa_status_t hsa_isa_get_info(hsa_isa_t isa, hsa_isa_info_t attribute, uint32_t index, void* value);

/** Tells a fact about an instruction set. */
hsa_status_t hsa_isa_get_info_alt(hsa_isa_t isa, hsa_isa_info_t attribute, void* value);

/** Exception policies of an instruction set for a profile. */
hsa_status_t hsa_isa_get_exception_policies(hsa_isa_t isa, hsa_profile_t profile, uint16_t* mask);

/** Floating-point width; bits. */
typedef enum { HSA_FP_TYPE_16 = 1, HSA_FP_TYPE_32 = 2, HSA_FP_TYPE_64 = 4 } hsa_fp_type_t;

/** Treatment of denormal numbers; bits. */
typedef enum { HSA_FLUSH_MODE_FTZ = 1, HSA_FLUSH_MODE_NON_FTZ = 2 } hsa_flush_mode_t;

/** How a fused multiply-add rounds. */
typedef enum { HSA_ROUND_METHOD_SINGLE = 1, HSA_ROUND_METHOD_DOUBLE = 2 } hsa_round_method_t;

/** How an instruction set rounds multiply-add. */
hsa_status_t hsa_isa_get_round_method(hsa_isa_t isa, hsa_fp_type_t fp_type, hsa_flush_mode_t flush_mode,
                                      hsa_round_method_t* round_method);

/** A kind of wavefront, that is its width. */
typedef struct hsa_wavefront_s {
  uint64_t handle;
} hsa_wavefront_t;

/** What hsa_wavefront_get_info can tell. */
typedef enum {
  HSA_WAVEFRONT_INFO_SIZE = 0 /**< uint32_t, work-items */
} hsa_wavefront_info_t;

/** Tells a fact about a kind of wavefront. */
hsa_status_t hsa_wavefront_get_info(hsa_wavefront_t wavefront, hsa_wavefront_info_t attribute, void* value);

/** Calls callback for every kind of wavefront of an instruction set. */
hsa_status_t hsa_isa_iterate_wavefronts(hsa_isa_t isa, hsa_status_t (*callback)(hsa_wavefront_t, void*), void* data);

/** Whether code of one instruction set runs on an agent of another, features included. */
HSA_DEPRECATED hsa_status_t hsa_isa_compatible(hsa_isa_t code_object_isa, hsa_isa_t agent_isa, bool* result);

/* ---- Code objects and executables -------------------------------------------------------------------------------- */

/** Where a code object is read from. */
typedef struct hsa_code_object_reader_s {
  uint64_t handle;
} hsa_code_object_reader_t;

/** Reads a code object from the whole of an open file. The descriptor may be closed afterwards. */
hsa_status_t hsa_code_object_reader_create_from_file(hsa_file_t file, hsa_code_object_reader_t* code_object_reader);

/** Reads a code object from memory, which must stay until the reader is destroyed. */
hsa_status_t hsa_code_object_reader_create_from_memory(const void* code_object, size_t size,
                                                       hsa_code_object_reader_t* code_object_reader);

/** Destroys a reader; what was loaded from it stays. */
hsa_status_t hsa_code_object_reader_destroy(hsa_code_object_reader_t code_object_reader);

/** Code objects that are loaded together for one or more agents. */
typedef struct hsa_executable_s {
  uint64_t handle;
} hsa_executable_t;

/** Whether an executable still takes code objects. */
typedef enum { HSA_EXECUTABLE_STATE_UNFROZEN = 0, HSA_EXECUTABLE_STATE_FROZEN = 1 } hsa_executable_state_t;

/** Older form of hsa_executable_create_alt. */
HSA_DEPRECATED hsa_status_t hsa_executable_create(hsa_profile_t profile, hsa_executable_state_t executable_state,
                                                  const char* options, hsa_executable_t* executable);

/** Makes an empty executable. */
hsa_status_t hsa_executable_create_alt(hsa_profile_t profile,
                                       hsa_default_float_rounding_mode_t default_float_rounding_mode,
                                       const char* options, hsa_executable_t* executable);

/** Destroys an executable and unloads its code. None of its kernels may be running. */
hsa_status_t hsa_executable_destroy(hsa_executable_t executable);

/** A code object loaded into an executable. */
typedef struct hsa_loaded_code_object_s {
  uint64_t handle;
} hsa_loaded_code_object_t;

/** Loads a code object that belongs to no agent. */
hsa_status_t hsa_executable_load_program_code_object(hsa_executable_t executable,
                                                     hsa_code_object_reader_t code_object_reader, const char* options,
                                                     hsa_loaded_code_object_t* loaded_code_object);

/**
 * Loads a code object for an agent. loaded_code_object may be null. INVALID_CODE_OBJECT: not well-formed.
 * INCOMPATIBLE_ARGUMENTS: for another instruction set than the agent's.
 */
hsa_status_t hsa_executable_load_agent_code_object(hsa_executable_t executable, hsa_agent_t agent,
                                                   hsa_code_object_reader_t code_object_reader, const char* options,
                                                   hsa_loaded_code_object_t* loaded_code_object);

/** Ends loading: every variable must be defined now. Kernels can be launched after it. */
hsa_status_t hsa_executable_freeze(hsa_executable_t executable, const char* options);

/** What hsa_executable_get_info can tell. */
typedef enum {
  HSA_EXECUTABLE_INFO_PROFILE = 1,                    /**< hsa_profile_t */
  HSA_EXECUTABLE_INFO_STATE = 2,                      /**< hsa_executable_state_t */
  HSA_EXECUTABLE_INFO_DEFAULT_FLOAT_ROUNDING_MODE = 3 /**< hsa_default_float_rounding_mode_t */
} hsa_executable_info_t;

/** Tells a fact about an executable. */
hsa_status_t hsa_executable_get_info(hsa_executable_t executable, hsa_executable_info_t attribute, void* value);

/** Gives an undefined variable of program allocation its address. */
hsa_status_t hsa_executable_global_variable_define(hsa_executable_t executable, const char* variable_name,
                                                   void* address);

/** Gives an undefined variable of one agent its address. */
hsa_status_t hsa_executable_agent_global_variable_define(hsa_executable_t executable, hsa_agent_t agent,
                                                         const char* variable_name, void* address);

/** Gives an undefined read-only variable of one agent its address. */
hsa_status_t hsa_executable_readonly_variable_define(hsa_executable_t executable, hsa_agent_t agent,
                                                     const char* variable_name, void* address);

/** Older form of hsa_executable_validate_alt. */
hsa_status_t hsa_executable_validate(hsa_executable_t executable, uint32_t* result);

/** Checks an executable; *result is 0 if all is well. */
hsa_status_t hsa_executable_validate_alt(hsa_executable_t executable, const char* options, uint32_t* result);

/** A kernel, variable or indirect function of an executable. */
typedef struct hsa_executable_symbol_s {
  uint64_t handle;
} hsa_executable_symbol_t;

/** Older form of hsa_executable_get_symbol_by_name. */
HSA_DEPRECATED hsa_status_t hsa_executable_get_symbol(hsa_executable_t executable, const char* module_name,
                                                      const char* symbol_name, hsa_agent_t agent,
                                                      int32_t call_convention, hsa_executable_symbol_t* symbol);

/**
 * The symbol of this name; a kernel's is its descriptor's, as "saxpy.kd". agent is null for symbols of program
 * allocation.
 */
hsa_status_t hsa_executable_get_symbol_by_name(hsa_executable_t executable, const char* symbol_name,
                                               const hsa_agent_t* agent, hsa_executable_symbol_t* symbol);

/** What a symbol is. */
typedef enum {
  HSA_SYMBOL_KIND_VARIABLE = 0,
  HSA_SYMBOL_KIND_KERNEL = 1,
  HSA_SYMBOL_KIND_INDIRECT_FUNCTION = 2
} hsa_symbol_kind_t;

/** Who sees a symbol. */
typedef enum { HSA_SYMBOL_LINKAGE_MODULE = 0, HSA_SYMBOL_LINKAGE_PROGRAM = 1 } hsa_symbol_linkage_t;

/** Whether agents share a variable. */
typedef enum { HSA_VARIABLE_ALLOCATION_AGENT = 0, HSA_VARIABLE_ALLOCATION_PROGRAM = 1 } hsa_variable_allocation_t;

/** Segment of a variable. */
typedef enum { HSA_VARIABLE_SEGMENT_GLOBAL = 0, HSA_VARIABLE_SEGMENT_READONLY = 1 } hsa_variable_segment_t;

/** What hsa_executable_symbol_get_info can tell. */
typedef enum {
  HSA_EXECUTABLE_SYMBOL_INFO_TYPE = 0,                              /**< hsa_symbol_kind_t */
  HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH = 1,                       /**< uint32_t, without a final zero */
  HSA_EXECUTABLE_SYMBOL_INFO_NAME = 2,                              /**< char[], without a final zero */
  HSA_EXECUTABLE_SYMBOL_INFO_MODULE_NAME_LENGTH = 3,                /**< uint32_t */
  HSA_EXECUTABLE_SYMBOL_INFO_MODULE_NAME = 4,                       /**< char[] */
  HSA_EXECUTABLE_SYMBOL_INFO_AGENT = 20,                            /**< hsa_agent_t */
  HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS = 21,                 /**< uint64_t */
  HSA_EXECUTABLE_SYMBOL_INFO_LINKAGE = 5,                           /**< hsa_symbol_linkage_t */
  HSA_EXECUTABLE_SYMBOL_INFO_IS_DEFINITION = 17,                    /**< bool */
  HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALLOCATION = 6,               /**< hsa_variable_allocation_t */
  HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SEGMENT = 7,                  /**< hsa_variable_segment_t */
  HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALIGNMENT = 8,                /**< uint32_t, bytes */
  HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE = 9,                     /**< uint32_t, bytes */
  HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_IS_CONST = 10,                /**< bool */
  HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT = 22,                    /**< uint64_t, for the dispatch packet */
  HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE = 11,      /**< uint32_t, bytes */
  HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_ALIGNMENT = 12, /**< uint32_t, bytes */
  HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE = 13,        /**< uint32_t, bytes of LDS per workgroup */
  HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE = 14,      /**< uint32_t, bytes of scratch per work-item */
  HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK = 15,         /**< bool, the size above is a lower bound */
  HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_CALL_CONVENTION = 18,           /**< uint32_t */
  HSA_EXECUTABLE_SYMBOL_INFO_INDIRECT_FUNCTION_OBJECT = 23,         /**< uint64_t */
  HSA_EXECUTABLE_SYMBOL_INFO_INDIRECT_FUNCTION_CALL_CONVENTION = 16 /**< uint32_t */
} hsa_executable_symbol_info_t;

/** Tells a fact about a symbol. */
hsa_status_t hsa_executable_symbol_get_info(hsa_executable_symbol_t executable_symbol,
                                            hsa_executable_symbol_info_t attribute, void* value);

/** Calls callback for every symbol of an executable. */
HSA_DEPRECATED hsa_status_t hsa_executable_iterate_symbols(hsa_executable_t executable,
                                                           hsa_status_t (*callback)(hsa_executable_t,
                                                                                    hsa_executable_symbol_t, void*),
                                                           void* data);

/** Calls callback for every symbol of an agent until one call doesn't return SUCCESS. */
hsa_status_t hsa_executable_iterate_agent_symbols(hsa_executable_t executable, hsa_agent_t agent,
                                                  hsa_status_t (*callback)(hsa_executable_t, hsa_agent_t,
                                                                           hsa_executable_symbol_t, void*),
                                                  void* data);

/** Calls callback for every symbol that belongs to no agent. */
hsa_status_t hsa_executable_iterate_program_symbols(hsa_executable_t executable,
                                                    hsa_status_t (*callback)(hsa_executable_t, hsa_executable_symbol_t,
                                                                             void*),
                                                    void* data);

/* ---- Code objects, the older interface --------------------------------------------------------------------------- */

/** A code object in memory; older than hsa_code_object_reader_t. */
typedef struct hsa_code_object_s {
  uint64_t handle;
} hsa_code_object_t;

/** A value passed through to a callback. */
typedef struct hsa_callback_data_s {
  uint64_t handle;
} hsa_callback_data_t;

/** Copies a code object into memory that alloc_callback gives. */
HSA_DEPRECATED hsa_status_t hsa_code_object_serialize(
    hsa_code_object_t code_object, hsa_status_t (*alloc_callback)(size_t, hsa_callback_data_t, void**),
    hsa_callback_data_t callback_data, const char* options, void** serialized_code_object,
    size_t* serialized_code_object_size);

/** Makes a code object from bytes, which must stay until it is destroyed. */
HSA_DEPRECATED hsa_status_t hsa_code_object_deserialize(void* serialized_code_object,
                                                        size_t serialized_code_object_size, const char* options,
                                                        hsa_code_object_t* code_object);

/** Destroys a code object; what was loaded from it stays. */
HSA_DEPRECATED hsa_status_t hsa_code_object_destroy(hsa_code_object_t code_object);

/** Kind of a code object. */
typedef enum { HSA_CODE_OBJECT_TYPE_PROGRAM = 0 } hsa_code_object_type_t;

/** What hsa_code_object_get_info can tell. */
typedef enum {
  HSA_CODE_OBJECT_INFO_VERSION = 0,
  HSA_CODE_OBJECT_INFO_TYPE = 1,
  HSA_CODE_OBJECT_INFO_ISA = 2,
  HSA_CODE_OBJECT_INFO_MACHINE_MODEL = 3,
  HSA_CODE_OBJECT_INFO_PROFILE = 4,
  HSA_CODE_OBJECT_INFO_DEFAULT_FLOAT_ROUNDING_MODE = 5
} hsa_code_object_info_t;

/** Tells a fact about a code object. */
HSA_DEPRECATED hsa_status_t hsa_code_object_get_info(hsa_code_object_t code_object, hsa_code_object_info_t attribute,
                                                     void* value);

/** Loads a code object; see hsa_executable_load_agent_code_object. */
HSA_DEPRECATED hsa_status_t hsa_executable_load_code_object(hsa_executable_t executable, hsa_agent_t agent,
                                                            hsa_code_object_t code_object, const char* options);

/** A symbol of a code object. */
typedef struct hsa_code_symbol_s {
  uint64_t handle;
} hsa_code_symbol_t;

/** The symbol of this name. */
HSA_DEPRECATED hsa_status_t hsa_code_object_get_symbol(hsa_code_object_t code_object, const char* symbol_name,
                                                       hsa_code_symbol_t* symbol);

/** The symbol of this name in a module; module_name null is the program. */
HSA_DEPRECATED hsa_status_t hsa_code_object_get_symbol_from_name(hsa_code_object_t code_object, const char* module_name,
                                                                 const char* symbol_name, hsa_code_symbol_t* symbol);

/** What hsa_code_symbol_get_info can tell; types are those of hsa_executable_symbol_info_t. */
typedef enum {
  HSA_CODE_SYMBOL_INFO_TYPE = 0,
  HSA_CODE_SYMBOL_INFO_NAME_LENGTH = 1,
  HSA_CODE_SYMBOL_INFO_NAME = 2,
  HSA_CODE_SYMBOL_INFO_MODULE_NAME_LENGTH = 3,
  HSA_CODE_SYMBOL_INFO_MODULE_NAME = 4,
  HSA_CODE_SYMBOL_INFO_LINKAGE = 5,
  HSA_CODE_SYMBOL_INFO_IS_DEFINITION = 17,
  HSA_CODE_SYMBOL_INFO_VARIABLE_ALLOCATION = 6,
  HSA_CODE_SYMBOL_INFO_VARIABLE_SEGMENT = 7,
  HSA_CODE_SYMBOL_INFO_VARIABLE_ALIGNMENT = 8,
  HSA_CODE_SYMBOL_INFO_VARIABLE_SIZE = 9,
  HSA_CODE_SYMBOL_INFO_VARIABLE_IS_CONST = 10,
  HSA_CODE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE = 11,
  HSA_CODE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_ALIGNMENT = 12,
  HSA_CODE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE = 13,
  HSA_CODE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE = 14,
  HSA_CODE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK = 15,
  HSA_CODE_SYMBOL_INFO_KERNEL_CALL_CONVENTION = 18,
  HSA_CODE_SYMBOL_INFO_INDIRECT_FUNCTION_CALL_CONVENTION = 16,
  HSA_CODE_SYMBOL_INFO_KERNEL_WAVEFRONT_SIZE = 19
} hsa_code_symbol_info_t;

/** Tells a fact about a symbol of a code object. */
HSA_DEPRECATED hsa_status_t hsa_code_symbol_get_info(hsa_code_symbol_t code_symbol, hsa_code_symbol_info_t attribute,
                                                     void* value);

/** Calls callback for every symbol of a code object. */
HSA_DEPRECATED hsa_status_t hsa_code_object_iterate_symbols(
    hsa_code_object_t code_object, hsa_status_t (*callback)(hsa_code_object_t, hsa_code_symbol_t, void*), void* data);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* HSA_RUNTIME_INC_HSA_H_ */
