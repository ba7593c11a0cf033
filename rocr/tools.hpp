// Tool libraries (HSA_TOOLS_LIB): loaded at the first hsa_init, they get the tables of entry points and may replace
// entries. Owns their handles. Must not know what they do.
#pragma once
#include <string>
#include <vector>

namespace bz::rocr {

class Tools {
public:
  /// Loads what HSA_TOOLS_LIB lists (separated by spaces or colons) and calls OnLoad of each.
  void load();
  /// Calls OnUnload in reverse order. The libraries stay mapped: the program may still run their code.
  void unload();

private:
  std::vector<void*> libraries_;
  std::vector<std::string> failed_;
};

} // namespace bz::rocr
