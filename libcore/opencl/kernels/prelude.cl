// Before each kernel: element types by their tags, and what is stored as codes.
//
// A kernel is compiled for the tags of its operands (-DY=f32 -DA=s8 ...) and called run(y, a, b ..., params, at). Its numbers begin at
// params[at]: of the result the bits of its scale, its zero point and the limits of its codes, of each operand the bits of its scale and its
// zero point, then those of the kernel, P(0), P(1) ...; R(i) is one that holds the bits of a float.
#pragma OPENCL FP_CONTRACT OFF

#define CAT2(a, b) a##b
#define CAT(a, b) CAT2(a, b)

typedef float type_f32;
typedef ushort type_f16;  // loaded and stored as half
typedef char type_s8;
typedef uchar type_u8;
typedef short type_s16;
typedef ushort type_u16;
typedef int type_i32;
typedef long type_i64;
typedef uchar type_b8;

#define P(i) p[BASE + (i)]
#define R(i) as_float(p[BASE + (i)])
#define PARAMS __global const int *restrict params, int at
#define BEGIN __global const int *restrict p = params + at

typedef struct {
    float scale;
    int zero, low, high;
} Grid;

inline Grid result_grid(__global const int *p) {
    Grid grid = {as_float(p[0]), p[1], p[2], p[3]};
    return grid;
}
inline Grid operand_grid(__global const int *p, int operand) {
    Grid grid = {as_float(p[4 + 2 * operand]), p[5 + 2 * operand], 0, 0};
    return grid;
}

inline float real_of(int code, Grid grid) { return ((float)code - (float)grid.zero) * grid.scale; }
inline int limited(float rounded, Grid grid) {
    if (isnan(rounded)) return clamp(grid.zero, grid.low, grid.high);
    return clamp((int)clamp(rounded, -1.0e9f, 1.0e9f) + grid.zero, grid.low, grid.high);
}
inline int code_of(float x, Grid grid) { return limited(rint(x / grid.scale), grid); }

inline float load_f32(__global const float *x, int i, Grid grid) { return x[i]; }
inline float load_f16(__global const ushort *x, int i, Grid grid) { return vload_half(i, (__global const half *)x); }
inline float load_s8(__global const char *x, int i, Grid grid) { return real_of(x[i], grid); }
inline float load_u8(__global const uchar *x, int i, Grid grid) { return real_of(x[i], grid); }
inline float load_s16(__global const short *x, int i, Grid grid) { return real_of(x[i], grid); }
inline float load_u16(__global const ushort *x, int i, Grid grid) { return real_of(x[i], grid); }
inline float load_i32(__global const int *x, int i, Grid grid) { return (float)x[i]; }
inline float load_i64(__global const long *x, int i, Grid grid) { return (float)x[i]; }
inline float load_b8(__global const uchar *x, int i, Grid grid) { return x[i] != 0 ? 1.0f : 0.0f; }

inline void store_f32(__global float *y, int i, float x, Grid grid) { y[i] = x; }
inline void store_f16(__global ushort *y, int i, float x, Grid grid) { vstore_half_rte(x, i, (__global half *)y); }
inline void store_s8(__global char *y, int i, float x, Grid grid) { y[i] = (char)code_of(x, grid); }
inline void store_u8(__global uchar *y, int i, float x, Grid grid) { y[i] = (uchar)code_of(x, grid); }
inline void store_s16(__global short *y, int i, float x, Grid grid) { y[i] = (short)code_of(x, grid); }
inline void store_u16(__global ushort *y, int i, float x, Grid grid) { y[i] = (ushort)code_of(x, grid); }
inline void store_b8(__global uchar *y, int i, float x, Grid grid) { y[i] = x != 0.0f; }

#define LOAD(T, x, i, grid) CAT(load_, T)(x, i, grid)
#define STORE(T, y, i, x, grid) CAT(store_, T)(y, i, x, grid)
#define TYPE(T) CAT(type_, T)
