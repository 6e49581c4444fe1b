// Memory as a constraint of placement: partitions that fit, refusals with what would fit, and runs of split partitions.
#include <boost/test/unit_test.hpp>
#include <map>
#include <random>

#include "libcore/base/error.h"
#include "libcore/base/json.h"
#include "libcore/deploy/mixed.h"
#include "libcore/exec/session.h"
#include "libcore/place/assign.h"
#include "libcore/place/partition_memory.h"
#include "libcore/place/partitioning.h"
#include "libcore/place/report.h"
#include "libcore/place/target_file.h"
#include "tests/unit/partition_runs.h"

using namespace quern;
using namespace quern::place;

namespace {

// An accelerator for all but Tanh, 100 times as fast, with `bytes` of memory.
Target with_memory(uint64_t bytes, const std::string& device = "", const std::string& memory = "") {
    return parse_target(R"({"kind": "target", "version": 1, "name": "small", "basis": "measured on paper",
        "memories": [{"name": "sram", "bytes": )" +
                        std::to_string(bytes) + memory + R"(}, {"name": "flash", "bytes": 100}],
        "devices": [{"name": "cpu", "costs": [{"op": "*", "precision": "*", "bytes_per_second": 1e9}]},
                    {"name": "npu", "memory": "sram", "ops": [{"ops": ["Neg", "Add", "Exp", "Relu"]}],
                     "costs": [{"op": "*", "precision": "*", "bytes_per_second": 1e11}])" +
                        device + R"(}],
        "links": [{"from": "cpu", "to": "npu", "seconds": 1e-9}, {"from": "npu", "to": "cpu", "seconds": 1e-9}]})");
}

Type floats(int64_t n) { return Type::tensor(DType::f32, Shape::of(std::vector<int64_t>{n})); }

// x, then one node after the other; `weight`: floats that each adds.
Graph chain(size_t nodes, int64_t length, bool weights = false) {
    Graph g;
    ValueId at = g.add_value("x", floats(length));
    g.inputs = {at};
    for (size_t i = 0; i < nodes; ++i) {
        const std::string number = std::to_string(i);
        const ValueId next = g.add_value("v" + number, floats(length));
        std::vector<ValueId> in{at};
        if (weights)
            in.push_back(g.add_constant("w" + number,
                                        Tensor::vector<float>(std::vector<float>(static_cast<size_t>(length), 1 + static_cast<float>(i)))));
        g.add_node(find_op(weights ? "Add" : "Neg"), "n" + number, in, {next});
        at = next;
    }
    g.outputs = {at};
    return g;
}

// Values of one length, each read by any of the next nodes.
Graph random_graph(uint64_t seed, size_t nodes) {
    std::mt19937_64 random(seed);
    Graph g;
    std::vector<ValueId> values{g.add_value("x", floats(16)), g.add_value("y", floats(16))};
    g.inputs = {values[0], values[1]};
    for (size_t i = 0; i < nodes; ++i) {
        const auto any = [&] { return values[values.size() - 1 - random() % std::min<size_t>(values.size(), 6)]; };
        const ValueId out = g.add_value("v" + std::to_string(i), floats(16));
        const uint64_t kind = random() % 8;
        if (kind < 5)
            g.add_node(find_op("Add"), "n" + std::to_string(i), {any(), any()}, {out});
        else
            g.add_node(find_op(kind == 5 ? "Tanh" : "Neg"), "n" + std::to_string(i), {any()}, {out});
        values.push_back(out);
    }
    g.outputs = {values.back(), values[values.size() - 3]};
    return g;
}

std::string failure(Graph graph, const Target& target, const AssignOptions& options = {}) {
    try {
        assign(graph, target, options);
    } catch (const Error& error) {
        BOOST_TEST((error.exit() == Exit::no));
        std::string text = error.message();
        for (const std::string& line : error.details()) text += "\n" + line;
        return text;
    }
    return "no failure";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(place_memory)

// A chain needs two values at once, so weights decide: 64 bytes each, 10 of them, beside an arena of 128.
BOOST_AUTO_TEST_CASE(weights_that_share_the_memory_are_split) {
    Graph graph = chain(10, 16, true);
    const Target target = with_memory(128 + 4 * 64, R"(, "weights": "sram")");
    const Placement placement = assign(graph, target);
    BOOST_TEST(placement.partitions.parts.size() == 3u);  // 4, 4 and 2 nodes
    BOOST_TEST(placement.partitions.parts[0].nodes.size() == 4u);
    BOOST_TEST(placement.partitions.parts[1].nodes.size() == 4u);
    for (const Partition& part : placement.partitions.parts) BOOST_TEST(memory_of(graph, part, target).fits());
    BOOST_TEST_REQUIRE(placement.partitions.memory_splits.size() == 1u);
    BOOST_TEST(placement.partitions.memory_splits[0].why == "needs 768 B of 384 B of sram (arena 128 B, weights 640 B)");
    // Two values wait on cpu: a nanosecond out and one back for each.
    BOOST_TEST(std::abs(placement.memory_seconds - 4e-9) < 1e-15);
    BOOST_TEST(placement.bound < placement.seconds);
    BOOST_TEST(!placement.exact);
    BOOST_TEST(explain(placement, "n5").find("its partition is split for memory: needs 768 B of 384 B of sram") != std::string::npos);
    const PlacementReport report(graph, target, placement);
    BOOST_TEST(report_text(report).find("partitions 0 to 2 on npu are one that is split for memory: needs 768 B") != std::string::npos);
    BOOST_TEST(report_html(report).find("split for memory") != std::string::npos);
    const Json json = parse_json(report_json(report));
    BOOST_TEST(json.at("memory_splits").at(0).at("parts") == 3);
    BOOST_TEST(json.at("partitions").at(0).at("memory").at("fits") == true);
}

BOOST_AUTO_TEST_CASE(weights_have_a_memory_of_their_own) {
    Graph graph = chain(3, 16, true);
    const Placement placement = assign(graph, with_memory(128, R"(, "weights": "flash")"));
    BOOST_TEST(placement.partitions.parts.size() == 3u);
    BOOST_TEST(placement.partitions.memory_splits.at(0).why == "needs 192 B of 100 B of flash for weights");
    Graph free = chain(3, 16, true);
    BOOST_TEST(assign(free, with_memory(128)).partitions.memory_splits.empty());
}

BOOST_AUTO_TEST_CASE(a_cache_splits_nothing) {
    Graph graph = chain(3, 16);
    const Placement placement = assign(graph, with_memory(1, "", R"(, "cache": true)"));
    BOOST_TEST(placement.partitions.parts.size() == 1u);
    BOOST_TEST(placement.partitions.parts[0].device == "npu");
    BOOST_TEST(placement.too_large.empty());
}

BOOST_AUTO_TEST_CASE(a_node_that_does_not_fit_runs_elsewhere_and_is_told) {
    Graph graph = chain(2, 16);
    const Target target = with_memory(127);
    const Placement placement = assign(graph, target);
    BOOST_TEST(placement.decisions[0].device == "cpu");
    BOOST_TEST(placement.decisions[0].choices[1].refusal == "needs 128 B of 127 B of sram");
    BOOST_TEST_REQUIRE(placement.too_large.size() == 2u);
    BOOST_TEST(placement.too_large[0] == "node \"n0\" (Neg) does not fit npu: needs 128 B of 127 B of sram");
    const PlacementReport report(graph, target, placement);
    const auto refusals = report.refusals();
    BOOST_TEST_REQUIRE(refusals.size() == 1u);
    BOOST_TEST(refusals[0].check == "memory: does not fit by itself");
    BOOST_TEST(refusals[0].nodes.size() == 2u);
    BOOST_TEST(refusals[0].time_share == 1);
    for (const auto heuristic : {Heuristic::qualifying_ops, Heuristic::faster_ops, Heuristic::faster_ops_wsu}) {
        Graph again = chain(2, 16);
        for (const Decision& d : assign(again, target, {.heuristic = heuristic}).decisions) BOOST_TEST(d.device == "cpu");
    }
}

BOOST_AUTO_TEST_CASE(what_is_asked_for_and_does_not_fit_is_an_error) {
    Graph graph = chain(2, 16);
    graph.node(graph.find_node("n1")).device = "npu";
    AssignOptions options;
    options.sources["n1"] = "p.json: device_placement[0]";
    BOOST_TEST(failure(graph, with_memory(100), options) ==
               "node \"n1\" (Neg) does not fit npu (asked for by p.json: device_placement[0]): needs 128 B of 100 B of sram");
    BOOST_TEST(failure(graph, with_memory(128), options) == "no failure");
}

BOOST_AUTO_TEST_CASE(what_fits_nowhere_is_an_error_with_every_device) {
    Target target = with_memory(100);
    find_device(target, "cpu");
    for (Device& device : target.devices) device.memory = "sram";
    BOOST_TEST(
        failure(chain(1, 16), target) ==
        "node \"n0\" (Neg) does not fit cpu: needs 128 B of 100 B of sram\nnode \"n0\" (Neg) does not fit npu: needs 128 B of 100 B of "
        "sram");
}

BOOST_AUTO_TEST_CASE(sizes_that_read_the_same_are_told_in_bytes) {
    Graph graph = chain(1, 32768);
    BOOST_TEST(assign(graph, with_memory(262143)).too_large.at(0).ends_with("needs 262144 of 262143 bytes of sram"));
}

// Whatever is asked for: parts fit, in their order they compute what the whole computes, and no two neighbours could be one.
BOOST_AUTO_TEST_CASE(parts_fit_and_compute_the_same) {
    const std::vector<Tensor> inputs{Tensor::vector<float>(std::vector<float>(16, 0.5f)),
                                     Tensor::vector<float>(std::vector<float>(16, -0.25f))};
    size_t splits = 0, parts = 0;
    for (uint64_t seed = 1; seed <= 40; ++seed) {
        const Target target = with_memory(64 * (3 + seed % 3));
        for (const auto heuristic : {Heuristic::min_cut, Heuristic::qualifying_ops}) {
            Graph graph = random_graph(seed, 10 + seed);
            const Placement placement = assign(graph, target, {.heuristic = heuristic});
            const Partitions& made = placement.partitions;
            BOOST_TEST(partition_graph(graph, target).parts.size() == made.parts.size());
            for (const Partition& part : made.parts) BOOST_TEST(memory_of(graph, part, target).fits());
            splits += made.memory_splits.size();
            parts += made.parts.size();
            BOOST_TEST(placement.seconds >= placement.bound);
            const auto whole = run_whole(graph, inputs), apart = run_parts(graph, made.parts, inputs);
            for (size_t i = 0; i < whole.size(); ++i) BOOST_TEST(identical(whole[i], apart[i]));
        }
    }
    BOOST_TEST_MESSAGE(splits << " partitions were split, " << parts << " parts in all");
    BOOST_TEST(splits > 30u);
}

// With what splits take, the placement that is taken is never dearer than that of a heuristic.
BOOST_AUTO_TEST_CASE(splits_count_in_the_choice) {
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        const Target target = with_memory(64 * 4);
        Graph graph = random_graph(seed, 40);
        const double best = assign(graph, target).seconds;
        for (const auto h : {Heuristic::qualifying_ops, Heuristic::faster_ops, Heuristic::faster_ops_wsu, Heuristic::much_faster_ops_wsu}) {
            Graph other = random_graph(seed, 40);
            BOOST_TEST(best <= assign(other, target, {.heuristic = h}).seconds + 1e-12);
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
