// Figures of a row of costs: what they were made by is found again.
#include <boost/test/unit_test.hpp>
#include <random>

#include "libcore/place/fit.h"

using namespace quern::place;

namespace {

std::vector<Measured> times_by(const Figures& truth, size_t count, std::mt19937& random) {
    std::vector<Measured> times(count);
    for (Measured& time : times) {
        time.others = 1e-7 * static_cast<double>(random() % 3);
        for (size_t n = 0; n <= random() % 2; ++n)
            time.nodes.push_back({static_cast<double>(1 + random() % 100000) * 100, static_cast<double>(1 + random() % 100000)});
        time.seconds = modelled(truth, time);
    }
    return times;
}

void check_close(const Figures& got, const Figures& want) {
    BOOST_TEST(got.call == want.call, boost::test_tools::tolerance(1e-3));
    BOOST_TEST(got.mac == want.mac, boost::test_tools::tolerance(1e-3));
    BOOST_TEST(got.byte == want.byte, boost::test_tools::tolerance(1e-3));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(place_fit)

BOOST_AUTO_TEST_CASE(figures_are_found_again) {
    std::mt19937 random(1);
    const Figures truth{2e-6, 1e-11, 1e-9};
    for (const Figures& before : {truth, Figures{1e-5, 3e-12, 5e-9}, Figures{1e-7, 1e-9, 1e-11}})
        for (int turn = 0; turn < 20; ++turn) check_close(fit_figures(times_by(truth, 40, random), before), truth);
}

BOOST_AUTO_TEST_CASE(a_figure_that_is_not_stated_stays_so) {
    std::mt19937 random(2);
    const Figures truth{2e-6, 1e-11, 0};
    check_close(fit_figures(times_by(truth, 20, random), {1e-6, 1e-10, 0}), truth);
    const Figures kept = fit_figures(times_by({1e-6, 0, 0}, 20, random), {});
    BOOST_TEST(kept.call + kept.mac + kept.byte == 0);
}

// One figure: 1, 2 and 30 us a call are 2 in the median.
BOOST_AUTO_TEST_CASE(one_figure_is_the_median) {
    const std::vector<Measured> times{{1e-6, 0, {{}}}, {30e-6, 0, {{}}}, {2e-6, 0, {{}}}};
    BOOST_TEST(fit_figures(times, {1, 0, 0}).call == 2e-6, boost::test_tools::tolerance(1e-9));
}

// Nodes alike say nothing of which figure is off: all are scaled, here by 3.
BOOST_AUTO_TEST_CASE(nodes_alike_scale_all_figures) {
    const Figures before{1e-6, 1e-11, 0};
    const std::vector<Measured> times(4, Measured{6e-6, 0, {{1e5, 0}}});  // before: 1 us + 1 us
    check_close(fit_figures(times, before), {3e-6, 3e-11, 0});
}

// Times of 2 us + 1 ns a byte whatever the MACs: those of the node with most, 9000 a byte, are hidden up to 1/9 ps each.
BOOST_AUTO_TEST_CASE(a_hidden_rate_is_as_it_was_or_as_the_times_allow) {
    std::vector<Measured> times;
    for (const double bytes : {1000., 2000., 5000., 9000.}) times.push_back({2e-6 + 1e-9 * bytes, 0, {{bytes * bytes, bytes}}});
    for (const double bytes : {1000., 4000.}) times.push_back({2e-6 + 1e-9 * bytes, 0, {{0, bytes}}});
    check_close(fit_figures(times, {1e-6, 1e-14, 3e-9}), {2e-6, 1e-14, 1e-9});
    check_close(fit_figures(times, {1e-6, 1e-12, 3e-9}), {2e-6, 1e-9 / 9000, 1e-9});
}

BOOST_AUTO_TEST_CASE(nothing_is_negative) {
    std::mt19937 random(3);
    for (int turn = 0; turn < 100; ++turn) {
        std::vector<Measured> times = times_by({1e-6, 1e-11, 1e-9}, 6, random);
        for (Measured& time : times) time.seconds *= 0.01 + static_cast<double>(random() % 1000) / 100;
        const Figures got = fit_figures(times, {1e-6, 1e-11, 1e-9});
        BOOST_TEST((got.call >= 0 && got.mac >= 0 && got.byte >= 0));
    }
}

BOOST_AUTO_TEST_SUITE_END()
