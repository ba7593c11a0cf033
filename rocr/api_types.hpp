// Names for the callback types of api/hsa.def (a row can't hold a type with commas) and the macros that take a row
// apart. Owns nothing.
#pragma once
#ifndef HSA_NO_DEPRECATION_WARNINGS
#define HSA_NO_DEPRECATION_WARNINGS // we implement the deprecated calls
#endif
#include "hsa/hsa.h"
#include "hsa/hsa_api_trace.h"
#include "hsa/hsa_ext_amd.h"
#include "hsa/hsa_ext_finalize.h"
#include "hsa/hsa_ext_image.h"
#include "hsa/hsa_ven_amd_loader.h"
#include "hsa/hsa_ven_amd_pc_sampling.h"

namespace bz::rocr {

using AgentVisitor = hsa_status_t (*)(hsa_agent_t, void*);
using CacheVisitor = hsa_status_t (*)(hsa_cache_t, void*);
using RegionVisitor = hsa_status_t (*)(hsa_region_t, void*);
using PoolVisitor = hsa_status_t (*)(hsa_amd_memory_pool_t, void*);
using IsaVisitor = hsa_status_t (*)(hsa_isa_t, void*);
using WavefrontVisitor = hsa_status_t (*)(hsa_wavefront_t, void*);
using ExecutableVisitor = hsa_status_t (*)(hsa_executable_t, void*);
using LoadedCodeObjectVisitor = hsa_status_t (*)(hsa_executable_t, hsa_loaded_code_object_t, void*);
using SymbolVisitor = hsa_status_t (*)(hsa_executable_t, hsa_executable_symbol_t, void*);
using AgentSymbolVisitor = hsa_status_t (*)(hsa_executable_t, hsa_agent_t, hsa_executable_symbol_t, void*);
using CodeSymbolVisitor = hsa_status_t (*)(hsa_code_object_t, hsa_code_symbol_t, void*);
using ModuleVisitor = hsa_status_t (*)(hsa_ext_program_t, hsa_ext_module_t, void*);
using SerializeAlloc = hsa_status_t (*)(size_t, hsa_callback_data_t, void**);
using QueueErrorCallback = void (*)(hsa_status_t, hsa_queue_t*, void*);
using AsyncFunction = void (*)(void*);
using PointerInfoAlloc = void* (*)(size_t);

} // namespace bz::rocr

// ROCR_PARAMS((int, a), (char, b)) is "int a, char b"; ROCR_ARGS is "a, b"; the _AFTER forms begin with a comma if not
// empty.
#define ROCR_EXPAND(...) ROCR_EXPAND1(ROCR_EXPAND1(ROCR_EXPAND1(__VA_ARGS__)))
#define ROCR_EXPAND1(...) ROCR_EXPAND2(ROCR_EXPAND2(ROCR_EXPAND2(__VA_ARGS__)))
#define ROCR_EXPAND2(...) __VA_ARGS__
#define ROCR_PARENS ()
#define ROCR_PARAM(type, name) type name
#define ROCR_ARG(type, name) name
#define ROCR_PARAMS(...) __VA_OPT__(ROCR_EXPAND(ROCR_PARAMS_NEXT(__VA_ARGS__)))
#define ROCR_PARAMS_NEXT(first, ...) ROCR_PARAM first __VA_OPT__(, ROCR_PARAMS_AGAIN ROCR_PARENS(__VA_ARGS__))
#define ROCR_PARAMS_AGAIN() ROCR_PARAMS_NEXT
#define ROCR_ARGS(...) __VA_OPT__(ROCR_EXPAND(ROCR_ARGS_NEXT(__VA_ARGS__)))
#define ROCR_ARGS_NEXT(first, ...) ROCR_ARG first __VA_OPT__(, ROCR_ARGS_AGAIN ROCR_PARENS(__VA_ARGS__))
#define ROCR_ARGS_AGAIN() ROCR_ARGS_NEXT
#define ROCR_PARAMS_AFTER(...) __VA_OPT__(, ROCR_PARAMS(__VA_ARGS__))
#define ROCR_ARGS_AFTER(...) __VA_OPT__(, ROCR_ARGS(__VA_ARGS__))
