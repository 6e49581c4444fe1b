#pragma once

#include "libcore/integer/clip.h"
#include "libcore/integer/round_away.h"

/* Ties away from zero; of what is no number the zero point. */
static int32_t code_of_real(float x, float scale, int32_t zero, int32_t low, int32_t high) {
    return clip((int64_t)(x == x ? round_away((double)(x / scale)) : 0) + zero, low, high);
}
