#pragma once

#include <stdint.h>

static int32_t leading_zeros(uint32_t x) {
    int32_t count = 0;
    while (count < 32 && !(x & 0x80000000u >> count)) ++count;
    return count;
}
