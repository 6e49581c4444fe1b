// Attention RotaryEmbedding ...
#include "libcore/ops/families.h"
#include "libcore/ops/shared.h"

namespace quern {

std::span<const Op> attention_ops() { return {}; }

}  // namespace quern
