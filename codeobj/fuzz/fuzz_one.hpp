// Everything the room does with one untrusted image; must neither crash nor run for long, whatever the bytes are.
// Shared by the libFuzzer driver and the mutation test.
#pragma once
#include "codeobj/bytes.hpp"

namespace bz::codeobj {

/// Parses, looks up and loads; returns true if the image was accepted as anything.
bool fuzz_one(Bytes image);

} // namespace bz::codeobj
