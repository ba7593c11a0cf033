// What NativeHelpers::matrix is, for each level of the engine. Must not know kernels or workgroups.
#pragma once
#include "exec/native/abi.hpp"

namespace bz::exec {

void run_matrix_256(Wave* wave, uint8_t* rows, const uint32_t* program);
void run_matrix_512(Wave* wave, uint8_t* rows, const uint32_t* program);

} // namespace bz::exec
