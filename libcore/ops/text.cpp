// StringNormalizer StringConcat sequences, optionals ...
#include "libcore/ops/families.h"
#include "libcore/ops/shared.h"

namespace quern {

std::span<const Op> text_ops() { return {}; }

}  // namespace quern
