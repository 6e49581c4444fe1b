#pragma once

#include <stdint.h>

/* Lengths of a walk over elements, the last one innermost, and the steps of up to three operands in elements. */
typedef struct {
    int32_t rank, dims[8], a[8], b[8], c[8];
} walk_t;
