// Preprocessor: a row's (type, name) pairs as parameters, as arguments. Knows no function.
#pragma once

#define BZ_PAIR_DECL(type, name) type name
#define BZ_PAIR_TYPE(type, name) type
#define BZ_PAIR_NAME(type, name) name

// Up to nine pairs; the count picks the macro.
#define BZ_MAP_0(m)
#define BZ_MAP_1(m, a) m a
#define BZ_MAP_2(m, a, ...) m a, BZ_MAP_1(m, __VA_ARGS__)
#define BZ_MAP_3(m, a, ...) m a, BZ_MAP_2(m, __VA_ARGS__)
#define BZ_MAP_4(m, a, ...) m a, BZ_MAP_3(m, __VA_ARGS__)
#define BZ_MAP_5(m, a, ...) m a, BZ_MAP_4(m, __VA_ARGS__)
#define BZ_MAP_6(m, a, ...) m a, BZ_MAP_5(m, __VA_ARGS__)
#define BZ_MAP_7(m, a, ...) m a, BZ_MAP_6(m, __VA_ARGS__)
#define BZ_MAP_8(m, a, ...) m a, BZ_MAP_7(m, __VA_ARGS__)
#define BZ_MAP_9(m, a, ...) m a, BZ_MAP_8(m, __VA_ARGS__)
#define BZ_PICK(_0, _1, _2, _3, _4, _5, _6, _7, _8, _9, picked, ...) picked
#define BZ_MAP(m, ...)                                                                                                 \
  BZ_PICK(_ __VA_OPT__(, ) __VA_ARGS__, BZ_MAP_9, BZ_MAP_8, BZ_MAP_7, BZ_MAP_6, BZ_MAP_5, BZ_MAP_4, BZ_MAP_3,          \
          BZ_MAP_2, BZ_MAP_1, BZ_MAP_0)                                                                                \
  (m __VA_OPT__(, ) __VA_ARGS__)

#define BZ_PARAMS(...) BZ_MAP(BZ_PAIR_DECL __VA_OPT__(, ) __VA_ARGS__)
#define BZ_TYPES(...) BZ_MAP(BZ_PAIR_TYPE __VA_OPT__(, ) __VA_ARGS__)
#define BZ_NAMES(...) BZ_MAP(BZ_PAIR_NAME __VA_OPT__(, ) __VA_ARGS__)

// Implementations of Opened rows get the library first.
#define BZ_FIRST_PARAM_Opened Library&
#define BZ_FIRST_PARAM_Anytime State&
#define BZ_ROW_IMPL_PARAMS(trait, ...) BZ_FIRST_PARAM_##trait __VA_OPT__(, ) BZ_PARAMS(__VA_ARGS__)
