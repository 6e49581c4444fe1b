// ReduceSum ArgMax CumSum TopK ...
#include "libcore/ops/families.h"
#include "libcore/ops/shared.h"

namespace quern {

std::span<const Op> reduce_ops() { return {}; }

}  // namespace quern
