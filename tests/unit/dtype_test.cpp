#include <boost/test/unit_test.hpp>
#include <cmath>

#include "libcore/graph/dtype.h"

using namespace quern;

BOOST_AUTO_TEST_SUITE(dtype)

BOOST_AUTO_TEST_CASE(float16_round_trips_every_pattern) {
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
        const float value = f16_to_float(static_cast<uint16_t>(bits));
        if (std::isnan(value)) continue;
        BOOST_TEST(float_to_f16(value) == bits);
    }
}

BOOST_AUTO_TEST_CASE(small_floats_round_trip_every_code) {
    using enum DType;
    for (const DType dtype : {f8e4m3fn, f8e4m3fnuz, f8e5m2, f8e5m2fnuz, f8e8m0, f4e2m1}) {
        const int codes = 1 << bits_of(dtype);
        for (int code = 0; code < codes; ++code) {
            const float value = small_float_to_float(dtype, static_cast<uint8_t>(code));
            if (std::isnan(value)) continue;
            BOOST_TEST(float_to_small_float(dtype, value, false) == code, name_of(dtype) << " code " << code);
        }
    }
}

BOOST_AUTO_TEST_CASE(float8_known_values) {
    const auto e4 = [](float x, bool saturate) {
        return small_float_to_float(DType::f8e4m3fn, float_to_small_float(DType::f8e4m3fn, x, saturate));
    };
    BOOST_TEST(e4(448, true) == 448);
    BOOST_TEST(e4(100000, true) == 448);
    BOOST_TEST(std::isnan(e4(100000, false)));
    BOOST_TEST(e4(96, true) == 96);
    const auto e5 = [](float x) { return small_float_to_float(DType::f8e5m2, float_to_small_float(DType::f8e5m2, x, false)); };
    BOOST_TEST(std::isinf(e5(100000)));
    BOOST_TEST(e5(49152) == 49152);
}

BOOST_AUTO_TEST_SUITE_END()
