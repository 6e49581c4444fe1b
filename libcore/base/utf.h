// UTF-8, and texts of tools that put a byte order mark in front, and UTF-16 behind it.
#pragma once

#include <string>

#include "libcore/base/bytes.h"

namespace quern {

void append_utf8(std::string& to, char32_t c);

// The text as UTF-8, without a byte order mark. Throws Exit::bad_input if what is marked as UTF-16 is not.
Bytes as_utf8(const Bytes& text);

}  // namespace quern
