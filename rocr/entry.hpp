// The tables of entry points, from which the exported functions call and which a tool may change. Owns the tables;
// knows nothing of what the functions do.
#pragma once
#include "rocr/api_types.hpp"

namespace bz::rocr {

/// The tables in use: entries point to the runtime until a tool library replaces them.
HsaApiTable& api_table();
/// Puts the runtime's own entries back.
void reset_api_table();

/// Fills a hsa_ven_amd_loader_1_0x_pfn_t of `bytes` bytes.
void fill_loader_table(void* table, size_t bytes);
void fill_image_table(void* table, size_t bytes);

} // namespace bz::rocr
