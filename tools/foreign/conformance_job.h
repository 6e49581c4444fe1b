// A back end tried step by step (libcore/conformance).
#pragma once

#include "tools/foreign/serve.h"

namespace quern {

// Request: what libcore/conformance/request.h makes of it. What comes of each step is told as it comes.
void check_backend(ChildWork& work);

}  // namespace quern
