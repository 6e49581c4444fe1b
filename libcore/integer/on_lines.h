#pragma once

#include <stdint.h>

/* A function of 16-bit codes as straight lines between numbers at every 128th code. */
static int32_t on_lines(int32_t code, const int16_t* lines) {
    const int32_t at = (code + 32768) >> 7;
    return lines[at] + (((int16_t)(lines[at + 1] - lines[at]) * (code & 127) + 64) >> 7);
}
