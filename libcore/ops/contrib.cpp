// com.microsoft: BiasGelu SkipLayerNormalization ...
#include "libcore/ops/families.h"
#include "libcore/ops/shared.h"

namespace quern {

std::span<const Op> contrib_ops() { return {}; }

}  // namespace quern
