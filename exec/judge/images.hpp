// Inputs of one judged image instruction: a resource, a sampler, texels and addresses that make it a sensible program. Knows
// descriptors and the order of address operands; must not know results.
#pragma once
#include "exec/judge/prepare.hpp"

namespace bz::exec::judge {

/// After the registers of all operands got random values. False: draw again.
bool prepare_image(Random& r, const isa::Inst& inst, isa::ref::Machine& m, Arena& arena);

} // namespace bz::exec::judge
