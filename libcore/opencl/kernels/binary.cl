// y[i] = FN(a, b), broadcast over RANK dims (0: all of one shape). P: elements, then of each dim its length and the steps of a and b.
__kernel void run(__global TYPE(Y) *restrict y, __global const TYPE(A) *restrict a, __global const TYPE(B) *restrict b, PARAMS) {
    BEGIN;
    const int i = get_global_id(0);
    if (i >= P(0)) return;
    int ia = i, ib = i;
#if RANK > 0
    ia = ib = 0;
    int rest = i;
    for (int d = RANK - 1; d >= 0; --d) {
        const int length = P(1 + 3 * d), k = rest % length;
        rest /= length;
        ia += k * P(2 + 3 * d);
        ib += k * P(3 + 3 * d);
    }
#endif
    STORE(Y, y, i, FN(LOAD(A, a, ia, operand_grid(p, 0)), LOAD(B, b, ib, operand_grid(p, 1))), result_grid(p));
}
