// Explicit registration of reference families: a static library drops object files whose symbols nobody names.
#pragma once

namespace bz::isa::ref {

void register_memory();
void register_typed();
void register_image();
void register_lds();
void register_cross();
void register_matrix();
void register_scalar();
void register_smem();
void register_valu_int();
void register_valu_int16();
void register_valu_float();
void register_valu_float_convert();
void register_valu_float_special();

} // namespace bz::isa::ref
