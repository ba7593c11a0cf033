// Takes the (type, argument) pairs of a row of api/hip_*.def apart. Knows the preprocessor and nothing else.
#pragma once

#define BZ_ROW_PARENS ()
#define BZ_ROW_EXPAND(...) BZ_ROW_EXPAND3(BZ_ROW_EXPAND3(BZ_ROW_EXPAND3(__VA_ARGS__)))
#define BZ_ROW_EXPAND3(...) BZ_ROW_EXPAND2(BZ_ROW_EXPAND2(BZ_ROW_EXPAND2(__VA_ARGS__)))
#define BZ_ROW_EXPAND2(...) BZ_ROW_EXPAND1(BZ_ROW_EXPAND1(__VA_ARGS__))
#define BZ_ROW_EXPAND1(...) __VA_ARGS__
#define BZ_ROW_EACH(macro, ...) __VA_OPT__(BZ_ROW_EXPAND(BZ_ROW_STEP(macro, __VA_ARGS__)))
#define BZ_ROW_STEP(macro, pair, ...) macro pair __VA_OPT__(, BZ_ROW_AGAIN BZ_ROW_PARENS(macro, __VA_ARGS__))
#define BZ_ROW_AGAIN() BZ_ROW_STEP

#define BZ_ROW_PARAM(type, argument) type argument
#define BZ_ROW_TYPE(type, argument) type
#define BZ_ROW_NAME(type, argument) argument
#define BZ_ROW_TEXT(type, argument) #argument

/// void* dst, const void* src
#define BZ_PARAMS(...) BZ_ROW_EACH(BZ_ROW_PARAM, __VA_ARGS__)
/// void*, const void*
#define BZ_TYPES(...) BZ_ROW_EACH(BZ_ROW_TYPE, __VA_ARGS__)
/// dst, src
#define BZ_NAMES(...) BZ_ROW_EACH(BZ_ROW_NAME, __VA_ARGS__)
/// "dst", "src"
#define BZ_TEXTS(...) BZ_ROW_EACH(BZ_ROW_TEXT, __VA_ARGS__)
