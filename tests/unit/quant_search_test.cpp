// Range searches beside plain sums over the numbers themselves.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <random>

#include "libcore/base/error.h"
#include "libcore/graph/encoding.h"
#include "libcore/graph/quantize.h"
#include "libcore/quant/assign/weights.h"
#include "libcore/quant/search/search.h"

using namespace quern;

namespace {

ValueRange range_of(const std::vector<float>& values, size_t per_run) {
    ValueRange range;
    range.min = *std::min_element(values.begin(), values.end());
    range.max = *std::max_element(values.begin(), values.end());
    range.count = values.size();
    for (const float value : values) ++range.histogram.bins[Histogram::bin_of(value)];
    for (size_t i = 0; i < values.size(); i += per_run) {
        const auto begin = values.begin() + static_cast<std::ptrdiff_t>(i),
                   end = values.begin() + static_cast<std::ptrdiff_t>(std::min(i + per_run, values.size()));
        range.runs[i / per_run] = {*std::min_element(begin, end), *std::max_element(begin, end)};
    }
    return range;
}

std::vector<float> numbers(uint32_t seed, size_t count, double outliers, bool positive) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0.3f, 1);
    std::vector<float> values(count);
    for (size_t i = 0; i < count; ++i) {
        const float value = normal(random) * (static_cast<double>(random() % 1000) < outliers * 1000 ? 12.0f : 1.0f);
        values[i] = positive ? std::max(value, 0.0f) : value;
    }
    return values;
}

// Squared errors of the numbers on a grid; `weight` counts those of clipped numbers more.
double noise_of(const std::vector<float>& values, RealRange range, const GridSpec& spec, double weight) {
    const Grid grid = grid_of(range, spec);
    double sum = 0;
    for (const float value : values) {
        const auto code = quantize_one(value, grid.scale, grid.zero, spec.qmin, spec.qmax);
        const double error = static_cast<double>(value) - static_cast<double>(code - grid.zero) * static_cast<double>(grid.scale);
        const bool clipped = static_cast<double>(value) < grid.lowest(spec) || static_cast<double>(value) > grid.highest(spec);
        sum += error * error * (clipped ? weight : 1);
    }
    return sum;
}

// The least noise of all pairs of edges on a fine raster.
double min_noise(const std::vector<float>& values, const GridSpec& spec, double weight) {
    const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
    const double lo = std::min<double>(*least, 0), hi = std::max<double>(*greatest, 0);
    double best = noise_of(values, {lo, hi}, spec, weight);
    for (int i = 1; i <= 40; ++i)
        for (int j = 1; j <= 40; ++j) best = std::min(best, noise_of(values, {lo * i / 40, hi * j / 40}, spec, weight));
    return best;
}

const std::vector<GridSpec> specs{grid_spec(DType::i8, false), grid_spec(DType::i8, true), grid_spec(DType::u8, false),
                                  grid_spec(DType::i4, false), grid_spec(DType::i4, true)};

}  // namespace

BOOST_AUTO_TEST_SUITE(range_search)

BOOST_AUTO_TEST_CASE(grids_cover_their_range_and_zero) {
    std::mt19937 random(1);
    for (const GridSpec& spec : specs)
        for (int i = 0; i < 1000; ++i) {
            const double a = std::ldexp(static_cast<double>(random()) - 2147483648.0, static_cast<int>(random() % 60) - 60),
                         b = a * (static_cast<double>(random() % 100) / 50 - 1);
            const RealRange range{std::min(a, b), std::max(a, b)};
            const Grid grid = grid_of(range, spec);
            BOOST_TEST((grid.zero >= spec.qmin && grid.zero <= spec.qmax));
            // Rounding the zero point moves the edges by half a step at most, float32 by a little more.
            const double slack = 0.5001 * static_cast<double>(grid.scale);
            BOOST_TEST(grid.lowest(spec) <= std::min(range.lo, 0.0) + slack);
            BOOST_TEST(grid.highest(spec) >= std::max(range.hi, 0.0) - slack);
            if (spec.symmetric) BOOST_TEST(grid.zero == 0);
        }
    // QNN's worked vector.
    const Grid grid = grid_of({-1.8, 0.5}, grid_spec(DType::u8, false));
    BOOST_TEST(std::abs(grid.scale - 0.009020f) < 1e-6f);
    BOOST_TEST(grid.zero == 200);
    BOOST_TEST(grid_of({0, 0}, specs[0]).scale == 1);
    BOOST_TEST(grid_of({0, 0}, specs[0]).zero == 0);
}

BOOST_AUTO_TEST_CASE(errors_over_a_histogram_are_those_of_the_numbers) {
    const auto values = numbers(2, 20000, 0.01, false);
    const ValueRange range = range_of(values, 100);
    for (const GridSpec& spec : specs)
        for (const RealRange covered : {RealRange{-1, 1}, RealRange{-3, 2}, RealRange{-40, 40}}) {
            const double want = noise_of(values, covered, spec, 1),
                         got = grid_error(masses_of(range), grid_of(covered, spec), spec).noise();
            BOOST_TEST(std::abs(got - want) < 0.1 * want, name_of(spec.storage) << " " << covered.lo << ": " << got << " for " << want);
        }
}

BOOST_AUTO_TEST_CASE(extremes_and_their_averages) {
    const ValueRange range = range_of({-1, 2, 0.5f, 4, -3, 1}, 2);
    BOOST_TEST(search_minmax(range).lo == -3);
    BOOST_TEST(search_minmax(range).hi == 4);
    BOOST_TEST(search_minmax(range_of({1, 2}, 1)).lo == 0);
    // Runs are (-1, 2), (0.5, 4), (-3, 1).
    const RealRange average = search_range(range, {}, {.method = &method_named("moving-average")});
    BOOST_TEST(average.lo == (-1 * 0.9 + 0.5 * 0.1) * 0.9 - 3 * 0.1, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(average.hi == (2 * 0.9 + 4 * 0.1) * 0.9 + 1 * 0.1, boost::test_tools::tolerance(1e-12));
    const RealRange runs =
        search_range(range, {}, {.method = &method_named("run-percentile"), .run_percentile = 75});  // maxima 1, 2, 4; minima -3, -1, 0.5
    BOOST_TEST(runs.hi == 3.0, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(runs.lo == -2.0, boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(percentiles_are_those_of_the_sorted_numbers) {
    for (const bool positive : {false, true})
        for (const double percent : {90.0, 99.0, 99.9, 100.0}) {
            auto values = numbers(3, 5000, 0.02, positive);
            const RealRange found = search_range(range_of(values, 10), {}, {.method = &method_named("percentile"), .percentile = percent});
            std::sort(values.begin(), values.end());
            const auto cut = static_cast<size_t>(static_cast<double>(values.size()) * (1 - percent / 100) / 2);
            const double lo = std::min(0.0f, values[cut]), hi = values[values.size() - 1 - cut];
            BOOST_TEST(std::abs(found.lo - lo) <= 0.02 * std::abs(lo), percent << ": " << found.lo << " for " << lo);
            BOOST_TEST(std::abs(found.hi - hi) <= 0.02 * std::abs(hi), percent << ": " << found.hi << " for " << hi);
        }
}

BOOST_AUTO_TEST_CASE(mse_and_sqnr_come_near_the_best_pair_of_edges) {
    for (const bool positive : {false, true})
        for (const double outliers : {0.0, 0.01})
            for (const GridSpec& spec : specs) {
                const auto values = numbers(4, 1500, outliers, positive);
                const ValueRange range = range_of(values, 10);
                const double mse = noise_of(values, search_mse(range, spec), spec, 1), least = min_noise(values, spec, 1);
                BOOST_TEST(mse <= 1.1 * least, name_of(spec.storage) << (spec.symmetric ? " sym" : "") << " outliers " << outliers
                                                                     << ": mse " << mse << ", best " << least);
                const double sqnr = noise_of(values, search_sqnr(range, spec), spec, 3), least3 = min_noise(values, spec, 3);
                BOOST_TEST(sqnr <= 1.3 * least3, name_of(spec.storage) << (spec.symmetric ? " sym" : "") << " outliers " << outliers
                                                                       << ": sqnr " << sqnr << ", best " << least3);
            }
}

BOOST_AUTO_TEST_CASE(entropy_drops_outliers_and_keeps_even_spreads) {
    for (const GridSpec& spec : {specs[0], specs[1], specs[2]}) {
        auto values = numbers(5, 20000, 0, false);
        values.push_back(100);
        const RealRange clipped = search_entropy(range_of(values, 100), spec);
        BOOST_TEST(clipped.hi < 50);
        BOOST_TEST(clipped.hi > 3);
        BOOST_TEST(clipped.lo < -2);
        std::vector<float> even(20000);
        for (size_t i = 0; i < even.size(); ++i) even[i] = static_cast<float>(i) / 20000 - 0.5f;
        const RealRange kept = search_entropy(range_of(even, 100), spec);
        BOOST_TEST(kept.hi > 0.45);
        BOOST_TEST(kept.lo < -0.45);
    }
}

BOOST_AUTO_TEST_CASE(every_method_stays_within_what_was_seen) {
    for (const Method& row : all_methods())
        for (const GridSpec& spec : specs)
            for (const auto& values : {numbers(6, 300, 0.02, false), numbers(7, 300, 0, true), std::vector<float>{0, 0},
                                       std::vector<float>{5}, std::vector<float>{-5, -4}, std::vector<float>{1e-40f, 3e38f}}) {
                const ValueRange range = range_of(values, 10);
                const RealRange found = search_range(range, spec, {.method = &row});
                BOOST_TEST((found.lo <= 0 && found.hi >= 0), row.name);
                const RealRange seen = search_minmax(range);
                const bool aimet = row.name == "tf-enhanced";
                const double more = aimet ? 1.01 : 1, bin = 6 * (static_cast<double>(range.max) - static_cast<double>(range.min)) / 512,
                             beyond = aimet ? 0.01 + 0.51 * (bin + static_cast<double>(grid_of(found, spec).scale)) : 0;
                BOOST_TEST((found.lo >= seen.lo * more - beyond && found.hi <= seen.hi * more + beyond),
                           row.name << " " << found.lo << " " << found.hi << " of " << range.min << " " << range.max);
                BOOST_TEST((&method_named(row.name) == &row));
            }
    ValueRange bare;
    bare.min = -1;
    bare.max = 1;
    bare.count = 2;
    for (const char* method : {"percentile", "mse", "sqnr", "optimal", "tf-enhanced", "entropy", "moving-average", "run-percentile"})
        BOOST_CHECK_THROW(search_range(bare, specs[0], {.method = &method_named(method)}), Error);
    BOOST_TEST(search_range(bare, specs[0], {}).hi == 1);
}

// Those that look at runs want all of them; others do the same without.
BOOST_AUTO_TEST_CASE(runs_that_were_left_out) {
    std::vector<float> values(2000);
    for (size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<float>(i)) * (i % 100 == 7 ? 9 : 1);
    const ValueRange all = range_of(values, 10);
    ValueRange some = all, none = all;
    some.leave_out_runs(100);
    none.leave_out_runs(0);
    for (const Method& row : all_methods())
        for (const DType storage : {DType::i8, DType::i16}) {
            const auto spec = grid_spec(storage, true);
            const SearchOptions options{.method = &row};
            if (row.by_runs) {
                BOOST_CHECK_THROW(search_range(some, spec, options), Error);
                BOOST_CHECK_THROW(search_range(none, spec, options), Error);
                continue;
            }
            const RealRange want = search_range(all, spec, options), found = search_range(some, spec, options);
            BOOST_TEST((want.lo == found.lo && want.hi == found.hi), row.name);
        }
    const SearchOptions usual{.by_runs = true};
    BOOST_CHECK_THROW(search_range(some, grid_spec(DType::u8, false), usual), Error);
    BOOST_TEST(search_range(all, grid_spec(DType::u8, false), usual).hi > 0);
}

// A grid over nothing has scale 1, which holds zeros and ones without noise by chance.
BOOST_AUTO_TEST_CASE(ones_are_covered) {
    ValueRange range{.min = 0, .max = 1, .count = 100};
    range.histogram.bins[Histogram::bin_of(0)] = 99;
    range.histogram.bins[Histogram::bin_of(1)] = 1;
    for (const char* method : {"auto", "mse", "sqnr"})
        BOOST_TEST(search_range(range, grid_spec(DType::i8, false), {.method = &method_named(method)}).hi == 1);
}

BOOST_AUTO_TEST_CASE(few_weights_take_the_scale_of_least_error) {
    std::vector<float> numbers(9 * 32);
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = std::sin(static_cast<float>(i * i));
    const Tensor weight = Tensor::make<float>({32, 9}, numbers);
    const auto db = [&](bool clip) {
        const Encoding e = weight_encoding(weight, {.axis = 0, .clip = clip});
        return weight_sqnr_db(weight, quantize(weight, e), e);
    };
    BOOST_TEST(db(true) > db(false) + 1);
}

// Of inputs 1 + noise: errors of one sign add up.
BOOST_AUTO_TEST_CASE(few_weights_of_inputs_with_a_mean) {
    std::vector<float> numbers(9 * 32);
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = std::sin(static_cast<float>(i * i));
    const Tensor weight = Tensor::make<float>({32, 9}, numbers);
    const auto noise = [&](double chosen_for) {  // of the results, for inputs of mean 1 and variance 0.5
        const Encoding e = weight_encoding(weight, {.axis = 0}, chosen_for);
        const auto rounded = to_floats(dequantize(quantize(weight, e), e));
        double total = 0;
        for (size_t row = 0; row < 32; ++row) {
            double sum = 0, squares = 0;
            for (size_t i = row * 9; i < (row + 1) * 9; ++i) {
                const double error = static_cast<double>(numbers[i]) - static_cast<double>(rounded[i]);
                sum += error;
                squares += error * error;
            }
            total += 0.5 * squares + sum * sum;
        }
        return total;
    };
    BOOST_TEST(noise(2) < 0.6 * noise(0));
}

BOOST_AUTO_TEST_SUITE_END()
