// y[o, j, i] = a[o, b[j], i]. P: elements, entries of b, length of the axis, elements behind the axis. An entry that is no place along the
// axis sets `failed`.
__kernel void run(__global TYPE(Y) *restrict y, __global const TYPE(A) *restrict a, __global const TYPE(B) *restrict b,
                  __global int *restrict failed, PARAMS) {
    BEGIN;
    const int i = get_global_id(0);
    if (i >= P(0)) return;
    const int entries = P(1), length = P(2), inner = P(3);
    const int j = i / inner % entries, outer = i / inner / entries;
    long at_axis = b[j];
    if (at_axis < 0) at_axis += length;
    if (at_axis < 0 || at_axis >= length) {
        failed[0] = 1;
        at_axis = 0;
    }
    const int from = (outer * length + (int)at_axis) * inner + i % inner;
#ifdef RAW
    y[i] = a[from];
#else
    STORE(Y, y, i, LOAD(A, a, from, operand_grid(p, 0)), result_grid(p));
#endif
}
