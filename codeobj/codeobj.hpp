// The public header of the room: bytes of code objects, bundles and fat binaries to typed facts, and the loader core.
// Owns no GPU memory and runs nothing; must not know queues, agents, HIP handles or instructions.
//
//   auto device = codeobj::TargetId::parse("gfx942:sramecc+:xnack-");
//   auto picked = codeobj::pick_code_object(image, *device);      // ELF, bundle or compressed bundle -> one ELF
//   auto object = codeobj::CodeObject::parse(picked->elf());      // header, symbols, kernels, metadata; all checked
//   auto layout = object->layout();                               // size and alignment of the memory it wants
//   codeobj::load(*object, host_span, device_address, resolver);  // segments and relocations
#pragma once
#include "codeobj/bundle.hpp"
#include "codeobj/code_object.hpp"
#include "codeobj/kernel_descriptor.hpp"
#include "codeobj/loader.hpp"
#include "codeobj/metadata.hpp"
#include "codeobj/target_id.hpp"
