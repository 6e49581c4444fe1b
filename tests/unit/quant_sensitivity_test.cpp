// What stays float because rounding would leave nothing of it: what feeds a logarithm, products whose input a few great numbers stretch.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <map>

#include "libcore/quant/plan/sensitivity.h"
#include "libcore/quant/quantize.h"
#include "tests/common/graph_of.h"

using namespace quern;

namespace {

ValueRange spread(float least, float greatest) {  // as many numbers in each octave
    ValueRange range{.min = least, .max = greatest};
    for (float x = least; x < greatest; x *= 1.01f, ++range.count) ++range.histogram.bins[Histogram::bin_of(x)];
    return range;
}

// A product and a logarithm, or a root between them; greatest 0: nothing was measured.
QuantReport front_end(const char* type, float least, float greatest, bool root = false) {
    Graph graph;
    const ValueId x = graph.add_value("x", Type::tensor(DType::f32, Shape::of(Dims{2, 2})));
    const ValueId w = graph.add_constant("w", Tensor::make<float>({2, 2}, std::vector<float>{1, 0.5f, 0.25f, 1}));
    const ValueId y = graph.add_value("y", Type{}), z = graph.add_value("z", Type{});
    graph.add_node(need_op("MatMul"), "product", {x, w}, {y}, {});
    const ValueId argument = root ? graph.add_value("root", Type{}) : y;
    if (root) graph.add_node(need_op("Sqrt"), "root", {y}, {argument}, {});
    graph.add_node(need_op("Log"), "log", {argument}, {z}, {});
    graph.inputs = {x};
    graph.outputs = {z};
    infer_types(graph);
    Ranges ranges;
    ranges.values["x"] = ranges.values["y"] = spread(least, greatest);
    ranges.values["root"] = spread(std::sqrt(least), std::sqrt(greatest));
    ranges.values["z"] = {.min = std::log(least), .max = std::log(greatest), .count = 4};
    QuantRequest request;
    request.scheme = &scheme_named(type);
    ThreadPool pool(1);
    return quantize_graph(graph, greatest > 0 ? &ranges : nullptr, QuantWork(request), pool);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(quant_sensitivity)

BOOST_AUTO_TEST_CASE(response) {
    const GridSpec spec = grid_spec(DType::i8, false);
    const auto log = [](double x) { return std::log(x); };
    const auto db = [&](float least, float greatest) {
        const ValueRange range = spread(least, greatest);
        return response_db(masses_of(range), grid_of({0, greatest}, spec), spec, log);
    };
    BOOST_TEST(db(1, 4) > 30);
    BOOST_TEST(db(1e-6f, 100) < 5);
    BOOST_TEST(std::isinf(response_db({}, {}, spec, log)));
}

BOOST_AUTO_TEST_CASE(what_feeds_a_logarithm) {
    const QuantReport wide = front_end("i8", 1e-6f, 100), narrow = front_end("i8", 1, 4);
    BOOST_TEST(!wide.nodes.at(0).quantized);
    BOOST_TEST(wide.nodes.at(0).reason.find("Log \"log\", whose input must not be rounded") != std::string::npos);
    BOOST_TEST(narrow.nodes.at(0).quantized);
}

// A root on real numbers keeps enough, what the logarithm behind it reads does not: the noise goes through the root.
BOOST_AUTO_TEST_CASE(what_feeds_a_logarithm_through_a_root) {
    const QuantReport wide = front_end("w8a16", 1e-10f, 100, true), narrow = front_end("w8a16", 1, 4, true);
    BOOST_TEST(!wide.nodes.at(0).quantized);
    BOOST_TEST(wide.nodes.at(0).reason.find("Log \"log\", whose input must not be rounded") != std::string::npos);
    BOOST_TEST(narrow.nodes.at(0).quantized);
}

BOOST_AUTO_TEST_CASE(what_nobody_measured_is_lost) {
    BOOST_TEST(front_end("dynamic-i8", 1, 4).nodes.at(0).quantized);
    const QuantReport unknown = front_end("dynamic-i8", 0, 0);
    BOOST_TEST(!unknown.nodes.at(0).quantized);
    BOOST_TEST(unknown.nodes.at(0).reason.find("no ranges say") != std::string::npos);
}

// x + c goes on as it is to a square root and, reshaped and joined, to another; a product gets a rounded copy.
BOOST_AUTO_TEST_CASE(sums_that_go_on_as_real_numbers) {
    Graph graph = graph_of(R"(func.func @main(%x: tensor<2x2xf32>) -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) {
  %c = "onnx.Constant"() {value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
  %shape = "onnx.Constant"() {value = dense<[2, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
  %sum = "onnx.Add"(%x, %c) {onnx_node_name = "sum"} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<*xf32>
  %root = "onnx.Sqrt"(%sum) {onnx_node_name = "root"} : (tensor<*xf32>) -> tensor<*xf32>
  %shaped = "onnx.Reshape"(%sum, %shape) {onnx_node_name = "shaped"} : (tensor<*xf32>, tensor<2xi64>) -> tensor<*xf32>
  %joined = "onnx.Concat"(%shaped, %c) {axis = 0, onnx_node_name = "joined"} : (tensor<*xf32>, tensor<2x2xf32>) -> tensor<*xf32>
  %roots = "onnx.Sqrt"(%joined) {onnx_node_name = "roots"} : (tensor<*xf32>) -> tensor<*xf32>
  %product = "onnx.MatMul"(%sum, %c) {onnx_node_name = "product"} : (tensor<*xf32>, tensor<2x2xf32>) -> tensor<*xf32>
  return %root, %roots, %product : tensor<*xf32>, tensor<*xf32>, tensor<*xf32>
})");
    Ranges ranges;
    ranges.values["x"] = spread(1, 4);
    for (const char* name : {"sum", "root", "shaped", "joined", "roots", "product"}) ranges.values[name] = spread(1, 4);
    QuantRequest request;
    request.scheme = &scheme_named("i8");
    ThreadPool pool(1);
    const QuantReport report = quantize_graph(graph, &ranges, QuantWork(request), pool);
    for (const NodeReport& node : report.nodes) {
        BOOST_TEST_CONTEXT(node.key) BOOST_TEST(node.quantized == (node.key == "product"));
        if (node.key == "sum") BOOST_TEST(node.reason == "operators that stay float read its result, too");
    }
    const Value& stored = graph.value(graph.find("sum"));
    BOOST_TEST(!stored.enc.has_value());
}

// A Gelu spelled out by tanh, over numbers up to `greatest`: of their cubes only those near zero count in the results.
BOOST_AUTO_TEST_CASE(cubes_inside_of_a_curve) {
    const auto cubes_are_codes = [](float greatest) {
        Graph graph;
        const ValueId x = graph.add_value("x", Type::tensor(DType::f32, Shape::of(Dims{2, 2})));
        const ValueId w = graph.add_constant("w", Tensor::make<float>({2, 2}, std::vector<float>{1, 0.5f, 0.25f, 1}));
        Ranges ranges;
        const auto add = [&](const char* op, const char* name, std::vector<ValueId> in, float widest) {
            const ValueId out = graph.add_value(name, Type{});
            graph.add_node(need_op(op), name, in, {out}, {});
            ranges.values[name] = {.min = -widest, .max = widest, .count = 4};
            return out;
        };
        const auto number = [&](const char* name, float is) { return graph.add_constant(name, Tensor::make<float>({1}, std::vector{is})); };
        const float cube = greatest * greatest * greatest, argument = 0.7979f * (greatest + 0.044715f * cube);
        const ValueId cubed = add("Mul", "cube", {add("Mul", "square", {x, x}, greatest * greatest), x}, cube);
        const ValueId small = add("Mul", "small", {cubed, number("a", 0.044715f)}, 0.044715f * cube);
        const ValueId curved =
            add("Tanh", "tanh", {add("Mul", "argument", {add("Add", "sum", {x, small}, argument), number("b", 0.7979f)}, argument)}, 1);
        const ValueId share = add("Mul", "share", {add("Add", "raised", {curved, number("c", 1)}, 2), number("d", 0.5f)}, 1);
        graph.inputs = {x};
        graph.outputs = {add("MatMul", "product", {add("Mul", "gelu", {x, share}, greatest), w}, greatest)};
        infer_types(graph);
        ValueRange& seen = ranges.values["x"] = spread(greatest / 1000, greatest);
        for (float at = seen.min; at < greatest; at *= 1.01f) ++seen.histogram.bins[Histogram::bin_of(-at)];
        seen.min = -greatest;
        QuantRequest request;
        request.scheme = &scheme_named("i8");
        request.search.method = &whole_range();
        ThreadPool pool(1);
        const QuantReport report = quantize_graph(graph, &ranges, QuantWork(request), pool);
        for (const NodeReport& node : report.nodes) {
            if (node.key == "product") BOOST_TEST(node.quantized);
            if (node.key == "cube") return node.quantized;
        }
        return false;
    };
    BOOST_TEST(cubes_are_codes(2));
    BOOST_TEST(!cubes_are_codes(100));
}

BOOST_AUTO_TEST_SUITE_END()
