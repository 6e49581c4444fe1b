// The text of formats/library/builder.h, made by cmake/builder_header.cmake.
#pragma once

#include <string_view>

namespace quern {

extern const std::string_view builder_header;

}  // namespace quern
