// Descriptions of GPU products and the BZ_GPUS grammar that picks them. Data only: it knows no queue, no memory, no
// engine.
//
//   BZ_GPUS = device { ";" device }         also "," before another product name
//   device  = [ count "x " ] name { "," option }
//   name    = a file of gpu/products: mi300x, mi250x, mi60, mi50, or a bare target: gfx942, gfx90a, gfx906
//   option  = "cus=" number                 compute units
//           | "memory=" number [K|M|G|T]    VRAM budget, exactly; otherwise it is capped to 3/4 of the machine's memory
// Unset or empty is "gfx942": one device sized to this machine. "hw" is not ours: the kernel's driver is used.
#pragma once
#include "base/status.hpp"
#include "isa/target.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bz::gpu {

struct Cache {
  uint32_t level = 1;
  uint32_t kilobytes = 0;
  uint32_t line_bytes = 64;
  uint32_t ways = 1;
  char type = 'd';  ///< d data, i instruction, s scalar data
  uint32_t cus = 1; ///< compute units that share one
};

struct Product {
  std::string name;  ///< as in BZ_GPUS
  std::string title; ///< for people
  std::string asic;  ///< sysfs name
  isa::Target target = isa::Target::gfx942;
  uint32_t devices = 1; ///< how many devices one card shows
  uint32_t device_id = 0;
  uint32_t family_id = 0;
  uint32_t cus = 1;
  uint32_t xccs = 1;
  uint32_t engines_per_xcc = 1;
  uint32_t arrays_per_engine = 1;
  uint32_t simds_per_cu = 4;
  uint32_t waves_per_simd = 8;
  uint32_t lds_kb = 64;
  uint32_t clock_mhz = 1000;
  uint64_t memory_bytes = 0;
  uint32_t memory_width = 0;
  uint32_t memory_clock_mhz = 0;
  bool machine_sized = false;
  std::vector<Cache> caches;

  /// gfx_target_version of sysfs: major * 10000 + minor * 100 + stepping.
  uint32_t gfx_target_version() const;
};

/// What a device can be sized to.
struct Machine {
  uint32_t threads = 1;
  uint64_t memory_bytes = 1ull << 30;
  static Machine here();
};

/// The product of this name, before any option.
Expected<Product> find_product(std::string_view name, const Machine& machine);
std::vector<std::string> product_names();
/// One entry per device of the BZ_GPUS text.
Expected<std::vector<Product>> parse_gpus(std::string_view text, const Machine& machine);

/// The TOML files of gpu/products, built into the library.
struct ProductFile {
  const char* name;
  const char* text;
};
extern const ProductFile kProductFiles[];
extern const unsigned kProductFileCount;

} // namespace bz::gpu
