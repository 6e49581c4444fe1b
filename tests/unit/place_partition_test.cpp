// Partitions of placed graphs: in their order they compute what the whole computes, and their memory is what it must be.
#include <boost/test/unit_test.hpp>
#include <map>
#include <random>

#include "formats/text/text.h"
#include "libcore/base/error.h"
#include "libcore/exec/session.h"
#include "libcore/place/partition.h"
#include "libcore/place/partition_memory.h"
#include "libcore/place/partitioning.h"
#include "libcore/place/target_file.h"
#include "libcore/support/units.h"
#include "tests/unit/partition_runs.h"

using namespace quern;
using namespace quern::place;

namespace {

Target three_devices() {
    return parse_target(R"({"kind": "target", "version": 1, "name": "three", "doc": "for tests", "basis": "estimate: made up",
        "memories": [{"name": "small", "bytes": 256}],
        "devices": [{"name": "cpu"}, {"name": "a", "memory": "small"}, {"name": "b"}]})");
}

Target unbounded(Target target) {
    for (Memory& memory : target.memories) memory.bytes = 0;
    return target;
}

const Type four = Type::tensor(DType::f32, Shape::of(std::vector<int64_t>{4}));

Graph random_graph(uint64_t seed, size_t nodes) {
    std::mt19937_64 random(seed);
    const std::vector<std::string> devices{"", "cpu", "a", "b"};
    Graph g;
    const ValueId weight = g.add_constant("w", Tensor::vector<float>(std::vector<float>{1, -2, 3, 0.5f}));
    std::vector<ValueId> values{g.add_value("x", four), g.add_value("y", four), weight};
    g.inputs = {values[0], values[1]};
    const auto any = [&] { return values[std::max<size_t>(values.size(), 8) - 8 + random() % std::min<size_t>(values.size(), 8)]; };
    for (size_t i = 0; i < nodes; ++i) {
        const ValueId out = g.add_value("v" + std::to_string(i), four);
        const bool two = random() % 2 == 0;
        const NodeId id = g.add_node(find_op(two            ? "Add"
                                             : random() % 2 ? "Tanh"
                                                            : "Neg"),
                                     "n" + std::to_string(i), two ? std::vector{any(), any()} : std::vector{any()}, {out});
        g.node(id).device = devices[random() % devices.size()];
        values.push_back(out);
    }
    g.outputs = {values.back(), values[values.size() / 2], values[values.size() - 2]};
    infer_types(g);
    return g;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(place_partition)

BOOST_AUTO_TEST_CASE(parts_compute_what_the_whole_computes) {
    const Target target = three_devices();
    const std::vector<Tensor> inputs{Tensor::vector<float>(std::vector<float>{0.1f, 0.2f, -3, 4}),
                                     Tensor::vector<float>(std::vector<float>{1, 2, 3, -4})};
    size_t cyclic = 0;
    for (uint64_t seed = 1; seed <= 40; ++seed) {
        const Graph graph = random_graph(seed, 5 + seed);
        const Partitions made = partition_graph(graph, target);
        cyclic += made.cyclic;
        const auto whole = run_whole(graph, inputs), parts = run_parts(graph, made.parts, inputs);
        for (size_t i = 0; i < whole.size(); ++i) BOOST_TEST(identical(whole[i], parts[i]));
        for (const Boundary& edge : boundaries(graph, made.parts)) BOOST_TEST(edge.form == "float32");
    }
    BOOST_TEST(cyclic > 20u);
}

BOOST_AUTO_TEST_CASE(a_body_goes_with_its_node) {
    Model model = parse_text(R"(func.func @main(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "onnx.Neg"(%x) {onnx_node_name = "neg", device = "a"} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "onnx.If"(%c) ({
    %2 = "onnx.Tanh"(%0) {onnx_node_name = "tanh"} : (tensor<4xf32>) -> tensor<4xf32>
    onnx.Yield %2 : tensor<4xf32>
  }, {
    %3 = "onnx.Abs"(%0) {onnx_node_name = "abs"} : (tensor<4xf32>) -> tensor<4xf32>
    onnx.Yield %3 : tensor<4xf32>
  }) {onnx_node_name = "if", device = "b"} : (tensor<i1>) -> tensor<4xf32>
  onnx.Return %1 : tensor<4xf32>
})");
    const Graph& graph = model.graph;
    const auto parts = partition(graph, three_devices());
    BOOST_REQUIRE(parts.size() == 2u);
    BOOST_TEST(parts[0].device == "a");
    BOOST_TEST(parts[1].device == "b");
    BOOST_TEST(parts[1].inputs.size() == 2u);  // the condition and what the bodies capture
    for (const bool choice : {false, true}) {
        const std::vector<Tensor> inputs{Tensor::make<bool>({}, std::array{choice}),
                                         Tensor::vector<float>(std::vector<float>{1, -2, 3, 4})};
        BOOST_TEST(identical(run_whole(graph, inputs)[0], run_parts(graph, parts, inputs)[0]));
    }
}

BOOST_AUTO_TEST_CASE(an_integer_unit_stays_whole_and_takes_the_strictest_member) {
    Graph g;
    const ValueId x = g.add_value("x", four), p = g.add_value("p", four), q = g.add_value("q", four);
    g.inputs = {x};
    g.outputs = {q};
    const NodeId first = g.add_node(find_op("Neg"), "neg", {x}, {p}), second = g.add_node(find_op("Relu"), "relu", {p}, {q});
    for (const ValueId value : {x, q}) g.value(value).enc = make_encoding(DType::i8, Tensor::scalar(0.1f), Tensor::scalar<int8_t>(0));
    g.node(first).device = "a";
    g.node(second).device = "cpu";
    const auto parts = partition(g, three_devices());
    BOOST_REQUIRE(parts.size() == 1u);
    BOOST_TEST(parts[0].device == "cpu");
    const PartitionMemory memory = memory_of(g, parts[0], three_devices());
    BOOST_TEST(memory.ranges.size() == 2u);  // p is never stored
    BOOST_TEST(memory.peak_bytes == 8u);     // the unit is one step: its input is needed where its result is
}

// What the rows of the profile join is one unit, too; nodes of others stand before it.
BOOST_AUTO_TEST_CASE(units_are_found_in_the_graph) {
    const std::string codes =
        "quern.encoding = [{storage = i8, qmin = -128, qmax = 127, scale = dense<0.1> : tensor<f32>, "
        "zero = dense<-128> : tensor<i8>}]";
    Graph g = parse_text(R"(func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = "onnx.Relu"(%x) {onnx_node_name = "a", )" +
                         codes + R"(} : (tensor<4xf32>) -> tensor<4xf32>
  %root = "onnx.Sqrt"(%a) {onnx_node_name = "root"} : (tensor<4xf32>) -> tensor<4xf32>
  %b = "onnx.Abs"(%a) {onnx_node_name = "b", )" +
                         codes + R"(} : (tensor<4xf32>) -> tensor<4xf32>
  %y = "onnx.Reciprocal"(%root) {onnx_node_name = "turned", )" +
                         codes + R"(} : (tensor<4xf32>) -> tensor<4xf32>
  onnx.Return %b, %y : tensor<4xf32>, tensor<4xf32>
})")
                  .graph;
    BOOST_TEST(units_of(g).members.size() == 4u);
    g.metadata["profile"] = "tflite";
    const Units units = units_of(g);
    BOOST_TEST_REQUIRE(units.members.size() == 3u);
    const auto of = [&](const char* name) { return units.of[index_of(g.find_node(name))]; };
    BOOST_TEST(of("root") == of("turned"));
    BOOST_TEST(of("a") == 0u);
    BOOST_TEST(of("b") == 1u);
    BOOST_TEST(inside_unit(g, g.node(g.find_node("root")).out[0]));
    BOOST_TEST(!inside_unit(g, g.node(g.find_node("turned")).out[0]));
}

BOOST_AUTO_TEST_CASE(memory_of_a_chain) {
    Graph g;
    const ValueId x = g.add_value("x", Type::tensor(DType::f32, Shape::of(std::vector<int64_t>{64})));
    g.inputs = {x};
    ValueId at = x;
    for (int i = 0; i < 5; ++i) {
        const ValueId next = g.add_value("v" + std::to_string(i), g.value(x).type);
        g.node(g.add_node(find_op("Tanh"), "n" + std::to_string(i), {at}, {next})).device = "a";
        at = next;
    }
    g.outputs = {at};
    const Target target = three_devices();
    const Partitions made = partition_graph(g, target);
    BOOST_TEST(made.parts.size() == 5u);  // no node fits "small": each is a part of its own
    BOOST_TEST(to_string(made.memory_splits.at(0)) ==
               "partitions 0 to 4 on a are one that is split for memory: needs 512 B of 256 B of small, most at \"n0\"");
    Partition whole = partition(g, unbounded(target))[0];
    BOOST_TEST(whole.nodes.size() == 5u);
    const PartitionMemory memory = memory_of(g, whole, target);
    BOOST_TEST(memory.peak_bytes == 512u);  // what is read and what is made
    BOOST_TEST(memory.arena_bytes == 512u);
    BOOST_TEST(memory.ranges.size() == 6u);
    BOOST_TEST(!memory.assumed);
    BOOST_TEST(memory.misfit() == "needs 512 B of 256 B of small");
}

BOOST_AUTO_TEST_CASE(a_device_that_is_not_the_targets) {
    Graph g = random_graph(1, 3);
    g.node(g.order()[1]).device = "c";
    BOOST_CHECK_EXCEPTION(partition(g, three_devices()), Error, [](const Error& e) {
        return e.exit() == Exit::bad_input && e.message().ends_with("device \"c\" is not defined by target three");
    });
}

// Of int8 codes a Softmax computes on codes or in float by how many read its operand and its result: in a part fewer do.
BOOST_AUTO_TEST_CASE(a_softmax_computes_as_in_the_whole) {
    std::mt19937 random(1);
    std::vector<float> numbers(64 * 48);
    for (float& number : numbers) number = std::uniform_real_distribution<float>(-5, 5)(random);
    const Dims dims{64, 48};
    const std::vector<Tensor> inputs{Tensor::make<float>(dims, numbers)};
    for (const bool of_operand : {false, true}) {
        Graph g;
        const Type type = Type::tensor(DType::f32, Shape::of(dims));
        std::map<std::string, ValueId> at;
        for (const char* name : {"x", "negative", "shares", "y", "z"}) at[name] = g.add_value(name, type);
        const auto encode = [&](const char* name, float scale, int8_t zero) {
            g.value(at[name]).enc = make_encoding(DType::i8, Tensor::scalar(scale), Tensor::scalar<int8_t>(zero));
        };
        encode("negative", 0.04f, 3);
        encode("shares", 0.00392157f, -128);
        encode("y", 0.04f, 0);
        encode("z", 0.04f, 0);
        const auto add = [&](const char* op, const char* in, const char* out, const char* device) {
            g.node(g.add_node(find_op(op), op + std::string(out), {at[in]}, {at[out]})).device = device;
        };
        add("Neg", "x", "negative", "a");
        add("Softmax", "negative", "shares", "b");
        add("Neg", "shares", "y", "a");
        add("Abs", of_operand ? "negative" : "shares", "z", "a");
        g.inputs = {at["x"]};
        g.outputs = {at["y"], at["z"]};
        infer_types(g);
        const auto parts = partition(g, three_devices());
        BOOST_REQUIRE(parts.size() > 2u);
        const auto whole = run_whole(g, inputs, Mode::integer), cut = run_parts(g, parts, inputs, Mode::integer);
        for (size_t i = 0; i < whole.size(); ++i) BOOST_TEST(identical(whole[i], cut[i]));
    }
}

BOOST_AUTO_TEST_SUITE_END()
