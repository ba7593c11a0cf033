// Device printf and fprintf(stderr): clang turns a call into begin, one append per argument, and is_last on the last.
// A message travels in pieces of at most 7 qwords (devicelibs/printf_protocol.h). Between begin and the first append
// nothing is sent: the descriptor carries BEGIN and, where the id will be, the flags qword.
#include "ockl.h"

#include "../printf_protocol.h"

#define ID_ONE (1ul << BZ_MESSAGE_ID_SHIFT)

CONVERGENT static ulong send(ulong descriptor, uint count, ulong v0, ulong v1, ulong v2, ulong v3, ulong v4, ulong v5,
                             ulong v6, bool last) {
  if (descriptor & BZ_MESSAGE_BEGIN) descriptor = BZ_MESSAGE_BEGIN;
  descriptor |= (ulong)count << BZ_MESSAGE_LEN_SHIFT | (last ? BZ_MESSAGE_END : 0);
  return OCKL(hostcall_preview)(BZ_SERVICE_PRINTF, descriptor, v0, v1, v2, v3, v4, v5, v6).x;
}

// Bytes i*8 .. i*8+7 of a string of n bytes; what lies beyond the end is 0 and is not read.
static ulong qword_of(const char* s, ulong n, uint i) {
  ulong at = 8ul * i;
  ulong q = 0;
  if (at + 8 <= n) {
    __builtin_memcpy(&q, s + at, 8);
  } else {
    for (uint k = 0; at + k < n; ++k) q |= (ulong)(uchar)s[at + k] << (8 * k);
  }
  return q;
}

CONVERGENT static ulong append_string(ulong descriptor, const char* s, ulong n, bool last) {
  bool null = s == 0;
  if (null) n = 0;
  for (;;) {
    bool begin = descriptor & BZ_MESSAGE_BEGIN;
    ulong flags = descriptor >> BZ_MESSAGE_ID_SHIFT;
    ulong q0 = null ? BZ_PRINTF_NULL_STRING : qword_of(s, n, 0), q1 = qword_of(s, n, 1), q2 = qword_of(s, n, 2), q3 = qword_of(s, n, 3);
    ulong q4 = qword_of(s, n, 4), q5 = qword_of(s, n, 5), q6 = qword_of(s, n, 6);
    uint room = begin ? 6 : 7;
    bool fits = n <= 8 * room;
    uint used = fits ? (n == 0 ? 1 : (uint)((n + 7) / 8)) : room; // null and empty strings are one qword
    descriptor = send(descriptor, used + begin, begin ? flags : q0, begin ? q0 : q1, begin ? q1 : q2, begin ? q2 : q3,
                      begin ? q3 : q4, begin ? q4 : q5, begin ? q5 : q6, last && fits);
    if (fits) return descriptor;
    s += 8 * room;
    n -= 8 * room;
  }
}

CONVERGENT static ulong append_args(ulong descriptor, uint count, ulong v0, ulong v1, ulong v2, ulong v3, ulong v4, ulong v5,
                                    ulong v6, bool last) {
  if (descriptor & BZ_MESSAGE_BEGIN) // a message that doesn't start with its format; the flags go alone
    descriptor = send(descriptor, 1, descriptor >> BZ_MESSAGE_ID_SHIFT, 0, 0, 0, 0, 0, 0, false);
  return send(descriptor, count, v0, v1, v2, v3, v4, v5, v6, last);
}

ulong OCKL(fprintf_stdout_begin)(void) { return BZ_MESSAGE_BEGIN; }
ulong OCKL(fprintf_stderr_begin)(void) { return BZ_MESSAGE_BEGIN | ID_ONE * BZ_PRINTF_STDERR; }
ulong OCKL(printf_begin)(ulong ignored) { return BZ_MESSAGE_BEGIN; }

#define APPENDERS(prefix)                                                                                              \
  CONVERGENT ulong OCKL(prefix##_append_args)(ulong descriptor, uint count, ulong v0, ulong v1, ulong v2, ulong v3,    \
                                              ulong v4, ulong v5, ulong v6, uint is_last) {                            \
    return append_args(descriptor, count, v0, v1, v2, v3, v4, v5, v6, is_last != 0);                                   \
  }                                                                                                                    \
  CONVERGENT __attribute__((noinline)) ulong OCKL(prefix##_append_string_n)(ulong descriptor, const char* data,        \
                                                                            ulong length, uint is_last) {              \
    return append_string(descriptor, data, length, is_last != 0);                                                      \
  }
APPENDERS(printf)
APPENDERS(fprintf)
