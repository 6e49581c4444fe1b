#pragma once

#include "libcore/integer/clip.h"

/* x * 2^n, saturated. */
static int32_t saturated_shift(int32_t x, int32_t n) { return clip((int64_t)x * ((int64_t)1 << n), INT32_MIN, INT32_MAX); }
