#pragma once

#include <stdint.h>

/* Lengths of a convolution or pool over two spatial dims, and steps in elements: x_n from image to image, x_g from
   group to group, x_c from channel to channel. */
typedef struct {
    int32_t batch, groups, in_channels, out_channels; /* channels of one group */
    int32_t in_h, in_w, out_h, out_w, kernel_h, kernel_w;
    int32_t stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w;
    int32_t x_n, x_g, x_c, x_h, x_w;
    int32_t w_m, w_c, w_h, w_w;
    int32_t y_n, y_c, y_h, y_w;
} conv_t;
