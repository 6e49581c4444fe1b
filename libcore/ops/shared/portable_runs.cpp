// Functions of portable_math.h over many numbers: the same steps, several numbers at a time.
#include "libcore/ops/shared/portable_math.h"

namespace quern::portable {
namespace {
#include "libcore/ops/portable/erf.h"

constexpr size_t pairs = 4, lanes = 2 * pairs;
using Pair = double __attribute__((vector_size(16)));  // what all machines have

bool has_series(float x) { return x >= -4.0f && x <= 4.0f; }

double within(float x) { return has_series(x) ? static_cast<double>(x) : 0.0; }

// The series of float_erf(), where each number stops at its own term.
void erf_of_lanes(const float* x, float* y) {
    Pair wide[pairs], twice[pairs], term[pairs], sum[pairs];
    for (size_t p = 0; p < pairs; ++p) {
        wide[p] = Pair{within(x[2 * p]), within(x[2 * p + 1])};
        twice[p] = wide[p] * wide[p] + wide[p] * wide[p];
        term[p] = sum[p] = Pair{1.0, 1.0};
    }
    bool going = true;
    for (int32_t n = 1; going; ++n) {
        const auto by = static_cast<double>(2 * n + 1);
        auto any = term[0] > sum[0];
        any ^= any;
        for (size_t p = 0; p < pairs; ++p) {
            const auto on = term[p] > sum[p] * 1e-11;
            const Pair next = term[p] * twice[p] / by;
            term[p] = on ? next : term[p];
            sum[p] = on ? sum[p] + next : sum[p];
            any |= on;
        }
        going = (any[0] | any[1]) != 0;
    }
    for (size_t i = 0; i < lanes; ++i) {
        const double real = wide[i / 2][i % 2];
        y[i] = has_series(x[i]) ? static_cast<float>(1.1283791670955126 * real * sum[i / 2][i % 2] * wide_exp(-(real * real)))
                                : float_erf(x[i]);
    }
}

}  // namespace

void erf(const float* x, float* y, size_t count) {
    size_t i = 0;
    for (; i + lanes <= count; i += lanes) erf_of_lanes(x + i, y + i);
    for (; i < count; ++i) y[i] = float_erf(x[i]);
}

}  // namespace quern::portable
