// The text form: documents of other tools parse, everything a graph holds survives print and parse, broken text is refused.
#include <boost/test/unit_test.hpp>

#include "formats/text/text.h"
#include "libcore/base/error.h"
#include "libcore/graph/op.h"

using namespace quern;

BOOST_AUTO_TEST_SUITE(text_form)

namespace {

const char* const placed = R"(%0 = "onnx.Relu"(%arg0) {onnx_node_name = "Relu_0"} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
%1 = "onnx.Relu"(%0) {device="cpu", onnx_node_name = "Relu_1"} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
%2 = "onnx.Relu"(%1) {onnx_node_name = "Relu_2"} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
%3 = "onnx.Sigmoid"(%2) {device="nnpa", onnx_node_name = "Sigmoid_0"} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
)";

const char* const function = R"(func.func @test_load_config_file_all_on_cpu(%arg0: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %0 = "onnx.Relu"(%arg0) {onnx_node_name = "Relu_0"} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %1 = "onnx.Relu"(%0) {onnx_node_name = "Relu_1"} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %2 = "onnx.Relu"(%1) {onnx_node_name = "Relu_2"} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %3 = "onnx.Sigmoid"(%2) {onnx_node_name = "Sigmoid_0"} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  onnx.Return %3 : tensor<?x?x?xf32>
)";

std::string message_of(const std::string& text) {
    try {
        parse_text(text);
    } catch (const Error& error) {
        BOOST_TEST((error.exit() == Exit::bad_input));
        return error.message();
    }
    return "";
}

std::string full_text(const Model& model) {
    std::string out;
    print_text(model, {}, [&](std::string_view part) { out += part; });
    return out;
}

}  // namespace

BOOST_AUTO_TEST_CASE(operations_without_a_function) {
    const Model model = parse_text(placed);
    BOOST_TEST(model.graph.inputs.size() == 1u);
    BOOST_TEST(model.graph.outputs.size() == 1u);
    BOOST_TEST(model.graph.order().size() == 4u);
    BOOST_TEST(model.graph.node(model.graph.order()[1]).device == "cpu");
    BOOST_TEST(model.graph.node(model.graph.order()[3]).device == "nnpa");
    const std::string once = full_text(model);
    BOOST_TEST(full_text(parse_text(once)) == once);
}

BOOST_AUTO_TEST_CASE(missing_brace_is_named) {
    BOOST_TEST(message_of(function) == "7:1: func.func @test_load_config_file_all_on_cpu, opened at 1:1, lacks its closing brace");
    const Model model = parse_text(std::string(function) + "}\n");
    BOOST_TEST(model.graph.name == "test_load_config_file_all_on_cpu");
    BOOST_TEST(model.graph.node(model.graph.order()[3]).op == find_op("Sigmoid"));
}

BOOST_AUTO_TEST_CASE(everything_survives) {
    const std::string text =
        R"(module attributes {quern.facts = {ranges = "{\"a\": 1}"}, quern.lineage = "00ff", quern.metadata = {"a key" = "b\0Ac"}} {
  func.func @main(%x: tensor<?{batch}x2xf32> {quern.encoding = [{storage = i8, qmin = -128, qmax = 127, scale = dense<0.5> : tensor<f32>, zero = dense<3> : tensor<i8>}]}, %"b/c d": tensor<i1>, %s: !onnx.Seq<tensor<*xf32>>, %o: !onnx.Opt<tensor<?x?{a b}xi64>>) -> (tensor<?{batch}x2xf32>, tensor<2xf32>) {
    %none = "onnx.NoValue"() : () -> none
    %w = "onnx.Constant"() {quern.encoding = [{storage = i4, real = f16, qmin = -8, qmax = 7, axis = 1, scale = dense<[0.5, 1.5]> : tensor<2xf16>}], quern.permutation = [[1, 0]], value = dense<[[-8, 7], [0, 1]]> : tensor<2x2xi4>} : () -> tensor<2x2xf32>
    %nan = "onnx.Constant"() {value = dense<"0x0000C07F0000807F"> : tensor<2xf32>} : () -> tensor<2xf32>
    %t = "onnx.Constant"() {value = dense<["a\"", "\FF"]> : tensor<2x!onnx.String>} : () -> tensor<2x!onnx.String>
    %0, %none_1 = "my.domain.Op.with.dots"(%x, %none, %w) {device = "npu", floats = [1.0, -0.0, 0x7F800000], no_ints = array<i64>, no_texts = array<!onnx.String>, onnx_node_name = "n/1", quern.attr.device = "theirs", quern.domain = "my.domain", quern.internal = {gate = {kind = "dynamic", storage = ui8, qmin = 0, qmax = 255}}, quern.permutation = [[1, 0], []], quern.scope = "/enc/", quern.version = 7 : si64, t = dense<1> : tensor<3xi64>, ty = tensor<?xf32>} : (tensor<?{batch}x2xf32>, none, tensor<2x2xf32>) -> (tensor<?{batch}x2xf32>, none)
    %1 = "onnx.If"(%"b/c d") ({
      %inner = "quern.Capture"(%nan) : (tensor<2xf32>) -> tensor<2xf32>
      onnx.Yield %inner : tensor<2xf32>
    }, {
    ^"a body"():
      %2 = "onnx.Relu"(%nan) {onnx_node_name = "r"} : (tensor<2xf32>) -> tensor<2xf32>
      onnx.Yield %2 : tensor<2xf32>
    }) {onnx_node_name = "if"} : (tensor<i1>) -> tensor<2xf32>
    onnx.Return %0, %1 : tensor<?{batch}x2xf32>, tensor<2xf32>
  }
}
)";
    std::string wanted = text;
    wanted.replace(wanted.find("?{a b}"), 6, "?{\"a b\"}");
    const Model model = parse_text(wanted);
    BOOST_TEST(full_text(model) == wanted);
    const Node& node = model.graph.node(model.graph.order()[0]);
    BOOST_TEST(node.op->name == "Op.with.dots");
    BOOST_TEST(node.op->version == 7);
    BOOST_TEST(std::get<std::string>(node.attrs.find("device")->second) == "theirs");
    BOOST_TEST(model.graph.node(model.graph.order()[1]).bodies[1].name == "a body");
    BOOST_TEST(model.graph.node(model.graph.order()[1]).bodies[1].captures.size() == 1u);
}

BOOST_AUTO_TEST_CASE(broken_text_is_refused) {
    const std::string head = "func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n";
    BOOST_TEST(message_of(head + "onnx.Return %y : tensor<2xf32>\n}") == "2:13: %y is used but not defined before");
    BOOST_TEST(message_of(head + "onnx.Return %x : tensor<3xf32>\n}") == "2:13: %x is tensor<2xf32>, but tensor<3xf32> here");
    BOOST_TEST(message_of(head + "%x = \"onnx.Relu\"(%x) : (tensor<2xf32>) -> tensor<2xf32>\n}") == "2:1: %x is defined twice");
    BOOST_TEST(message_of(head + "%w = \"onnx.Constant\"() {value = dense<\"0x00\"> : tensor<2xf32>} : () -> tensor<2xf32>\n}")
                   .starts_with("2:33: got 2 hex digits, need 8 bytes"));
    BOOST_TEST(message_of(head + "%w = \"onnx.Constant\"() {value = dense<0.0> : tensor<99999999xf32>} : () -> tensor<99999999xf32>\n}")
                   .starts_with("2:33: one number stands for at most"));
    BOOST_TEST(message_of(head + "%w = \"onnx.Constant\"() {value = dense_resource<__elided__> : tensor<2xf32>} : () -> tensor<2xf32>\n}")
                   .starts_with("2:33: the numbers of this tensor are not in the text"));
    BOOST_TEST(message_of(head + "%w = \"bad\xff\"(") == "2:6: the string is not valid UTF-8");
    BOOST_TEST(message_of(head + "%w = \"o.P\"() {a = " + std::string(100000, '[')).find("nested deeper than 64 levels") !=
               std::string::npos);
    BOOST_TEST(message_of("func.func @f(%x: tensor<9999999999999999999xf32>) {").find("is not a dimension") != std::string::npos);
    BOOST_TEST(message_of("").find("the text ends") != std::string::npos);
    BOOST_TEST(message_of(head + "%w = \"onnx.Constant\"() {value = #quern.file<\"../x\", 0, 8> : tensor<2xf32>} : () -> tensor<2xf32>\n}")
                   .find("side file") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
