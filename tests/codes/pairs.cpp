#include "libcore/kernels/codes/pairs.h"

#include <cmath>
#include <random>
#include <vector>

#include "libcore/ops/integer/fixed_point.h"
#include "tests/codes/differences.h"
#include "tests/codes/loops.h"

namespace code_tests {
namespace {

using namespace quern;
using namespace quern::codes;

constexpr size_t count = 37;  // no multiple of a vector's length

// All at once, and one by one, which are too few for vectors.
size_t check(std::mt19937& random, std::string_view what, const PairParameters& parameters) {
    if (!parameters.is_finite()) return 0;
    const std::vector<uint8_t> a = drawn(random, 2 * count), b = drawn(random, 2 * count);
    std::vector<uint8_t> together(2 * count), alone(2 * count);
    const CodesAt<const uint8_t> x{a.data(), count}, y{b.data(), count};
    compute_pairs(parameters, x, y, {together.data(), count}, count);
    for (size_t i = 0; i < count; ++i) compute_pairs(parameters, x + i, y + i, CodesAt<uint8_t>{alone.data(), count} + i, 1);
    return differences(what, "vectors", together, alone);
}

}  // namespace

size_t check_pairs() {
    std::mt19937 random(9);
    size_t wrong = 0;
    for (int i = 0; i < 3000; ++i) {
        Encoding y;
        const bool is_wide = random() % 2;
        y.storage = is_wide ? (random() % 2 ? DType::i16 : DType::u16) : random() % 2 ? DType::i8 : DType::u8;
        const bool has_sign = y.storage == DType::i16 || y.storage == DType::i8;
        y.qmin = !has_sign ? 0 : is_wide ? -32768 : -128;
        y.qmax = y.qmin + (is_wide ? 65535 : 255);
        const auto zero = [&] { return static_cast<int32_t>(y.qmin + random() % 200); };
        const int32_t a_zero = zero(), b_zero = zero(), y_zero = zero();
        if (random() % 2) y.qmin += 3, y.qmax -= 5;
        const auto scale = [&] { return std::ldexp(1.0f + static_cast<float>(random() % 8) / 8, -static_cast<int>(random() % 12)); };
        RealSum real_sum;
        real_sum.a = scale(), real_sum.b = scale(), real_sum.fixed = 100 * scale();
        RealProduct real_product;
        real_product.a = static_cast<float>(a_zero), real_product.b = static_cast<float>(b_zero);
        real_product.ratio = scale() / 64, real_product.fixed = static_cast<float>(y_zero);
        wrong += check(random, "real sums", {real_sum, y}) + check(random, "real products", {real_product, y});
        const auto decoded = [&](auto by) {
            by.a_scale = scale(), by.b_scale = scale(), by.y_scale = scale();
            by.a_zero = a_zero, by.b_zero = b_zero, by.y_zero = y_zero;
            return PairParameters(by, y);
        };
        wrong += check(random, "decoded sums", decoded(Decoded<RealPair::sum>()));
        wrong += check(random, "decoded differences", decoded(Decoded<RealPair::difference>()));
        wrong += check(random, "decoded products", decoded(Decoded<RealPair::product>()));
        const auto fixed = [&] {
            return FixedFactor::of(std::ldexp(1.0 + static_cast<double>(random() % 1000) / 1000, 3 - static_cast<int>(random() % 30)));
        };
        const FixedFactor p = fixed(), q = fixed(), r = fixed();
        const auto low = static_cast<int32_t>(y.qmin), high = static_cast<int32_t>(y.qmax), sign = random() % 2 ? 1 : -1;
        const sum_t sum{is_wide ? 15 : 20, a_zero,  p.factor, p.shift, b_zero, q.factor, q.shift, sign,
                        r.factor,          r.shift, y_zero,   low,     high};
        wrong += check(random, "sums", {sum, y});
        wrong += check(random, "products", {multiply_t{a_zero, b_zero, p.factor, p.shift, y_zero, low, high}, y});
    }
    return wrong;
}

}  // namespace code_tests
