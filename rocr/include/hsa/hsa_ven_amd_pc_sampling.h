/* hsa_ven_amd_pc_sampling.h: sampling of program counters.
 * Names, values and layouts are those of the published interface; the words are Boltzmann's. C and C++.
 */
#ifndef HSA_VEN_AMD_PC_SAMPLING_H
#define HSA_VEN_AMD_PC_SAMPLING_H

#include "hsa.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How program counters are sampled. */
typedef enum {
  HSA_VEN_AMD_PCS_METHOD_HOSTTRAP_V1 = 0,
  HSA_VEN_AMD_PCS_METHOD_STOCHASTIC_V1 = 1
} hsa_ven_amd_pcs_method_kind_t;

/** Unit of the sampling interval. */
typedef enum {
  HSA_VEN_AMD_PCS_INTERVAL_UNITS_MICRO_SECONDS = 0,
  HSA_VEN_AMD_PCS_INTERVAL_UNITS_CLOCK_CYCLES = 1,
  HSA_VEN_AMD_PCS_INTERVAL_UNITS_INSTRUCTIONS = 2
} hsa_ven_amd_pcs_units_t;

/** A sample of HSA_VEN_AMD_PCS_METHOD_HOSTTRAP_V1. */
typedef struct {
  uint64_t pc;
  uint64_t exec_mask;
  uint32_t workgroup_id_x;
  uint32_t workgroup_id_y;
  uint32_t workgroup_id_z;
  uint32_t wave_in_wg : 6;
  uint32_t chiplet : 3;
  uint32_t reserved : 23;
  uint32_t hw_id;
  uint32_t reserved0;
  uint64_t reserved1;
  uint64_t timestamp;
  uint64_t correlation_id;
} perf_sample_hosttrap_v1_t;

/** A sample of HSA_VEN_AMD_PCS_METHOD_STOCHASTIC_V1. */
typedef struct {
  uint64_t pc;
  uint64_t exec_mask;
  uint32_t workgroup_id_x;
  uint32_t workgroup_id_y;
  uint32_t workgroup_id_z;
  uint32_t wave_in_wg : 6;
  uint32_t chiplet : 3;
  uint32_t reserved : 23;
  uint32_t hw_id;
  uint32_t perf_snapshot_data;
  uint32_t perf_snapshot_data1;
  uint32_t perf_snapshot_data2;
  uint64_t timestamp;
  uint64_t correlation_id;
} perf_sample_snapshot_v1_t;

/** Copies samples that are ready. */
typedef hsa_status_t (*hsa_ven_amd_pcs_data_copy_callback_t)(void*, size_t, void*);

/** Called when samples are ready. */
typedef void (*hsa_ven_amd_pcs_data_ready_callback_t)(void*, size_t, size_t, hsa_ven_amd_pcs_data_copy_callback_t,
                                                      void*);

/** A sampling session. */
typedef struct {
  uint64_t handle;
} hsa_ven_amd_pcs_t;

/** Properties of a configuration; bits. */
typedef enum { HSA_VEN_AMD_PCS_CONFIGURATION_FLAGS_INTERVAL_POWER_OF_2 = 1 } hsa_ven_amd_pcs_configuration_flags_t;

/** A way of sampling that an agent offers. */
typedef struct {
  hsa_ven_amd_pcs_method_kind_t method;
  hsa_ven_amd_pcs_units_t units;
  size_t min_interval;
  size_t max_interval;
  uint64_t flags;
} hsa_ven_amd_pcs_configuration_t;

/** Called for a configuration. */
typedef hsa_status_t (*hsa_ven_amd_pcs_iterate_configuration_callback_t)(const hsa_ven_amd_pcs_configuration_t*, void*);

/** Calls callback for every configuration of an agent. */
hsa_status_t hsa_ven_amd_pcs_iterate_configuration(
    hsa_agent_t agent, hsa_ven_amd_pcs_iterate_configuration_callback_t configuration_callback, void* callback_data);

/** Makes a sampling session. */
hsa_status_t hsa_ven_amd_pcs_create(hsa_agent_t agent, hsa_ven_amd_pcs_method_kind_t method,
                                    hsa_ven_amd_pcs_units_t units, size_t interval, size_t latency, size_t buffer_size,
                                    hsa_ven_amd_pcs_data_ready_callback_t data_ready_callback,
                                    void* client_callback_data, hsa_ven_amd_pcs_t* pc_sampling);

/** Makes a sampling session from one that another component opened. */
hsa_status_t hsa_ven_amd_pcs_create_from_id(uint32_t pcs_id, hsa_agent_t agent, hsa_ven_amd_pcs_method_kind_t method,
                                            hsa_ven_amd_pcs_units_t units, size_t interval, size_t latency,
                                            size_t buffer_size,
                                            hsa_ven_amd_pcs_data_ready_callback_t data_ready_callback,
                                            void* client_callback_data, hsa_ven_amd_pcs_t* pc_sampling);

/** Destroys a session. */
hsa_status_t hsa_ven_amd_pcs_destroy(hsa_ven_amd_pcs_t pc_sampling);

/** Starts sampling. */
hsa_status_t hsa_ven_amd_pcs_start(hsa_ven_amd_pcs_t pc_sampling);

/** Stops sampling. */
hsa_status_t hsa_ven_amd_pcs_stop(hsa_ven_amd_pcs_t pc_sampling);

/** Hands over all samples so far. */
hsa_status_t hsa_ven_amd_pcs_flush(hsa_ven_amd_pcs_t pc_sampling);

/** Entry points of version 1.00 of the extension. */
typedef struct {
  hsa_status_t (*hsa_ven_amd_pcs_iterate_configuration)(hsa_agent_t, hsa_ven_amd_pcs_iterate_configuration_callback_t,
                                                        void*);
  hsa_status_t (*hsa_ven_amd_pcs_create)(hsa_agent_t, hsa_ven_amd_pcs_method_kind_t, hsa_ven_amd_pcs_units_t, size_t,
                                         size_t, size_t, hsa_ven_amd_pcs_data_ready_callback_t, void*,
                                         hsa_ven_amd_pcs_t*);
  hsa_status_t (*hsa_ven_amd_pcs_create_from_id)(uint32_t, hsa_agent_t, hsa_ven_amd_pcs_method_kind_t,
                                                 hsa_ven_amd_pcs_units_t, size_t, size_t, size_t,
                                                 hsa_ven_amd_pcs_data_ready_callback_t, void*, hsa_ven_amd_pcs_t*);
  hsa_status_t (*hsa_ven_amd_pcs_destroy)(hsa_ven_amd_pcs_t);
  hsa_status_t (*hsa_ven_amd_pcs_start)(hsa_ven_amd_pcs_t);
  hsa_status_t (*hsa_ven_amd_pcs_stop)(hsa_ven_amd_pcs_t);
  hsa_status_t (*hsa_ven_amd_pcs_flush)(hsa_ven_amd_pcs_t);
} hsa_ven_amd_pc_sampling_1_00_pfn_t;

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* HSA_VEN_AMD_PC_SAMPLING_H */
