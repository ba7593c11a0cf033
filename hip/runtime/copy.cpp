// Copies and fills. Kinds are checked, then ignored where the pointers say more: addresses are unique in the process.
#include "base/log.hpp"
#include "base/readable.hpp"
#include "hip/runtime/array.hpp"
#include "hip/runtime/capture.hpp"
#include "hip/runtime/copy.hpp"
#include "hip/runtime/graph_memory.hpp"
#include "hip/runtime/impl.hpp"
#include "hip/runtime/module.hpp"
#include "hip/runtime/registry.hpp"
#include "hip/runtime/thread_state.hpp"

#include <cstring>

namespace bz::hip {
namespace {

uintptr_t number(const void* p) { return reinterpret_cast<uintptr_t>(p); }

/// One side of a copy: where the bytes are for HSA and who is near them.
struct Side {
  void* address = nullptr;
  hsa_agent_t agent{};
  bool pinned = false; ///< known to HIP: the copy engine can reach it
  bool synchronous = false;
  bool host_reaches = false; ///< under this address; known memory only
  bool on_device = false;
  bool on_host = true;            ///< and nowhere else
  const void* graph = nullptr; ///< where memory of a graph begins
};

/// Whether loads and stores of the host reach the whole allocation.
bool host_reaches(const Allocation& a) {
  switch (a.kind) {
  case MemoryKind::host:
  case MemoryKind::managed:
  case MemoryKind::registered:
    return true;
  case MemoryKind::device:
  case MemoryKind::pooled:
  case MemoryKind::symbol:
  case MemoryKind::array:
    return Runtime::get().devices()[size_t(a.device)]->host_reaches_vram();
  case MemoryKind::graph:    // may have no memory behind it now
  case MemoryKind::imported: // nor may these be open to the host
  case MemoryKind::mapped:
    break;
  }
  return false;
}

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
    s.synchronous = allocation.synchronous;
    if (allocation.kind == MemoryKind::graph) s.graph = reinterpret_cast<const void*>(allocation.base);
    s.address = reinterpret_cast<void*>(allocation.device_base + (number(pointer) - allocation.base));
    s.host_reaches = s.address == pointer && host_reaches(allocation);
    s.on_device = allocation.on_device();
    s.on_host = !s.on_device && allocation.kind != MemoryKind::managed;
    if (s.on_device) s.agent = runtime.devices()[size_t(allocation.device)]->agent();
  }
  return s;
}

/// Memory was checked when the call began; another thread may have freed it before this one came to use it (MemoryUse).
Status still_there(std::initializer_list<const void*> pointers) {
  for (const void* p : pointers)
    if (thread_state().memory.at(Runtime::get().memory, p).what == Stretch::What::freed)
      return error(Code::invalid_argument, "{} was freed by another thread meanwhile", p);
  return {};
}

/// Does work with checked memory when its turn has come, in this call.
template <class F> Result work_now(Stream& s, std::initializer_list<const void*> memory, F work) {
  return s.host_now([&]() -> Status {
    MemoryUse use(thread_state().memory_user);
    BZ_TRY(still_there(memory));
    return work();
  });
}

/// The same for work that the stream does later, unless nothing is to be waited for. Once it is submitted, whoever frees
/// the memory waits for the stream.
template <class F> Result submit_work(Stream& s, std::initializer_list<const void*> memory, F submit) {
  auto sequence = s.sequence(); // a use must not wait
  MemoryUse use(thread_state().memory_user);
  HIP_TRY(still_there(memory));
  return Result(submit());
}

bool is_kind(hipMemcpyKind kind) {
  switch (kind) {
  case hipMemcpyHostToHost:
  case hipMemcpyHostToDevice:
  case hipMemcpyDeviceToHost:
  case hipMemcpyDeviceToDevice:
  case hipMemcpyDefault:
  case hipMemcpyDeviceToDeviceNoCU:
    return true;
  }
  return false;
}

Result check_kind(hipMemcpyKind kind) {
  if (is_kind(kind)) return {};
  return fail(hipErrorInvalidMemcpyDirection, "copy kind {} doesn't exist", static_cast<int>(kind));
}

/// Synchronous calls act at once, so that no capture can take them.
StreamUse stream_use(When when) { return when <= When::sync ? StreamUse::execute : StreamUse::enqueue; }

/// What an asynchronous copy reads of pageable memory before it returns, instead of waiting for its turn.
constexpr size_t kStagedBytes = 64 << 10;

Status copy_now(void* dst, const void* src, size_t size) {
  return hsa_check(hsa_memory_copy(dst, src, size), "copying memory");
}

Status copy_box_now(const Box& b) {
  for (size_t z = 0; z < b.depth; ++z)
    for (size_t y = 0; y < b.height; ++y)
      BZ_TRY(copy_now(b.dst + z * b.dst_slice + y * b.dst_pitch, b.src + z * b.src_slice + y * b.src_pitch, b.width));
  return {};
}

/// A copy whose source was read already.
class Staged {
public:
  explicit Staged(const Box& b) : box_(b), bytes_(b.bytes()) {
    box_.src_pitch = b.width;
    box_.src_slice = b.width * b.height;
    for (size_t z = 0; z < b.depth; ++z)
      for (size_t y = 0; y < b.height; ++y)
        std::memcpy(bytes_.data() + z * box_.src_slice + y * box_.src_pitch, b.src + z * b.src_slice + y * b.src_pitch,
                    b.width);
  }
  Box box() const {
    Box b = box_;
    b.src = bytes_.data();
    return b;
  }

private:
  Box box_;
  std::vector<char> bytes_;
};

/// Both ends of a copy, as the copy engine sees them.
struct Ends {
  Side dst, src;
};

Outcome<Ends> ends_of(const Box& box, hipMemcpyKind kind) {
  if (Result r = check_kind(kind); !r.ok()) return r;
  if (box.empty()) return Ends{};
  if (!box.dst) return Result(hipErrorInvalidValue, "argument dst is null");
  if (!box.src) return Result(hipErrorInvalidValue, "argument src is null");
  auto dst = side("dst", box.dst, box.dst_span());
  if (!dst.ok()) return dst.result();
  auto src = side("src", box.src, box.src_span());
  if (!src.ok()) return src.result();
  return Ends{*dst, *src};
}

} // namespace

Result check_copy(const Box& box, hipMemcpyKind kind) { return as_result(ends_of(box, kind)); }

Result copy_box(const Box& given, hipMemcpyKind kind, const StreamPtr& s, When when) {
  HIP_TRY_ASSIGN(Ends ends, ends_of(given, kind));
  if (given.empty()) return {};
  if (s->capturing()) return capture(s, copy_work(given, kind));
  const auto& [dst, src] = ends;
  for (const void* graph : {dst.graph, src.graph})
    if (graph && when != When::deferred) HIP_TRY(check_graph_memory(graph));
  Box box = given;
  box.dst = static_cast<char*>(dst.address);
  box.src = static_cast<const char*>(src.address);
  box = box.merged();
  const bool pinned = dst.pinned && src.pinned;
  const bool attribute = dst.synchronous || src.synchronous; // HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS
  // Within the memory of devices the streams' order is enough. (A free waits for all.)
  if (when == When::sync && dst.on_device && src.on_device && !attribute) when = When::async;
  // Pageable memory may change or go once the call returns: such a copy is over by then, as on hardware, where a short
  // source is read before and only the rest waits its turn.
  if (when == When::async && !src.pinned && dst.on_device && !attribute && box.bytes() <= kStagedBytes &&
      !s->frontier(true).empty() && readable(box.src, box.src_span()))
    return submit_work(*s, {given.dst},
                       [&] { return s->host_or_now([staged = Staged(box)] { return copy_box_now(staged.box()); }); });
  const bool now = !pinned || attribute || (dst.on_host && src.on_host);
  if (when != When::deferred && (when != When::async || now))
    return work_now(*s, {given.dst, given.src}, [&] { return copy_box_now(box); });
  if (pinned && box.height == 1 && box.depth == 1) {
    return submit_work(*s, {given.dst, given.src}, [&] {
      return s->copy(box.dst, dst.agent, box.src, src.agent, box.width, dst.host_reaches && src.host_reaches);
    });
  }
  return submit_work(*s, {given.dst, given.src}, [&] { return s->host_or_now([box] { return copy_box_now(box); }); });
}

namespace {

Result copy_box(const Box& box, hipMemcpyKind kind, hipStream_t stream, When when) {
  HIP_TRY_ASSIGN(StreamPtr s, Runtime::get().stream(stream, stream_use(when)));
  return hip::copy_box(box, kind, s, when);
}

/// True if loads of this thread reach the range now, or stores.
bool reaches(ThreadState& t, const void* pointer, size_t size, bool stores) {
  const Stretch& s = t.memory.at(Runtime::get().memory, pointer);
  if (size > s.end - number(pointer)) return false;
  switch (s.what) {
  case Stretch::What::live:
    return host_reaches(s.allocation);
  case Stretch::What::unknown:
    return stores ? writable(const_cast<void*>(pointer), size) : readable(pointer, size);
  case Stretch::What::freed:
    break;
  }
  return false;
}

/// A synchronous copy on a default stream with nothing to wait for between memory that the host reaches, done without a
/// lock or an allocation: what surrounds a copy of a page has to be short. False: not done, and the long way finds out why.
bool copied_at_once(void* dst, const void* src, size_t size, hipMemcpyKind kind, hipStream_t handle) {
  auto& runtime = Runtime::get();
  if (!dst || !src || size == 0 || !is_kind(kind) || runtime.graphs().capturing.load(std::memory_order_relaxed) > 0)
    return false;
  auto& t = thread_state();
  const Device& device = runtime.current();
  const Stream* stream = nullptr;
  if (handle == hipStreamPerThread || (!handle && t.null_is_per_thread)) {
    const auto n = size_t(device.ordinal());
    if (n < t.per_thread_streams.size()) stream = t.per_thread_streams[n].get();
  } else if (!handle || handle == hipStreamLegacy) {
    stream = device.null_stream_seen();
  }
  if (!stream || !stream->quiet()) return false;
  MemoryUse use(t.memory_user);
  if (!reaches(t, dst, size, true) || !reaches(t, src, size, false)) return false;
  std::memmove(dst, src, size);
  return true;
}

Result copy_linear(void* dst, const void* src, size_t size, hipMemcpyKind kind, hipStream_t stream, When when) {
  if (when == When::sync && copied_at_once(dst, src, size, kind, stream)) return {};
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

} // namespace

namespace {

/// One side of a three-dimensional copy, in bytes.
struct Place {
  char* at;
  size_t pitch, slice;
};

/// From slice to slice; SIZE_MAX, with which two slices are in no allocation, if it is more than that.
size_t slice_of(const hipPitchedPtr& p) {
  size_t bytes;
  return __builtin_mul_overflow(p.pitch, p.ysize, &bytes) ? SIZE_MAX : bytes;
}

Outcome<Place> place_of(const char* what, const hipPitchedPtr& ptr, const hipPos& pos, size_t width) {
  if (!ptr.ptr) return fail(hipErrorInvalidValue, "argument p->{}Ptr.ptr is null", what);
  if (width > ptr.pitch)
    return fail(hipErrorInvalidPitchValue, "{}: rows of {} bytes don't fit a pitch of {}", what, width, ptr.pitch);
  size_t row, offset;
  if (__builtin_mul_overflow(pos.z, ptr.ysize, &row) || __builtin_add_overflow(row, pos.y, &row) ||
      __builtin_mul_overflow(row, ptr.pitch, &offset) || __builtin_add_overflow(offset, pos.x, &offset))
    return fail(hipErrorInvalidValue, "{}: ({}, {}, {}) lies beyond the address space", what, pos.x, pos.y, pos.z);
  char* at = static_cast<char*>(ptr.ptr) + offset;
  // Past its end may lie what isn't HIP's.
  if (auto a = Runtime::get().memory.find(ptr.ptr); a && number(at) - a->base >= a->size)
    return fail(hipErrorInvalidValue, "{}: ({}, {}, {}) lies beyond the allocation of {} bytes at {:#x}", what, pos.x,
                pos.y, pos.z, a->size, a->base);
  return Place{at, ptr.pitch, slice_of(ptr)};
}

Outcome<Place> place_of(const char* what, const Array& array, const hipPos& pos, const hipExtent& extent) {
  auto at = array.part(what, pos.x * array.element().bytes(), pos.y, pos.z, extent.width, extent.height, extent.depth);
  if (!at.ok()) return at.result();
  return Place{*at, array.pitch(), array.slice()};
}

} // namespace

/// With an array among the sides, widths and the array's positions count elements of it, else bytes.
Outcome<Box> box_of(const hipMemcpy3DParms* p) {
  if (!p) return Result(hipErrorInvalidValue, "argument p is null");
  std::shared_ptr<Array> src_array, dst_array;
  for (auto [handle, array] : {std::pair{p->srcArray, &src_array}, std::pair{p->dstArray, &dst_array}}) {
    if (!handle) continue;
    auto found = find_array(handle);
    if (!found.ok()) return found.result();
    *array = *found;
  }
  if ((p->srcArray && p->srcPtr.ptr) || (p->dstArray && p->dstPtr.ptr))
    return Result(hipErrorInvalidValue, "a side of the copy is both an array and a pointer");
  size_t element = 1;
  if (src_array) element = src_array->element().bytes();
  if (dst_array) {
    if (src_array && dst_array->element().bytes() != element)
      return fail(hipErrorInvalidValue, "elements of {} and {} bytes", element, dst_array->element().bytes());
    element = dst_array->element().bytes();
  }
  hipExtent e = p->extent;
  if (__builtin_mul_overflow(e.width, element, &e.width))
    return fail(hipErrorInvalidValue, "rows of {} elements overflow the address space", p->extent.width);
  if (e.width == 0 || e.height == 0 || e.depth == 0) {
    if (Result r = check_kind(p->kind); !r.ok()) return r;
    return Box{.dst = nullptr, .src = nullptr, .width = 0};
  }
  auto dst = dst_array ? place_of("dst", *dst_array, p->dstPos, e) : place_of("dst", p->dstPtr, p->dstPos, e.width);
  if (!dst.ok()) return dst.result();
  auto src = src_array ? place_of("src", *src_array, p->srcPos, e) : place_of("src", p->srcPtr, p->srcPos, e.width);
  if (!src.ok()) return src.result();
  return Box{.dst = dst->at,
             .src = src->at,
             .width = e.width,
             .height = e.height,
             .depth = e.depth,
             .dst_pitch = dst->pitch,
             .src_pitch = src->pitch,
             .dst_slice = dst->slice,
             .src_slice = src->slice};
}

namespace {

Result copy_3d(const hipMemcpy3DParms* p, hipStream_t stream, When when) {
  HIP_TRY_ASSIGN(Box box, box_of(p));
  return copy_box(box, p->kind, stream, when);
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

/// The pointer that a memory type of the driver API selects; null for an array.
Outcome<void*> select(const char* what, hipMemoryType type, const void* host, hipDeviceptr_t device, hipArray_t array) {
  switch (type) {
  case hipMemoryTypeHost:
    return const_cast<void*>(host);
  case hipMemoryTypeDevice:
  case hipMemoryTypeUnified:
  case hipMemoryTypeManaged:
    return device;
  case hipMemoryTypeArray:
    if (!array) return fail(hipErrorInvalidValue, "{}: the array is null", what);
    return nullptr;
  case hipMemoryTypeUnregistered:
    break;
  }
  return fail(hipErrorInvalidValue, "{}: memory type {} doesn't exist", what, static_cast<int>(type));
}

/// Bytes of the driver API as elements of the array that is a side of the copy.
Result to_elements(size_t& bytes, size_t element) {
  if (bytes % element != 0)
    return fail(hipErrorInvalidValue, "{} bytes are no whole number of the array's elements of {}", bytes, element);
  bytes /= element;
  return {};
}

} // namespace

Outcome<hipMemcpy3DParms> parameters_of(const HIP_MEMCPY3D* c) {
  if (!c) return Result(hipErrorInvalidValue, "argument pCopy is null");
  auto src = select("source", c->srcMemoryType, c->srcHost, c->srcDevice, c->srcArray);
  if (!src.ok()) return src.result();
  auto dst = select("destination", c->dstMemoryType, c->dstHost, c->dstDevice, c->dstArray);
  if (!dst.ok()) return dst.result();
  hipMemcpy3DParms p{};
  p.kind = hipMemcpyDefault;
  p.extent = {c->WidthInBytes, c->Height, c->Depth};
  p.srcPos = {c->srcXInBytes, c->srcY, c->srcZ};
  p.dstPos = {c->dstXInBytes, c->dstY, c->dstZ};
  size_t element = 0;
  auto side = [&](hipMemoryType type, hipArray_t array, hipArray_t& to, hipPos& pos) -> Result {
    if (type != hipMemoryTypeArray) return {};
    to = array;
    HIP_TRY_ASSIGN(auto found, find_array(array));
    element = found->element().bytes();
    return to_elements(pos.x, element);
  };
  if (Result r = side(c->srcMemoryType, c->srcArray, p.srcArray, p.srcPos); !r.ok()) return r;
  if (Result r = side(c->dstMemoryType, c->dstArray, p.dstArray, p.dstPos); !r.ok()) return r;
  if (element != 0)
    if (Result r = to_elements(p.extent.width, element); !r.ok()) return r;
  if (!p.srcArray)
    p.srcPtr = {*src, c->srcPitch ? c->srcPitch : c->srcXInBytes + c->WidthInBytes, c->WidthInBytes,
                c->srcHeight ? c->srcHeight : c->srcY + c->Height};
  if (!p.dstArray)
    p.dstPtr = {*dst, c->dstPitch ? c->dstPitch : c->dstXInBytes + c->WidthInBytes, c->WidthInBytes,
                c->dstHeight ? c->dstHeight : c->dstY + c->Height};
  return p;
}

namespace {

Result copy_param_2d(const hip_Memcpy2D* c, hipStream_t stream, When when) {
  HIP_NONNULL_AS(c, "pCopy");
  HIP_MEMCPY3D box{};
  box.srcXInBytes = c->srcXInBytes;
  box.srcY = c->srcY;
  box.srcMemoryType = c->srcMemoryType;
  box.srcHost = c->srcHost;
  box.srcDevice = c->srcDevice;
  box.srcArray = c->srcArray;
  box.srcPitch = c->srcPitch;
  box.dstXInBytes = c->dstXInBytes;
  box.dstY = c->dstY;
  box.dstMemoryType = c->dstMemoryType;
  box.dstHost = c->dstHost;
  box.dstDevice = c->dstDevice;
  box.dstArray = c->dstArray;
  box.dstPitch = c->dstPitch;
  box.WidthInBytes = c->WidthInBytes;
  box.Height = c->Height;
  box.Depth = 1;
  auto fits = [&](size_t pitch, size_t x) { return pitch == 0 || x + c->WidthInBytes <= pitch; };
  if ((c->srcMemoryType != hipMemoryTypeArray && !fits(c->srcPitch, c->srcXInBytes)) ||
      (c->dstMemoryType != hipMemoryTypeArray && !fits(c->dstPitch, c->dstXInBytes)))
    return fail(hipErrorInvalidValue, "rows of {} bytes don't fit pitches of {} and {}", c->WidthInBytes, c->dstPitch,
                c->srcPitch);
  HIP_TRY_ASSIGN(hipMemcpy3DParms p, parameters_of(&box));
  return copy_3d(&p, stream, when);
}

} // namespace

namespace {

Result copy_drv_3d(const HIP_MEMCPY3D* c, hipStream_t stream, When when) {
  HIP_TRY_ASSIGN(hipMemcpy3DParms p, parameters_of(c));
  for (auto [array, ptr, what] : {std::tuple{p.srcArray, &p.srcPtr, "src"}, std::tuple{p.dstArray, &p.dstPtr, "dst"}})
    if (!array && p.extent.width > ptr->pitch)
      return fail(hipErrorInvalidValue, "{}: rows of {} bytes don't fit a pitch of {}", what, p.extent.width,
                  ptr->pitch);
  return copy_3d(&p, stream, when);
}

// ---- Fills ----------------------------------------------------------------------------------------------------------

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

} // namespace

Result check_fill(Fill& f) {
  if (f.empty()) return {};
  HIP_NONNULL_AS(f.dst, "dst");
  if (number(f.dst) % f.element != 0)
    return fail(hipErrorInvalidValue, "{} is not aligned to elements of {} bytes", static_cast<void*>(f.dst),
                f.element);
  HIP_TRY_ASSIGN(auto a, check_range("dst", f.dst, Box::span(f.width, f.height, f.depth, f.pitch, f.slice)));
  if (!a)
    return fail(hipErrorInvalidValue, "{} was not allocated by HIP: fills need memory of hipMalloc and kin",
                static_cast<void*>(f.dst));
  f.device = a->on_device();
  f.synchronous = a->synchronous;
  return {};
}

Result fill_box(Fill f, const StreamPtr& s, When when) {
  HIP_TRY(check_fill(f));
  if (f.empty()) return {};
  if (s->capturing()) return capture(s, fill_work(f));
  if (when != When::deferred)
    if (auto a = Runtime::get().memory.find(f.dst); a && a->kind == MemoryKind::graph)
      HIP_TRY(check_graph_memory(reinterpret_cast<const void*>(a->base)));
  auto work = [f]() -> Status {
    for (size_t z = 0; z < f.depth; ++z)
      for (size_t y = 0; y < f.height; ++y) BZ_TRY(fill_row(f, f.dst + z * f.slice + y * f.pitch));
    return {};
  };
  // Nobody on the host waits for a fill of device memory. (A free waits for all devices.)
  const bool ordered = when != When::strict && f.device;
  const bool now = when != When::deferred && (f.synchronous || (when != When::async && !ordered));
  return now ? work_now(*s, {f.dst}, work) : submit_work(*s, {f.dst}, [&] { return s->host_or_now(work); });
}

namespace {

Result fill(const Fill& f, hipStream_t stream, When when) {
  HIP_TRY_ASSIGN(StreamPtr s, Runtime::get().stream(stream, stream_use(when)));
  return fill_box(f, s, when);
}

Result fill_linear(void* dst, uint32_t value, unsigned element, size_t count, hipStream_t stream, When when) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, size_t(element), &bytes))
    return fail(hipErrorInvalidValue, "{} elements overflow the address space", count);
  return fill({.dst = static_cast<char*>(dst), .value = value, .element = element, .width = bytes},
              stream, when);
}

Result fill_2d(void* dst, size_t pitch, uint32_t value, unsigned element, size_t width, size_t height,
               hipStream_t stream, When when) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(width, size_t(element), &bytes))
    return fail(hipErrorInvalidValue, "rows of {} elements overflow the address space", width);
  if (height > 1 && bytes > pitch)
    return fail(hipErrorInvalidValue, "rows of {} bytes don't fit a pitch of {}", bytes, pitch);
  return fill({.dst = static_cast<char*>(dst),
               .value = value,
               .element = element,
               .width = bytes,
               .height = height,
               .pitch = pitch},
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
               .slice = slice_of(p)},
              stream, when);
}

// ---- Symbols --------------------------------------------------------------------------------------------------------

} // namespace

Outcome<char*> symbol_part(const void* symbol, size_t size, size_t offset) {
  auto& runtime = Runtime::get();
  auto v = runtime.registry().variable(symbol, runtime.current());
  if (!v.ok()) return v.result();
  if (offset > v->size || size > v->size - offset)
    return fail(hipErrorInvalidValue, "{} bytes at offset {} don't fit the variable's {} bytes", size, offset, v->size);
  return static_cast<char*>(v->address) + offset;
}

Result check_symbol_kind(hipMemcpyKind kind, bool to_symbol) {
  if (kind == hipMemcpyHostToHost || kind == (to_symbol ? hipMemcpyDeviceToHost : hipMemcpyHostToDevice))
    return fail(hipErrorInvalidMemcpyDirection, "a device variable is the {} of this copy",
                to_symbol ? "destination" : "source");
  return {};
}

namespace {

Result to_symbol(const void* symbol, const void* src, size_t size, size_t offset, hipMemcpyKind kind,
                 hipStream_t stream, When when) {
  HIP_TRY(check_symbol_kind(kind, true));
  HIP_NONNULL(src);
  HIP_TRY_ASSIGN(char* dst, symbol_part(symbol, size, offset));
  return copy_linear(dst, src, size, kind, stream, when);
}

Result from_symbol(void* dst, const void* symbol, size_t size, size_t offset, hipMemcpyKind kind, hipStream_t stream,
                   When when) {
  HIP_TRY(check_symbol_kind(kind, false));
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
Result hipDrvMemcpy3D(const HIP_MEMCPY3D* c) { return copy_drv_3d(c, nullptr, When::strict); }
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
