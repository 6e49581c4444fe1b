// The text of include/quern/builder.h, made by cmake/public_headers.cmake.
#pragma once

#include <string_view>

namespace quern {

extern const std::string_view builder_header;

}  // namespace quern
