// The mean of 8-bit codes over space as QLinearGlobalAveragePool of onnxruntime computes it. P: results, elements a result, step from one to
// the next, results a group that lie side by side, factor (a float).
__kernel void run(__global TYPE(Y) *restrict y, __global const TYPE(A) *restrict a, PARAMS) {
    BEGIN;
    const int i = get_global_id(0);
    if (i >= P(0)) return;
    const int count = P(1), step = P(2), beside = P(3), zero = operand_grid(p, 0).zero;
    const int first = i / beside * beside * count + (step == 1 ? i % beside * count : i % beside);
    int sum = 0;
    for (int k = 0; k < count; ++k) sum += (int)a[first + k * step] - zero;
    y[i] = (TYPE(Y))limited(rint((float)sum * R(4)), result_grid(p));
}
