// Channel formats of arrays and textures: hipCreateChannelDesc and its templates.
#ifndef BZ_HIP_CHANNEL_DESCRIPTOR_H
#define BZ_HIP_CHANNEL_DESCRIPTOR_H

#include <hip/driver_types.h>

#ifdef __cplusplus
extern "C" {
#endif
/// A channel format from the bits of its four components.
hipChannelFormatDesc hipCreateChannelDesc(int x, int y, int z, int w, hipChannelFormatKind f);
#ifdef __cplusplus
}

static inline hipChannelFormatDesc hipCreateChannelDescHalf() {
  return hipCreateChannelDesc(16, 0, 0, 0, hipChannelFormatKindFloat);
}
static inline hipChannelFormatDesc hipCreateChannelDescHalf1() {
  return hipCreateChannelDesc(16, 0, 0, 0, hipChannelFormatKindFloat);
}
static inline hipChannelFormatDesc hipCreateChannelDescHalf2() {
  return hipCreateChannelDesc(16, 16, 0, 0, hipChannelFormatKindFloat);
}
static inline hipChannelFormatDesc hipCreateChannelDescHalf4() {
  return hipCreateChannelDesc(16, 16, 16, 16, hipChannelFormatKindFloat);
}

namespace bz_hip_detail {
template <class T> struct channel_kind {
  static const hipChannelFormatKind value = hipChannelFormatKindNone;
};
#define BZ_HIP_CHANNEL(T, K)                                                                                           \
  template <> struct channel_kind<T> {                                                                                 \
    static const hipChannelFormatKind value = hipChannelFormatKind##K;                                                 \
  };
BZ_HIP_CHANNEL(char, Signed)
BZ_HIP_CHANNEL(signed char, Signed)
BZ_HIP_CHANNEL(unsigned char, Unsigned)
BZ_HIP_CHANNEL(short, Signed)
BZ_HIP_CHANNEL(unsigned short, Unsigned)
BZ_HIP_CHANNEL(int, Signed)
BZ_HIP_CHANNEL(unsigned int, Unsigned)
BZ_HIP_CHANNEL(long, Signed)
BZ_HIP_CHANNEL(unsigned long, Unsigned)
BZ_HIP_CHANNEL(float, Float)
#undef BZ_HIP_CHANNEL

// A vector type of one to four components of S, told by its members.
template <class S, int N> inline hipChannelFormatDesc channel_format() {
  const int bits = 8 * (int)sizeof(S);
  return hipCreateChannelDesc(bits, N > 1 ? bits : 0, N > 2 ? bits : 0, N > 3 ? bits : 0, channel_kind<S>::value);
}
template <class T, bool IsVector> struct channel_of {
  static hipChannelFormatDesc get() { return channel_format<T, 1>(); }
};
template <class T> T make_value();
template <class T> struct bare {
  typedef T type;
};
template <class T> struct bare<T&> {
  typedef typename bare<T>::type type;
};
template <class T> struct bare<const T> {
  typedef T type;
};
template <class T> struct channel_of<T, true> {
  typedef typename bare<decltype(make_value<T&>().x)>::type component;
  static hipChannelFormatDesc get() { return channel_format<component, (int)(sizeof(T) / sizeof(component))>(); }
};
template <class T> char (&has_x(decltype(&make_value<T&>().x)))[2];
template <class T> char (&has_x(...))[1];
} // namespace bz_hip_detail

/// The channel format of a scalar or vector type; hipChannelFormatKindNone for a type that no array can hold.
template <typename T> inline hipChannelFormatDesc hipCreateChannelDesc() {
  return bz_hip_detail::channel_of<T, sizeof(bz_hip_detail::has_x<T>(0)) == 2>::get();
}
#endif

#endif
