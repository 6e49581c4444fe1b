#pragma once

#include <stdint.h>

typedef struct {
    int32_t batch, in_h, in_w, out_h, out_w, channels;
} resize_t;
