// Reading ahead in mapped files.
#pragma once

#include "libcore/base/bytes.h"

namespace quern {

// Reads the pages of a mapped run in at once, in pages as large as the system has them: much cheaper than one by one when they are met.
// Does nothing for heap memory.
void prefetch(const Bytes& bytes);

}  // namespace quern
