// smoothquant with a Mul before products whose input nothing can take a factor from.
#include <boost/test/unit_test.hpp>

#include "libcore/base/text.h"
#include "libcore/graph/op_ids.h"
#include "tests/common/graph_of.h"
#include "tests/unit/algorithm_nets.h"

using namespace quern;

namespace {

// Two products and a sum read a value with outliers: the sum cannot take it divided.
Graph net_with_outliers() {
    std::vector<float> factors(16, 1.0f);
    factors[3] = 60;
    factors[9] = 35;
    return graph_of(
        R"(%u = "onnx.Mul"(%x, %f) {onnx_node_name = "uneven"} : (tensor<4x16xf32>, tensor<1x16xf32>) -> tensor<4x16xf32>
%p = "onnx.MatMul"(%u, %w1) {onnx_node_name = "p"} : (tensor<4x16xf32>, tensor<16x12xf32>) -> tensor<4x12xf32>
%q = "onnx.MatMul"(%u, %w2) {onnx_node_name = "q"} : (tensor<4x16xf32>, tensor<16x12xf32>) -> tensor<4x12xf32>
%r = "onnx.ReduceSum"(%u) {onnx_node_name = "sum"} : (tensor<4x16xf32>) -> tensor<1x1xf32>
%s = "onnx.Add"(%p, %q) {onnx_node_name = "both"} : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
%y = "onnx.Add"(%s, %r) {onnx_node_name = "all"} : (tensor<4x12xf32>, tensor<1x1xf32>) -> tensor<4x12xf32>)",
        {{"f", Tensor::make<float>({1, 16}, factors)}, {"w1", random_tensor({16, 12}, 2)}, {"w2", random_tensor({16, 12}, 3)}});
}

// Products alone have 8 bits, but for what is said of single nodes.
Rules rules_of(const std::string& nodes) {
    return parse_rules(fmt::format(
        R"({{"kind": "rules", "version": 1, "global": "none", "op_types": {{"MatMul": "u8i8"}}, "node_names": {{{}}}}})", nodes));
}

Quantized with_mul(const Graph& source, const std::string& nodes) {
    const Rules rules = rules_of(nodes);
    return quantized(source, "u8i8", {"smoothquant"}, 2, false, &rules, SmoothMul::shared);
}

std::vector<NodeId> muls(const Graph& graph) {
    std::vector<NodeId> found;
    for (const NodeId id : graph.order())
        if (graph.node(id).is(ops::Mul) && graph.node(id).name != "uneven") found.push_back(id);
    return found;
}

ValueId read_by(const Graph& graph, const char* node) { return graph.node(graph.find_node(node)).in[0]; }

}  // namespace

BOOST_AUTO_TEST_SUITE(smoothing_mul)

BOOST_AUTO_TEST_CASE(one_mul_for_all_products_that_read_a_value) {
    const Graph source = net_with_outliers();
    const Quantized made = with_mul(source, "");
    BOOST_TEST(made.reports.at(0).changed() == 2, made.reports.at(0).text());
    same_function(source, made.reference);
    const Graph& graph = made.reference;
    BOOST_TEST_REQUIRE(muls(graph).size() == 1);
    const Node& mul = graph.node(muls(graph)[0]);
    BOOST_TEST(mul.name == "u_smooth");
    BOOST_TEST((mul.in[0] == graph.find("u") && read_by(graph, "sum") == mul.in[0]));
    BOOST_TEST((read_by(graph, "p") == mul.out[0] && read_by(graph, "q") == mul.out[0]));
    // What was multiplied into the weights was divided before.
    const std::vector<float> scale = constant(graph, "u_smooth", 1), before = constant(source, "p", 1), after = constant(graph, "p", 1);
    BOOST_TEST(scale[0] / scale[3] > 3);
    for (size_t k = 0; k < 16; ++k) BOOST_TEST(after[k * 12] * scale[k] == before[k * 12], boost::test_tools::tolerance(1e-4f));
    verify(made.graph);
}

// Their factors are those of each product's own weight, and each has a grid of its own.
BOOST_AUTO_TEST_CASE(a_mul_for_each_product) {
    const Graph source = net_with_outliers();
    const Rules rules = rules_of("");
    const Quantized made = quantized(source, "u8i8", {"smoothquant"}, 2, false, &rules, SmoothMul::each);
    BOOST_TEST(made.reports.at(0).changed() == 2, made.reports.at(0).text());
    same_function(source, made.reference);
    const Graph& graph = made.reference;
    BOOST_TEST_REQUIRE(muls(graph).size() == 2);
    BOOST_TEST((read_by(graph, "p") != read_by(graph, "q") && read_by(graph, "sum") == graph.find("u")));
    for (const char* product : {"p", "q"}) {
        const ValueId divided = read_by(graph, product);
        const Node& mul = graph.node(graph.value(divided).producer);
        const std::vector<float> scale = constant(graph, mul.name.c_str(), 1), before = constant(source, product, 1);
        const std::vector<float> after = constant(graph, product, 1);
        for (size_t k = 0; k < 16; ++k) BOOST_TEST(after[k * 12] * scale[k] == before[k * 12], boost::test_tools::tolerance(1e-4f));
        BOOST_TEST(made.graph.value(made.graph.find(graph.value(divided).name)).enc.has_value());
    }
    BOOST_TEST(
        (constant(graph, graph.node(muls(graph)[0]).name.c_str(), 1) != constant(graph, graph.node(muls(graph)[1]).name.c_str(), 1)));
    verify(made.graph);
}

BOOST_AUTO_TEST_CASE(noise_falls) {
    const Graph source = net_with_outliers();
    const Rules rules = rules_of("");
    const double plain = sqnr(source, quantized(source, "u8i8", {"smoothquant"}, 2, false, &rules).graph, 1000, 50);
    const Quantized made = with_mul(source, "");
    BOOST_TEST(sqnr(source, made.graph, 1000, 50) > plain + 3);
    // The value is float, what the products read has its own grid.
    BOOST_TEST(!made.graph.value(made.graph.find("u")).enc);
    BOOST_TEST(made.graph.value(made.graph.find("u_smooth")).enc.has_value());
}

BOOST_AUTO_TEST_CASE(without_the_option_nothing_is_put_in) {
    const Graph source = net_with_outliers();
    const Rules rules = rules_of("");
    const Quantized made = quantized(source, "u8i8", {"smoothquant"}, 2, false, &rules);
    BOOST_TEST(made.reports.at(0).layers.empty());
    BOOST_TEST(muls(made.reference).empty());
}

// Products that rules leave float, or without the algorithm, read the value as it is.
BOOST_AUTO_TEST_CASE(products_that_are_not_treated_keep_their_input) {
    const Graph source = net_with_outliers();
    const Quantized made = with_mul(source, R"("q": "none")");
    BOOST_TEST(made.reports.at(0).changed() == 1, made.reports.at(0).text());
    same_function(source, made.reference);
    BOOST_TEST((read_by(made.reference, "q") == made.reference.find("u")));
    BOOST_TEST((read_by(made.reference, "p") == made.reference.find("u_smooth")));
    BOOST_TEST((constant(made.reference, "q", 1) == constant(source, "q", 1)));
}

// Where weights alone are quantized no input would gain.
BOOST_AUTO_TEST_CASE(products_whose_input_stays_float_get_none) {
    const Graph source = net_with_outliers();
    for (const char* type : {"wo-i8", "f16"}) {
        const Quantized made = quantized(source, type, {"smoothquant"}, 2, false, nullptr, SmoothMul::shared);
        BOOST_TEST(muls(made.reference).empty(), type);
        BOOST_TEST(made.reports.at(0).layers.empty(), type);
    }
    BOOST_TEST(muls(quantized(source, "dynamic-i8", {"smoothquant"}, 2, false, nullptr, SmoothMul::shared).reference).size() == 1);
}

// Where what makes the value is quantized, too, it is on its grid before a Mul could divide it.
BOOST_AUTO_TEST_CASE(a_value_on_a_grid_is_left) {
    const Graph source = net_with_outliers();
    const Rules rules = parse_rules(R"({"kind": "rules", "version": 1, "node_names": {"sum": "u8i8"}})");
    const Quantized made = quantized(source, "u8i8", {"smoothquant"}, 2, false, &rules, SmoothMul::shared);
    const AlgorithmReport& report = made.reports.at(0);
    BOOST_TEST((report.changed() == 0 && report.layers.size() == 2), report.text());
    BOOST_TEST(report.text().find("its input is rounded where it is made, a Mul behind that gains nothing") != std::string::npos);
    BOOST_TEST(muls(made.reference).empty());
    BOOST_TEST((constant(made.reference, "p", 1) == constant(source, "p", 1)));
}

BOOST_AUTO_TEST_SUITE_END()
