// Real factors as the TFLite specification has them: scaled and scaled_wide (libcore/integer/rounding.h) multiply by them.
#pragma once

#include <cstdint>

namespace quern {

// A positive real factor as factor / 2^31 * 2^shift with 31 significant bits.
struct FixedFactor {
    int32_t factor = 0;
    int shift = 0;

    static FixedFactor of(double real);
};

}  // namespace quern
