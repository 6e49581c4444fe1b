// y[to + steps] = a[from + steps] over RANK dims; RAW: elements as they are stored. P: elements, to, from, then of each dim its length and
// the steps of y and a.
__kernel void run(__global TYPE(Y) *restrict y, __global const TYPE(A) *restrict a, PARAMS) {
    BEGIN;
    const int i = get_global_id(0);
    if (i >= P(0)) return;
    int iy = P(1), ia = P(2), rest = i;
    for (int d = RANK - 1; d >= 0; --d) {
        const int length = P(3 + 3 * d), k = rest % length;
        rest /= length;
        iy += k * P(4 + 3 * d);
        ia += k * P(5 + 3 * d);
    }
#ifdef RAW
    y[iy] = a[ia];
#else
    STORE(Y, y, iy, LOAD(A, a, ia, operand_grid(p, 0)), result_grid(p));
#endif
}
