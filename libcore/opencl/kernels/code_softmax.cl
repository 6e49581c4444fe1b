// Softmax of a line of 8-bit codes as QLinearSoftmax of onnxruntime computes it: b has the exponentials of -255 to 0 steps in whole numbers.
// P: lines, length, step, steps of a code in 1.
__kernel void run(__global TYPE(Y) *restrict y, __global const TYPE(A) *restrict a, __global const uint *restrict b, PARAMS) {
    BEGIN;
    const int line = get_global_id(0);
    if (line >= P(0)) return;
    const int length = P(1), step = P(2), first = line / step * step * length + line % step;
    const ulong steps = (uint)P(3);
    const Grid grid = result_grid(p);
    int most = a[first];
    for (int i = 1; i < length; ++i) most = max(most, (int)a[first + i * step]);
    ulong sum = 0;
    for (int i = 0; i < length; ++i) sum += b[(int)a[first + i * step] - most + 255];
    for (int i = 0; i < length; ++i) {
        const ulong code = sum ? (b[(int)a[first + i * step] - most + 255] * steps + sum / 2) / sum : 0;
        y[first + i * step] = (TYPE(Y))clamp((int)min(code, (ulong)(1 << 20)) + grid.zero, grid.low, grid.high);
    }
}
