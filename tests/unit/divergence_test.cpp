#include "libcore/text/divergence.h"

#include <boost/test/unit_test.hpp>

#include "libcore/base/error.h"

using namespace quern;

namespace {

// Logits of these probabilities, moved by a constant, which changes nothing.
std::vector<float> logits(const std::vector<double>& probabilities, float moved = 0) {
    std::vector<float> out;
    for (const double p : probabilities) out.push_back(static_cast<float>(std::log(p)) + moved);
    return out;
}

bool near(double a, double b) { return std::abs(a - b) < 1e-6; }

}  // namespace

BOOST_AUTO_TEST_SUITE(divergence_report)

BOOST_AUTO_TEST_CASE(equal_models) {
    Divergence divergence;
    divergence.add(logits({0.5, 0.25, 0.25}), logits({0.5, 0.25, 0.25}), 0);
    divergence.add(logits({0.1, 0.8, 0.1}), logits({0.1, 0.8, 0.1}), 2);
    const DivergenceReport report = divergence.report();
    BOOST_TEST(report.divergence.value == 0);
    BOOST_TEST(report.same_top.value == 1);
    BOOST_TEST(report.change_rms.value == 0);
    BOOST_TEST(report.ratio.value == 1);
    BOOST_TEST(near(report.correlation, 1));
    BOOST_TEST(near(report.first.value, std::sqrt(2.0 * 10.0)));
}

// By hand: KL(a, b) = 0.5 ln 2 + 0.5 ln(2/3) of the first place, and 0 of the second.
BOOST_AUTO_TEST_CASE(by_hand) {
    Divergence divergence;
    divergence.add(logits({0.5, 0.5}), logits({0.25, 0.75}, 7), 1);
    divergence.add(logits({0.2, 0.8}), logits({0.2, 0.8}, -3), 0);
    const DivergenceReport report = divergence.report();
    const double one = 0.5 * std::log(2.0) + 0.5 * std::log(2.0 / 3.0);
    BOOST_TEST(report.scored == 2);
    BOOST_TEST(near(report.divergence.value, one / 2));
    BOOST_TEST(near(report.divergence.error, one / 2));  // sqrt((one^2 / 2 - one^2 / 4) / 1)
    BOOST_TEST(near(report.divergences.front(), one));
    BOOST_TEST(near(report.divergences[6], one / 2));  // between the two
    BOOST_TEST(near(report.divergences.back(), 0));
    BOOST_TEST(near(report.change.value, 0.125));
    BOOST_TEST(near(report.change_rms.value, 0.25 / std::sqrt(2.0)));
    BOOST_TEST(near(report.changes.front(), 0.25));
    BOOST_TEST(report.same_top.value == 0.5);
    BOOST_TEST(near(report.same_top.error, 0.5));
    BOOST_TEST(near(report.first.value, std::sqrt(2.0 * 5.0)));
    BOOST_TEST(near(report.second.value, std::sqrt(5.0 / 0.75)));
    BOOST_TEST(near(report.ratio.value, report.second.value / report.first.value));
}

BOOST_AUTO_TEST_CASE(not_finite) {
    Divergence divergence;
    const std::vector<float> broken{0, std::numeric_limits<float>::quiet_NaN()}, never{0, -std::numeric_limits<float>::infinity()};
    BOOST_CHECK_THROW(divergence.add(logits({0.5, 0.5}), broken, 0), Error);
    BOOST_CHECK_THROW(divergence.add(logits({0.5, 0.5}), never, 0), Error);
    divergence.add(never, logits({0.5, 0.5}), 0);  // what the first never says costs nothing
    BOOST_TEST(near(divergence.report().divergence.value, std::log(2.0)));
}

BOOST_AUTO_TEST_CASE(quantiles_are_on_lines) {
    const std::vector<float> sorted{1, 2, 4};
    BOOST_TEST(quantile(sorted, 0) == 1);
    BOOST_TEST(quantile(sorted, 0.25) == 1.5);
    BOOST_TEST(quantile(sorted, 1) == 4);
}

BOOST_AUTO_TEST_SUITE_END()
