// Sums and products of 8-bit codes as QLinearAdd and QLinearMul of onnxruntime compute them, broadcast over RANK dims.
// P: 0 elements, 1-5 numbers of SUM (factors of a and b, what is added) or else (zero points of a and b, ratio, zero point), then of each dim
// its length and the steps of a and b.
__kernel void run(__global TYPE(Y) *restrict y, __global const TYPE(A) *restrict a, __global const TYPE(B) *restrict b, PARAMS) {
    BEGIN;
    const int i = get_global_id(0);
    if (i >= P(0)) return;
    int ia = i, ib = i;
#if RANK > 0
    ia = ib = 0;
    int rest = i;
    for (int d = RANK - 1; d >= 0; --d) {
        const int length = P(6 + 3 * d), k = rest % length;
        rest /= length;
        ia += k * P(7 + 3 * d);
        ib += k * P(8 + 3 * d);
    }
#endif
    Grid grid = result_grid(p);
    grid.zero = 0;
#ifdef SUM
    const float x = fma((float)b[ib], R(2), fma((float)a[ia], R(1), R(3)));
#else
    const float x = ((float)a[ia] - R(1)) * ((float)b[ib] - R(2)) * R(3) + R(4);
#endif
    y[i] = (TYPE(Y))limited(rint(x), grid);
}
