// MaxPool AveragePool LpPool GlobalAveragePool ...
#include "libcore/ops/families.h"
#include "libcore/ops/shared.h"

namespace quern {

std::span<const Op> pool_ops() { return {}; }

}  // namespace quern
