#pragma once

#include <stdint.h>

/* Codes are multiplied by `unit` before they are divided, quotients by 2^more. */
typedef struct {
    int32_t x_zero, unit, more, zero, low, high;
} normalize_t;
