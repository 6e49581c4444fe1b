// Pools over windows: MAX the greatest element, else the mean, its sum in the order of the taps. P: 0-1 height and width in, 2-3 out, 4-5
// kernel, 6-7 strides, 8-9 dilations, 10-11 padding before, 12-13 after, 14 counts the padding, 15-17 steps in of plane, row, column, 18-20
// steps out, 21 planes a batch, 22-23 steps of the batch in, out, 24 planes.
__kernel void run(__global TYPE(Y) *restrict y, __global const TYPE(A) *restrict a, PARAMS) {
    BEGIN;
    const int place = get_global_id(0), plane = get_global_id(1);
    const int width = P(3);
    if (place >= P(2) * width || plane >= P(24)) return;
    const int row = place / width, column = place % width, high = P(0), wide = P(1);
    const int top = row * P(6) - P(10), left = column * P(7) - P(11);
    const int batch = plane / P(21), channel = plane % P(21);
    __global const TYPE(A) *from = a + batch * P(22) + channel * P(15);
    const Grid grid = operand_grid(p, 0);
#ifdef MAX
    float best = -INFINITY;
#else
    float sum = 0;
    int count = 0;
#endif
    for (int ky = 0; ky < P(4); ++ky)
        for (int kx = 0; kx < P(5); ++kx) {
            const int iy = top + ky * P(8), ix = left + kx * P(9);
            if (iy < 0 || iy >= high || ix < 0 || ix >= wide) continue;
            const float x = LOAD(A, from, iy * P(16) + ix * P(17), grid);
#ifdef MAX
            if (x > best || isnan(x)) best = x;
#else
            sum += x;
            ++count;
#endif
        }
    const int i = batch * P(23) + channel * P(18) + row * P(19) + column * P(20);
#ifdef MAX
    STORE(Y, y, i, best, result_grid(p));
#else
    if (P(14)) {
        const int down = (high + P(12) - top + P(8) - 1) / P(8), right = (wide + P(13) - left + P(9) - 1) / P(9);
        count = min(P(4), down) * min(P(5), right);
    }
    STORE(Y, y, i, sum / (float)count, result_grid(p));
#endif
}
