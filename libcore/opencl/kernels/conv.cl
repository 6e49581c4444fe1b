// Convolution, direct: an item computes one place of CB channels. Weights lie as [channels / CB, taps, CB].
// INTEGER: sums of codes; c is the bias (with what the zero point of the data takes), d the factor of each channel. Else: c is the bias.
// P: 0 channels out, 1 channels in a group, 2 channels out a group, 3-4 height and width in, 5-6 out, 7-8 kernel, 9-10 strides, 11-12 dilations,
// 13-14 padding before, 15-17 steps in of channel, row, column, 18-20 steps out, 21-22 steps of the batch in, out, 23 zero point of the data,
// 24 has a bias, 25-26 limits of the activation (floats).
#ifdef INTEGER
#define OPERANDS , __global const ACC *restrict c, __global const float *restrict d
#else
#define ACC float
#define OPERANDS , __global const float *restrict c
#endif
__kernel void run(__global TYPE(Y) *restrict y, __global const TYPE(A) *restrict a, __global const TYPE(B) *restrict b OPERANDS, PARAMS) {
    BEGIN;
    const int place = get_global_id(0), block = get_global_id(1), batch = get_global_id(2);
    const int width = P(6);
    if (place >= P(5) * width || block * CB >= P(0)) return;
    const int row = place / width, column = place % width, m = block * CB;
    const int in_group = P(1), high = P(3), wide = P(4), kernel_high = P(7), kernel_wide = P(8);
    const int dilation_y = P(11), dilation_x = P(12), step_c = P(15), step_y = P(16), step_x = P(17);
    const int top = row * P(9) - P(13), left = column * P(10) - P(14);
    __global const TYPE(A) *from = a + batch * P(21) + m / P(2) * in_group * step_c;
    __global const TYPE(B) *weight = b + block * in_group * kernel_high * kernel_wide * CB;
#ifdef INTEGER
    const int outside = P(23);
#else
    const Grid grid = operand_grid(p, 0);
#endif
    ACC sum[CB];
    for (int k = 0; k < CB; ++k) sum[k] = 0;
    for (int channel = 0; channel < in_group; ++channel)
        for (int ky = 0; ky < kernel_high; ++ky)
            for (int kx = 0; kx < kernel_wide; ++kx, weight += CB) {
                const int iy = top + ky * dilation_y, ix = left + kx * dilation_x;
                const bool inside = iy >= 0 && iy < high && ix >= 0 && ix < wide;
                const int i = inside ? channel * step_c + iy * step_y + ix * step_x : 0;
#ifdef INTEGER
                const int x = inside ? (int)from[i] : outside;
                for (int k = 0; k < CB; ++k) sum[k] += (ACC)x * weight[k];
#else
                const float x = inside ? LOAD(A, from, i, grid) : 0.0f;
                for (int k = 0; k < CB; ++k) sum[k] += x * LOAD(B, weight, k, grid);
#endif
            }
    const Grid to = result_grid(p);
    for (int k = 0; k < CB; ++k) {
        const int i = batch * P(22) + (m + k) * P(18) + row * P(19) + column * P(20);
#ifdef INTEGER
        PUT_SUM(y, i, sum[k] + c[m + k], d[m + k], to);
#else
        float x = P(24) ? sum[k] + c[m + k] : sum[k];
        x = x < R(25) ? R(25) : x > R(26) ? R(26) : x;
        STORE(Y, y, i, x, to);
#endif
    }
}
