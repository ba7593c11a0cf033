// _amdgpu_r_debug: the list of loaded code objects in the form of a dynamic linker's r_debug, which debuggers and the
// device's fault report read. Owns the list; knows only addresses and URIs.
#pragma once
#include <cstdint>
#include <string>

namespace bz::rocr {

struct DebugMapEntry;

/// Adds a loaded code object: its URI and loaded address minus address in the file. Thread-safe.
DebugMapEntry* debug_map_add(const std::string& uri, int64_t delta);
void debug_map_remove(DebugMapEntry* entry);
/// Address of _amdgpu_r_debug.
void* debug_map_root();

} // namespace bz::rocr
