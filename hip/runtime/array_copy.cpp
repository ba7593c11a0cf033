// Copies that name arrays as such: rows at a place, or bytes that run on from row to row.
#include "hip/runtime/array.hpp"
#include "hip/runtime/copy.hpp"
#include "hip/runtime/impl.hpp"

namespace bz::hip::impl {
namespace {

constexpr When kSync = When::sync, kAsync = When::async;

Result submit(const std::vector<Box>& boxes, hipMemcpyKind kind, hipStream_t stream, When when) {
  HIP_TRY_ASSIGN(StreamPtr s, Runtime::get().stream(stream, when == kSync ? StreamUse::execute : StreamUse::enqueue));
  for (auto& box : boxes) HIP_TRY(check_copy(box, kind)); // all or none
  for (auto& box : boxes) HIP_TRY(copy_box(box, kind, s, when));
  return {};
}

/// ROCm tells a null array from one that was freed in these calls alone.
Outcome<std::shared_ptr<Array>> array_of_rows(const char* what, hipArray_const_t array) {
  if (!array) return fail(hipErrorInvalidHandle, "argument {} is null", what);
  return find_array(array);
}

/// Rows of an array to or from memory with a pitch.
Result copy_rows_to(hipArray_t dst, size_t x, size_t y, const void* src, size_t pitch, size_t width, size_t height,
                    hipMemcpyKind kind, hipStream_t stream, When when) {
  HIP_TRY_ASSIGN(auto a, array_of_rows("dst", dst));
  if (width > pitch && height > 1)
    return fail(hipErrorInvalidPitchValue, "rows of {} bytes don't fit a pitch of {}", width, pitch);
  HIP_TRY_ASSIGN(char* at, a->part("dst", x, y, 0, width, height, 1));
  return submit({{.dst = at,
                  .src = static_cast<const char*>(src),
                  .width = width,
                  .height = height,
                  .dst_pitch = a->pitch(),
                  .src_pitch = pitch}},
                kind, stream, when);
}

Result copy_rows_from(void* dst, size_t pitch, hipArray_const_t src, size_t x, size_t y, size_t width, size_t height,
                      hipMemcpyKind kind, hipStream_t stream, When when) {
  HIP_TRY_ASSIGN(auto a, array_of_rows("src", src));
  if (width > pitch && height > 1)
    return fail(hipErrorInvalidPitchValue, "rows of {} bytes don't fit a pitch of {}", width, pitch);
  HIP_TRY_ASSIGN(char* at, a->part("src", x, y, 0, width, height, 1));
  return submit({{.dst = static_cast<char*>(dst),
                  .src = at,
                  .width = width,
                  .height = height,
                  .dst_pitch = pitch,
                  .src_pitch = a->pitch()}},
                kind, stream, when);
}

/// One side of a copy of bytes that run on: memory, or an array's rows one after the other.
struct Run {
  const Array* array = nullptr;
  char* memory = nullptr;
  size_t offset = 0; ///< in the array, as if its rows had no gaps

  char* at(size_t byte) const {
    if (!array) return memory + byte;
    const size_t row = array->row_bytes();
    return array->base() + (offset + byte) / row * array->pitch() + (offset + byte) % row;
  }
  /// Bytes from there to the end of the row.
  size_t room(size_t byte) const {
    return array ? array->row_bytes() - (offset + byte) % array->row_bytes() : SIZE_MAX;
  }
};

Outcome<Run> run_of(const char* what, const Array& array, size_t offset, size_t count) {
  const size_t all = array.row_bytes() * array.rows();
  if (offset > all || count > all - offset)
    return fail(hipErrorInvalidValue, "{}: {} bytes at {} don't lie in the array's {} bytes", what, count, offset, all);
  return Run{.array = &array, .offset = offset};
}

Result copy_run(const Run& dst, const Run& src, size_t count, hipMemcpyKind kind, hipStream_t stream, When when) {
  std::vector<Box> boxes;
  for (size_t at = 0; at < count;) {
    const size_t width = std::min({count - at, dst.room(at), src.room(at)});
    boxes.push_back({.dst = dst.at(at), .src = src.at(at), .width = width});
    at += width;
  }
  return submit(boxes, kind, stream, when);
}

Result run_to(hipArray_t dst, size_t offset, const void* src, size_t count, hipMemcpyKind kind, hipStream_t stream,
              When when) {
  HIP_TRY_ASSIGN(auto a, find_array(dst));
  if (count == 0) return {};
  HIP_NONNULL(src);
  HIP_TRY_ASSIGN(Run to, run_of("dst", *a, offset, count));
  return copy_run(to, {.memory = static_cast<char*>(const_cast<void*>(src))}, count, kind, stream, when);
}

Result run_from(void* dst, hipArray_const_t src, size_t offset, size_t count, hipMemcpyKind kind, hipStream_t stream,
                When when) {
  HIP_TRY_ASSIGN(auto a, find_array(src));
  if (count == 0) return {};
  HIP_NONNULL(dst);
  HIP_TRY_ASSIGN(Run from, run_of("src", *a, offset, count));
  return copy_run({.memory = static_cast<char*>(dst)}, from, count, kind, stream, when);
}

/// The byte where (x bytes, y rows) lies if rows follow each other without gaps.
Outcome<size_t> offset_of(hipArray_const_t array, size_t x, size_t y) {
  auto a = find_array(array);
  if (!a.ok()) return a.result();
  if (x >= (*a)->row_bytes() || y >= (*a)->rows())
    return fail(hipErrorInvalidValue, "({}, {}) lies outside of the array of {} bytes x {} rows", x, y,
                (*a)->row_bytes(), (*a)->rows());
  return y * (*a)->row_bytes() + x;
}

} // namespace

Result hipMemcpy2DToArray(hipArray_t dst, size_t x, size_t y, const void* src, size_t pitch, size_t width,
                          size_t height, hipMemcpyKind kind) {
  return copy_rows_to(dst, x, y, src, pitch, width, height, kind, nullptr, kSync);
}
Result hipMemcpy2DToArrayAsync(hipArray_t dst, size_t x, size_t y, const void* src, size_t pitch, size_t width,
                               size_t height, hipMemcpyKind kind, hipStream_t stream) {
  return copy_rows_to(dst, x, y, src, pitch, width, height, kind, stream, kAsync);
}
Result hipMemcpy2DFromArray(void* dst, size_t pitch, hipArray_const_t src, size_t x, size_t y, size_t width,
                            size_t height, hipMemcpyKind kind) {
  return copy_rows_from(dst, pitch, src, x, y, width, height, kind, nullptr, kSync);
}
Result hipMemcpy2DFromArrayAsync(void* dst, size_t pitch, hipArray_const_t src, size_t x, size_t y, size_t width,
                                 size_t height, hipMemcpyKind kind, hipStream_t stream) {
  return copy_rows_from(dst, pitch, src, x, y, width, height, kind, stream, kAsync);
}

Result hipMemcpy2DArrayToArray(hipArray_t dst, size_t dst_x, size_t dst_y, hipArray_const_t src, size_t src_x,
                               size_t src_y, size_t width, size_t height, hipMemcpyKind kind) {
  HIP_TRY_ASSIGN(auto to, find_array(dst));
  HIP_TRY_ASSIGN(auto from, find_array(src));
  HIP_TRY_ASSIGN(char* at, to->part("dst", dst_x, dst_y, 0, width, height, 1));
  HIP_TRY_ASSIGN(char* have, from->part("src", src_x, src_y, 0, width, height, 1));
  return submit({{.dst = at,
                  .src = have,
                  .width = width,
                  .height = height,
                  .dst_pitch = to->pitch(),
                  .src_pitch = from->pitch()}},
                kind, nullptr, kSync);
}

Result hipMemcpyToArray(hipArray_t dst, size_t x, size_t y, const void* src, size_t count, hipMemcpyKind kind) {
  HIP_TRY_ASSIGN(size_t offset, offset_of(dst, x, y));
  return run_to(dst, offset, src, count, kind, nullptr, kSync);
}
Result hipMemcpyFromArray(void* dst, hipArray_const_t src, size_t x, size_t y, size_t count, hipMemcpyKind kind) {
  HIP_TRY_ASSIGN(size_t offset, offset_of(src, x, y));
  return run_from(dst, src, offset, count, kind, nullptr, kSync);
}

Result hipMemcpyAtoH(void* dst, hipArray_t src, size_t offset, size_t count) {
  return run_from(dst, src, offset, count, hipMemcpyDeviceToHost, nullptr, kSync);
}
Result hipMemcpyHtoA(hipArray_t dst, size_t offset, const void* src, size_t count) {
  return run_to(dst, offset, src, count, hipMemcpyHostToDevice, nullptr, kSync);
}
Result hipMemcpyAtoHAsync(void* dst, hipArray_t src, size_t offset, size_t count, hipStream_t stream) {
  return run_from(dst, src, offset, count, hipMemcpyDeviceToHost, stream, kAsync);
}
Result hipMemcpyHtoAAsync(hipArray_t dst, size_t offset, const void* src, size_t count, hipStream_t stream) {
  return run_to(dst, offset, src, count, hipMemcpyHostToDevice, stream, kAsync);
}
Result hipMemcpyAtoD(hipDeviceptr_t dst, hipArray_t src, size_t offset, size_t count) {
  return run_from(dst, src, offset, count, hipMemcpyDeviceToDevice, nullptr, kSync);
}
Result hipMemcpyDtoA(hipArray_t dst, size_t offset, hipDeviceptr_t src, size_t count) {
  return run_to(dst, offset, src, count, hipMemcpyDeviceToDevice, nullptr, kSync);
}
Result hipMemcpyAtoA(hipArray_t dst, size_t dst_offset, hipArray_t src, size_t src_offset, size_t count) {
  HIP_TRY_ASSIGN(auto to, find_array(dst));
  HIP_TRY_ASSIGN(auto from, find_array(src));
  HIP_TRY_ASSIGN(Run there, run_of("dst", *to, dst_offset, count));
  HIP_TRY_ASSIGN(Run here, run_of("src", *from, src_offset, count));
  return copy_run(there, here, count, hipMemcpyDeviceToDevice, nullptr, kSync);
}

} // namespace bz::hip::impl
