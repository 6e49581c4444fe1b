// Fixed-point functions of 16 and 32 bits beside the real ones.
#include <boost/test/unit_test.hpp>

#include <cmath>

#include "libcore/ops/integer/fixed_number.h"

using namespace quern::fixed;

BOOST_AUTO_TEST_SUITE(fixed_numbers)

BOOST_AUTO_TEST_CASE(products_round_and_saturate) {
    BOOST_TEST(high_mul<int16_t>(-32768, -32768) == 32767);
    BOOST_TEST(high_mul<int16_t>(16384, 16384) == 8192);
    BOOST_TEST(divide_by_power<int16_t>(-3, 1) == -2);
    BOOST_TEST(scaled_by_power<int16_t>(20000, 1) == 32767);
    BOOST_TEST(scaled_by_power<int32_t>(-3, 2) == -12);
}

BOOST_AUTO_TEST_CASE(functions_are_near_their_real_numbers) {
    for (int i = -1000; i <= 1000; ++i) {
        const double x = i / 80.0;
        const Fixed<int32_t, 4> a{static_cast<int32_t>(x * (1 << 27))};
        BOOST_TEST(std::abs(logistic(a).raw / 2147483648.0 - 1 / (1 + std::exp(-x))) < 1e-6);
        BOOST_TEST(std::abs(quern::fixed::tanh(a).raw / 2147483648.0 - std::tanh(x)) < 1e-6);
        const Fixed<int16_t, 3> b{static_cast<int16_t>(std::max(-8.0, std::min(x, 7.99)) * 4096)};
        BOOST_TEST(std::abs(logistic(b).raw / 32768.0 - 1 / (1 + std::exp(-b.raw / 4096.0))) < 1e-3);
        BOOST_TEST(std::abs(quern::fixed::tanh(b).raw / 32768.0 - std::tanh(b.raw / 4096.0)) < 1e-3);
    }
    BOOST_TEST(exp_of_negative(Fixed<int32_t, 5>{0}).raw == INT32_MAX);
}

BOOST_AUTO_TEST_SUITE_END()
