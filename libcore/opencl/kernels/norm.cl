// LayerNormalization of groups of neighbours, an item a group: y = (a - mean) / sqrt(variance + R(2)) * b + c. RMS: y = a / rms * b.
// WIDE: statistics in double. P: groups, elements a group, epsilon, has a bias.
#ifdef WIDE
#define ACC double
#else
#define ACC float
#endif
__kernel void run(__global TYPE(Y) *restrict y, __global const TYPE(A) *restrict a, __global const TYPE(B) *restrict b,
                  __global const TYPE(C) *restrict c, PARAMS) {
    BEGIN;
    const int group = get_global_id(0);
    if (group >= P(0)) return;
    const int size = P(1), first = group * size;
    const Grid grid = operand_grid(p, 0), to = result_grid(p);
    ACC mean = 0, variance = 0;
#ifdef RMS
    for (int i = 0; i < size; ++i) {
        const ACC x = LOAD(A, a, first + i, grid);
        variance += x * x;
    }
    const ACC rms = sqrt(variance / (ACC)size + (ACC)R(2));
#else
    for (int i = 0; i < size; ++i) mean += LOAD(A, a, first + i, grid);
    mean /= (ACC)size;
    for (int i = 0; i < size; ++i) {
        const ACC x = LOAD(A, a, first + i, grid) - mean;
        variance += x * x;
    }
    variance /= (ACC)size;
    const ACC inverse = (ACC)1 / sqrt(variance + (ACC)R(2));
#endif
    for (int i = 0; i < size; ++i) {
        const ACC x = LOAD(A, a, first + i, grid);
#ifdef RMS
        float out = (float)(x / rms) * LOAD(B, b, i, operand_grid(p, 1));
#else
        float out = (float)((x - mean) * inverse) * LOAD(B, b, i, operand_grid(p, 1));
        out = out + (P(3) ? LOAD(C, c, i, operand_grid(p, 2)) : 0.0f);
#endif
        STORE(Y, y, first + i, out, to);
    }
}
