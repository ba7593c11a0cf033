// Copies and fills. Kinds are checked, then ignored where the pointers say more: addresses are unique in the process.
#include "base/log.hpp"
#include "hip/runtime/impl.hpp"
#include "hip/runtime/memory.hpp"
#include "hip/runtime/module.hpp"
#include "hip/runtime/registry.hpp"

#include <cstring>

namespace bz::hip {
namespace {

uintptr_t number(const void* p) { return reinterpret_cast<uintptr_t>(p); }

enum class When { sync, async };

/// One side of a copy: where the bytes are for HSA and who is near them.
struct Side {
  void* address = nullptr;
  hsa_agent_t agent{};
  bool pinned = false; ///< known to HIP: the copy engine can reach it
};

Outcome<Side> side(const char* what, const void* pointer, size_t size) {
  auto& runtime = Runtime::get();
  auto a = check_range(what, pointer, size);
  if (!a.ok()) return a.result();
  Side s;
  s.address = const_cast<void*>(pointer);
  s.agent = runtime.host().agent;
  if (*a) {
    const auto& allocation = **a;
    s.pinned = true;
    s.address = reinterpret_cast<void*>(allocation.device_base + (number(pointer) - allocation.base));
    if (allocation.on_device()) s.agent = runtime.devices()[size_t(allocation.device)]->agent();
  }
  return s;
}

Result check_kind(hipMemcpyKind kind) {
  switch (kind) {
  case hipMemcpyHostToHost:
  case hipMemcpyHostToDevice:
  case hipMemcpyDeviceToHost:
  case hipMemcpyDeviceToDevice:
  case hipMemcpyDefault:
  case hipMemcpyDeviceToDeviceNoCU:
    return {};
  }
  return fail(hipErrorInvalidMemcpyDirection, "copy kind {} doesn't exist", static_cast<int>(kind));
}

Status copy_now(void* dst, const void* src, size_t size) {
  return hsa_check(hsa_memory_copy(dst, src, size), "copying memory");
}

/// A box of rows; a plain copy is one row.
struct Box {
  char* dst;
  const char* src;
  size_t width, height = 1, depth = 1;
  size_t dst_pitch = 0, src_pitch = 0; ///< from row to row
  size_t dst_slice = 0, src_slice = 0; ///< from slice to slice

  bool empty() const { return width == 0 || height == 0 || depth == 0; }
  /// Bytes from the first to the end of the last row.
  static size_t span(size_t width, size_t height, size_t depth, size_t pitch, size_t slice) {
    return (depth - 1) * slice + (height - 1) * pitch + width;
  }
  size_t dst_span() const { return span(width, height, depth, dst_pitch, dst_slice); }
  size_t src_span() const { return span(width, height, depth, src_pitch, src_slice); }
  /// Rows that follow each other without gaps are one row.
  Box merged() const {
    Box b = *this;
    if (b.height > 1 && b.dst_pitch == b.width && b.src_pitch == b.width) {
      b.width *= b.height;
      b.height = 1;
    }
    if (b.depth > 1 && b.height == 1 && b.dst_slice == b.width && b.src_slice == b.width) {
      b.width *= b.depth;
      b.depth = 1;
    }
    return b;
  }
};

Status copy_box_now(const Box& b) {
  for (size_t z = 0; z < b.depth; ++z)
    for (size_t y = 0; y < b.height; ++y)
      BZ_TRY(copy_now(b.dst + z * b.dst_slice + y * b.dst_pitch, b.src + z * b.src_slice + y * b.src_pitch, b.width));
  return {};
}

Result copy_box(Box box, hipMemcpyKind kind, hipStream_t stream, When when) {
  HIP_TRY(check_kind(kind));
  HIP_TRY_ASSIGN(StreamPtr s, Runtime::get().stream(stream));
  if (box.empty()) return {};
  HIP_NONNULL_AS(box.dst, "dst");
  HIP_NONNULL_AS(box.src, "src");
  HIP_TRY_ASSIGN(Side dst, side("dst", box.dst, box.dst_span()));
  HIP_TRY_ASSIGN(Side src, side("src", box.src, box.src_span()));
  box.dst = static_cast<char*>(dst.address);
  box.src = static_cast<const char*>(src.address);
  box = box.merged();
  // Pageable memory may change or go once the call returns: such a copy is over by then, as on hardware.
  if (when == When::sync || !dst.pinned || !src.pinned) return s->host_now([&] { return copy_box_now(box); });
  if (box.height == 1 && box.depth == 1) {
    HIP_TRY(s->copy(box.dst, dst.agent, box.src, src.agent, box.width));
    return {};
  }
  return s->host_or_now([box] { return copy_box_now(box); });
}

Result copy_linear(void* dst, const void* src, size_t size, hipMemcpyKind kind, hipStream_t stream, When when) {
  return copy_box({.dst = static_cast<char*>(dst), .src = static_cast<const char*>(src), .width = size}, kind, stream,
                  when);
}

Result copy_2d(void* dst, size_t dst_pitch, const void* src, size_t src_pitch, size_t width, size_t height,
               hipMemcpyKind kind, hipStream_t stream, When when) {
  if (width > dst_pitch || width > src_pitch)
    return fail(hipErrorInvalidPitchValue, "rows of {} bytes don't fit pitches of {} and {}", width, dst_pitch,
                src_pitch);
  return copy_box({.dst = static_cast<char*>(dst),
                   .src = static_cast<const char*>(src),
                   .width = width,
                   .height = height,
                   .dst_pitch = dst_pitch,
                   .src_pitch = src_pitch},
                  kind, stream, when);
}

Result copy_3d(const hipMemcpy3DParms* p, hipStream_t stream, When when) {
  HIP_NONNULL(p);
  if (p->srcArray || p->dstArray)
    return Result(hipErrorNotSupported, "copies from and to arrays are not implemented: use pitched pointers");
  const auto& [w, h, d] = p->extent;
  if (w == 0 || h == 0 || d == 0) return check_kind(p->kind);
  if (w > p->srcPtr.pitch || w > p->dstPtr.pitch)
    return fail(hipErrorInvalidPitchValue, "rows of {} bytes don't fit pitches of {} and {}", w, p->dstPtr.pitch,
                p->srcPtr.pitch);
  auto at = [](const hipPitchedPtr& ptr, const hipPos& pos) {
    return static_cast<char*>(ptr.ptr) + (pos.z * ptr.ysize + pos.y) * ptr.pitch + pos.x;
  };
  HIP_NONNULL(p->dstPtr.ptr);
  HIP_NONNULL(p->srcPtr.ptr);
  return copy_box({.dst = at(p->dstPtr, p->dstPos),
                   .src = at(p->srcPtr, p->srcPos),
                   .width = w,
                   .height = h,
                   .depth = d,
                   .dst_pitch = p->dstPtr.pitch,
                   .src_pitch = p->srcPtr.pitch,
                   .dst_slice = p->dstPtr.pitch * p->dstPtr.ysize,
                   .src_slice = p->srcPtr.pitch * p->srcPtr.ysize},
                  p->kind, stream, when);
}

Result copy_3d_peer(const hipMemcpy3DPeerParms* p, hipStream_t stream, When when) {
  HIP_NONNULL(p);
  HIP_TRY(Runtime::get().device(p->srcDevice));
  HIP_TRY(Runtime::get().device(p->dstDevice));
  hipMemcpy3DParms plain{};
  plain.srcArray = p->srcArray;
  plain.srcPos = p->srcPos;
  plain.srcPtr = p->srcPtr;
  plain.dstArray = p->dstArray;
  plain.dstPos = p->dstPos;
  plain.dstPtr = p->dstPtr;
  plain.extent = p->extent;
  plain.kind = hipMemcpyDefault;
  return copy_3d(&plain, stream, when);
}

/// The pointer that a memory type of the driver API selects.
template <class Pointer>
Outcome<Pointer> select(const char* what, hipMemoryType type, Pointer host, hipDeviceptr_t device) {
  switch (type) {
  case hipMemoryTypeHost:
    return host;
  case hipMemoryTypeDevice:
  case hipMemoryTypeUnified:
  case hipMemoryTypeManaged:
    return Pointer(device);
  case hipMemoryTypeArray:
    return fail(hipErrorNotSupported, "{}: copies from and to arrays are not implemented", what);
  case hipMemoryTypeUnregistered:
    break;
  }
  return fail(hipErrorInvalidValue, "{}: memory type {} doesn't exist", what, static_cast<int>(type));
}

Result copy_param_2d(const hip_Memcpy2D* c, hipStream_t stream, When when) {
  HIP_NONNULL_AS(c, "pCopy");
  HIP_TRY_ASSIGN(const void* src, select<const void*>("source", c->srcMemoryType, c->srcHost, c->srcDevice));
  HIP_TRY_ASSIGN(void* dst, select<void*>("destination", c->dstMemoryType, c->dstHost, c->dstDevice));
  if (c->WidthInBytes == 0 || c->Height == 0) return {};
  HIP_NONNULL(src);
  HIP_NONNULL(dst);
  const size_t sp = c->srcPitch ? c->srcPitch : c->srcXInBytes + c->WidthInBytes;
  const size_t dp = c->dstPitch ? c->dstPitch : c->dstXInBytes + c->WidthInBytes;
  if (c->srcXInBytes + c->WidthInBytes > sp || c->dstXInBytes + c->WidthInBytes > dp)
    return fail(hipErrorInvalidValue, "rows of {} bytes don't fit pitches of {} and {}", c->WidthInBytes, dp, sp);
  return copy_2d(static_cast<char*>(dst) + c->dstY * dp + c->dstXInBytes, dp,
                 static_cast<const char*>(src) + c->srcY * sp + c->srcXInBytes, sp, c->WidthInBytes, c->Height,
                 hipMemcpyDefault, stream, when);
}

Result copy_drv_3d(const HIP_MEMCPY3D* c, hipStream_t stream, When when) {
  HIP_NONNULL_AS(c, "pCopy");
  HIP_TRY_ASSIGN(const void* src, select<const void*>("source", c->srcMemoryType, c->srcHost, c->srcDevice));
  HIP_TRY_ASSIGN(void* dst, select<void*>("destination", c->dstMemoryType, c->dstHost, c->dstDevice));
  hipMemcpy3DParms p{};
  p.extent = {c->WidthInBytes, c->Height, c->Depth};
  p.srcPtr = {const_cast<void*>(src), c->srcPitch ? c->srcPitch : c->srcXInBytes + c->WidthInBytes, c->WidthInBytes,
              c->srcHeight ? c->srcHeight : c->srcY + c->Height};
  p.dstPtr = {dst, c->dstPitch ? c->dstPitch : c->dstXInBytes + c->WidthInBytes, c->WidthInBytes,
              c->dstHeight ? c->dstHeight : c->dstY + c->Height};
  p.srcPos = {c->srcXInBytes, c->srcY, c->srcZ};
  p.dstPos = {c->dstXInBytes, c->dstY, c->dstZ};
  p.kind = hipMemcpyDefault;
  return copy_3d(&p, stream, when);
}

// ---- Fills ----------------------------------------------------------------------------------------------------------

/// A value of 1, 2 or 4 bytes, repeated over a box.
struct Fill {
  char* dst;
  uint32_t value;
  unsigned element; ///< bytes
  size_t width;     ///< bytes of a row
  size_t height = 1, depth = 1, pitch = 0, slice = 0;
  bool device; ///< not memory of the host
};

/// The value as 32-bit pattern.
uint32_t pattern(uint32_t value, unsigned element) {
  return element == 1 ? (value & 0xff) * 0x01010101u : element == 2 ? (value & 0xffff) * 0x00010001u : value;
}

Status fill_row(const Fill& f, char* row) {
  const uint32_t word = pattern(f.value, f.element);
  if (!f.device) {
    if (f.element == 1) {
      std::memset(row, int(f.value & 0xff), f.width);
    } else {
      for (size_t i = 0; i < f.width; i += f.element) std::memcpy(row + i, &word, f.element);
    }
    return {};
  }
  // HSA fills aligned 32-bit words; what stands before and after them is copied.
  char edge[4];
  std::memcpy(edge, &word, 4);
  const size_t head = std::min<size_t>((4 - number(row) % 4) % 4, f.width);
  const size_t words = (f.width - head) / 4, tail = f.width - head - words * 4;
  if (head) BZ_TRY(copy_now(row, edge, head));
  // With an odd head of 16-bit elements the pattern repeats the same; 1-byte patterns always do.
  if (words) BZ_TRY(hsa_check(hsa_amd_memory_fill(row + head, word, words), "filling memory"));
  if (tail) BZ_TRY(copy_now(row + head + words * 4, edge, tail));
  return {};
}

Result fill(Fill f, hipStream_t stream, When when) {
  HIP_TRY_ASSIGN(StreamPtr s, Runtime::get().stream(stream));
  if (f.width == 0 || f.height == 0 || f.depth == 0) return {};
  HIP_NONNULL_AS(f.dst, "dst");
  if (number(f.dst) % f.element != 0)
    return fail(hipErrorInvalidValue, "{} is not aligned to elements of {} bytes", static_cast<void*>(f.dst),
                f.element);
  HIP_TRY_ASSIGN(auto a, check_range("dst", f.dst, Box::span(f.width, f.height, f.depth, f.pitch, f.slice)));
  if (!a)
    return fail(hipErrorInvalidValue, "{} was not allocated by HIP: fills need memory of hipMalloc and kin",
                static_cast<void*>(f.dst));
  f.device = a->on_device();
  auto work = [f]() -> Status {
    for (size_t z = 0; z < f.depth; ++z)
      for (size_t y = 0; y < f.height; ++y) BZ_TRY(fill_row(f, f.dst + z * f.slice + y * f.pitch));
    return {};
  };
  return when == When::sync ? s->host_now(work) : s->host_or_now(work);
}

Result fill_linear(void* dst, uint32_t value, unsigned element, size_t count, hipStream_t stream, When when) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, size_t(element), &bytes))
    return fail(hipErrorInvalidValue, "{} elements overflow the address space", count);
  return fill({.dst = static_cast<char*>(dst), .value = value, .element = element, .width = bytes, .device = true},
              stream, when);
}

Result fill_2d(void* dst, size_t pitch, uint32_t value, unsigned element, size_t width, size_t height,
               hipStream_t stream, When when) {
  const size_t bytes = width * element;
  if (height > 1 && bytes > pitch)
    return fail(hipErrorInvalidValue, "rows of {} bytes don't fit a pitch of {}", bytes, pitch);
  return fill({.dst = static_cast<char*>(dst),
               .value = value,
               .element = element,
               .width = bytes,
               .height = height,
               .pitch = pitch,
               .device = true},
              stream, when);
}

Result fill_3d(hipPitchedPtr p, int value, hipExtent e, hipStream_t stream, When when) {
  if (e.width > p.pitch)
    return fail(hipErrorInvalidValue, "rows of {} bytes don't fit a pitch of {}", e.width, p.pitch);
  return fill({.dst = static_cast<char*>(p.ptr),
               .value = uint32_t(value),
               .element = 1,
               .width = e.width,
               .height = e.height,
               .depth = e.depth,
               .pitch = p.pitch,
               .slice = p.pitch * p.ysize,
               .device = true},
              stream, when);
}

// ---- Symbols --------------------------------------------------------------------------------------------------------

Outcome<char*> symbol_part(const void* symbol, size_t size, size_t offset) {
  auto& runtime = Runtime::get();
  auto v = runtime.registry().variable(symbol, runtime.current());
  if (!v.ok()) return v.result();
  if (offset > v->size || size > v->size - offset)
    return fail(hipErrorInvalidValue, "{} bytes at offset {} don't fit the variable's {} bytes", size, offset, v->size);
  return static_cast<char*>(v->address) + offset;
}

Result to_symbol(const void* symbol, const void* src, size_t size, size_t offset, hipMemcpyKind kind,
                 hipStream_t stream, When when) {
  if (kind == hipMemcpyDeviceToHost || kind == hipMemcpyHostToHost)
    return Result(hipErrorInvalidMemcpyDirection, "a device variable is the destination of this copy");
  HIP_NONNULL(src);
  HIP_TRY_ASSIGN(char* dst, symbol_part(symbol, size, offset));
  return copy_linear(dst, src, size, kind, stream, when);
}

Result from_symbol(void* dst, const void* symbol, size_t size, size_t offset, hipMemcpyKind kind, hipStream_t stream,
                   When when) {
  if (kind == hipMemcpyHostToDevice || kind == hipMemcpyHostToHost)
    return Result(hipErrorInvalidMemcpyDirection, "a device variable is the source of this copy");
  HIP_NONNULL(dst);
  HIP_TRY_ASSIGN(char* src, symbol_part(symbol, size, offset));
  return copy_linear(dst, src, size, kind, stream, when);
}

} // namespace

namespace impl {

constexpr When kSync = When::sync, kAsync = When::async;

Result hipMemcpy(void* d, const void* s, size_t n, hipMemcpyKind k) { return copy_linear(d, s, n, k, nullptr, kSync); }
Result hipMemcpyWithStream(void* d, const void* s, size_t n, hipMemcpyKind k, hipStream_t q) {
  return copy_linear(d, s, n, k, q, kSync);
}
Result hipMemcpyAsync(void* d, const void* s, size_t n, hipMemcpyKind k, hipStream_t q) {
  return copy_linear(d, s, n, k, q, kAsync);
}
Result hipMemcpyHtoD(hipDeviceptr_t d, const void* s, size_t n) {
  return copy_linear(d, s, n, hipMemcpyHostToDevice, nullptr, kSync);
}
Result hipMemcpyDtoH(void* d, hipDeviceptr_t s, size_t n) {
  return copy_linear(d, s, n, hipMemcpyDeviceToHost, nullptr, kSync);
}
Result hipMemcpyDtoD(hipDeviceptr_t d, hipDeviceptr_t s, size_t n) {
  return copy_linear(d, s, n, hipMemcpyDeviceToDevice, nullptr, kSync);
}
Result hipMemcpyHtoDAsync(hipDeviceptr_t d, const void* s, size_t n, hipStream_t q) {
  return copy_linear(d, s, n, hipMemcpyHostToDevice, q, kAsync);
}
Result hipMemcpyDtoHAsync(void* d, hipDeviceptr_t s, size_t n, hipStream_t q) {
  return copy_linear(d, s, n, hipMemcpyDeviceToHost, q, kAsync);
}
Result hipMemcpyDtoDAsync(hipDeviceptr_t d, hipDeviceptr_t s, size_t n, hipStream_t q) {
  return copy_linear(d, s, n, hipMemcpyDeviceToDevice, q, kAsync);
}
Result hipMemcpyPeer(void* d, int dd, const void* s, int sd, size_t n) {
  HIP_TRY(Runtime::get().device(dd));
  HIP_TRY(Runtime::get().device(sd));
  return copy_linear(d, s, n, hipMemcpyDeviceToDevice, nullptr, kSync);
}
Result hipMemcpyPeerAsync(void* d, int dd, const void* s, int sd, size_t n, hipStream_t q) {
  HIP_TRY(Runtime::get().device(dd));
  HIP_TRY(Runtime::get().device(sd));
  return copy_linear(d, s, n, hipMemcpyDeviceToDevice, q, kAsync);
}
Result hipMemcpy2D(void* d, size_t dp, const void* s, size_t sp, size_t w, size_t h, hipMemcpyKind k) {
  return copy_2d(d, dp, s, sp, w, h, k, nullptr, kSync);
}
Result hipMemcpy2DAsync(void* d, size_t dp, const void* s, size_t sp, size_t w, size_t h, hipMemcpyKind k,
                        hipStream_t q) {
  return copy_2d(d, dp, s, sp, w, h, k, q, kAsync);
}
Result hipMemcpyParam2D(const hip_Memcpy2D* c) { return copy_param_2d(c, nullptr, kSync); }
Result hipMemcpyParam2DAsync(const hip_Memcpy2D* c, hipStream_t q) { return copy_param_2d(c, q, kAsync); }
Result hipDrvMemcpy2DUnaligned(const hip_Memcpy2D* c) { return copy_param_2d(c, nullptr, kSync); }
Result hipMemcpy3D(const hipMemcpy3DParms* p) { return copy_3d(p, nullptr, kSync); }
Result hipMemcpy3DAsync(const hipMemcpy3DParms* p, hipStream_t q) { return copy_3d(p, q, kAsync); }
Result hipMemcpy3DPeer(hipMemcpy3DPeerParms* p) { return copy_3d_peer(p, nullptr, kSync); }
Result hipMemcpy3DPeerAsync(hipMemcpy3DPeerParms* p, hipStream_t q) { return copy_3d_peer(p, q, kAsync); }
Result hipDrvMemcpy3D(const HIP_MEMCPY3D* c) { return copy_drv_3d(c, nullptr, kSync); }
Result hipDrvMemcpy3DAsync(const HIP_MEMCPY3D* c, hipStream_t q) { return copy_drv_3d(c, q, kAsync); }

Result hipMemset(void* d, int v, size_t n) { return fill_linear(d, uint32_t(v), 1, n, nullptr, kSync); }
Result hipMemsetAsync(void* d, int v, size_t n, hipStream_t q) { return fill_linear(d, uint32_t(v), 1, n, q, kAsync); }
Result hipMemsetD8(hipDeviceptr_t d, unsigned char v, size_t n) { return fill_linear(d, v, 1, n, nullptr, kSync); }
Result hipMemsetD8Async(hipDeviceptr_t d, unsigned char v, size_t n, hipStream_t q) {
  return fill_linear(d, v, 1, n, q, kAsync);
}
Result hipMemsetD16(hipDeviceptr_t d, unsigned short v, size_t n) { return fill_linear(d, v, 2, n, nullptr, kSync); }
Result hipMemsetD16Async(hipDeviceptr_t d, unsigned short v, size_t n, hipStream_t q) {
  return fill_linear(d, v, 2, n, q, kAsync);
}
Result hipMemsetD32(hipDeviceptr_t d, int v, size_t n) { return fill_linear(d, uint32_t(v), 4, n, nullptr, kSync); }
Result hipMemsetD32Async(hipDeviceptr_t d, int v, size_t n, hipStream_t q) {
  return fill_linear(d, uint32_t(v), 4, n, q, kAsync);
}
Result hipMemset2D(void* d, size_t p, int v, size_t w, size_t h) {
  return fill_2d(d, p, uint32_t(v), 1, w, h, nullptr, kSync);
}
Result hipMemset2DAsync(void* d, size_t p, int v, size_t w, size_t h, hipStream_t q) {
  return fill_2d(d, p, uint32_t(v), 1, w, h, q, kAsync);
}
Result hipMemset3D(hipPitchedPtr p, int v, hipExtent e) { return fill_3d(p, v, e, nullptr, kSync); }
Result hipMemset3DAsync(hipPitchedPtr p, int v, hipExtent e, hipStream_t q) { return fill_3d(p, v, e, q, kAsync); }
Result hipMemsetD2D8(hipDeviceptr_t d, size_t p, unsigned char v, size_t w, size_t h) {
  return fill_2d(d, p, v, 1, w, h, nullptr, kSync);
}
Result hipMemsetD2D8Async(hipDeviceptr_t d, size_t p, unsigned char v, size_t w, size_t h, hipStream_t q) {
  return fill_2d(d, p, v, 1, w, h, q, kAsync);
}
Result hipMemsetD2D16(hipDeviceptr_t d, size_t p, unsigned short v, size_t w, size_t h) {
  return fill_2d(d, p, v, 2, w, h, nullptr, kSync);
}
Result hipMemsetD2D16Async(hipDeviceptr_t d, size_t p, unsigned short v, size_t w, size_t h, hipStream_t q) {
  return fill_2d(d, p, v, 2, w, h, q, kAsync);
}
Result hipMemsetD2D32(hipDeviceptr_t d, size_t p, unsigned int v, size_t w, size_t h) {
  return fill_2d(d, p, v, 4, w, h, nullptr, kSync);
}
Result hipMemsetD2D32Async(hipDeviceptr_t d, size_t p, unsigned int v, size_t w, size_t h, hipStream_t q) {
  return fill_2d(d, p, v, 4, w, h, q, kAsync);
}

Result hipMemcpyToSymbol(const void* symbol, const void* src, size_t n, size_t offset, hipMemcpyKind k) {
  return to_symbol(symbol, src, n, offset, k, nullptr, kSync);
}
Result hipMemcpyToSymbolAsync(const void* symbol, const void* src, size_t n, size_t offset, hipMemcpyKind k,
                              hipStream_t q) {
  return to_symbol(symbol, src, n, offset, k, q, kAsync);
}
Result hipMemcpyFromSymbol(void* dst, const void* symbol, size_t n, size_t offset, hipMemcpyKind k) {
  return from_symbol(dst, symbol, n, offset, k, nullptr, kSync);
}
Result hipMemcpyFromSymbolAsync(void* dst, const void* symbol, size_t n, size_t offset, hipMemcpyKind k,
                                hipStream_t q) {
  return from_symbol(dst, symbol, n, offset, k, q, kAsync);
}
Result hipGetSymbolAddress(void** devPtr, const void* symbol) {
  HIP_NONNULL(devPtr);
  HIP_TRY_ASSIGN(Variable v, Runtime::get().registry().variable(symbol, Runtime::get().current()));
  *devPtr = v.address;
  return {};
}
Result hipGetSymbolSize(size_t* size, const void* symbol) {
  HIP_NONNULL(size);
  HIP_TRY_ASSIGN(Variable v, Runtime::get().registry().variable(symbol, Runtime::get().current()));
  *size = v.size;
  return {};
}

} // namespace impl
} // namespace bz::hip
