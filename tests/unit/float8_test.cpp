// float8 with a scale: rounding, grids, measured noise, weights.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/graph/grid.h"
#include "libcore/graph/quantize.h"
#include "libcore/quant/assign/measure_weight.h"
#include "libcore/quant/assign/weights.h"
#include "libcore/quant/plan/statistics.h"
#include "libcore/quant/ranges/grid.h"
#include "libcore/quant/search/search.h"

using namespace quern;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
const float nan_number = std::numeric_limits<float>::quiet_NaN();

Encoding per_tensor(DType storage, float scale) { return make_encoding(storage, Tensor::scalar(scale), {}); }

std::vector<int> codes_of(DType storage, float scale, const std::vector<float>& numbers) {
    const Tensor codes = quantize(Tensor::vector<float>(numbers), per_tensor(storage, scale));
    std::vector<int> out;
    for (const std::byte code : codes.data.span()) out.push_back(static_cast<int>(code));
    return out;
}

ValueRange range_of(const std::vector<float>& numbers) {
    ValueRange range;
    range.count = numbers.size();
    range.min = range.max = numbers[0];
    for (const float x : numbers) {
        range.min = std::min(range.min, x);
        range.max = std::max(range.max, x);
        ++range.histogram.bins[Histogram::bin_of(x)];
    }
    return range;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(float8)

BOOST_AUTO_TEST_CASE(ties_go_to_even) {
    // Between 1 and 2 e4m3 has eighths, e5m2 quarters; 0x38 and 0x3c are 1.
    const std::vector<std::pair<float, int>> e4m3{{1.0f, 0x38},     {1.0625f, 0x38}, {1.0626f, 0x39}, {1.1875f, 0x3a}, {1.3125f, 0x3a},
                                                  {-1.0625f, 0xb8}, {1.9375f, 0x40}, {17.0f, 0x58},   {19.0f, 0x5a},   {-0.0f, 0x80}};
    for (const auto& [number, code] : e4m3) BOOST_TEST(codes_of(DType::f8e4m3fn, 1, {number})[0] == code, number);
    const std::vector<std::pair<float, int>> e5m2{{1.0f, 0x3c},    {1.125f, 0x3c}, {1.1251f, 0x3d}, {1.375f, 0x3e},
                                                  {-1.125f, 0xbc}, {1.875f, 0x40}, {9.0f, 0x48},    {11.0f, 0x4a}};
    for (const auto& [number, code] : e5m2) BOOST_TEST(codes_of(DType::f8e5m2, 1, {number})[0] == code, number);
}

BOOST_AUTO_TEST_CASE(great_numbers_saturate) {
    const std::vector<float> numbers{448, 449, 464, 1e30f, infinity, -464, -infinity};
    BOOST_TEST((codes_of(DType::f8e4m3fn, 1, numbers) == std::vector<int>{0x7e, 0x7e, 0x7e, 0x7e, 0x7e, 0xfe, 0xfe}));
    BOOST_TEST((codes_of(DType::f8e5m2, 1, {57344, 61440, 1e30f, infinity, -infinity}) == std::vector<int>{0x7b, 0x7b, 0x7b, 0x7b, 0xfb}));
    BOOST_TEST(codes_of(DType::f8e4m3fn, 1, {nan_number})[0] == 0x7f);
    BOOST_TEST(codes_of(DType::f8e4m3fn, 0.5f, {224.0f})[0] == 0x7e);
}

BOOST_AUTO_TEST_CASE(subnormal_codes) {
    const float least = 0x1p-9f;
    const std::vector<float> numbers{
        least, least / 2, std::nextafter(least / 2, 1.0f), 1.5f * least, 2.5f * least, 7 * least, 7.5f * least, 1e-38f, 1e-45f};
    BOOST_TEST((codes_of(DType::f8e4m3fn, 1, numbers) == std::vector<int>{1, 0, 1, 2, 2, 7, 8, 0, 0}));
    BOOST_TEST((codes_of(DType::f8e5m2, 1, {0x1p-16f, 0x1p-17f, 0x1.8p-16f, 3 * 0x1p-16f, 0x1p-14f}) == std::vector<int>{1, 0, 2, 3, 4}));
}

BOOST_AUTO_TEST_CASE(every_code_stands_for_itself) {
    for (const DType storage : {DType::f8e4m3fn, DType::f8e5m2})
        for (int code = 0; code < 256; ++code) {
            const float number = small_float_to_float(storage, static_cast<uint8_t>(code));
            if (!std::isfinite(number)) continue;
            BOOST_TEST(codes_of(storage, 0.37f, {number * 0.37f})[0] == code, name_of(storage) << " " << code);
        }
}

BOOST_AUTO_TEST_CASE(grids_reach_to_the_greatest_code) {
    const GridSpec e4m3 = grid_spec(DType::f8e4m3fn, false), e5m2 = grid_spec(DType::f8e5m2, true);
    BOOST_TEST(e4m3.symmetric);
    BOOST_TEST(e4m3.qmax == 448);
    BOOST_TEST(e5m2.qmax == 57344);
    BOOST_TEST(grid_of({-2, 896}, e4m3).scale == 2.0f);
    BOOST_TEST(grid_of({-896, 1}, e4m3).scale == 2.0f);
    BOOST_TEST(grid_of({-896, 1}, e4m3).zero == 0);
    BOOST_TEST(grid_of({0, 0}, e4m3).scale == 1.0f);
    BOOST_TEST(grid_of({0, 1e-37}, e5m2).scale == 1.0f);  // its scale would have no full precision
    BOOST_TEST(grid_of({0, 3.4e38}, e4m3).scale == static_cast<float>(3.4e38 / 448));
    BOOST_TEST(Grid{0.5f}.rounded(8.6, e4m3) == 9.0);
    BOOST_TEST(Grid{0.5f}.rounded(1000, e4m3) == 224.0);
}

// What is estimated of a histogram is what rounding does to numbers spread as it says.
BOOST_AUTO_TEST_CASE(noise_is_measured) {
    for (const DType storage : {DType::f8e4m3fn, DType::f8e5m2})
        for (const auto& [lo, hi] : std::vector<std::pair<double, double>>{{-3, 5}, {0.001, 0.0011}, {-1e-3, 1e-3}, {-700, -20}, {2, 2}}) {
            const GridSpec spec = grid_spec(storage, true);
            const Grid grid{0.5f * 448 / static_cast<float>(spec.qmax)};
            constexpr int points = 200000;
            double squares = 0;
            for (int i = 0; i < points; ++i) {
                const double x = lo + (hi - lo) * (i + 0.5) / points, error = x - grid.rounded(x, spec);
                squares += error * error / points;
            }
            const double found = grid_error({{lo, hi, 1}}, grid, spec).noise();
            BOOST_TEST(std::abs(found - squares) <= 1e-3 * squares + 1e-12, name_of(storage)
                                                                                << " " << lo << ": " << found << ", is " << squares);
        }
}

BOOST_AUTO_TEST_CASE(methods_that_count_steps_are_refused) {
    const ValueRange range = range_of({-1, -0.5f, 0.25f, 2, 3, 3.5f});
    const GridSpec spec = grid_spec(DType::f8e4m3fn, true);
    for (const Method& method : all_methods()) {
        const SearchOptions search{.method = &method};
        if (method.by_runs) continue;
        if (method.even)
            BOOST_CHECK_EXCEPTION(find_grid(range, spec, search), Error, [](const Error& e) { return e.exit() == Exit::usage; });
        else
            BOOST_TEST(find_grid(range, spec, search).grid.scale <= 3.5f / 448, method.name);
    }
    const SearchOptions automatic;
    BOOST_TEST(find_grid(range, spec, automatic).grid.scale == 3.5f / 448);
}

BOOST_AUTO_TEST_CASE(weights_have_a_scale_per_channel) {
    const Tensor weight = Tensor::make<float>({3, 2}, std::vector<float>{1, -2, 0, 0, 1e-3f, 5e-4f});
    const WeightSpec spec{.storage = DType::f8e4m3fn, .axis = 0};
    const Encoding e = weight_encoding(weight, spec);
    BOOST_TEST(!e.zero.defined());
    BOOST_TEST((to_floats(e.scale) == std::vector<float>{2.0f / 448, 1, 1e-3f / 448}) == false);  // a channel of zeros takes the greatest
    BOOST_TEST((to_floats(e.scale) == std::vector<float>{2.0f / 448, 2.0f / 448, static_cast<float>(static_cast<double>(1e-3f) / 448)}));
    const Tensor codes = quantize(weight, e);
    BOOST_TEST((to_floats(codes) == std::vector<float>{224, -448, 0, 0, 448, 224}));
    ValueReport report;
    report.encoding = e;
    measure_weight(report, weight, codes);
    BOOST_TEST(report.sqnr_db > 100);
    BOOST_TEST(report.range.hi == 2, boost::test_tools::tolerance(1e-6));
}

BOOST_AUTO_TEST_CASE(weights_that_are_no_numbers_are_refused) {
    for (const float number : {nan_number, infinity}) {
        const Tensor weight = Tensor::vector<float>(std::vector<float>{1, number});
        BOOST_CHECK_THROW(weight_encoding(weight, {.storage = DType::f8e5m2}), Error);
    }
    const Encoding zeros = weight_encoding(Tensor::vector<float>(std::vector<float>{0, 0}), {.storage = DType::f8e5m2});
    BOOST_TEST(to_floats(zeros.scale)[0] == 1.0f);
}

BOOST_AUTO_TEST_SUITE_END()
