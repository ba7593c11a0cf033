// Link inputs taken apart and checked, so that the linker sees nothing that makes it give up: bitcode, bundles of it,
// archives, objects. Must not know how they are linked.
#pragma once
#include "hip/rtc/compiler.hpp"

namespace bz::rtc {

/// A file for the linker: bitcode or an ELF object, and the name that messages shall show.
struct LinkFile {
  std::string name, bytes;
};

/// Adds the files of an input. invalid_image: it is malformed or of another kind than stated; wrong_target: it has
/// nothing for the target.
Status take_input(const LinkInput& input, const std::string& target, std::vector<LinkFile>& out);

} // namespace bz::rtc
