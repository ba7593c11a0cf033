#include "rocr/outcome.hpp"

#include "hsa/hsa_ext_finalize.h"
#include "hsa/hsa_ext_image.h"

namespace bz::rocr {

namespace {

hsa_status_t from_code(Code code) {
  switch (code) {
  case Code::ok:
    return HSA_STATUS_SUCCESS;
  case Code::invalid_argument:
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  case Code::invalid_handle:
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  case Code::not_found:
    return HSA_STATUS_ERROR_INVALID_SYMBOL_NAME;
  case Code::out_of_memory:
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  case Code::out_of_resources:
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  case Code::invalid_image:
    return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
  case Code::wrong_target:
    return HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS;
  case Code::unsupported:
    return static_cast<hsa_status_t>(HSA_STATUS_ERROR_NOT_SUPPORTED);
  case Code::busy:
    return static_cast<hsa_status_t>(HSA_STATUS_ERROR_RESOURCE_BUSY);
  case Code::timed_out:
    return HSA_STATUS_ERROR;
  case Code::fault:
    return static_cast<hsa_status_t>(HSA_STATUS_ERROR_MEMORY_FAULT);
  case Code::internal:
    return HSA_STATUS_ERROR;
  }
  return HSA_STATUS_ERROR;
}

struct Text {
  int code;
  const char* name;
  const char* text;
};

#define ROW(name, text) {name, #name, #name ": " text}
constexpr Text kTexts[] = {
    ROW(HSA_STATUS_SUCCESS, "The call did what it was asked for."),
    ROW(HSA_STATUS_INFO_BREAK, "A callback ended the iteration early."),
    ROW(HSA_STATUS_ERROR, "The call failed for a reason that has no code of its own."),
    ROW(HSA_STATUS_ERROR_INVALID_ARGUMENT, "An argument has a value that is not allowed, such as a null pointer."),
    ROW(HSA_STATUS_ERROR_INVALID_QUEUE_CREATION, "This agent has no queue of the requested type."),
    ROW(HSA_STATUS_ERROR_INVALID_ALLOCATION, "No such amount or kind of memory can be allocated here."),
    ROW(HSA_STATUS_ERROR_INVALID_AGENT, "The handle is not one of an agent."),
    ROW(HSA_STATUS_ERROR_INVALID_REGION, "The handle is not one of a memory region."),
    ROW(HSA_STATUS_ERROR_INVALID_SIGNAL, "The handle is not one of a live signal."),
    ROW(HSA_STATUS_ERROR_INVALID_QUEUE, "The pointer is not one of a live queue."),
    ROW(HSA_STATUS_ERROR_OUT_OF_RESOURCES, "Memory, queues, events or another limited resource is used up."),
    ROW(HSA_STATUS_ERROR_INVALID_PACKET_FORMAT, "A packet in the queue has a type or fields that make no sense."),
    ROW(HSA_STATUS_ERROR_RESOURCE_FREE, "A resource could not be given back."),
    ROW(HSA_STATUS_ERROR_NOT_INITIALIZED, "The runtime is not open: call hsa_init first."),
    ROW(HSA_STATUS_ERROR_REFCOUNT_OVERFLOW, "hsa_init was called more often than can be counted."),
    ROW(HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS, "The arguments are valid one by one but do not fit together."),
    ROW(HSA_STATUS_ERROR_INVALID_INDEX, "The index is beyond the number of elements."),
    ROW(HSA_STATUS_ERROR_INVALID_ISA, "The handle is not one of an instruction set."),
    ROW(HSA_STATUS_ERROR_INVALID_ISA_NAME, "No known instruction set has this name."),
    ROW(HSA_STATUS_ERROR_INVALID_CODE_OBJECT, "The bytes are not a well-formed code object."),
    ROW(HSA_STATUS_ERROR_INVALID_EXECUTABLE, "The handle is not one of a live executable."),
    ROW(HSA_STATUS_ERROR_FROZEN_EXECUTABLE, "The executable is frozen and takes nothing more."),
    ROW(HSA_STATUS_ERROR_INVALID_SYMBOL_NAME, "There is no symbol of this name."),
    ROW(HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED, "The variable has a definition already."),
    ROW(HSA_STATUS_ERROR_VARIABLE_UNDEFINED, "A variable is used that nobody defines."),
    ROW(HSA_STATUS_ERROR_EXCEPTION, "A kernel raised an exception, for instance by a trap or a failed assertion."),
    ROW(HSA_STATUS_ERROR_INVALID_CODE_SYMBOL, "The handle is not one of a code object's symbol."),
    ROW(HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL, "The handle is not one of an executable's symbol."),
    ROW(HSA_STATUS_ERROR_INVALID_FILE, "The file descriptor cannot be read."),
    ROW(HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER, "The handle is not one of a live code object reader."),
    ROW(HSA_STATUS_ERROR_INVALID_CACHE, "The handle is not one of a cache."),
    ROW(HSA_STATUS_ERROR_INVALID_WAVEFRONT, "The handle is not one of a kind of wavefront."),
    ROW(HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP, "The handle is not one of a live signal group."),
    ROW(HSA_STATUS_ERROR_INVALID_RUNTIME_STATE, "The runtime is in a state that does not allow this call."),
    ROW(HSA_STATUS_ERROR_FATAL, "The queue or the device failed and cannot go on."),
    ROW(HSA_STATUS_ERROR_INVALID_MEMORY_POOL, "The handle is not one of a memory pool."),
    ROW(HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION, "A kernel accessed memory outside the aperture of its segment."),
    ROW(HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION, "A kernel met an instruction that its target does not have."),
    ROW(HSA_STATUS_ERROR_MEMORY_FAULT, "A kernel accessed memory that is not mapped, or not in this way."),
    ROW(HSA_STATUS_CU_MASK_REDUCED, "The mask of compute units was applied with fewer units than asked for."),
    ROW(HSA_STATUS_ERROR_OUT_OF_REGISTERS, "A kernel needs more registers than a compute unit has."),
    ROW(HSA_STATUS_ERROR_RESOURCE_BUSY, "The resource is in use."),
    ROW(HSA_STATUS_ERROR_NOT_SUPPORTED, "This is not possible on this system or not implemented."),
    ROW(HSA_EXT_STATUS_ERROR_INVALID_PROGRAM, "The handle is not one of a program."),
    ROW(HSA_EXT_STATUS_ERROR_INVALID_MODULE, "The module is not well-formed."),
    ROW(HSA_EXT_STATUS_ERROR_INCOMPATIBLE_MODULE, "The module does not fit the program."),
    ROW(HSA_EXT_STATUS_ERROR_MODULE_ALREADY_INCLUDED, "The program has this module already."),
    ROW(HSA_EXT_STATUS_ERROR_SYMBOL_MISMATCH, "Two modules declare a symbol differently."),
    ROW(HSA_EXT_STATUS_ERROR_FINALIZATION_FAILED, "The program could not be finalized."),
    ROW(HSA_EXT_STATUS_ERROR_DIRECTIVE_MISMATCH, "Control directives contradict each other."),
    ROW(HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED, "The agent does not know this image format."),
    ROW(HSA_EXT_STATUS_ERROR_IMAGE_SIZE_UNSUPPORTED, "The image is larger than the agent allows."),
    ROW(HSA_EXT_STATUS_ERROR_IMAGE_PITCH_UNSUPPORTED, "The agent does not allow this pitch."),
    ROW(HSA_EXT_STATUS_ERROR_SAMPLER_DESCRIPTOR_UNSUPPORTED, "The agent does not know such a sampler."),
};
#undef ROW

const Text* find(hsa_status_t status) {
  for (const Text& t : kTexts)
    if (t.code == static_cast<int>(status)) return &t;
  return nullptr;
}

} // namespace

Outcome::Outcome(const Status& status)
    : code_(from_code(status.code())), message_(status.message()), at_(status.where()) {}

Outcome null_argument(const char* name, std::source_location at) {
  return Outcome(HSA_STATUS_ERROR_INVALID_ARGUMENT, fmt::format("{} is null", name), at);
}

const char* status_name(hsa_status_t status) {
  const Text* t = find(status);
  return t ? t->name : "unknown status";
}

const char* status_text(hsa_status_t status) {
  const Text* t = find(status);
  return t ? t->text : nullptr;
}

} // namespace bz::rocr
