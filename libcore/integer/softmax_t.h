#pragma once

#include <stdint.h>

/* Differences below -reach count as nothing; results have `bits` bits behind the point of the sum's reciprocal. */
typedef struct {
    int32_t factor, shift, reach, bits, low, high;
} softmax_t;
