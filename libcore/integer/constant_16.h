#pragma once

#include "libcore/integer/rounded_shift.h"

/* The upper half of a number of 32 bits. */
static int16_t constant_16(int32_t of_32) {
    return (int16_t)rounded_shift(of_32, 16);
}
