// y[i] = b[a[i] - lowest]: a function of codes. P: elements, the lowest code.
__kernel void run(__global TYPE(Y) *restrict y, __global const TYPE(A) *restrict a, __global const TYPE(Y) *restrict b, PARAMS) {
    BEGIN;
    const int i = get_global_id(0);
    if (i >= P(0)) return;
    y[i] = b[(int)a[i] - P(1)];
}
