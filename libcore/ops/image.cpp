// Resize RoiAlign GridSample NonMaxSuppression Col2Im ...
#include "libcore/ops/families.h"
#include "libcore/ops/shared.h"

namespace quern {

std::span<const Op> image_ops() { return {}; }

}  // namespace quern
