#pragma once

#include "libcore/integer/clip.h"
#include "libcore/integer/rescale_t.h"
#include "libcore/integer/scaled.h"

static int32_t size_code(int32_t x, const rescale_t* t) {
    const int32_t code = x - t->x_zero;
    return clip((int64_t)scaled(code < 0 ? -code : code, t->factor, t->shift) + t->zero, t->low, t->high);
}
