#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

#include "libcore/ops/shared/portable_math.h"

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

BOOST_AUTO_TEST_CASE(many_numbers_are_as_one) {
    std::vector<float> x{0.0f, -0.0f, 4.0f, -4.0f, inf, -inf, not_a_number, 1e-45f, std::nextafter(4.0f, inf)};
    for (uint32_t i = 0; i < 20000; ++i) x.push_back(std::bit_cast<float>(i * 214741u));
    for (int i = -4000; i <= 4000; ++i) x.push_back(static_cast<float>(i) / 990.0f);
    std::vector<float> y = x;
    portable::erf(y.data(), y.data(), y.size());
    int64_t wrong = 0;
    for (size_t i = 0; i < x.size(); ++i) wrong += std::bit_cast<uint32_t>(y[i]) != std::bit_cast<uint32_t>(portable::erf(x[i]));
    BOOST_TEST(wrong == 0);
}

// Beside the C library's long double; x evenly spread in its logarithm between `low` and `high`, both signs if `negative`.
template <class Fn, class Wide>
void check_double(const char* name, const Fn& fn, const Wide& wide, double low, double high, bool negative, double units = 5) {
    double worst = 0, at = 0;
    for (int i = 0; i <= 20000; ++i) {
        const double size = std::exp(std::log(low) + (std::log(high) - std::log(low)) * i / 20000.0),
                     x = negative && i % 2 == 1 ? -size : size;
        const long double want = wide(static_cast<long double>(x));
        const double near = std::fabs(static_cast<double>(want)), unit = std::nextafter(near, HUGE_VAL) - near;
        const double off = static_cast<double>(std::fabs(static_cast<long double>(fn(x)) - want)) / unit;
        if (!(off <= worst)) worst = off, at = x;
    }
    BOOST_TEST(worst < units, name << ": " << worst << " units at " << at);
}

BOOST_AUTO_TEST_CASE(doubles_close_to_the_library) {
#define CHECK(fn, ...) \
    check_double(      \
        #fn, [](double x) { return portable::fn(x); }, [](long double x) { return std::fn(x); }, __VA_ARGS__)
    CHECK(exp, 1e-9, 700.0, true);
    CHECK(expm1, 1e-9, 700.0, true);
    CHECK(log, 1e-300, 1e300, false);
    CHECK(log1p, 1e-9, 0.999, true);
    CHECK(log1p, 0.1, 1e20, false);
    CHECK(sin, 1e-9, 1e300, true);
    CHECK(cos, 1e-9, 1e300, true);
    CHECK(tan, 1e-9, 1e300, true);
    CHECK(asin, 1e-9, 1.0, true);
    CHECK(acos, 1e-9, 1.0, true);
    CHECK(atan, 1e-9, 1e20, true);
    CHECK(sinh, 1e-9, 700.0, true);
    CHECK(cosh, 1e-9, 700.0, true);
    CHECK(tanh, 1e-9, 30.0, true);
    CHECK(asinh, 1e-9, 1e20, true);
    CHECK(acosh, 1.0, 1e20, false);
    CHECK(atanh, 1e-9, 0.9999, true);
    CHECK(erf, 1e-9, 7.0, true, 25);
    CHECK(erfc, 1e-9, 26.0, false, 30);
    CHECK(erfc, 1e-9, 6.0, true, 30);
#undef CHECK
    for (const double power : {-300.0, -2.5, -0.5, 1 / 3.0, 0.7, 3.0, 41.5, 250.0})
        check_double(
            "pow", [=](double x) { return portable::pow(x, power); },
            [=](long double x) { return std::pow(x, static_cast<long double>(power)); }, 0.2, 5.0, false, 10);
}

// Bits that glibc 2.36 gives: within 2 units of tanh, and not always its nearest number.
BOOST_AUTO_TEST_CASE(tanh_with_the_bits_of_fdlibm) {
    const std::pair<float, float> known[]{
        {0x0p+0f, 0x0p+0f},
        {0x1.12e0bep-30f, 0x1.12e0bep-30f},
        {0x1.99999ap-5f, 0x1.99425p-5f},
        {0x1.99999ap-4f, 0x1.983d78p-4f},
        {0x1.93bfdap-4f, 0x1.92726p-4f},
        {0x1.3ad0fap-3f, 0x1.385c1ep-3f},
        {0x1.333334p-2f, 0x1.2a4ddap-2f},
        {0x1p-1f, 0x1.d9353ep-2f},
        {0x1.666666p-1f, 0x1.356fbp-1f},
        {0x1p+0f, 0x1.85efacp-1f},
        {0x1.8p+0f, 0x1.cf6f98p-1f},
        {0x1p+2f, 0x1.ffa818p-1f},
        {0x1.2p+3f, 0x1.fffffep-1f},
        {0x1.5p+4f, 0x1p+0f},
    };
    int differ = 0;
    for (const auto& [x, y] : known) {
        BOOST_TEST(portable::tanh_of_fdlibm(x) == y);
        BOOST_TEST(portable::tanh_of_fdlibm(-x) == -y);
        differ += portable::tanh(x) != y;
    }
    BOOST_TEST(differ > 0);
    BOOST_TEST(portable::tanh_of_fdlibm(inf) == 1);
    BOOST_TEST(std::isnan(portable::tanh_of_fdlibm(not_a_number)));
    check_ulps([](float x) { return std::nextafter(portable::tanh_of_fdlibm(x), portable::tanh(x)); },
               [](double x) { return std::tanh(x); }, 1e-8f, 30.0f);
}

BOOST_AUTO_TEST_CASE(ends_of_powers) {
    const double ends[]{0.0,      -0.0,      1,           -1, 0.5, -0.5, 2, -2, 2.5, -2.5, 3, -3, 1e21, -1e21, 1e300, 9007199254740993.0,
                        HUGE_VAL, -HUGE_VAL, std::nan("")};
    for (const double x : ends)
        for (const double y : ends) {
            const double got = portable::pow(x, y), want = std::pow(x, y);
            const bool same =
                want != want ? got != got : std::signbit(got) == std::signbit(want) && (got == want || std::abs(got / want - 1) < 1e-14);
            BOOST_TEST(same, x << " to the power " << y << " is " << got << ", need " << want);
        }
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
    BOOST_TEST(std::isnan(portable::sin(inf)));
    BOOST_TEST(std::isnan(portable::asin(1.5f)));
    BOOST_TEST(std::isnan(portable::acosh(0.5f)));
    BOOST_TEST(portable::asin(-1.0f) == static_cast<float>(-M_PI_2));
    BOOST_TEST(portable::acos(-1.0f) == static_cast<float>(M_PI));
    BOOST_TEST(portable::atanh(1.0f) == inf);
    BOOST_TEST(portable::log1p(-1.0f) == -inf);
    BOOST_TEST(portable::expm1(-inf) == -1);
    for (const auto fn : {+[](float x) { return portable::sin(x); }, +[](float x) { return portable::tan(x); },
                          +[](float x) { return portable::expm1(x); }, +[](float x) { return portable::log1p(x); },
                          +[](float x) { return portable::asinh(x); }, +[](float x) { return portable::atan(x); }})
        BOOST_TEST(std::signbit(fn(-0.0f)));
}

BOOST_AUTO_TEST_SUITE_END()
