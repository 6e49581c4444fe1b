#pragma once

#include <stdint.h>

static int32_t clip(int64_t x, int32_t low, int32_t high) { return x < low ? low : x > high ? high : (int32_t)x; }
