#pragma once

#include "libcore/integer/gate_code.h"

/* What a row of weights adds to a gate. */
static int32_t gate_sum(int32_t gate, const int8_t* x, const int8_t* w, int32_t count, int32_t zero, int32_t bias, int32_t factor,
                        int32_t shift) {
    uint32_t sum = (uint32_t)bias;
    int32_t k;
    for (k = 0; k < count; ++k) sum += (uint32_t)(w[k] * (x[k] - zero));
    return gate_code(gate, (int32_t)sum, factor, shift);
}
