// The method tf-enhanced beside AIMET's steps written out for numbers, not for a histogram of theirs.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <random>

#include "libcore/quant/search/search.h"

using namespace quern;

namespace {

using Runs = std::vector<std::vector<float>>;

ValueRange range_of(const Runs& runs) {
    ValueRange range;
    range.min = range.max = runs[0][0];
    for (size_t i = 0; i < runs.size(); ++i) {
        const auto [least, greatest] = std::minmax_element(runs[i].begin(), runs[i].end());
        range.runs[i] = {*least, *greatest};
        range.min = std::min(range.min, *least);
        range.max = std::max(range.max, *greatest);
        range.count += runs[i].size();
        for (const float x : runs[i]) ++range.histogram.bins[Histogram::bin_of(x)];
    }
    return range;
}

// Numbers in the middle of bins 3 / 256 wide, which the first run's -1 and 1 make: a bin of the histogram lies in one of them whole.
Runs numbers(uint32_t seed, double spread, bool positive, bool beyond) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal(positive ? 0.2 : -0.1, spread);
    Runs runs{{-1, 1}};
    for (int run = 0; run < 4; ++run) {
        std::vector<float> values;
        for (int i = 0; i < 500; ++i) {
            const double k = std::clamp(std::round(normal(random) * 256 / 3), -85.0, 85.0);
            values.push_back(static_cast<float>((positive ? std::abs(k) : k) * 3 / 256));
        }
        if (run == 3 && beyond) values.push_back(100);
        runs.push_back(values);
    }
    return runs;
}

struct Plain {
    std::vector<double> bins = std::vector<double>(512);
    double lo = 0, hi = 0, least = INFINITY, best_delta = 0, best_offset = 0;
    static constexpr double width = 6.0 / 512;

    explicit Plain(const Runs& runs) {
        double greatest = 1;
        for (const auto& run : runs) greatest = std::max<double>(greatest, *std::max_element(run.begin(), run.end()));
        for (const auto& run : runs)
            for (const float value : run) {
                const double x = value, bin = std::round(x / width + 3 / width);
                if (bin < 0 || bin >= 512) continue;
                // Of numbers above it, 1 is known by the histogram's bin, of which a quarter is in this one.
                const double here = x == 1 && greatest > 1 ? 0.25 : 1;
                bins[static_cast<size_t>(bin)] += here;
                bins[static_cast<size_t>(bin) + 1] += 1 - here;
                lo = std::min(lo, bin * width - 3);
                hi = std::max(hi, (here < 1 ? bin + 1 : bin) * width - 3);
            }
    }
    void take(double delta, double offset, double steps) {
        const auto edge = [](double x) { return std::min(511.0, std::max(0.0, std::floor((x + 3) / width))); };
        const double bottom = edge(delta * offset), top = edge(delta * (offset + steps));
        double sum = 0;
        for (int i = 0; i < 512; ++i) {
            const auto middle = [](double bin) { return -3 + (bin + 0.5) * width; };
            const double x = middle(i), p = bins[static_cast<size_t>(i)];
            if (i < bottom)
                sum += 3 * p * std::pow(x - middle(bottom), 2);
            else if (i > top)
                sum += 3 * p * std::pow(x - middle(top), 2);
            else
                sum += p * std::pow(x - delta * std::round(x / delta), 2);
        }
        if (sum < least) {
            least = sum;
            best_delta = delta;
            best_offset = offset;
        }
    }
    void asymmetric(double steps) {
        for (int f = 1; f <= 17; ++f)
            for (int i = 0; i <= 20; ++i) {
                const double delta = (hi - lo) / steps * f / 16, offset = -steps + steps / 20 * i;
                const double from = std::max(lo, delta * offset), to = std::min(hi, delta * (offset + steps));
                if (to - from > 1e-12) take((to - from) / steps, std::round(from / ((to - from) / steps)), steps);
            }
        take((hi - lo) / steps, std::round(lo / ((hi - lo) / steps)), steps);
    }
    void symmetric(double steps) {
        for (int f = 1; f <= 101; ++f) take(std::max(-lo, hi) / std::floor(steps / 2) * f / 100, std::floor(-steps / 2), steps);
    }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(tf_enhanced)

BOOST_AUTO_TEST_CASE(the_grid_is_that_of_the_plain_formula) {
    int clipped = 0;
    for (const GridSpec& spec : {grid_spec(DType::i8, false), grid_spec(DType::i8, true), grid_spec(DType::u8, false),
                                 grid_spec(DType::i4, false), grid_spec(DType::i4, true), grid_spec(DType::i16, true)})
        for (uint32_t seed = 1; seed <= 12; ++seed) {
            const Runs runs = numbers(seed, seed % 2 ? 0.05 : 0.3, seed % 3 == 0, seed % 4 < 2);
            Plain plain(runs);
            const auto steps = static_cast<double>(spec.qmax - spec.qmin);
            spec.symmetric ? plain.symmetric(steps) : plain.asymmetric(steps);
            const RealRange found = search_range(range_of(runs), spec, {.method = &method_named("tf-enhanced")});
            const Grid grid = grid_of(found, spec);
            const auto offset = static_cast<double>(spec.qmin - grid.zero);
            BOOST_TEST_CONTEXT(name_of(spec.storage) << (spec.symmetric ? " sym" : "") << " seed " << seed) {
                BOOST_TEST(grid.scale == static_cast<float>(plain.best_delta), boost::test_tools::tolerance(1e-6f));
                BOOST_TEST(offset == plain.best_offset);
            }
            clipped += found.hi < plain.hi - plain.best_delta;
        }
    BOOST_TEST(clipped > 10);  // or the cases would not tell it from min-max
}

BOOST_AUTO_TEST_CASE(narrow_and_constant_numbers) {
    const GridSpec spec = grid_spec(DType::u8, false);
    const RealRange narrow = search_tf_enhanced(range_of({{0, 1e-4f, 2e-4f}}), spec);
    BOOST_TEST(narrow.hi <= 0.01 * 17 / 16);
    BOOST_TEST(narrow.hi >= 2e-4);
    BOOST_TEST(search_tf_enhanced(range_of({{5, 5}}), spec).hi == 5);
    BOOST_TEST(search_tf_enhanced(range_of({{0, 0}}), spec).hi == 0);
    // A first run of zeros makes no bins: the next does.
    BOOST_TEST(search_tf_enhanced(range_of({{0, 0}, {-1, 1}}), spec).hi > 0.5);
}

BOOST_AUTO_TEST_SUITE_END()
