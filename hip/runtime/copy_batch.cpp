// Many copies with one call. Each is checked before the first begins; then they go into the stream one by one.
#include "hip/runtime/array.hpp"
#include "hip/runtime/copy.hpp"
#include "hip/runtime/impl.hpp"

#include <limits>

namespace bz::hip::impl {
namespace {

struct Entry {
  Box box;
  When when = When::async;
};

/// What goes wrong before any entry is looked at belongs to none.
constexpr size_t kNoEntry = std::numeric_limits<size_t>::max();

Result check_order(hipMemcpySrcAccessOrder order) {
  if (order < hipMemcpySrcAccessOrderStream || order > hipMemcpySrcAccessOrderAny)
    return fail(hipErrorInvalidValue, "source access order {} doesn't exist", static_cast<int>(order));
  return {};
}

/// The source is read in stream order, or before the call returns: then the whole copy is over by then.
When when_of(hipMemcpySrcAccessOrder order) {
  return order == hipMemcpySrcAccessOrderDuringApiCall ? When::strict : When::async;
}

Result submit(const std::vector<Entry>& entries, size_t* fail_index, hipStream_t stream) {
  bool waits = false;
  for (auto& e : entries) waits = waits || e.when == When::strict;
  HIP_TRY_ASSIGN(StreamPtr s, Runtime::get().stream(stream, waits ? StreamUse::execute : StreamUse::enqueue));
  for (size_t i = 0; i < entries.size(); ++i)
    if (Result r = check_copy(entries[i].box, hipMemcpyDefault); !r.ok()) {
      if (fail_index) *fail_index = i;
      return r;
    }
  for (auto& e : entries) HIP_TRY(copy_box(e.box, hipMemcpyDefault, s, e.when));
  return {};
}

Result set_operand(const char* what, const hipMemcpy3DOperand& from, const hipExtent& extent, hipArray_t& array,
                   hipPos& pos, hipPitchedPtr& ptr, size_t element) {
  if (from.type == hipMemcpyOperandTypeArray) {
    array = from.op.array.array;
    pos = {from.op.array.offset.x, from.op.array.offset.y, from.op.array.offset.z};
    return {};
  }
  if (from.type != hipMemcpyOperandTypePointer)
    return fail(hipErrorInvalidValue, "{}: operand type {} doesn't exist", what, static_cast<int>(from.type));
  const auto& p = from.op.ptr;
  const size_t row = p.rowLength ? p.rowLength : extent.width, rows = p.layerHeight ? p.layerHeight : extent.height;
  if (row < extent.width || rows < extent.height)
    return fail(hipErrorInvalidValue, "{}: {} x {} elements don't fit rows of {} and layers of {}", what, extent.width,
                extent.height, row, rows);
  ptr = {p.ptr, row * element, row * element, rows};
  return {};
}

Outcome<Entry> entry_of(const hipMemcpy3DBatchOp& op) {
  if (Result r = check_order(op.srcAccessOrder); !r.ok()) return r;
  if (op.flags & ~unsigned(hipMemcpyFlagPreferOverlapWithCompute))
    return fail(hipErrorInvalidValue, "copy flags {:#x} don't exist", op.flags);
  if (op.extent.width == 0 || op.extent.height == 0 || op.extent.depth == 0)
    return Result(hipErrorInvalidValue, "an extent of 0");
  size_t element = 1;
  for (auto* o : {&op.src, &op.dst})
    if (o->type == hipMemcpyOperandTypeArray) {
      auto array = find_array(o->op.array.array);
      if (!array.ok()) return array.result();
      element = (*array)->element().bytes();
    }
  hipMemcpy3DParms p{};
  p.kind = hipMemcpyDefault;
  p.extent = op.extent;
  if (Result r = set_operand("src", op.src, op.extent, p.srcArray, p.srcPos, p.srcPtr, element); !r.ok()) return r;
  if (Result r = set_operand("dst", op.dst, op.extent, p.dstArray, p.dstPos, p.dstPtr, element); !r.ok()) return r;
  auto box = box_of(&p);
  if (!box.ok()) return box.result();
  return Entry{*box, when_of(op.srcAccessOrder)};
}

} // namespace

Result hipMemcpyBatchAsync(void** dsts, void** srcs, size_t* sizes, size_t count, hipMemcpyAttributes* attrs,
                           size_t* attrsIdxs, size_t numAttrs, size_t* failIdx, hipStream_t stream) {
  if (failIdx) *failIdx = kNoEntry;
  HIP_NONNULL(dsts);
  HIP_NONNULL(srcs);
  HIP_NONNULL(sizes);
  if (count == 0) return Result(hipErrorInvalidValue, "a batch of 0 copies");
  HIP_NONNULL(attrs);
  HIP_NONNULL(attrsIdxs);
  if (numAttrs == 0 || numAttrs > count)
    return fail(hipErrorInvalidValue, "{} attributes for {} copies", numAttrs, count);
  if (attrsIdxs[0] != 0) return Result(hipErrorInvalidValue, "the first attribute has to hold from copy 0 on");
  for (size_t i = 0; i < numAttrs; ++i) {
    if (attrsIdxs[i] >= count || (i > 0 && attrsIdxs[i] <= attrsIdxs[i - 1]))
      return fail(hipErrorInvalidValue, "attribute {} begins at copy {} of {}: they have to go up", i, attrsIdxs[i],
                  count);
    HIP_TRY(check_order(attrs[i].srcAccessOrder));
    if (attrs[i].flags & ~unsigned(hipMemcpyFlagPreferOverlapWithCompute))
      return fail(hipErrorInvalidValue, "copy flags {:#x} don't exist", attrs[i].flags);
  }
  std::vector<Entry> entries;
  size_t attribute = 0;
  for (size_t i = 0; i < count; ++i) {
    while (attribute + 1 < numAttrs && attrsIdxs[attribute + 1] <= i) ++attribute;
    if (sizes[i] == 0) {
      if (failIdx) *failIdx = i;
      return fail(hipErrorInvalidValue, "copy {} has 0 bytes", i);
    }
    entries.push_back(
        {{.dst = static_cast<char*>(dsts[i]), .src = static_cast<const char*>(srcs[i]), .width = sizes[i]},
         when_of(attrs[attribute].srcAccessOrder)});
  }
  return submit(entries, failIdx, stream);
}

Result hipMemcpy3DBatchAsync(size_t numOps, struct hipMemcpy3DBatchOp* opList, size_t* failIdx,
                             unsigned long long flags, hipStream_t stream) {
  if (failIdx) *failIdx = kNoEntry;
  HIP_NONNULL(opList);
  if (numOps == 0) return Result(hipErrorInvalidValue, "a batch of 0 copies");
  if (flags != 0) return fail(hipErrorInvalidValue, "flags are {:#x} but must be 0", flags);
  std::vector<Entry> entries;
  for (size_t i = 0; i < numOps; ++i) {
    auto entry = entry_of(opList[i]);
    if (!entry.ok()) {
      if (failIdx) *failIdx = i;
      return entry.result();
    }
    entries.push_back(*entry);
  }
  return submit(entries, failIdx, stream);
}

} // namespace bz::hip::impl
