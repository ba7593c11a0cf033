/* hsa_amd_tool.h: events that a tool can watch through ToolsApiTable.
 * Names, values and layouts are those of the published interface; the words are Boltzmann's. C and C++.
 */
#ifndef HSA_AMD_TOOL_H_
#define HSA_AMD_TOOL_H_

#include "hsa.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How scratch was given; bits. */
typedef enum {
  HSA_AMD_EVENT_SCRATCH_ALLOC_FLAG_NONE = 0,
  HSA_AMD_EVENT_SCRATCH_ALLOC_FLAG_USE_ONCE = 1,
  HSA_AMD_EVENT_SCRATCH_ALLOC_FLAG_ALT = 2
} hsa_amd_event_scratch_alloc_flag_t;

/** Kinds of events that a tool can watch. */
typedef enum {
  HSA_AMD_TOOL_EVENT_MIN = 0,
  HSA_AMD_TOOL_EVENT_SCRATCH_ALLOC_START = 1,
  HSA_AMD_TOOL_EVENT_SCRATCH_ALLOC_END = 2,
  HSA_AMD_TOOL_EVENT_SCRATCH_FREE_START = 3,
  HSA_AMD_TOOL_EVENT_SCRATCH_FREE_END = 4,
  HSA_AMD_TOOL_EVENT_SCRATCH_ASYNC_RECLAIM_START = 5,
  HSA_AMD_TOOL_EVENT_SCRATCH_ASYNC_RECLAIM_END = 6,
  HSA_AMD_TOOL_EVENT_MAX = 7
} hsa_amd_tool_event_kind_t;

/** What all events begin with. */
typedef struct {
  hsa_amd_tool_event_kind_t kind;
} hsa_amd_tool_event_none_t;

/** A dispatch waits for scratch. */
typedef struct {
  hsa_amd_tool_event_kind_t kind;
  const hsa_queue_t* queue;
  hsa_amd_event_scratch_alloc_flag_t flags;
  uint64_t dispatch_id;
} hsa_amd_event_scratch_alloc_start_t;

/** A dispatch got its scratch. */
typedef struct {
  hsa_amd_tool_event_kind_t kind;
  const hsa_queue_t* queue;
  hsa_amd_event_scratch_alloc_flag_t flags;
  uint64_t dispatch_id;
  size_t size;
  size_t num_slots;
} hsa_amd_event_scratch_alloc_end_t;

/** Scratch of a queue is about to be freed. */
typedef struct {
  hsa_amd_tool_event_kind_t kind;
  const hsa_queue_t* queue;
  hsa_amd_event_scratch_alloc_flag_t flags;
} hsa_amd_event_scratch_free_start_t;

/** Scratch of a queue was freed. */
typedef struct {
  hsa_amd_tool_event_kind_t kind;
  const hsa_queue_t* queue;
  hsa_amd_event_scratch_alloc_flag_t flags;
} hsa_amd_event_scratch_free_end_t;

/** Scratch of a queue is about to be taken back. */
typedef struct {
  hsa_amd_tool_event_kind_t kind;
  const hsa_queue_t* queue;
  hsa_amd_event_scratch_alloc_flag_t flags;
} hsa_amd_event_scratch_async_reclaim_start_t;

/** Scratch of a queue was taken back. */
typedef struct {
  hsa_amd_tool_event_kind_t kind;
  const hsa_queue_t* queue;
  hsa_amd_event_scratch_alloc_flag_t flags;
} hsa_amd_event_scratch_async_reclaim_end_t;

/** An event; none->kind says which. */
typedef union {
  const hsa_amd_tool_event_none_t* none;
  const hsa_amd_event_scratch_alloc_start_t* scratch_alloc_start;
  const hsa_amd_event_scratch_alloc_end_t* scratch_alloc_end;
  const hsa_amd_event_scratch_free_start_t* scratch_free_start;
  const hsa_amd_event_scratch_free_end_t* scratch_free_end;
  const hsa_amd_event_scratch_async_reclaim_start_t* scratch_async_reclaim_start;
  const hsa_amd_event_scratch_async_reclaim_end_t* scratch_async_reclaim_end;
} hsa_amd_tool_event_t;

/** Called for an event. */
typedef hsa_status_t (*hsa_amd_tool_event)(hsa_amd_tool_event_t);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* HSA_AMD_TOOL_H_ */
