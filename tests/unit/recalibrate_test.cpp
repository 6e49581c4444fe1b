// Ranges of activations that are measured again with what is before them quantized.
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "libcore/base/text.h"
#include "tests/unit/algorithm_nets.h"

using namespace quern;

namespace {

Ranges ranges_of(const Graph& graph, const std::vector<std::string>& names, const Rules* rules, int threads,
                 std::vector<AlgorithmReport>* reports = nullptr) {
    ThreadPool pool(threads);
    const SampleFeed feed = feed_of(graph, 48);
    AlgorithmOptions options{.chosen = algorithms_named(names), .feed = &feed};
    QuantRequest request;
    request.scheme = &scheme_named("w4a16");
    request.per_tensor = true;
    request.rules = rules;
    QuantWork work(request);
    Graph own = graph;
    std::optional<Ranges> ranges;
    run_before(own, ranges, "", work, options, pool);
    const auto made = run_between(own, *ranges, work, options, pool);
    if (reports) *reports = made;
    return *ranges;
}

// The extremes of a value over the samples, in a graph that computes with rounded numbers.
std::pair<float, float> extremes(const Graph& graph, const std::string& name) {
    std::pair<float, float> found{INFINITY, -INFINITY};
    ThreadPool pool(1);
    Session session(Program::compile(graph, {.mode = Mode::fake, .observable = true}), pool);
    session.set_observer([&](std::string_view key, const Tensor& tensor) {
        if (key != name) return;
        for (const float x : to_floats(tensor)) found = {std::min(found.first, x), std::max(found.second, x)};
    });
    for (uint64_t i = 0; i < 48; ++i) session.run(std::vector<Tensor>{sample_of(graph, i)});
    return found;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(recalibrate)

// Step by step by hand: quantized with the ranges so far, the value not rounded, run.
BOOST_AUTO_TEST_CASE(each_value_is_measured_behind_quantized_layers) {
    const Graph net = small_net();
    std::vector<AlgorithmReport> reports;
    const Ranges before = ranges_of(net, {}, nullptr, 2), after = ranges_of(net, {"recalibrate"}, nullptr, 2, &reports);
    BOOST_TEST(reports.at(0).changed() >= 3, reports.at(0).text());
    Ranges so_far = before;
    ThreadPool pool(1);
    QuantRequest request;
    request.scheme = &scheme_named("w4a16");
    request.per_tensor = true;
    int measured = 0;
    for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h", "y"}) {
        Graph graph = net;
        quantize_graph(graph, &so_far, QuantWork(request), pool);
        Value& value = graph.value(graph.find(name));
        if (!value.enc) continue;  // is not stored: a product before its activation
        ++measured;
        value.enc.reset();
        const auto [least, most] = extremes(graph, name);
        const ValueRange& found = after.values.at(name);
        BOOST_TEST(found.min == least, name);
        BOOST_TEST(found.max == most, name);
        BOOST_TEST((found.max != before.values.at(name).max), name);
        BOOST_TEST(found.count == before.values.at(name).count);
        BOOST_TEST(found.histogram.total() == found.count);
        BOOST_TEST(found.runs.size() == 48);
        so_far.values[name] = found;
    }
    BOOST_TEST(measured >= 5);
    BOOST_TEST(after.values.at("x").max == before.values.at("x").max);
}

BOOST_AUTO_TEST_CASE(ranges_are_equal_on_any_number_of_threads) {
    const std::string one = to_json(ranges_of(small_net(), {"recalibrate"}, nullptr, 1));
    for (const int threads : {2, 5}) BOOST_TEST((to_json(ranges_of(small_net(), {"recalibrate"}, nullptr, threads)) == one));
}

BOOST_AUTO_TEST_CASE(a_rule_leaves_a_value_as_it_was_measured) {
    const Rules rules =
        parse_rules(R"({"kind": "rules", "version": 1, "op_types": {"LeakyRelu": {"type": "w4a16", "algorithms": "none"}}})");
    const Ranges before = ranges_of(small_net(), {}, nullptr, 2), after = ranges_of(small_net(), {"recalibrate"}, &rules, 2);
    BOOST_TEST(after.values.at("d").max == before.values.at("d").max);
    BOOST_TEST(after.values.at("b").max != before.values.at("b").max);
}

BOOST_AUTO_TEST_SUITE_END()
