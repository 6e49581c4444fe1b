// y[i] = FN(a[i]). P: elements, R: two numbers of the function.
__kernel void run(__global TYPE(Y) *restrict y, __global const TYPE(A) *restrict a, PARAMS) {
    BEGIN;
    const int i = get_global_id(0);
    if (i >= P(0)) return;
    STORE(Y, y, i, FN(LOAD(A, a, i, operand_grid(p, 0)), R(1), R(2)), result_grid(p));
}
