#pragma once

#include "libcore/integer/clip.h"
#include "libcore/integer/scaled.h"

/* A gate and what a sum adds to it. */
static int16_t gate_code(int32_t gate, int32_t sum, int32_t factor, int32_t shift) {
    return (int16_t)clip((int64_t)scaled(sum, factor, shift) + gate, INT16_MIN, INT16_MAX);
}
