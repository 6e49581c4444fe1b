// Operators of a library, computed here for the process that asks (libcore/backend/remote_ops.h).
#pragma once

#include "libcore/backend/wire.h"

namespace quern {

// Opens the library, whose operators are this process's from then on. The answer describes them.
Json open_operators(const JsonView& request);
Json infer_operator(ReceivedDescriptors& descriptors);
Json eval_operator(const JsonView& request, ReceivedDescriptors& descriptors);

}  // namespace quern
