// Objects and bitcode to one code object, by LLD inside the process. Must not know the API's handles.
#pragma once
#include "hip/rtc/compiler.hpp"

namespace bz::rtc {

LinkResult link(const LinkRequest& request);

/// The last step of a compilation: one object of ours to a code object.
LinkResult link_object(const std::string& object);

} // namespace bz::rtc
