// Transpose Concat Split Slice Pad Tile ...
#include "libcore/ops/families.h"
#include "libcore/ops/shared.h"

namespace quern {

std::span<const Op> move_ops() { return {}; }

}  // namespace quern
