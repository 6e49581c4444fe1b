#pragma once

#include <stdint.h>

/* Lengths of a convolution or pool over three spatial dims, and steps in elements: x_n from image to image, x_c from channel to channel. */
typedef struct {
    int32_t batch, groups, in_channels, out_channels; /* channels of one group */
    int32_t in[3], out[3], kernel[3], stride[3], pad[3], after[3], dilation[3];
    int32_t x_n, x_c, x[3], y_n, y_c, y[3], w_m, w_c, w[3];
} volume_t;
