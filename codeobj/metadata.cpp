#include "codeobj/metadata.hpp"

#include "codeobj/msgpack.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <iterator>

namespace bz::codeobj {
namespace {

// Spellings in the order of the enum.
constexpr std::string_view kArgKinds[] = {
    "by_value",
    "global_buffer",
    "dynamic_shared_pointer",
    "sampler",
    "image",
    "pipe",
    "queue",
    "hidden_global_offset_x",
    "hidden_global_offset_y",
    "hidden_global_offset_z",
    "hidden_none",
    "hidden_printf_buffer",
    "hidden_hostcall_buffer",
    "hidden_default_queue",
    "hidden_completion_action",
    "hidden_multigrid_sync_arg",
    "hidden_block_count_x",
    "hidden_block_count_y",
    "hidden_block_count_z",
    "hidden_group_size_x",
    "hidden_group_size_y",
    "hidden_group_size_z",
    "hidden_remainder_x",
    "hidden_remainder_y",
    "hidden_remainder_z",
    "hidden_grid_dims",
    "hidden_heap_v1",
    "hidden_dynamic_lds_size",
    "hidden_private_base",
    "hidden_shared_base",
    "hidden_queue_ptr",
};
static_assert(std::size(kArgKinds) == static_cast<size_t>(ArgKind::unknown_hidden));
static_assert(kArgKinds[static_cast<size_t>(ArgKind::hidden_queue_ptr)] == "hidden_queue_ptr");
static_assert(kArgKinds[static_cast<size_t>(ArgKind::hidden_global_offset_x)] == "hidden_global_offset_x");

constexpr std::string_view kAddressSpaces[] = {"", "private", "global", "constant", "local", "generic", "region"};
constexpr std::string_view kAccesses[] = {"", "read_only", "write_only", "read_write"};
constexpr std::string_view kKernelKinds[] = {"normal", "init", "fini"};

/// Index of a spelling in its table as an E; the empty spelling stands for "not stated" and is never read.
template <class E, size_t N> Expected<E> spelled(MsgpackReader& in, const std::string_view (&table)[N]) {
  BZ_TRY_ASSIGN(std::string_view text, in.string());
  auto it = std::ranges::find(table, text);
  if (it == std::end(table) || text.empty()) return error(Code::invalid_image, "has the unknown value '{}'", text);
  return static_cast<E>(it - std::begin(table));
}

Expected<std::array<uint32_t, 3>> triple(MsgpackReader& in) {
  BZ_TRY_ASSIGN(uint64_t count, in.array());
  if (count != 3) return error(Code::invalid_image, "has {} elements instead of 3", count);
  std::array<uint32_t, 3> value{};
  for (uint32_t& v : value) { BZ_TRY_ASSIGN(v, in.uint32()); }
  return value;
}

/// A key of a map and what reads its value into a T.
template <class T> struct Key {
  std::string_view name;
  Status (*read)(MsgpackReader& in, T& out);
  bool required = false;
};

template <class T, auto Member> Status read_uint(MsgpackReader& in, T& out) {
  BZ_TRY_ASSIGN(out.*Member, in.uint32());
  return {};
}
template <class T, auto Member> Status read_bool(MsgpackReader& in, T& out) {
  BZ_TRY_ASSIGN(out.*Member, in.boolean());
  return {};
}
template <class T, auto Member> Status read_string(MsgpackReader& in, T& out) {
  BZ_TRY_ASSIGN(std::string_view text, in.string());
  out.*Member = text;
  return {};
}
template <auto Member> Status read_triple(MsgpackReader& in, KernelMetadata& out) {
  BZ_TRY_ASSIGN(out.*Member, triple(in));
  return {};
}
template <int Dimension> Status read_max_groups(MsgpackReader& in, KernelMetadata& out) {
  BZ_TRY_ASSIGN(out.max_num_work_groups[Dimension], in.uint32());
  return {};
}
template <auto Member> Status read_access(MsgpackReader& in, KernelArg& out) {
  BZ_TRY_ASSIGN(out.*Member, (spelled<Access>(in, kAccesses)));
  return {};
}

Status read_address_space(MsgpackReader& in, KernelArg& out) {
  BZ_TRY_ASSIGN(out.address_space, (spelled<AddressSpace>(in, kAddressSpaces)));
  return {};
}

Status read_value_kind(MsgpackReader& in, KernelArg& out) {
  BZ_TRY_ASSIGN(std::string_view text, in.string());
  out.kind_name = text;
  auto it = std::ranges::find(kArgKinds, text);
  if (it != std::end(kArgKinds))
    out.kind = static_cast<ArgKind>(it - std::begin(kArgKinds));
  else if (text.starts_with("hidden_"))
    out.kind = ArgKind::unknown_hidden;
  else
    return error(Code::invalid_image, "has the unknown value '{}'", text);
  return {};
}

/// Puts the name of a place before a message.
template <class Name> Status under(const Name& name, const Status& failure) {
  return error(failure.code(), "{} {}", name, failure.message());
}

/// Reads one map; keys without a row are skipped.
template <class T, size_t N> Status read_map(MsgpackReader& in, T& out, const Key<T> (&keys)[N]) {
  static_assert(N <= 64);
  uint64_t seen = 0;
  BZ_TRY_ASSIGN(uint64_t pairs, in.map());
  for (uint64_t i = 0; i < pairs; ++i) {
    BZ_TRY_ASSIGN(std::string_view name, in.string());
    auto it = std::ranges::find(keys, name, &Key<T>::name);
    if (it == std::end(keys)) {
      if (Status s = in.skip(); !s) return under(name, s);
      continue;
    }
    uint64_t bit = uint64_t{1} << (it - std::begin(keys));
    if (seen & bit) return error(Code::invalid_image, "has the key {} twice", name);
    seen |= bit;
    if (Status s = it->read(in, out); !s) return under(name, s);
  }
  for (size_t k = 0; k < N; ++k)
    if (keys[k].required && !(seen >> k & 1)) return error(Code::invalid_image, "lacks the key {}", keys[k].name);
  return {};
}

/// Reads an array with one call per element.
template <class F> Status read_array(MsgpackReader& in, F&& element) {
  BZ_TRY_ASSIGN(uint64_t count, in.array());
  for (uint64_t i = 0; i < count; ++i)
    if (Status s = element(); !s) return under(fmt::format("[{}]", i), s);
  return {};
}

using A = KernelArg;
constexpr Key<A> kArgKeys[] = {
    {".offset", read_uint<A, &A::offset>, true},
    {".size", read_uint<A, &A::size>, true},
    {".value_kind", read_value_kind, true},
    {".name", read_string<A, &A::name>},
    {".type_name", read_string<A, &A::type_name>},
    {".pointee_align", read_uint<A, &A::pointee_align>},
    {".address_space", read_address_space},
    {".access", read_access<&A::access>},
    {".actual_access", read_access<&A::actual_access>},
    {".is_const", read_bool<A, &A::is_const>},
    {".is_restrict", read_bool<A, &A::is_restrict>},
    {".is_volatile", read_bool<A, &A::is_volatile>},
    {".is_pipe", read_bool<A, &A::is_pipe>},
};

Status read_args(MsgpackReader& in, KernelMetadata& out) {
  return read_array(in, [&] { return read_map(in, out.args.emplace_back(), kArgKeys); });
}

Status read_kind(MsgpackReader& in, KernelMetadata& out) {
  BZ_TRY_ASSIGN(out.kind, (spelled<KernelKind>(in, kKernelKinds)));
  return {};
}

using K = KernelMetadata;
constexpr Key<K> kKernelKeys[] = {
    {".name", read_string<K, &K::name>, true},
    {".symbol", read_string<K, &K::symbol>, true},
    {".kind", read_kind},
    {".language", read_string<K, &K::language>},
    {".vec_type_hint", read_string<K, &K::vec_type_hint>},
    {".device_enqueue_symbol", read_string<K, &K::device_enqueue_symbol>},
    {".args", read_args},
    {".kernarg_segment_size", read_uint<K, &K::kernarg_segment_size>, true},
    {".kernarg_segment_align", read_uint<K, &K::kernarg_segment_align>, true},
    {".group_segment_fixed_size", read_uint<K, &K::group_segment_fixed_size>, true},
    {".private_segment_fixed_size", read_uint<K, &K::private_segment_fixed_size>, true},
    {".wavefront_size", read_uint<K, &K::wavefront_size>, true},
    {".sgpr_count", read_uint<K, &K::sgpr_count>, true},
    {".vgpr_count", read_uint<K, &K::vgpr_count>, true},
    {".agpr_count", read_uint<K, &K::agpr_count>},
    {".sgpr_spill_count", read_uint<K, &K::sgpr_spill_count>},
    {".vgpr_spill_count", read_uint<K, &K::vgpr_spill_count>},
    {".max_flat_workgroup_size", read_uint<K, &K::max_flat_workgroup_size>, true},
    {".reqd_workgroup_size", read_triple<&K::reqd_workgroup_size>},
    {".workgroup_size_hint", read_triple<&K::workgroup_size_hint>},
    {".max_num_work_groups_x", read_max_groups<0>},
    {".max_num_work_groups_y", read_max_groups<1>},
    {".max_num_work_groups_z", read_max_groups<2>},
    {".uses_dynamic_stack", read_bool<K, &K::uses_dynamic_stack>},
    {".uniform_work_group_size", read_bool<K, &K::uniform_work_group_size>},
    {".workgroup_processor_mode", read_bool<K, &K::workgroup_processor_mode>},
};

Status check_kernel(const KernelMetadata& k) {
  auto bad = [&](std::string text) { return error(Code::invalid_image, "(kernel '{}') {}", k.name, text); };
  if (k.name.empty() || k.symbol.empty()) return bad("has an empty name or symbol");
  // 0 is GCC's for kernels without arguments: none is wanted.
  if (k.kernarg_segment_align != 0 && (!std::has_single_bit(k.kernarg_segment_align) || k.kernarg_segment_align > 4096))
    return bad(fmt::format(".kernarg_segment_align {} is no power of two up to 4096", k.kernarg_segment_align));
  if (k.wavefront_size != 32 && k.wavefront_size != 64)
    return bad(fmt::format(".wavefront_size {} is neither 32 nor 64", k.wavefront_size));
  for (size_t i = 0; i < k.args.size(); ++i) {
    const KernelArg& a = k.args[i];
    if (!in_range(a.offset, a.size, k.kernarg_segment_size))
      return bad(fmt::format("argument {} at {} of {} bytes leaves the kernarg segment of {}", i, a.offset, a.size,
                             k.kernarg_segment_size));
    if (is_hidden(a.kind) && a.kind != ArgKind::hidden_none && a.size > 8)
      return bad(fmt::format("argument {} is {} of {} bytes", i, a.kind_name, a.size));
    if (a.pointee_align && !std::has_single_bit(a.pointee_align))
      return bad(fmt::format("argument {}: .pointee_align {} is no power of two", i, a.pointee_align));
  }
  return {};
}

Status read_kernels(MsgpackReader& in, Metadata& out) {
  return read_array(in, [&] {
    KernelMetadata& kernel = out.kernels.emplace_back();
    Status s = read_map(in, kernel, kKernelKeys);
    return s ? check_kernel(kernel) : s;
  });
}

Status read_version(MsgpackReader& in, Metadata& out) {
  BZ_TRY_ASSIGN(uint64_t count, in.array());
  if (count != 2) return error(Code::invalid_image, "has {} elements instead of 2", count);
  BZ_TRY_ASSIGN(out.version_major, in.uint32());
  BZ_TRY_ASSIGN(out.version_minor, in.uint32());
  return {};
}

/// Takes "123:" off the front.
std::optional<uint32_t> take_number(std::string_view& text) {
  uint32_t value = 0;
  auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  size_t used = static_cast<size_t>(end - text.data());
  if (failure != std::errc() || used >= text.size() || text[used] != ':') return std::nullopt;
  text.remove_prefix(used + 1);
  return value;
}

Status read_printf(MsgpackReader& in, Metadata& out) {
  return read_array(in, [&]() -> Status {
    BZ_TRY_ASSIGN(std::string_view text, in.string());
    auto malformed = [&] { return error(Code::invalid_image, "'{}' is not ID:N:S[0]:...:FORMAT", text); };
    PrintfFormat f;
    std::string_view rest = text;
    std::optional<uint32_t> id = take_number(rest);
    std::optional<uint32_t> args = id ? take_number(rest) : std::nullopt;
    if (!args) return malformed();
    f.id = *id;
    for (uint32_t a = 0; a < *args; ++a) {
      std::optional<uint32_t> size = take_number(rest); // runs out of text long before a huge count runs out
      if (!size) return malformed();
      f.arg_sizes.push_back(*size);
    }
    f.format = rest;
    out.printf_formats.push_back(std::move(f));
    return {};
  });
}

constexpr Key<Metadata> kTopKeys[] = {
    {"amdhsa.version", read_version, true},
    {"amdhsa.target", read_string<Metadata, &Metadata::target>},
    {"amdhsa.kernels", read_kernels},
    {"amdhsa.printf", read_printf},
};

} // namespace

std::string_view arg_kind_name(ArgKind kind) {
  return kind == ArgKind::unknown_hidden ? "unknown hidden argument" : kArgKinds[static_cast<size_t>(kind)];
}

uint32_t KernelMetadata::explicit_size() const {
  uint32_t end = 0;
  for (const KernelArg& a : args)
    if (!is_hidden(a.kind)) end = std::max(end, a.offset + a.size); // can't wrap: checked against the segment
  return end;
}

size_t KernelMetadata::explicit_count() const {
  return std::ranges::count_if(args, [](const KernelArg& a) { return !is_hidden(a.kind); });
}

const KernelArg* KernelMetadata::find(ArgKind kind) const {
  auto it = std::ranges::find(args, kind, &KernelArg::kind);
  return it == args.end() ? nullptr : &*it;
}

const KernelMetadata* Metadata::find_kernel(std::string_view name) const {
  auto it = std::ranges::find(kernels, name, &KernelMetadata::name);
  return it == kernels.end() ? nullptr : &*it;
}

const KernelMetadata* Metadata::find_symbol(std::string_view symbol) const {
  auto it = std::ranges::find(kernels, symbol, &KernelMetadata::symbol);
  return it == kernels.end() ? nullptr : &*it;
}

Expected<Metadata> parse_metadata(Bytes note) {
  MsgpackReader in(note);
  Metadata metadata;
  if (Status s = read_map(in, metadata, kTopKeys); !s) return under("metadata note:", s);
  for (Bytes rest = note.subspan(in.offset()); std::byte padding : rest) // to a multiple of four
    if (padding != std::byte{0} || rest.size() > 3)
      return error(Code::invalid_image, "metadata note: {} bytes follow the end of the map", rest.size());
  if (metadata.version_major != 1)
    return error(Code::unsupported, "metadata note: version {}.{} (1.x is known)", metadata.version_major,
                 metadata.version_minor);
  return metadata;
}

} // namespace bz::codeobj
