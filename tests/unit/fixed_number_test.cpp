// Fixed-point functions of 16 bits beside the real ones.
#include <boost/test/unit_test.hpp>

#include <cmath>

#include "libcore/integer/functions.h"

BOOST_AUTO_TEST_SUITE(fixed_numbers)

BOOST_AUTO_TEST_CASE(products_round_and_saturate) {
    BOOST_TEST(high_16(-32768, -32768) == 32767);
    BOOST_TEST(high_16(16384, 16384) == 8192);
    BOOST_TEST(shifted_16(-3, -1) == -2);
    BOOST_TEST(shifted_16(20000, 1) == 32767);
    BOOST_TEST(shifted_16(-3, 2) == -12);
}

BOOST_AUTO_TEST_CASE(functions_are_near_their_real_numbers) {
    for (int x = -32768; x <= 32767; x += 33) {
        const auto code = static_cast<int16_t>(x);
        BOOST_TEST(std::abs(logistic_16(code) / 32768.0 - 1 / (1 + std::exp(-x / 4096.0))) < 1e-3);
        BOOST_TEST(std::abs(tanh_16(code, 3) / 32768.0 - std::tanh(x / 4096.0)) < 1e-3);
    }
    BOOST_TEST(exp_of_negative_16(0, 3) == INT16_MAX);
}

BOOST_AUTO_TEST_SUITE_END()
