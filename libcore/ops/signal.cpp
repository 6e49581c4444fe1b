// DFT STFT MelWeightMatrix ...
#include "libcore/ops/families.h"
#include "libcore/ops/shared.h"

namespace quern {

std::span<const Op> signal_ops() { return {}; }

}  // namespace quern
