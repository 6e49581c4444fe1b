#pragma once

#include "libcore/integer/clip.h"
#include "libcore/integer/rescale_t.h"
#include "libcore/integer/scaled.h"

static int32_t rescale_code(int32_t x, const rescale_t* t) {
    const int32_t code = (int32_t)((uint32_t)x - (uint32_t)t->x_zero);
    const int32_t steps = code >= 0 ? scaled(code, t->factor, t->shift) : scaled(code, t->below_factor, t->below_shift);
    return clip((int64_t)steps + t->zero, t->low, t->high);
}
