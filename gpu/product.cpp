#include "gpu/product.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <sstream>
#include <thread>
#include <toml.hpp>
#include <unistd.h>

namespace bz::gpu {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}

Expected<uint64_t> parse_number(std::string_view text, std::string_view what) {
  uint64_t value = 0;
  auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (ec != std::errc() || end != text.data() + text.size() || value == 0)
    return error(Code::invalid_argument, "BZ_GPUS: {} needs a positive number, not \"{}\"", what, text);
  return value;
}

Expected<uint64_t> parse_size(std::string_view text, std::string_view what) {
  int shift = 0;
  if (!text.empty()) switch (std::toupper(static_cast<unsigned char>(text.back()))) {
    case 'K':
      shift = 10;
      break;
    case 'M':
      shift = 20;
      break;
    case 'G':
      shift = 30;
      break;
    case 'T':
      shift = 40;
      break;
    default:
      break;
    }
  BZ_TRY_ASSIGN(uint64_t value, parse_number(shift ? text.substr(0, text.size() - 1) : text, what));
  if (value > (1ull << 46 >> shift)) return error(Code::invalid_argument, "BZ_GPUS: {}={} is too large", what, text);
  return value << shift;
}

constexpr uint64_t kPage = 4096;

/// Fewer compute units than the product has: fewer XCCs and engines, so that each keeps at least one.
void set_cus(Product& p, uint32_t cus) {
  p.cus = cus;
  while (p.xccs > 1 && cus % p.xccs != 0) p.xccs /= 2;
  uint32_t per_xcc = cus / p.xccs;
  while (p.engines_per_xcc > 1 && p.engines_per_xcc > per_xcc) p.engines_per_xcc /= 2;
  for (Cache& c : p.caches) c.cus = std::min(c.cus, cus);
}

/// A bare target is sized to the machine: one compute unit per hardware thread (programs size their grids by the count,
/// and a unit without a thread behind it only makes grids bigger), at least 2 so that code written for several units is
/// exercised; half of the machine's memory, because the host program and the device share it.
void size_to_machine(Product& p, const Machine& machine) {
  p.machine_sized = true;
  set_cus(p, std::clamp(machine.threads, 2u, p.cus));
  p.memory_bytes = std::min(p.memory_bytes, machine.memory_bytes / 2) / kPage * kPage;
}

struct Reader {
  const toml::value& root;
  std::string_view file;
  template <class T> void operator()(const char* key, T& out) const {
    if (!root.contains(key)) return;
    if constexpr (std::is_same_v<T, std::string>)
      out = toml::find<std::string>(root, key);
    else
      out = static_cast<T>(toml::find<int64_t>(root, key));
  }
};

Expected<Product> read_product(const ProductFile& file, const Machine& machine, int depth);

Expected<Product> find_file(std::string_view name, const Machine& machine, int depth) {
  std::string wanted = lower(name);
  for (unsigned i = 0; i < kProductFileCount; ++i)
    if (wanted == kProductFiles[i].name) return read_product(kProductFiles[i], machine, depth);
  std::string known;
  for (const auto& n : product_names()) known += (known.empty() ? "" : ", ") + n;
  return error(Code::not_found, "BZ_GPUS: no GPU is called \"{}\"; known are {} (and hw for the kernel's driver)", name,
               known);
}

Expected<Product> read_product(const ProductFile& file, const Machine& machine, int depth) {
  if (depth > 4) return error(Code::internal, "{}.toml: `base` goes round in circles", file.name);
  try {
    std::istringstream stream(file.text);
    const toml::value root = toml::parse(stream, std::string(file.name) + ".toml");
    Product p;
    if (root.contains("base")) {
      BZ_TRY_ASSIGN(p, find_file(toml::find<std::string>(root, "base"), machine, depth + 1));
    }
    Reader read{root, file.name};
    p.name = file.name;
    read("title", p.title);
    read("asic", p.asic);
    read("devices", p.devices);
    read("device_id", p.device_id);
    read("family_id", p.family_id);
    read("xccs", p.xccs);
    read("engines_per_xcc", p.engines_per_xcc);
    read("arrays_per_engine", p.arrays_per_engine);
    read("simds_per_cu", p.simds_per_cu);
    read("waves_per_simd", p.waves_per_simd);
    read("lds_kb", p.lds_kb);
    read("clock_mhz", p.clock_mhz);
    read("memory_width", p.memory_width);
    read("memory_clock_mhz", p.memory_clock_mhz);
    uint32_t cus = p.cus;
    read("cus", cus);
    if (root.contains("caches"))
      for (const toml::value& c : toml::find<toml::array>(root, "caches")) {
        Cache cache;
        cache.level = static_cast<uint32_t>(toml::find<int64_t>(c, "level"));
        cache.kilobytes = static_cast<uint32_t>(toml::find<int64_t>(c, "kb"));
        cache.line_bytes = static_cast<uint32_t>(toml::find<int64_t>(c, "line"));
        cache.ways = static_cast<uint32_t>(toml::find<int64_t>(c, "ways"));
        cache.type = toml::find<std::string>(c, "type").at(0);
        cache.cus = static_cast<uint32_t>(toml::find<int64_t>(c, "cus"));
        p.caches.push_back(cache);
      }
    set_cus(p, cus);
    std::string target, memory, sized;
    read("target", target);
    read("memory", memory);
    read("sized", sized);
    if (!target.empty()) {
      auto t = isa::target_from_name(target);
      if (!t) return error(Code::unsupported, "{}.toml: target {} is not known", file.name, target);
      p.target = *t;
    }
    if (!memory.empty()) { BZ_TRY_ASSIGN(p.memory_bytes, parse_size(memory, "memory")); }
    if (sized == "machine")
      size_to_machine(p, machine);
    else if (!sized.empty())
      return error(Code::invalid_argument, "{}.toml: sized = \"{}\" is not known", file.name, sized);
    return p;
  } catch (const std::exception& e) { return error(Code::invalid_argument, "{}.toml: {}", file.name, e.what()); }
}

Status apply_option(Product& p, std::string_view option, bool& exact_memory) {
  size_t equals = option.find('=');
  std::string key = lower(trim(option.substr(0, equals)));
  std::string_view value = trim(option.substr(equals + 1));
  if (key == "cus") {
    BZ_TRY_ASSIGN(uint64_t cus, parse_number(value, "cus"));
    if (cus > 1024)
      return error(Code::invalid_argument, "BZ_GPUS: cus={} is more than the 1024 that a device can have", cus);
    BZ_TRY_ASSIGN(Product full, find_product(p.name, Machine{.threads = 1024, .memory_bytes = p.memory_bytes * 2}));
    p.xccs = full.xccs;
    p.engines_per_xcc = full.engines_per_xcc;
    p.caches = full.caches;
    set_cus(p, static_cast<uint32_t>(cus));
    return {};
  }
  if (key == "memory") {
    BZ_TRY_ASSIGN(uint64_t bytes, parse_size(value, "memory"));
    p.memory_bytes = (bytes + kPage - 1) / kPage * kPage;
    exact_memory = true;
    return {};
  }
  return error(Code::invalid_argument, "BZ_GPUS: option \"{}\" is not known (cus=, memory=)", key);
}

/// "2x mi300x" and "2xmi300x": the count and the rest; 1 if there is none.
Expected<uint64_t> take_count(std::string_view& text) {
  size_t digits = 0;
  while (digits < text.size() && std::isdigit(static_cast<unsigned char>(text[digits]))) ++digits;
  if (digits == 0 || digits == text.size() || std::tolower(static_cast<unsigned char>(text[digits])) != 'x')
    return uint64_t{1};
  BZ_TRY_ASSIGN(uint64_t count, parse_number(text.substr(0, digits), "the device count"));
  text = trim(text.substr(digits + 1));
  return count;
}

} // namespace

uint32_t Product::gfx_target_version() const {
  // The name is gfx<major><minor><stepping>, stepping one hexadecimal digit.
  std::string_view digits = isa::target_name(target).substr(3);
  auto hex = [](char c) { return static_cast<uint32_t>(c <= '9' ? c - '0' : c - 'a' + 10); };
  uint32_t major = 0;
  for (char c : digits.substr(0, digits.size() - 2)) major = major * 10 + hex(c);
  return major * 10000 + hex(digits[digits.size() - 2]) * 100 + hex(digits.back());
}

Machine Machine::here() {
  Machine m;
  m.threads = std::max(1u, std::thread::hardware_concurrency());
  m.memory_bytes = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return m;
}

Expected<Product> find_product(std::string_view name, const Machine& machine) { return find_file(name, machine, 0); }

std::vector<std::string> product_names() {
  std::vector<std::string> names;
  for (unsigned i = 0; i < kProductFileCount; ++i) names.emplace_back(kProductFiles[i].name);
  std::sort(names.begin(), names.end());
  return names;
}

Expected<std::vector<Product>> parse_gpus(std::string_view text, const Machine& machine) {
  text = trim(text);
  if (text.empty()) text = "gfx942";
  constexpr size_t kMaxDevices = 64; // render minors 128..191
  std::vector<Product> devices;
  size_t at = 0;
  while (at <= text.size()) {
    // One device: up to the next ';', or up to a ',' that isn't followed by an option.
    Product product;
    uint64_t count = 0;
    bool named = false, exact_memory = false;
    while (at <= text.size()) {
      size_t end = std::min(text.find_first_of(",;", at), text.size());
      std::string_view item = trim(text.substr(at, end - at));
      bool option = item.find('=') != std::string_view::npos;
      if (!named) {
        if (item.empty() || option)
          return error(Code::invalid_argument, "BZ_GPUS: a GPU name is expected before \"{}\"", item);
        BZ_TRY_ASSIGN(count, take_count(item));
        BZ_TRY_ASSIGN(product, find_product(item, machine));
        named = true;
      } else if (option) {
        BZ_TRY(apply_option(product, item, exact_memory));
      } else {
        break; // the next device, after a ','
      }
      at = end + 1;
      if (end < text.size() && text[end] == ';') break;
    }
    if (!exact_memory)
      product.memory_bytes = std::min(product.memory_bytes, machine.memory_bytes / 4 * 3 / kPage * kPage);
    if (devices.size() + count * product.devices > kMaxDevices)
      return error(Code::invalid_argument, "BZ_GPUS: more than {} devices", kMaxDevices);
    for (uint64_t i = 0; i < count * product.devices; ++i) devices.push_back(product);
  }
  return devices;
}

} // namespace bz::gpu
