// Run-time compilation: HIP source to a code object that hipModuleLoadData takes, and bitcode linked to one. For C and
// C++; programs are linked with libhiprtc. Compilation works without a GPU if the options name one.
#ifndef BZ_HIP_HIPRTC_H
#define BZ_HIP_HIPRTC_H

#include <hip/hip_common.h>
#include <hip/linker_types.h>
#include <stddef.h>
#ifdef __cplusplus
#include <cstdlib>
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hiprtcResult {
  HIPRTC_SUCCESS = 0,
  HIPRTC_ERROR_OUT_OF_MEMORY = 1,
  HIPRTC_ERROR_PROGRAM_CREATION_FAILURE = 2,
  HIPRTC_ERROR_INVALID_INPUT = 3,
  HIPRTC_ERROR_INVALID_PROGRAM = 4,
  HIPRTC_ERROR_INVALID_OPTION = 5,
  HIPRTC_ERROR_COMPILATION = 6,
  HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE = 7,
  HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION = 8,
  HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION = 9,
  HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID = 10,
  HIPRTC_ERROR_INTERNAL_ERROR = 11,
  HIPRTC_ERROR_LINKING = 100,
} hiprtcResult;

// The options and input kinds of the linker are those of hipLinkCreate, by other names.
#define hiprtcJIT_option hipJitOption
#define HIPRTC_JIT_MAX_REGISTERS hipJitOptionMaxRegisters
#define HIPRTC_JIT_THREADS_PER_BLOCK hipJitOptionThreadsPerBlock
#define HIPRTC_JIT_WALL_TIME hipJitOptionWallTime
#define HIPRTC_JIT_INFO_LOG_BUFFER hipJitOptionInfoLogBuffer
#define HIPRTC_JIT_INFO_LOG_BUFFER_SIZE_BYTES hipJitOptionInfoLogBufferSizeBytes
#define HIPRTC_JIT_ERROR_LOG_BUFFER hipJitOptionErrorLogBuffer
#define HIPRTC_JIT_ERROR_LOG_BUFFER_SIZE_BYTES hipJitOptionErrorLogBufferSizeBytes
#define HIPRTC_JIT_OPTIMIZATION_LEVEL hipJitOptionOptimizationLevel
#define HIPRTC_JIT_TARGET_FROM_HIPCONTEXT hipJitOptionTargetFromContext
#define HIPRTC_JIT_TARGET hipJitOptionTarget
#define HIPRTC_JIT_FALLBACK_STRATEGY hipJitOptionFallbackStrategy
#define HIPRTC_JIT_GENERATE_DEBUG_INFO hipJitOptionGenerateDebugInfo
#define HIPRTC_JIT_LOG_VERBOSE hipJitOptionLogVerbose
#define HIPRTC_JIT_GENERATE_LINE_INFO hipJitOptionGenerateLineInfo
#define HIPRTC_JIT_CACHE_MODE hipJitOptionCacheMode
#define HIPRTC_JIT_NEW_SM3X_OPT hipJitOptionSm3xOpt
#define HIPRTC_JIT_FAST_COMPILE hipJitOptionFastCompile
#define HIPRTC_JIT_GLOBAL_SYMBOL_NAMES hipJitOptionGlobalSymbolNames
#define HIPRTC_JIT_GLOBAL_SYMBOL_ADDRESS hipJitOptionGlobalSymbolAddresses
#define HIPRTC_JIT_GLOBAL_SYMBOL_COUNT hipJitOptionGlobalSymbolCount
#define HIPRTC_JIT_LTO hipJitOptionLto
#define HIPRTC_JIT_FTZ hipJitOptionFtz
#define HIPRTC_JIT_PREC_DIV hipJitOptionPrecDiv
#define HIPRTC_JIT_PREC_SQRT hipJitOptionPrecSqrt
#define HIPRTC_JIT_FMA hipJitOptionFma
#define HIPRTC_JIT_POSITION_INDEPENDENT_CODE hipJitOptionPositionIndependentCode
#define HIPRTC_JIT_MIN_CTA_PER_SM hipJitOptionMinCTAPerSM
#define HIPRTC_JIT_MAX_THREADS_PER_BLOCK hipJitOptionMaxThreadsPerBlock
#define HIPRTC_JIT_OVERRIDE_DIRECT_VALUES hipJitOptionOverrideDirectiveValues
#define HIPRTC_JIT_NUM_OPTIONS hipJitOptionNumOptions
#define HIPRTC_JIT_IR_TO_ISA_OPT_EXT hipJitOptionIRtoISAOptExt
#define HIPRTC_JIT_IR_TO_ISA_OPT_COUNT_EXT hipJitOptionIRtoISAOptCountExt

#define hiprtcJITInputType hipJitInputType
#define HIPRTC_JIT_INPUT_CUBIN hipJitInputCubin
#define HIPRTC_JIT_INPUT_PTX hipJitInputPtx
#define HIPRTC_JIT_INPUT_FATBINARY hipJitInputFatBinary
#define HIPRTC_JIT_INPUT_OBJECT hipJitInputObject
#define HIPRTC_JIT_INPUT_LIBRARY hipJitInputLibrary
#define HIPRTC_JIT_INPUT_NVVM hipJitInputNvvm
#define HIPRTC_JIT_NUM_LEGACY_INPUT_TYPES hipJitNumLegacyInputTypes
#define HIPRTC_JIT_INPUT_LLVM_BITCODE hipJitInputLLVMBitcode
#define HIPRTC_JIT_INPUT_LLVM_BUNDLED_BITCODE hipJitInputLLVMBundledBitcode
#define HIPRTC_JIT_INPUT_LLVM_ARCHIVES_OF_BUNDLED_BITCODE hipJitInputLLVMArchivesOfBundledBitcode
#define HIPRTC_JIT_INPUT_SPIRV hipJitInputSpirv
#define HIPRTC_JIT_NUM_INPUT_TYPES hipJitNumInputTypes

typedef struct ihiprtcLinkState* hiprtcLinkState;
typedef struct _hiprtcProgram* hiprtcProgram;

/// The name of a result, "HIPRTC_ERROR_COMPILATION"; "Invalid HIPRTC error code" for another number. Never null.
const char* hiprtcGetErrorString(hiprtcResult result);

/// The version of HIP. INVALID_INPUT: null.
hiprtcResult hiprtcVersion(int* major, int* minor);

/// Makes a program of a zero-terminated source. `name` stands in diagnostics and may be null or empty. headers[i] is found
/// by #include of includeNames[i]. All texts are copied. INVALID_INPUT: a null pointer, or a negative number;
/// PROGRAM_CREATION_FAILURE: headers without texts or names.
hiprtcResult hiprtcCreateProgram(
    hiprtcProgram* prog, const char* src, const char* name, int numHeaders, const char** headers,
    const char** includeNames);

/// Ends a program and sets the handle to null. INVALID_INPUT: null; INVALID_PROGRAM: no program, or one that was ended.
hiprtcResult hiprtcDestroyProgram(hiprtcProgram* prog);

/// Asks for the symbol of what a constant expression names ("kernel<int>", "&ns::variable") before the compilation, which
/// instantiates it. NO_NAME_EXPRESSIONS_AFTER_COMPILATION.
hiprtcResult hiprtcAddNameExpression(hiprtcProgram prog, const char* name_expression);

/// Compiles for one GPU: that of --offload-arch or --gpu-architecture, else the current device. The other options are
/// clang's; -O3 and -std=c++17 come first, and nothing is included from the disk but what -I names. With -fgpu-rdc the result
/// is bitcode. INVALID_OPTION: clang doesn't know an option, or it asks for something else than code; COMPILATION: the
/// program has errors. The log has the words in both cases, and warnings.
hiprtcResult hiprtcCompileProgram(hiprtcProgram prog, int numOptions, const char** options);

/// The symbol of a name expression. It lives as long as the program and its compilation.
/// NO_LOWERED_NAMES_BEFORE_COMPILATION; NAME_EXPRESSION_NOT_VALID: it was not asked for.
hiprtcResult hiprtcGetLoweredName(hiprtcProgram prog, const char* name_expression, const char** lowered_name);

/// Bytes of the log with its ending zero; 0 if there is none.
hiprtcResult hiprtcGetProgramLogSize(hiprtcProgram prog, size_t* logSizeRet);
/// Copies the log.
hiprtcResult hiprtcGetProgramLog(hiprtcProgram prog, char* log);

/// Bytes of the code object. INVALID_PROGRAM: it was not compiled without errors, or with -fgpu-rdc.
hiprtcResult hiprtcGetCodeSize(hiprtcProgram prog, size_t* codeSizeRet);
/// Copies the code object.
hiprtcResult hiprtcGetCode(hiprtcProgram prog, char* code);

/// Bytes of the bitcode. INVALID_PROGRAM: it was not compiled without errors and with -fgpu-rdc.
hiprtcResult hiprtcGetBitcodeSize(hiprtcProgram prog, size_t* bitcode_size);
/// Copies the bitcode.
hiprtcResult hiprtcGetBitcode(hiprtcProgram prog, char* bitcode);

/// Begins a link for the current device. Of the options, IR_TO_ISA_OPT_EXT and its COUNT pass -mllvm options on,
/// OPTIMIZATION_LEVEL is 0 to 4, the two log buffers are filled by hiprtcLinkComplete; what is for CUDA devices alone is noted
/// in the info log. Buffers must live until hiprtcLinkDestroy. INVALID_INPUT: null; INVALID_OPTION: an unknown option or value.
hiprtcResult hiprtcLinkCreate(
    unsigned int num_options, hiprtcJIT_option* option_ptr, void** option_vals_pptr, hiprtcLinkState* hip_link_state_ptr);

/// Adds a file: HIPRTC_JIT_INPUT_LLVM_BITCODE (or LLVM assembly), a bundle of bitcode, an archive of such bundles, an object
/// file, an archive of object files. INVALID_INPUT: null, or a kind that is for CUDA devices alone; PROGRAM_CREATION_FAILURE:
/// the file can't be read.
hiprtcResult hiprtcLinkAddFile(
    hiprtcLinkState hip_link_state, hiprtcJITInputType input_type, const char* file_path, unsigned int num_options,
    hiprtcJIT_option* options_ptr, void** option_values);

/// The same from memory, which is copied.
hiprtcResult hiprtcLinkAddData(
    hiprtcLinkState hip_link_state, hiprtcJITInputType input_type, void* image, size_t image_size, const char* name,
    unsigned int num_options, hiprtcJIT_option* options_ptr, void** option_values);

/// Links. The code object belongs to the state and lives as long. LINKING: an input is malformed, is for another target, or
/// a symbol is missing; the error log says which.
hiprtcResult hiprtcLinkComplete(hiprtcLinkState hip_link_state, void** bin_out, size_t* size_out);

/// Ends a link and its code object. INVALID_INPUT: no such state.
hiprtcResult hiprtcLinkDestroy(hiprtcLinkState hip_link_state);

#ifdef __cplusplus
}
#endif

#endif
