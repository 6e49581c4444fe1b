#pragma once

#include "libcore/integer/high_product.h"
#include "libcore/integer/rounded_shift.h"

/* x * factor / 2^31 * 2^shift, rounded twice. */
static int32_t scaled(int32_t x, int32_t factor, int32_t shift) {
    const int32_t left = shift > 0 ? shift : 0, right = shift < 0 ? -shift : 0;
    return rounded_shift(high_product((int32_t)((uint32_t)x << left), factor), right);
}
