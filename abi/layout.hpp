// The two assertions that every frozen layout uses: a drift must fail to compile. Knows no layout itself.
#pragma once
#include <cstddef>

#define BZ_LAYOUT_SIZE(type, bytes) static_assert(sizeof(type) == (bytes), #type " has another size than its ABI")
#define BZ_LAYOUT_AT(type, field, bytes)                                                                               \
  static_assert(offsetof(type, field) == (bytes), #type "::" #field " moved from its place in the ABI")
