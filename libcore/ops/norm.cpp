// BatchNormalization LayerNormalization RMSNormalization LRN Softmax ...
#include "libcore/ops/families.h"
#include "libcore/ops/shared.h"

namespace quern {

std::span<const Op> norm_ops() { return {}; }

}  // namespace quern
