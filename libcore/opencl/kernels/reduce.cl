// One result of the elements along OUTER reduced dims and a row of neighbours. JOIN(x, y), FIRST where it begins, FINISH(x, count).
// Rows are summed in eight lanes, as the reference does; DOUBLE: one sum in double.
// P: 0 results, 1 row length (1: no row), 2 elements a result, 3 KEPT dims, then of each its length and step; then of each reduced one.
#ifdef DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define ACC double
#else
#define ACC float
#endif
__kernel void run(__global TYPE(Y) *restrict y, __global const TYPE(A) *restrict a, PARAMS) {
    BEGIN;
    const int i = get_global_id(0);
    if (i >= P(0)) return;
    int from = 0, rest = i;
    for (int d = KEPT - 1; d >= 0; --d) {
        const int length = P(3 + 2 * d), k = rest % length;
        rest /= length;
        from += k * P(4 + 2 * d);
    }
    const Grid grid = operand_grid(p, 0);
    const int row = P(1), runs = row > 0 ? P(2) / row : 0;
    ACC out = FIRST;
    for (int run = 0; run < runs; ++run) {
        int at_run = from;
        rest = run;
        for (int d = OUTER - 1; d >= 0; --d) {
            const int length = P(3 + 2 * KEPT + 2 * d), k = rest % length;
            rest /= length;
            at_run += k * P(4 + 2 * KEPT + 2 * d);
        }
#ifdef IN_ORDER
        for (int k = 0; k < row; ++k) out = JOIN(out, (ACC)LOAD(A, a, at_run + k, grid));
#else
        ACC lane[8];
        for (int l = 0; l < 8; ++l) lane[l] = FIRST;
        int k = 0;
        for (; k + 8 <= row; k += 8)
            for (int l = 0; l < 8; ++l) lane[l] = JOIN(lane[l], (ACC)LOAD(A, a, at_run + k + l, grid));
        for (; k < row; ++k) lane[0] = JOIN(lane[0], (ACC)LOAD(A, a, at_run + k, grid));
        for (int l = 0; l < 8; ++l) out = JOIN(out, lane[l]);
#endif
    }
    STORE(Y, y, i, FINISH(out, (ACC)P(2)), result_grid(p));
}
