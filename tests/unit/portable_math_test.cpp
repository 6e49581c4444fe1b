#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

#include "libcore/ops/portable_math.h"

using namespace quern;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity(), not_a_number = std::numeric_limits<float>::quiet_NaN();

// Every 9,973rd float from `low` on, both signs if `negative`: within one unit in the last place of the function in double.
template <class Fn, class Wide>
void check_ulps(const Fn& fn, const Wide& wide, float low, float high) {
    int64_t wrong = 0, all = 0;
    for (auto bits = std::bit_cast<uint32_t>(low); bits < std::bit_cast<uint32_t>(high); bits += 9973, ++all) {
        const float x = std::bit_cast<float>(bits), y = fn(x), want = static_cast<float>(wide(static_cast<double>(x)));
        wrong += !(y == want || y == std::nextafter(want, inf) || y == std::nextafter(want, -inf));
    }
    BOOST_TEST(all > 1000);
    BOOST_TEST(wrong == 0);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(portable_math)

BOOST_AUTO_TEST_CASE(close_to_the_library) {
    const auto minus = [](auto fn) { return [fn](auto x) { return fn(-x); }; };
    const auto exp_f = [](float x) { return portable::exp(x); };
    const auto exp_d = [](double x) { return std::exp(x); };
    check_ulps(exp_f, exp_d, 1e-8f, 88.7f);
    check_ulps(minus(exp_f), minus(exp_d), 1e-8f, 87.0f);
    check_ulps([](float x) { return portable::tanh(x); }, [](double x) { return std::tanh(x); }, 1e-8f, 12.0f);
    check_ulps([](float x) { return portable::log(x); }, [](double x) { return std::log(x); }, 1e-30f, 1e30f);
    check_ulps([](float x) { return portable::erf(x); }, [](double x) { return std::erf(x); }, 1e-8f, 6.0f);
    check_ulps([](float x) { return portable::pow(x, 3.0f); }, [](double x) { return x * x * x; }, 1e-8f, 1e8f);
    check_ulps([](float x) { return portable::pow(x, -2.0f); }, [](double x) { return 1 / (x * x); }, 1e-8f, 1e8f);
}

BOOST_AUTO_TEST_CASE(ends_of_the_numbers) {
    BOOST_TEST(portable::exp(inf) == inf);
    BOOST_TEST(portable::exp(-inf) == 0);
    BOOST_TEST(std::isnan(portable::exp(not_a_number)));
    BOOST_TEST(portable::exp(0.0f) == 1);
    BOOST_TEST(portable::exp(-103.0f) > 0);
    BOOST_TEST(portable::tanh(inf) == 1);
    BOOST_TEST(portable::tanh(-inf) == -1);
    BOOST_TEST(std::isnan(portable::tanh(not_a_number)));
    BOOST_TEST(std::signbit(portable::tanh(-0.0f)));
    BOOST_TEST(portable::log(0.0f) == -inf);
    BOOST_TEST(portable::log(1.0f) == 0);
    BOOST_TEST(portable::log(inf) == inf);
    BOOST_TEST(std::isnan(portable::log(-1.0f)));
    BOOST_TEST(std::abs(portable::log(1e-45f) - -103.27893f) < 1e-4f);
    BOOST_TEST(portable::erf(-inf) == -1);
    BOOST_TEST(std::isnan(portable::erf(not_a_number)));
    BOOST_TEST(portable::pow(not_a_number, 0.0f) == 1);
    BOOST_TEST(portable::pow(-2.0f, 3.0f) == -8);
    BOOST_TEST(portable::pow(0.0f, -1.0f) == inf);
}

BOOST_AUTO_TEST_SUITE_END()
