// Gather Scatter OneHot NonZero Unique Compress ...
#include "libcore/ops/families.h"
#include "libcore/ops/shared.h"

namespace quern {

std::span<const Op> gather_ops() { return {}; }

}  // namespace quern
