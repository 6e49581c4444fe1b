// The optimal range beside all windows, tried one after the other.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <random>

#include "libcore/os/threads.h"
#include "libcore/quant/plan/statistics.h"

using namespace quern;

namespace {

ValueRange range_of(const std::vector<float>& values) {
    ValueRange range;
    range.count = values.size();
    range.min = *std::ranges::min_element(values);
    range.max = *std::ranges::max_element(values);
    for (const float value : values) ++range.histogram.bins[Histogram::bin_of(value)];
    return range;
}

double noise_of(const ValueRange& value, const RealRange& range, const GridSpec& spec) {
    return grid_error(masses_of(value, measured_masses), grid_of(range, spec), spec).noise();
}

double min_of_all(const ValueRange& value, const GridSpec& spec) {
    std::vector<double> below{0}, above{0};
    for (const Mass& mass : masses_of(value, 256)) (mass.lo < 0 ? below : above).push_back(mass.lo < 0 ? mass.lo : mass.hi);
    double least = noise_of(value, search_minmax(value), spec);
    const auto offer = [&](double lo, double hi) {
        if (lo != hi) least = std::min(least, noise_of(value, {lo, hi}, spec));
    };
    for (const double lo : below)
        for (const double hi : above)
            if (!spec.symmetric || lo == 0 || hi == 0) offer(lo, hi);
    return least;
}

// Of many shapes: bells with and without outliers, one-sided, in steps of their own, sparse, of all sizes.
std::vector<float> numbers(std::mt19937& random) {
    const auto count = 2 + random() % 400;
    const double size = std::pow(10.0, static_cast<double>(random() % 9) - 4), tail = static_cast<double>(random() % 30);
    const bool positive = random() % 3 == 0, stepped = random() % 4 == 0;
    std::normal_distribution<double> normal(static_cast<double>(random() % 5) * 0.3, 1);
    std::vector<float> values;
    for (size_t i = 0; i < count; ++i) {
        double x = normal(random) * (random() % 50 == 0 ? 1 + tail : 1);
        if (positive) x = std::max(x, 0.0);
        if (stepped) x = std::round(x * 4) / 4;
        values.push_back(static_cast<float>(x * size));
    }
    return values;
}

const std::vector<GridSpec> specs{grid_spec(DType::i8, false),  grid_spec(DType::i8, true),
                                  grid_spec(DType::u8, false),  grid_spec(DType::i4, false),
                                  grid_spec(DType::i4, true),   grid_spec(DType::i16, true),
                                  grid_spec(DType::u16, false), {.storage = DType::i8, .qmin = -128, .qmax = 127, .min_scale = 0.01f}};

}  // namespace

BOOST_AUTO_TEST_SUITE(optimal_range)

BOOST_AUTO_TEST_CASE(no_window_has_less_noise) {
    std::mt19937 random(7);
    for (int i = 0; i < 60; ++i) {
        const ValueRange value = range_of(numbers(random));
        for (const GridSpec& spec : specs) {
            const double got = noise_of(value, search_optimal(value, spec), spec), want = min_of_all(value, spec);
            BOOST_TEST(got <= want, i << " " << name_of(spec.storage) << " " << spec.symmetric << ": " << got << " for " << want);
        }
    }
}

// What other methods leave on the table is never less than nothing, and is found where there is something to find.
BOOST_AUTO_TEST_CASE(the_report_knows_what_a_method_left) {
    std::mt19937 random(8);
    std::vector<float> values(5000);
    std::normal_distribution<float> normal;
    for (float& x : values) x = normal(random);
    values.push_back(8);
    const ValueRange value = range_of(values);
    for (const Method& method : all_methods()) {
        if (method.by_runs) continue;
        const FoundGrid found = find_grid(value, specs[3], {.method = &method, .optimum = true});
        BOOST_TEST(found.optimum.sqnr_db >= found.error.sqnr_db(), method.name);
    }
    const FoundGrid whole = find_grid(value, specs[3], {.method = &whole_range(), .optimum = true});
    BOOST_TEST(whole.optimum.sqnr_db > whole.error.sqnr_db() + 3);
    BOOST_TEST(whole.optimum.range.hi < 6);
    const FoundGrid best = find_grid(value, specs[3], {.method = &method_named("optimal"), .optimum = true});
    BOOST_TEST(best.optimum.sqnr_db == best.error.sqnr_db());
    BOOST_TEST(best.optimum.sqnr_db == whole.optimum.sqnr_db);
    BOOST_TEST(std::isnan(find_grid(value, specs[3], {}).optimum.sqnr_db));
}

BOOST_AUTO_TEST_SUITE_END()
