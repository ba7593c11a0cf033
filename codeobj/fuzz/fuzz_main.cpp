// libFuzzer entry. Run: codeobj_fuzz -max_len=65536 <corpus>, with the test images as the seed corpus.
#include "codeobj/fuzz/fuzz_one.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  bz::codeobj::fuzz_one(bz::codeobj::as_bytes(data, size));
  return 0;
}
