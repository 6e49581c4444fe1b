// y[i] = c ? a : b, broadcast over RANK dims; elements as they are stored. P: elements, then of each dim its length and the steps of c, a, b.
__kernel void run(__global TYPE(Y) *restrict y, __global const uchar *restrict c, __global const TYPE(Y) *restrict a,
                  __global const TYPE(Y) *restrict b, PARAMS) {
    BEGIN;
    const int i = get_global_id(0);
    if (i >= P(0)) return;
    int ic = 0, ia = 0, ib = 0, rest = i;
    for (int d = RANK - 1; d >= 0; --d) {
        const int length = P(1 + 4 * d), k = rest % length;
        rest /= length;
        ic += k * P(2 + 4 * d);
        ia += k * P(3 + 4 * d);
        ib += k * P(4 + 4 * d);
    }
    y[i] = c[ic] ? a[ia] : b[ib];
}
