// Functions of one number and of two. WIDE: what has no exact result is computed in double and rounded once, as codes need it.
// C++ compiles this text, too (functions.cpp), for tables of codes.
#ifdef WIDE
#ifdef __OPENCL_VERSION__
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#define BY(f) (float)f((double)x)
#else
#define BY(f) f(x)
#endif
inline float exp_of(float x) { return BY(exp); }
inline float expm1_of(float x) { return BY(expm1); }
inline float log_of(float x) { return BY(log); }
inline float log1p_of(float x) { return BY(log1p); }
// Where float32 has no other number beside 1, which some devices miss.
inline float tanh_of(float x) { return x >= 10.0f ? 1.0f : x <= -10.0f ? -1.0f : BY(tanh); }
inline float erf_of(float x) { return x >= 4.0f ? 1.0f : x <= -4.0f ? -1.0f : BY(erf); }
inline float sin_of(float x) { return BY(sin); }
inline float cos_of(float x) { return BY(cos); }

#define UNARY(name) inline float name(float x, float u, float v)
UNARY(fn_relu) { return x < 0.0f ? 0.0f : x; }
UNARY(fn_leaky_relu) { return x < 0.0f ? u * x : x; }
UNARY(fn_thresholded_relu) { return x > u ? x : 0.0f; }
UNARY(fn_clip) {
    const float y = x < u ? u : x;
    return v < y ? v : y;
}
UNARY(fn_sigmoid) { return 1.0f / (1.0f + exp_of(-x)); }
UNARY(fn_swish) { return x * (1.0f / (1.0f + exp_of(-(u * x)))); }
UNARY(fn_tanh) { return tanh_of(x); }
UNARY(fn_erf) { return erf_of(x); }
UNARY(fn_gelu) { return 0.5f * x * (1.0f + erf_of(x * 0.7071067811865476f)); }
UNARY(fn_gelu_tanh) {
    const float inner = 0.7978845608028654f * (x + 0.044715f * x * x * x);
    return 0.5f * x * (1.0f + tanh_of(inner));
}
UNARY(fn_hard_sigmoid) {
    const float y = u * x + v;
    return y < 0.0f ? 0.0f : y > 1.0f ? 1.0f : y;
}
UNARY(fn_hard_swish) {
    const float gate = x / 6.0f + 0.5f;
    return x * (gate < 0.0f ? 0.0f : gate > 1.0f ? 1.0f : gate);
}
UNARY(fn_softplus) { return x > 0.0f ? x + log1p_of(exp_of(-x)) : log1p_of(exp_of(x)); }
UNARY(fn_softsign) { return x / (1.0f + fabs(x)); }
UNARY(fn_elu) { return x < 0.0f ? u * expm1_of(x) : x; }
UNARY(fn_celu) { return x < 0.0f ? u * expm1_of(x / u) : x; }
UNARY(fn_selu) { return v * (x > 0.0f ? x : u * expm1_of(x)); }
UNARY(fn_mish) { return x * tanh_of(fn_softplus(x, u, v)); }
UNARY(fn_exp) { return exp_of(x); }
UNARY(fn_log) { return log_of(x); }
UNARY(fn_sqrt) { return sqrt(x); }
UNARY(fn_sin) { return sin_of(x); }
UNARY(fn_cos) { return cos_of(x); }
UNARY(fn_neg) { return -x; }
UNARY(fn_abs) { return fabs(x); }
UNARY(fn_sign) { return isnan(x) ? x : x > 0.0f ? 1.0f : x < 0.0f ? -1.0f : 0.0f; }
UNARY(fn_reciprocal) { return 1.0f / x; }
UNARY(fn_floor) { return floor(x); }
UNARY(fn_ceil) { return ceil(x); }
UNARY(fn_round) { return rint(x); }
UNARY(fn_identity) { return x; }
UNARY(fn_divided) { return x / u; }

#define BINARY(name) inline float name(float x, float y)
BINARY(fn_add) { return x + y; }
BINARY(fn_sub) { return x - y; }
BINARY(fn_mul) { return x * y; }
BINARY(fn_div) { return x / y; }
BINARY(fn_min) { return x < y || isnan(x) ? x : y; }
BINARY(fn_max) { return x > y || isnan(x) ? x : y; }
BINARY(fn_pow) { return y == 2.0f ? x * x : pow(x, y); }
BINARY(fn_prelu) { return x < 0.0f ? x * y : x; }
BINARY(fn_equal) { return x == y ? 1.0f : 0.0f; }
BINARY(fn_less) { return x < y ? 1.0f : 0.0f; }
BINARY(fn_less_or_equal) { return x <= y ? 1.0f : 0.0f; }
BINARY(fn_greater) { return x > y ? 1.0f : 0.0f; }
BINARY(fn_greater_or_equal) { return x >= y ? 1.0f : 0.0f; }

// Of reductions.
#define JOIN_SUM(x, y) ((x) + (y))
#define JOIN_MAX(x, y) ((x) > (y) || isnan(x) ? (x) : (y))
#define JOIN_MIN(x, y) ((x) < (y) || isnan(x) ? (x) : (y))
#define FINISH_NONE(x, count) (x)
#define FINISH_MEAN(x, count) ((x) / (count))
