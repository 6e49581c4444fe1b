#include <algorithm>
#include <bit>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <random>

#include "libcore/base/error.h"
#include "libcore/base/json.h"
#include "libcore/quant/ranges/ranges_json.h"

using namespace quern;

namespace {

ValueRange range_of(std::span<const float> values, uint64_t sample) {
    ValueRange r;
    r.min = r.max = values[0];
    for (const float v : values) {
        r.min = std::min(r.min, v);
        r.max = std::max(r.max, v);
        ++r.histogram.bins[Histogram::bin_of(v)];
    }
    r.count = values.size();
    r.runs[sample] = {r.min, r.max};
    return r;
}

std::string message_of(const std::string& json) {
    try {
        parse_ranges(json);
    } catch (const Error& error) {
        BOOST_TEST(static_cast<int>(error.exit()) == 3);
        return error.message();
    }
    return "no error";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(ranges)

BOOST_AUTO_TEST_CASE(bins_hold_their_values) {
    std::mt19937 random(1);
    for (int i = 0; i < 100000; ++i) {
        const auto value = std::bit_cast<float>(static_cast<uint32_t>(random()));
        if (!std::isfinite(value)) continue;
        const auto [near, far] = Histogram::edges(Histogram::bin_of(value));
        BOOST_TEST_REQUIRE(std::isfinite(far));
        BOOST_TEST_REQUIRE((std::abs(near) <= std::abs(value) && std::abs(value) <= std::abs(far)));
    }
    BOOST_TEST(Histogram::bin_of(-0.0f) == 0);
}

// Whatever is cancelled, and in whatever order.
BOOST_AUTO_TEST_CASE(sums_are_exact) {
    std::mt19937 random(5);
    std::vector<double> numbers{1e30, 1, -1e30, 0x1p-100};
    for (int i = 0; i < 200; ++i) {
        const auto number = std::bit_cast<float>(static_cast<uint32_t>(random()));
        if (!std::isfinite(number)) continue;
        numbers.push_back(static_cast<double>(number));
        numbers.push_back(-static_cast<double>(number));
    }
    for (int round = 0; round < 20; ++round) {
        std::shuffle(numbers.begin(), numbers.end(), random);
        ExactSum whole, first, second;
        for (size_t i = 0; i < numbers.size(); ++i) {
            whole.add(numbers[i]);
            (i % 3 ? first : second).add(numbers[i]);
        }
        first.add(second);
        BOOST_TEST(whole.rounded() == 1);
        BOOST_TEST(whole.parts() == (std::vector<double>{1, 0x1p-100}), boost::test_tools::per_element());
        BOOST_TEST((whole == first));
    }
    ExactSum tie(1);
    tie.add(0x1p-53);
    BOOST_TEST(tie.rounded() == 1);  // to even
    tie.add(0x1p-200);
    BOOST_TEST(tie.rounded() == 1 + 0x1p-52);
    BOOST_TEST(ExactSum(0).parts().empty());
}

BOOST_AUTO_TEST_CASE(sums_of_channels_are_read_as_written_or_refused) {
    const std::string head =
        R"({"kind": "ranges", "version": 1, "lineage": "", "samples": 1, "unvisited": [], "values": {"x": {"count": 4, )"
        R"("min": 0, "max": 1, "axis": 1, "channel_min": [0, 0], "channel_max": [1, 1], "channel_sum": )";
    const Ranges ranges = parse_ranges(head + "[[1, 0.5], [0, 1e-30]]}}}");
    BOOST_TEST(ranges.values.at("x").channel_means() == (std::vector<double>{0.5, 0.25}), boost::test_tools::per_element());
    BOOST_TEST(to_json(parse_ranges(to_json(ranges))) == to_json(ranges));
    BOOST_TEST(message_of(head + "[[1]]}}}").find("1 sums of 2 channels") != std::string::npos);
    BOOST_TEST(message_of(head + "[[1, \"a\"]]}}}") != "no error");
    for (const char* sums : {"[[1, 1e308], [0, 1e308]]", "[[1, 1e308]]", "[[-1e40, 1]]"})
        BOOST_TEST(message_of(head + sums + "}}}").find("is more than 4 float32 numbers can have") != std::string::npos, sums);
    Ranges without = ranges;
    without.values.at("x").channel_sum.clear();
    without.merge(ranges);
    BOOST_TEST(without.values.at("x").channel_sum.empty());
}

// Of each value its own runs are counted, whichever way shards come together.
BOOST_AUTO_TEST_CASE(runs_beyond_the_usual_ones_are_counted) {
    const auto seen = [](uint64_t first, uint64_t count) {
        Ranges ranges;
        ranges.samples = count;
        for (uint64_t i = 0; i < count; ++i)
            for (const char* name : {"x", "odd"})
                if (*name == 'x' || (first + i) % 2) ranges.values[name].merge(range_of(std::vector{static_cast<float>(i % 9)}, first + i));
        return ranges;
    };
    Ranges whole = seen(0, 2400), a = seen(0, 900), b = seen(900, 1500);
    BOOST_TEST(whole.has_all_runs());
    BOOST_TEST(!a.leave_out_runs());
    BOOST_TEST(b.leave_out_runs());
    BOOST_TEST(whole.leave_out_runs());
    BOOST_TEST(!whole.leave_out_runs());
    BOOST_TEST(!whole.has_all_runs());
    BOOST_TEST(whole.values.at("x").runs.size() == usual_runs);
    BOOST_TEST(whole.values.at("x").runs_left_out == 1400);
    BOOST_TEST(whole.values.at("odd").runs_left_out == 700);
    BOOST_TEST(to_json(parse_ranges(to_json(whole))) == to_json(whole));
    Ranges both = b;
    both.merge(a);
    BOOST_TEST((both.without_runs == whole.without_runs));
    BOOST_CHECK_THROW(both.merge(b), Error);
    Ranges behind = seen(0, 1500);
    behind.renumber(900);
    behind.leave_out_runs();
    BOOST_TEST(to_json(behind) == to_json(b));
}

// Samples are known by their numbers where their extremes are left out, too.
BOOST_AUTO_TEST_CASE(extremes_are_those_of_the_samples_that_count) {
    Ranges ranges;
    ranges.samples = 3;
    ranges.values["all"] = {.min = -4, .max = 9, .count = 3, .runs = {{0, {-1, 2}}, {1, {-4, 9}}, {2, {0, 3}}}};
    ranges.values["some"] = {.min = -4, .max = 9, .count = 3, .runs = {{0, {-1, 2}}}, .runs_left_out = 2};
    const Ranges others = ranges.with_extremes_without({1});
    BOOST_TEST(others.values.at("all").min == -1);
    BOOST_TEST(others.values.at("all").max == 3);
    BOOST_TEST(others.values.at("some").max == 9);  // nobody knows
    BOOST_TEST(ranges.with_extremes_without({0, 1, 2}).values.at("all").max == 9);
}

BOOST_AUTO_TEST_CASE(samples_without_runs_are_told_apart) {
    using Spans = std::vector<std::pair<uint64_t, uint64_t>>;
    Ranges ranges;
    for (const auto& [first, end] : Spans{{20, 30}, {5, 8}, {40, 50}, {8, 12}, {12, 20}}) ranges.add_without_runs(first, end);
    BOOST_TEST((ranges.without_runs == Spans{{5, 30}, {40, 50}}));
    for (const auto& [first, end] : Spans{{0, 6}, {5, 6}, {29, 31}, {0, 100}, {49, 50}})
        BOOST_CHECK_THROW(ranges.add_without_runs(first, end), Error);
    ranges.add_without_runs(30, 40);
    BOOST_TEST((ranges.without_runs == Spans{{5, 50}}));
}

BOOST_AUTO_TEST_CASE(json_round_trips_and_merge_is_exact_in_any_order) {
    std::mt19937 random(2);
    std::normal_distribution<float> normal(0.1f, 3);
    Ranges whole, a, b;
    for (Ranges* r : {&whole, &a, &b}) r->lineage = "abc";
    whole.unvisited = {"if_1/else_branch"};
    a.unvisited = {"if_1/else_branch", "loop/body"};
    b.unvisited = {"if_1/else_branch"};
    for (uint64_t sample = 0; sample < 20; ++sample) {
        std::vector<float> values(100);
        for (float& v : values) v = normal(random);
        Ranges one;
        one.lineage = "abc";
        one.samples = 1;
        one.unvisited = whole.unvisited;
        one.values["x \"quoted\"/ü"] = range_of(values, sample);
        whole.merge(one);
        (sample % 3 ? a : b).merge(one);
    }
    const std::string text = to_json(whole);
    BOOST_TEST(to_json(parse_ranges(text)) == text);
    Ranges ab = a, ba = b;
    ab.merge(b);
    ba.merge(a);
    BOOST_TEST(to_json(ab) == text);
    BOOST_TEST(to_json(ba) == text);
    BOOST_CHECK_THROW(ab.merge(b), Error);  // the same samples again
    Ranges other = b;
    other.lineage = "def";
    BOOST_CHECK_THROW(a.merge(other), Error);
}

BOOST_AUTO_TEST_CASE(broken_documents_are_named) {
    const std::string head = R"({"kind":"ranges","version":1,"lineage":"","samples":1,"unvisited":[],"values":{"x":)";
    BOOST_TEST(message_of("{") == "not JSON: line 1, column 2");
    BOOST_TEST(message_of(std::string(1000, '[')).find("deeper than 64") != std::string::npos);
    BOOST_TEST(message_of(R"({"kind":"encodings","version":1})") == "kind is \"encodings\", need \"ranges\"");
    BOOST_TEST(message_of(R"({"kind":"ranges","version":2})") == "ranges version 2, this tool reads up to 1");
    BOOST_TEST(message_of(head + R"({"count":1,"min":"0","max":1}}})") == "values.x.min: is a string, need a number");
    BOOST_TEST(message_of(head + R"({"count":1,"min":2,"max":1}}})") == "values.x: minimum above maximum");
    BOOST_TEST(message_of(head + R"({"count":1,"min":0,"max":1e300}}})") == "values.x.max: is not a finite float32");
    BOOST_TEST(message_of(head + R"({"count":2,"min":0,"max":1,"histogram":[[1,[1]]]}}})") ==
               "values.x.histogram: counts 1 of the 2 elements seen");
    BOOST_TEST(message_of(head + R"({"count":1,"min":0,"max":1,"histogram":[[65535,[1]]]}}})").find("no finite float") !=
               std::string::npos);
    BOOST_TEST(message_of(head + R"({"count":1,"min":0,"max":1,"runs":[[0,[1],[0]]]}}})").find("sample 0") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
