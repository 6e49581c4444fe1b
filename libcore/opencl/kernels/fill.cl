// y[i] = R(1), or with RAW the code P(1). P: elements, the number.
__kernel void run(__global TYPE(Y) *restrict y, PARAMS) {
    BEGIN;
    const int i = get_global_id(0);
    if (i >= P(0)) return;
#ifdef RAW
    y[i] = (TYPE(Y))P(1);
#else
    STORE(Y, y, i, R(1), result_grid(p));
#endif
}
