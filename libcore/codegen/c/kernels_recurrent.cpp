// C kernels: LSTM, GRU and RNN in float32, and LSTM with int8 operands and int16 cells by the profile tflite
// (libcore/ops/integer/tflite_lstm.cpp and fixed_number.h are the reference).
#include <array>

#include "libcore/codegen/c/source.h"

namespace quern::cgen {
namespace {

constexpr std::array pieces{
    Piece{"recurrent_t", R"(
/* One direction over all steps. x_t and x_b: elements from step to step and from row to row, y_t and y_b likewise. */
typedef struct {
    int32_t steps, batch, width, hidden, reverse, x_t, x_b, y_t, y_b, h_b;
    float clip, cell_clip;
} recurrent_t;

static float bounded(float x, float limit)
{
    if (!(limit > 0.0f)) return x;
    return x > limit ? limit : x < -limit ? -limit : x;
}

/* The steps of row b. */
static int32_t steps_of(const recurrent_t *s, const int32_t *lengths, int32_t b)
{
    const int32_t length = lengths ? lengths[b] : s->steps;
    return length < 0 ? 0 : length > s->steps ? s->steps : length;
}
)"},
    Piece{"dot", R"(
/* The sum of products: 16 partial sums side by side, then those, then the rest. */
static float dot(const float *a, const float *b, int32_t count)
{
    float lane[16] = {0.0f}, sum = 0.0f;
    int32_t i, k;
    for (i = 0; i + 16 <= count; i += 16)
        for (k = 0; k < 16; ++k) lane[k] += a[i + k] * b[i + k];
    for (k = 0; k < 16; ++k) sum += lane[k];
    for (; i < count; ++i) sum += a[i] * b[i];
    return sum;
}
)"},
    Piece{"real_gates", R"(
/* The sums of `rows` gates of one step: of x and its biases, then of h and its. */
static void real_gates(const float *x, const float *h, const float *w, const float *r, const float *bias, float *gates, int32_t rows,
                       int32_t width, int32_t n)
{
    int32_t g;
    for (g = 0; g < rows; ++g) {
        const float sum = (bias ? bias[g] : 0.0f) + dot(x, w + g * width, width);
        gates[g] = (sum + (bias ? bias[rows + g] : 0.0f)) + dot(h, r + g * n, n);
    }
}
)",
          "dot"},
    Piece{"hybrid_gates", R"(
static void add_rounded(const float *x, const int8_t *w, const float *scale, int8_t *codes, float *gates, int32_t rows, int32_t count)
{
    const float own = symmetric_codes(x, codes, count);
    int32_t g, k;
    for (g = 0; g < rows; ++g, w += count) {
        int32_t sum = 0;
        for (k = 0; k < count; ++k) sum += w[k] * codes[k];
        gates[g] += (float)sum * (own * scale[g]);
    }
}

/* The same with x and h rounded to codes on the way in; scales of the rows of w, then of r. */
static void hybrid_gates(const float *x, const float *h, const int8_t *w, const int8_t *r, const float *bias, const float *scale,
                         int8_t *codes, float *gates, int32_t rows, int32_t width, int32_t n)
{
    int32_t g;
    for (g = 0; g < rows; ++g) gates[g] = bias[g];
    add_rounded(x, w, scale, codes, gates, rows, width);
    add_rounded(h, r, scale + rows, codes, gates, rows, n);
}
)",
          "symmetric_codes"},
    Piece{"gate", R"(
static float @name@(float u)
{
    return @value@;
}
)"},
    Piece{"lstm", R"(
/* Gates i, o, f, c, each row on its own. */
static void @name@(const float *x, const @W@ *w, const @W@ *r, const float *bias, const float *peephole, const int32_t *lengths,
                   float *y, float *h, float *c, float *gates, const recurrent_t *s@more@)
{
    const int32_t n = s->hidden, rows = 4 * n;
    int32_t t, b, k;
    for (b = 0; b < s->batch; ++b, h += s->h_b, c += s->h_b) {
        const int32_t steps = steps_of(s, lengths, b);
        for (t = 0; t < steps; ++t) {
            const int32_t at = s->reverse ? steps - 1 - t : t;
            const float *const from = x + at * s->x_t + b * s->x_b;
            @sums@
            for (k = 0; k < n; ++k) {
                const float i = @gate@(bounded(gates[k] + (peephole ? peephole[k] * c[k] : 0.0f), s->clip));
                const float f = @forget@;
                float o;
                c[k] = bounded(f * c[k] + i * @candidate@(bounded(gates[3 * n + k], s->clip)), s->cell_clip);
                o = @gate@(bounded(gates[n + k] + (peephole ? peephole[n + k] * c[k] : 0.0f), s->clip));
                h[k] = o * @cell@(bounded(c[k], s->clip));
                if (y) y[at * s->y_t + b * s->y_b + k] = h[k];
            }
        }
    }
}
)",
          "recurrent_t"},
    Piece{"gru", R"(
/* Gates z, r, h; `own` has room for four times as many numbers as the state. */
static void @name@(const float *x, const float *w, const float *r, const float *bias, const int32_t *lengths, float *y, float *h,
                   float *gates, float *own, int32_t reset_after, const recurrent_t *s)
{
    const int32_t n = s->hidden;
    float *const reset = own + 3 * n;
    int32_t t, b, g, k;
    for (b = 0; b < s->batch; ++b, h += s->h_b) {
        const int32_t steps = steps_of(s, lengths, b);
        for (t = 0; t < steps; ++t) {
            const int32_t at = s->reverse ? steps - 1 - t : t;
            const float *const from = x + at * s->x_t + b * s->x_b;
            for (g = 0; g < 3 * n; ++g) {
                gates[g] = (bias ? bias[g] : 0.0f) + dot(from, w + g * s->width, s->width);
                own[g] = bias ? bias[3 * n + g] : 0.0f;
                if (g < 2 * n || reset_after) own[g] += dot(h, r + g * n, n);
            }
            for (g = 0; g < 2 * n; ++g) gates[g] = @gate@(bounded(gates[g] + own[g], s->clip));
            for (k = 0; k < n; ++k) reset[k] = gates[n + k] * (reset_after ? own[2 * n + k] : h[k]);
            if (!reset_after)
                for (k = 0; k < n; ++k) own[2 * n + k] += dot(reset, r + (2 * n + k) * n, n);
            for (k = 0; k < n; ++k) {
                const float made = @candidate@(bounded(gates[2 * n + k] + (reset_after ? reset[k] : own[2 * n + k]), s->clip));
                h[k] = (1.0f - gates[k]) * made + gates[k] * h[k];
                if (y) y[at * s->y_t + b * s->y_b + k] = h[k];
            }
        }
    }
}
)",
          "recurrent_t dot"},
    Piece{"rnn", R"(
static void @name@(const float *x, const @W@ *w, const @W@ *r, const float *bias, const int32_t *lengths, float *y, float *h,
                   float *gates, const recurrent_t *s@more@)
{
    const int32_t n = s->hidden, rows = n;
    int32_t t, b, k;
    for (b = 0; b < s->batch; ++b, h += s->h_b) {
        const int32_t steps = steps_of(s, lengths, b);
        for (t = 0; t < steps; ++t) {
            const int32_t at = s->reverse ? steps - 1 - t : t;
            const float *const from = x + at * s->x_t + b * s->x_b;
            @sums@
            for (k = 0; k < n; ++k) {
                h[k] = @gate@(bounded(gates[k], s->clip));
                if (y) y[at * s->y_t + b * s->y_b + k] = h[k];
            }
        }
    }
}
)",
          "recurrent_t"},
    Piece{"fixed_16", R"(
/* Fixed-point numbers of 16 bits: sums wrap, products and shifts saturate. */
static int16_t high_16(int16_t a, int16_t b)
{
    const int32_t product = (int32_t)a * b;
    const int32_t nudge = product >= 0 ? 1 << 14 : 1 - (1 << 14);
    if (a == b && a == INT16_MIN) return INT16_MAX;
    return (int16_t)((product + nudge) / (1 << 15));
}

static int16_t shifted_16(int16_t x, int32_t n)
{
    if (n > 0) {
        const int32_t limit = (1 << (15 - n)) - 1;
        return (int16_t)(x > limit ? INT16_MAX : x < -limit ? INT16_MIN : x * (1 << n));
    }
    return (int16_t)rounded_shift(x, -n);
}

static int16_t constant_16(int32_t of_32)
{
    return (int16_t)rounded_shift(of_32, 16);
}

/* exp(x) of x <= 0 with `integer` bits before the point, 15 bits behind it in the result. */
static int16_t exp_of_negative_16(int16_t x, int32_t integer)
{
    static const int32_t factors[7] = {1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};
    const int32_t fraction = 15 - integer, quarter = fraction >= 2 ? 1 << (fraction - 2) : 0;
    const int16_t base = constant_16(1895147668), third = constant_16(715827883);
    int16_t below, a, a2, a3, a4, result;
    int32_t rest, i;
    if (x == 0) return INT16_MAX;
    below = (int16_t)((x & (quarter - 1)) - quarter);
    a = (int16_t)(shifted_16(below, integer) + (1 << 12));
    a2 = high_16(a, a);
    a3 = high_16(a2, a);
    a4 = high_16(a2, a2);
    {
        const int16_t sum = (int16_t)(high_16((int16_t)(shifted_16(a4, -2) + a3), third) + a2);
        const int32_t whole = base + high_16(base, (int16_t)(a + shifted_16(sum, -1)));
        result = (int16_t)(whole > INT16_MAX ? INT16_MAX : whole < INT16_MIN ? INT16_MIN : whole);
    }
    rest = (int32_t)((uint32_t)below - (uint32_t)x);
    for (i = 0; i < 7; ++i)
        if (integer > i - 2 && ((rest >> (fraction + i - 2)) & 1)) result = high_16(result, constant_16(factors[i]));
    if (integer > 5 && x < -(1 << (36 - integer))) return 0;
    return result;
}

/* 2 / (1 + x) with 13 bits behind the point, of 0 <= x <= 1. */
static int16_t double_reciprocal_16(int16_t x)
{
    const int32_t sum = (int32_t)x + INT16_MAX;
    const int16_t half = (int16_t)((sum + (sum >= 0 ? 1 : -1)) / 2);
    int16_t y = (int16_t)(constant_16(1515870810) + high_16(half, constant_16(-1010580540)));
    int32_t round;
    for (round = 0; round < 3; ++round) {
        const int16_t rest = (int16_t)((1 << 13) - high_16(half, y));
        y = (int16_t)(y + shifted_16(high_16(y, rest), 2));
    }
    return y;
}

static int16_t logistic_16(int16_t x)
{
    int16_t positive;
    if (x == 0) return 1 << 14;
    positive = shifted_16(double_reciprocal_16(exp_of_negative_16((int16_t)(x > 0 ? -x : x), 3)), 1);
    return x > 0 ? positive : (int16_t)(INT16_MAX - positive);
}

static int16_t tanh_16(int16_t x, int32_t integer)
{
    int16_t size;
    if (x == 0) return 0;
    size = shifted_16((int16_t)(double_reciprocal_16(exp_of_negative_16((int16_t)(x > 0 ? -x : x), integer + 1)) - (1 << 13)), 2);
    return x > 0 ? size : (int16_t)-size;
}
)",
          "rounded_shift"},
    Piece{"lstm_codes", R"(
typedef struct {
    int32_t steps, batch, width, hidden, x_t, x_b, y_t, y_b;
    int32_t x_zero, h_zero, power, out_factor, out_shift, out_zero, cell_clip;
} lstm_codes_t;

static int32_t gate_sum(int32_t gate, const int8_t *x, const int8_t *w, int32_t count, int32_t zero, int32_t bias, int32_t factor,
                        int32_t shift)
{
    int32_t k;
    for (k = 0; k < count; ++k) bias += w[k] * (x[k] - zero);
    return clip((int64_t)scaled(bias, factor, shift) + gate, INT16_MIN, INT16_MAX);
}

/* Gates i, o, f, c; factors and shifts of the input's rows first, then of the state's. */
static void lstm_codes(const int8_t *x, const int8_t *w, const int8_t *r, const int32_t *bias, const int32_t *factor, const int8_t *shift,
                       int8_t *y, int8_t *h, int16_t *c, int16_t *gates, const lstm_codes_t *s)
{
    const int32_t n = s->hidden;
    int32_t t, b, g, k;
    for (t = 0; t < s->steps; ++t)
        for (b = 0; b < s->batch; ++b) {
            const int8_t *from = x + t * s->x_t + b * s->x_b;
            int8_t *state = h + b * n;
            int16_t *cell = c + b * n;
            for (g = 0; g < 4 * n; ++g) {
                const int32_t sum = gate_sum(0, from, w + g * s->width, s->width, s->x_zero, bias[g], factor[g], shift[g]);
                gates[g] = (int16_t)gate_sum(sum, state, r + g * n, n, s->h_zero, bias[4 * n + g], factor[4 * n + g], shift[4 * n + g]);
            }
            for (k = 0; k < n; ++k) {
                const int32_t kept = (int16_t)rounded_shift(logistic_16(gates[2 * n + k]) * (int32_t)cell[k], 15);
                const int32_t fresh = (int16_t)rounded_shift((int32_t)logistic_16(gates[k]) * tanh_16(gates[3 * n + k], 3), 30 + s->power);
                int32_t next = clip((int64_t)kept + fresh, INT16_MIN, INT16_MAX);
                if (s->cell_clip > 0) next = clip(next, -s->cell_clip, s->cell_clip);
                cell[k] = (int16_t)next;
                state[k] = (int8_t)clip(
                    (int64_t)scaled((int32_t)logistic_16(gates[n + k]) * tanh_16(cell[k], 15 + s->power), s->out_factor, s->out_shift) +
                        s->out_zero,
                    INT8_MIN, INT8_MAX);
                y[t * s->y_t + b * s->y_b + k] = state[k];
            }
        }
}
)",
          "fixed_16 scaled clip"},
};

}  // namespace

std::span<const Piece> recurrent_pieces() { return pieces; }

}  // namespace quern::cgen
