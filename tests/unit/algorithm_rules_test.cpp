// Algorithms of rules: which nodes are treated.
#include <boost/test/unit_test.hpp>

#include "libcore/base/text.h"
#include "libcore/quant/algorithms/choice.h"
#include "tests/common/graph_of.h"
#include "tests/unit/algorithm_nets.h"

using namespace quern;

namespace {

Rules rules_of(const std::string& nodes) { return parse_rules(R"({"kind": "rules", "version": 1, "node_names": {)" + nodes + "}}"); }

std::string bytes_of(const Graph& graph, const std::string& node) {
    std::string bytes;
    for (const ValueId id : graph.node(graph.find_node(node)).in)
        if (graph.value(id).constant()) bytes += graph.value(id).data->text();
    return bytes;
}

// The layers of small_net() whose weights or biases are others than without algorithms.
std::set<std::string> changed_layers(const char* type, const std::vector<std::string>& flags, const std::string& nodes) {
    const Graph source = small_net();
    const Rules rules = rules_of(nodes);
    const Graph plain = quantized(source, type, {}).graph, made = quantized(source, type, flags, 2, false, &rules).graph;
    std::set<std::string> changed;
    for (const char* layer : {"first", "depthwise", "last", "scores"})
        if (bytes_of(plain, layer) != bytes_of(made, layer)) changed.insert(layer);
    return changed;
}

using Names = std::set<std::string>;

// The message for rules with these of nodes.
std::string refusal(const std::string& nodes) {
    const Rules rules = rules_of(nodes);
    try {
        (void)AlgorithmChoice({}, &rules);
    } catch (const Error& error) {
        return error.message();
    }
    return "";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(algorithm_rules)

BOOST_AUTO_TEST_CASE(a_layer_that_is_left_out_keeps_its_codes) {
    for (const char* name : {"gptq", "adaround", "seqmse", "bias-correction"}) {
        const Names all = changed_layers("wo-i4", {name}, R"("last": "wo-i4")");
        BOOST_TEST_REQUIRE(all.contains("last"), name);
        for (const char* none : {"[]", "\"none\""}) {
            const Names changed = changed_layers("wo-i4", {name}, fmt::format(R"("last": {{"type": "wo-i4", "algorithms": {}}})", none));
            BOOST_TEST(!changed.contains("last"), name);
            for (const char* before : {"first", "depthwise"}) BOOST_TEST(changed.contains(before) == all.contains(before), name);
        }
    }
}

BOOST_AUTO_TEST_CASE(a_layer_that_alone_is_named_changes_alone) {
    for (const char* name : {"gptq", "adaround", "seqmse", "bias-correction"})
        BOOST_TEST(
            (changed_layers("wo-i4", {}, fmt::format(R"("last": {{"type": "wo-i4", "algorithms": ["{}"]}})", name)) == Names{"last"}),
            name);
}

// A rule's list stands in place of that of the flags: the layer has this one and not that.
BOOST_AUTO_TEST_CASE(a_rule_stands_in_place_of_the_flags) {
    const Rules rules = rules_of(R"("last": {"type": "wo-i4", "algorithms": ["gptq"]})");
    const AlgorithmChoice choice(algorithms_named(std::vector<std::string>{"bias-correction", "cle"}), &rules);
    std::vector<std::string> order;
    for (const Algorithm* row : choice.all()) order.emplace_back(row->name);
    BOOST_TEST(order == (std::vector<std::string>{"bias-correction", "cle", "gptq"}), boost::test_tools::per_element());
    const Graph net = small_net();
    const Node &last = net.node(net.find_node("last")), &first = net.node(net.find_node("first"));
    BOOST_TEST((choice.takes(algorithm_named("gptq"), last, "") && !choice.takes(algorithm_named("cle"), last, "")));
    BOOST_TEST((choice.takes(algorithm_named("cle"), first, "") && !choice.takes(algorithm_named("gptq"), first, "")));
}

// A chain needs both its layers; the other chains are equalized, the function is kept.
BOOST_AUTO_TEST_CASE(equalization_leaves_out_chains_of_a_layer) {
    const Graph source = small_net();
    const Rules rules = rules_of(R"("last": {"type": "wo-i8-sym", "algorithms": []})");
    const Graph made = quantized(source, "wo-i8-sym", {"cle"}, 2, false, &rules).reference;
    same_function(source, made);
    for (const char* layer : {"first", "depthwise"}) BOOST_TEST((constant(made, layer, 1) != constant(source, layer, 1)), layer);
    for (const char* layer : {"last", "scores"}) BOOST_TEST((constant(made, layer, 1) == constant(source, layer, 1)), layer);
    BOOST_TEST(changed_layers("wo-i8-sym", {}, R"("last": {"type": "wo-i8-sym", "algorithms": ["cle"]})").empty());
}

// What divides a value and all that reads it go together.
BOOST_AUTO_TEST_CASE(smoothing_needs_all_readers) {
    const Graph source = graph_of(
        R"(%n = "onnx.LayerNormalization"(%x, %g) {onnx_node_name = "norm"} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
%p = "onnx.MatMul"(%n, %w1) {onnx_node_name = "p"} : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
%q = "onnx.MatMul"(%n, %w2) {onnx_node_name = "q"} : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
%y = "onnx.Add"(%p, %q) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>)",
        {{"g", uneven(Tensor::vector<float>(std::vector<float>(8, 1.0f)), 0, false)},
         {"w1", random_tensor({8, 12}, 2)},
         {"w2", random_tensor({8, 12}, 3)}});
    for (const char* name : {"smoothquant", "awq"}) {
        BOOST_TEST(quantized(source, "w4a16", {name}).reports.at(0).layers.size() == 2, name);
        const Rules rules = rules_of(R"("q": {"type": "w4a16", "algorithms": []})");
        BOOST_TEST(quantized(source, "w4a16", {name}, 2, false, &rules).reports.at(0).layers.empty(), name);
    }
}

BOOST_AUTO_TEST_CASE(names_in_rules_are_checked) {
    BOOST_TEST(refusal(R"("last": {"type": "i8", "algorithms": ["gptq", "adarond"]})") ==
               "node_names.\"last\".algorithms: unknown algorithm \"adarond\" (did you mean \"adaround\"?)");
    BOOST_TEST(refusal(R"("last": {"type": "i8", "algorithms": ["cle", "cle"]})") ==
               "node_names.\"last\".algorithms: algorithm \"cle\" is named twice");
    BOOST_TEST(refusal(R"("last": {"type": "i8", "algorithms": ["cle"]})").empty());
    const Rules rules = parse_rules(R"({"kind": "rules", "version": 1, "io": {"type": "i8", "algorithms": ["cle"]}})");
    BOOST_CHECK_THROW(AlgorithmChoice({}, &rules), Error);
}

BOOST_AUTO_TEST_SUITE_END()
