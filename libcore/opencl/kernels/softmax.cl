// Softmax of a line of elements `step` apart, an item a line. P: lines, length, step. LOG: its logarithm.
__kernel void run(__global TYPE(Y) *restrict y, __global const TYPE(A) *restrict a, PARAMS) {
    BEGIN;
    const int line = get_global_id(0);
    if (line >= P(0)) return;
    const int length = P(1), step = P(2), first = line / step * step * length + line % step;
    const Grid grid = operand_grid(p, 0), to = result_grid(p);
    float most = LOAD(A, a, first, grid);
    for (int i = 1; i < length; ++i) {
        const float x = LOAD(A, a, first + i * step, grid);
        if (most < x) most = x;
    }
    float sum = most - most;
    for (int i = 0; i < length; ++i) sum += exp_of(LOAD(A, a, first + i * step, grid) - most);
#ifdef LOG
    const float shift = log_of(sum);
    for (int i = 0; i < length; ++i) STORE(Y, y, first + i * step, LOAD(A, a, first + i * step, grid) - most - shift, to);
#else
    for (int i = 0; i < length; ++i) STORE(Y, y, first + i * step, exp_of(LOAD(A, a, first + i * step, grid) - most) / sum, to);
#endif
}
