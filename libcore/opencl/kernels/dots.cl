// y[m, n] = codes or numbers of c[n] + sum over k of a[m, k] * b[n, k], the factor d[n]; rows of four codes at a time, ROWS rows an item.
// Depths of b are padded with zeros to a multiple of 4. P: 0 m, 1 n, 2 k, 3 k padded.
#ifdef DOT_PRODUCTS
#define FOURS(x, w) DOT4(as_uint(x), as_uint(w))
#else
inline int FOURS_OF(int4 x, int4 w) { return x.s0 * w.s0 + x.s1 * w.s1 + x.s2 * w.s2 + x.s3 * w.s3; }
#define FOURS(x, w) FOURS_OF(convert_int4(x), convert_int4(w))
#endif
__kernel void run(__global TYPE(Y) *restrict y, __global const TYPE(A) *restrict a, __global const char *restrict b,
                  __global const int *restrict c, __global const float *restrict d, PARAMS) {
    BEGIN;
    const int column = get_global_id(0), first = get_global_id(1) * ROWS;
    const int rows = P(0), columns = P(1), depth = P(2);
    if (column >= columns || first >= rows) return;
    __global const char *weight = b + column * P(3);
    int sum[ROWS], at_row[ROWS];
    for (int r = 0; r < ROWS; ++r) {
        sum[r] = c[column];
        at_row[r] = min(first + r, rows - 1) * depth;
    }
    int k = 0;
    for (; k + 4 <= depth; k += 4) {
        const char4 w = vload4(0, weight + k);
        for (int r = 0; r < ROWS; ++r) sum[r] += FOURS(vload4(0, a + at_row[r] + k), w);
    }
    for (; k < depth; ++k)
        for (int r = 0; r < ROWS; ++r) sum[r] += (int)a[at_row[r] + k] * weight[k];
    const Grid to = result_grid(p);
    for (int r = 0; r < ROWS && first + r < rows; ++r) PUT_SUM(y, (first + r) * columns + column, sum[r], d[column], to);
}
