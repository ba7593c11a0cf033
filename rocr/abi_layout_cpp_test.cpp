// The same assertions as abi_layout_test.c, in C++, and the API tables, which are C++ only.
#include "abi_layout_test.c" // NOLINT

#include <hsa/hsa_api_trace.h>

int main() {
  HsaApiTableContainer all;
  return all.root.core_ == &all.core && all.root.version.minor_id == sizeof(HsaApiTable) ? 0 : 1;
}
