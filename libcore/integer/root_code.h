#pragma once

#include "libcore/integer/clip.h"
#include "libcore/ops/portable/square_root.h"

/* Cut off; 0 where there is no root. */
static int64_t root_code(int32_t code, float x_scale, float y_scale) {
    const float steps = code < 0 ? 0.0f : (float)square_root((double)(x_scale * (float)code)) / y_scale;
    return (int64_t)(steps < 1e9f ? steps : 1e9f);
}
