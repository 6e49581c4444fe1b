// Fixed-point functions of 16 bits beside the real ones.
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <random>

#include "libcore/integer/functions.h"
#include "libcore/integer/requantize.h"

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

// Also of sums that lie beside a tie, which the product in double may become.
BOOST_AUTO_TEST_CASE(codes_of_products_are_those_of_doubles) {
    std::mt19937_64 random(5);
    const requant_t q{0, 0, 3, -32768, 32767, 0};
    int64_t ties = 0;
    for (int round = 0; round < 1000000; ++round) {
        const double fraction = 0.5 + static_cast<double>(random() >> 12) * 0x1p-53;
        const int exponent = 20 - static_cast<int>(random() % 45);
        double factor = std::ldexp(fraction, exponent);
        int32_t sum = static_cast<int32_t>(random()) >> random() % 31;
        if (round % 2 == 1 && sum != 0) {  // the greatest factor whose product is not above a tie, and its neighbours
            factor = std::abs((static_cast<double>(random() % 4096) + 0.5) / static_cast<double>(sum));
            for (int k = static_cast<int>(random() % 5) - 2; k != 0; k += k < 0 ? 1 : -1)
                factor = std::nextafter(factor, k < 0 ? 0.0 : 1e30);
        }
        int power = 0;
        const double part = std::frexp(factor, &power);
        if (53 - power < 33) continue;
        const uint64_t packed = static_cast<uint64_t>(std::ldexp(part, 53)) | static_cast<uint64_t>(std::min(53 - power, 95)) << 53;
        const double product = static_cast<double>(sum) * factor;
        ties += std::abs(product - std::trunc(product)) == 0.5;
        const int32_t got = code_of_product(sum, packed, &q), wanted = code_of_double(static_cast<double>(sum), factor, &q);
        if (got != wanted) BOOST_ERROR(sum << " * " << factor << ": " << got << ", not " << wanted);
    }
    BOOST_TEST(ties > 10000);
}

BOOST_AUTO_TEST_SUITE_END()
