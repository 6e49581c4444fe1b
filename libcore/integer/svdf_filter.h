#pragma once

#include <stdint.h>

/* The oldest number of a filter's memory leaves and a fresh one comes; gives the sum of all weighted over time. */
static uint32_t svdf_filter(int16_t* state, int16_t fresh, const int16_t* weights, int32_t memory) {
    uint32_t sum = 0;
    int32_t i;
    for (i = 0; i + 1 < memory; ++i) state[i] = state[i + 1];
    if (memory > 0) state[memory - 1] = fresh;
    for (i = 0; i < memory; ++i) sum += (uint32_t)(state[i] * weights[i]);
    return sum;
}
