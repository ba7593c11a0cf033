// Instructions that LLVM's tables have and no compute product executes: one reviewed list. They decode and print, but are
// never legal, so engines raise the illegal-instruction exception. Known instructions that merely lack semantics here are
// not on it: those are refused as "not implemented", by name. Must not know any engine.
#pragma once
#include "isa/target.hpp"

#include <string_view>

namespace bz::isa {

struct Absent {
  std::string_view rows;  ///< Meta::name, or a prefix followed by *
  const char* why;
};

inline constexpr Absent kAbsent[] = {
    {"exp", "exports end in the graphics pipeline; a compute dispatch has no export target"},
    {"v_interp_*", "interpolates attributes that only a pixel shader's launch puts into LDS"},
    {"s_rfe_b64", "returns from the trap handler: privileged, and here no handler runs on the GPU"},
    {"s_rfe_restore_b64", "returns from the trap handler: privileged, and here no handler runs on the GPU"},
};

/// The reason if the row of that name is on the list, else nullptr.
constexpr const char* absent_why(std::string_view name) {
  for (auto& a : kAbsent) {
    bool prefix = a.rows.back() == '*';
    if (prefix ? name.starts_with(a.rows.substr(0, a.rows.size() - 1)) : name == a.rows) return a.why;
  }
  return nullptr;
}

} // namespace bz::isa
