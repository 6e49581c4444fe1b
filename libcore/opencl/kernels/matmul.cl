// y[batch, m, n] = sum over k of a[batch, m, k] * b[batch, k, n], ROWS rows an item. BATCH dims of batches.
// INTEGER: sums of codes; c is what is added for each column, d the factor of each. Else: c is added, R(12) * sum + R(13) * c.
// P: 0 m, 1 n, 2 k, 3-4 steps of a by m, k, 5-6 of b by k, n, 7-8 of c by m, n, 9 has c, 10-11 zero points of a and b, 12-13 factors,
// 14-15 limits of the activation (floats), then of each dim of batches its length and the steps of a, b.
#ifdef INTEGER
#define OPERANDS , __global const ACC *restrict c, __global const float *restrict d
#else
#define ACC float
#define OPERANDS , __global const TYPE(C) *restrict c
#endif
__kernel void run(__global TYPE(Y) *restrict y, __global const TYPE(A) *restrict a, __global const TYPE(B) *restrict b OPERANDS, PARAMS) {
    BEGIN;
    const int column = get_global_id(0), first = get_global_id(1) * ROWS, batch = get_global_id(2);
    const int rows = P(0), columns = P(1), depth = P(2);
    if (column >= columns || first >= rows) return;
    const int a_row = P(3), a_step = P(4), b_step = P(5);
    int ia = 0, ib = 0, rest = batch;
    for (int i = BATCH - 1; i >= 0; --i) {
        const int length = P(16 + 3 * i), k = rest % length;
        rest /= length;
        ia += k * P(17 + 3 * i);
        ib += k * P(18 + 3 * i);
    }
    ib += column * P(6);
    const Grid grid_a = operand_grid(p, 0), grid_b = operand_grid(p, 1), to = result_grid(p);
#ifdef INTEGER
    const int zero_a = P(10), zero_b = P(11);
#endif
    ACC sum[ROWS];
    int at_row[ROWS];
    for (int r = 0; r < ROWS; ++r) {
        sum[r] = 0;
        at_row[r] = ia + min(first + r, rows - 1) * a_row;
    }
    for (int k = 0; k < depth; ++k) {
#ifdef INTEGER
        const ACC w = (int)b[ib + k * b_step] - zero_b;
        for (int r = 0; r < ROWS; ++r) sum[r] += (ACC)((int)a[at_row[r] + k * a_step] - zero_a) * w;
#else
        const float w = LOAD(B, b, ib + k * b_step, grid_b);
        for (int r = 0; r < ROWS; ++r) sum[r] += LOAD(A, a, at_row[r] + k * a_step, grid_a) * w;
#endif
    }
    for (int r = 0; r < ROWS && first + r < rows; ++r) {
        const int i = (batch * rows + first + r) * columns + column;
#ifdef INTEGER
        PUT_SUM(y, i, sum[r] + c[column], d[column], to);
#else
        float x = R(12) * sum[r];
        if (P(9)) x += R(13) * LOAD(C, c, (first + r) * P(7) + column * P(8), operand_grid(p, 2));
        x = x < R(14) ? R(14) : x > R(15) ? R(15) : x;
        STORE(Y, y, i, x, to);
#endif
    }
}
