#include "formats/shared/nudged_range.h"

#include <cmath>

namespace quern {

NudgedRange nudged_range(float low, float high, int bits, bool narrow) {
    const float least = narrow ? 1.0f : 0.0f, most = static_cast<float>((1 << bits) - 1), scale = (high - low) / (most - least);
    const float from = least - low / scale, zero = from < least ? least : from > most ? most : std::round(from);
    return {(least - zero) * scale, (most - zero) * scale, scale};
}

}  // namespace quern
