#include <boost/test/unit_test.hpp>

#include "libcore/place/part_file.h"
#include "libcore/place/placement_file.h"
#include "libcore/place/target_file.h"
#include "libcore/quant/quantize.h"
#include "libcore/quant/types/work.h"

using namespace quern;
using namespace quern::place;

BOOST_AUTO_TEST_SUITE(placement)

namespace {

Type tensor(std::vector<int64_t> dims) { return Type::tensor(DType::f32, Shape::of(dims)); }

// A chain of operators of one input, named as given: "Relu Relu_0".
Graph chain(const std::vector<std::pair<std::string, std::string>>& nodes, std::vector<int64_t> dims = {8, 8192}) {
    Graph graph;
    ValueId last = graph.add_value("x", tensor(dims));
    graph.inputs.push_back(last);
    for (const auto& [op, name] : nodes) {
        const ValueId out = graph.add_value(graph.unique_name("y"), tensor(dims));
        graph.add_node(need_op(op), name, {last}, {out});
        last = out;
    }
    graph.outputs.push_back(last);
    return graph;
}

Target nnpa() { return load_target("nnpa"); }

std::vector<std::string> devices(Graph& graph) {
    std::vector<std::string> out;
    for (const NodeRef& ref : placed_nodes(graph)) out.push_back(ref.node().device);
    return out;
}

std::string devices_after(Graph graph, std::string_view json) {
    apply_placement(graph, parse_placement(json, nnpa()));
    std::string out;
    for (const std::string& device : devices(graph)) out += (device.empty() ? "-" : device) + " ";
    return out;
}

const std::vector<std::pair<std::string, std::string>> document{
    {"Relu", "Relu_0"}, {"Relu", "Relu_1"}, {"Relu", "Relu_2"}, {"Sigmoid", "Sigmoid_0"}};

std::string flat(std::string_view type, std::string_view name) {
    return fmt::format(R"({{"device_placement": [{{"device": "cpu", "node_type": "{}", "onnx_node_name": "{}"}}]}})", type, name);
}

// What one match on the operands of a Relu of 8x8192xf32 gives.
bool matches(std::string_view operands) {
    const std::string json = fmt::format(
        R"({{"nnpa_ops_config": [{{"pattern": {{"match": {{"node_type": "onnx.Relu", {}}}, "rewrite": {{"device": "cpu"}}}}}}]}})",
        operands);
    return devices_after(chain({{"Relu", "r"}}), json) == "cpu ";
}

}  // namespace

BOOST_AUTO_TEST_CASE(expressions_match_whole_names_with_case) {
    BOOST_TEST(devices_after(chain(document), flat("onnx.Relu", "Relu_(1|2)")) == "- cpu cpu - ");
    BOOST_TEST(devices_after(chain(document), flat("Relu", ".*")) == "- - - - ");
    BOOST_TEST(devices_after(chain(document), flat("onnx.Rel", ".*")) == "- - - - ");
    BOOST_TEST(devices_after(chain(document), flat("onnx.relu", ".*")) == "- - - - ");
    BOOST_TEST(devices_after(chain(document), flat("onnx.*", "Relu")) == "- - - - ");
    BOOST_TEST(devices_after(chain(document), flat("onnx.*", "(?!Relu_1).*")) == "cpu - cpu cpu ");
    BOOST_TEST(devices_after(chain(document), flat("onnx.Relu", "Relu_[[:digit:]]")) == "cpu cpu cpu - ");
}

BOOST_AUTO_TEST_CASE(devices_come_from_the_target_in_any_case) {
    BOOST_TEST(devices_after(chain(document), R"({"device_placement": [{"device": "NNPA", "node_type": "onnx.Relu"}]})") ==
               "nnpa nnpa nnpa - ");
    BOOST_CHECK_THROW(parse_placement(R"({"device_placement": [{"device": "npu-a", "node_type": "onnx.Relu"}]})", nnpa()), Error);
    parse_placement(R"({"device_placement": [{"device": "npu-a", "node_type": "onnx.Relu"}]})", load_target("two-npu"));
}

BOOST_AUTO_TEST_CASE(no_device_leaves_the_node_to_the_tool_for_good) {
    const std::string_view json = R"({"device_placement": [{"device": "", "node_type": "onnx.Relu", "onnx_node_name": "Relu_1"},
                                                           {"device": "cpu", "node_type": "onnx.*"}]})";
    BOOST_TEST(devices_after(chain(document), json) == "cpu - cpu cpu ");
}

BOOST_AUTO_TEST_CASE(saved_and_loaded_names_of_any_kind_match_themselves_only) {
    Graph graph = chain({{"Relu", "a.b"},
                         {"Relu", "a+b"},
                         {"Relu", "f(x)[0]"},
                         {"Relu", "axb"},
                         {"Relu", "^$|{1}?*"},
                         {"Relu", "back\\slash"},
                         {"Relu", "/m/Relu;x"},
                         {"Relu", ""},
                         {"Relu", "\xC3\xA4 \"quoted\""}});
    const std::vector<std::string> wanted{"cpu", "nnpa", "", "nnpa", "cpu", "", "cpu", "nnpa", "cpu"};
    for (size_t i = 0; i < wanted.size(); ++i) graph.node(graph.order()[i]).device = wanted[i];
    const std::string saved = write_placement(graph);
    Graph again = graph;
    for (const NodeId id : again.order()) again.node(id).device = "";
    const Applied applied = apply_placement(again, parse_placement(saved, nnpa()));
    BOOST_TEST(applied.dead.empty());
    BOOST_TEST(devices(again) == wanted, boost::test_tools::per_element());
    BOOST_TEST(write_placement(again) == saved);
    BOOST_TEST(saved.ends_with("}\n"));
}

BOOST_AUTO_TEST_CASE(nodes_of_bodies_come_first_under_unique_names) {
    Graph graph = chain({{"Relu", "Relu_0"}});
    const ValueId condition = graph.add_value("c", Type::tensor(DType::boolean, Shape::of(std::vector<int64_t>{})));
    graph.inputs.push_back(condition);
    const ValueId out = graph.add_value("z", tensor({8}));
    const NodeId branch = graph.add_node(need_op("If"), "If_0", {condition}, {out});
    for (const char* name : {"else_branch", "then_branch"}) {
        Graph& body = graph.add_body(branch, name);
        const ValueId x = body.add_value("x", tensor({8})), y = body.add_value("y", tensor({8}));
        body.inputs = {x};
        body.add_node(need_op("Relu"), "Relu_0", {x}, {y});
        body.add_node(need_op("Relu"), std::string("only_") + name, {x}, {body.add_value("w", tensor({8}))});
        body.outputs = {y};
    }
    std::vector<std::string> keys;
    for (const NodeRef& ref : placed_nodes(graph)) keys.push_back(ref.key);
    const std::vector<std::string> wanted{
        "Relu_0", "If_0/else_branch/Relu_0", "only_else_branch", "If_0/then_branch/Relu_0", "only_then_branch", "If_0"};
    BOOST_TEST(keys == wanted, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(number_tests) {
    const auto holds = [](std::string_view test, int64_t value) {
        const auto parsed = parse_number_test(test);
        BOOST_REQUIRE(parsed.has_value());
        return parsed->holds(value);
    };
    BOOST_TEST(
        (holds("2", 2) && holds("==2", 2) && holds("<3", 2) && holds("<=2", 2) && holds(">1", 2) && holds(">=2", 2) && holds("!=3", 2)));
    BOOST_TEST((holds("%2==0", 2) && holds("%64==0", 8192) && holds("%5==3", 8) && holds("-1", -1)));
    BOOST_TEST(
        !(holds("3", 2) || holds("==3", 2) || holds("<2", 2) || holds("<=1", 2) || holds(">2", 2) || holds(">=3", 2) || holds("!=2", 2)));
    BOOST_TEST(!(holds("%2==1", 2) || holds("%3==0", 2)));
    for (const std::string_view broken : {"", "=2", "=>2", "two", "%2", "%0==0", "%-2==0", "%2==", "2.5", "==", "99999999999999999999"})
        BOOST_TEST(!parse_number_test(broken).has_value());
}

BOOST_AUTO_TEST_CASE(rank_type_and_dims_of_operands) {
    for (const std::string_view side : {"inputs", "outputs"})
        for (const std::string_view index : {"0", "-1"}) {
            const auto asks = [&](std::string_view what) { return matches(fmt::format(R"("{}": {{"{}": {{{}}}}})", side, index, what)); };
            for (const std::string_view hit : {"2", "==2", "<3", "<=2", ">1", ">=2", "!=3", "%2==0"})
                BOOST_TEST(asks(fmt::format(R"("rank": "{}")", hit)));
            for (const std::string_view miss : {"3", "==3", "<2", "<=1", ">2", ">=3", "!=2", "%2==1"})
                BOOST_TEST(!asks(fmt::format(R"("rank": "{}")", miss)));
            BOOST_TEST((asks(R"("type": "f32")") && !asks(R"("type": "f16")") && !asks(R"("type": "F32")")));
            for (const std::string_view hit : {"8", "==8", "<9", "<=8", ">7", ">=8", "!=9", "%2==0"})
                BOOST_TEST(asks(fmt::format(R"("dims": {{"0": "{}"}})", hit)));
            BOOST_TEST(
                (asks(R"("dims": {"1": "%64==0"})") && asks(R"("dims": {"-1": "%64==0"})") && asks(R"("dims": {"-2": "8", "1": "8192"})")));
            BOOST_TEST(!(asks(R"("dims": {"0": "%64==0"})") || asks(R"("dims": {"-2": "%64==0"})") || asks(R"("dims": {"2": "8"})") ||
                         asks(R"("dims": {"0": "8", "1": "8"})") || asks(R"("dims": {"0": "-1"})")));
            BOOST_TEST(!asks(R"("rank": "2", "type": "f16")"));
        }
    BOOST_TEST((!matches(R"("inputs": {"1": {"rank": "2"}})") && !matches(R"("inputs": {"-2": {"rank": "2"}})")));
}

BOOST_AUTO_TEST_CASE(each_property_has_its_own_first_match) {
    Graph graph = chain({{"Relu", "MatMul_0"}, {"Relu", "MatMul_1"}, {"Relu", "MatMul_2"}, {"Sigmoid", "Sigmoid_0"}});
    const std::string_view json = R"({"_comment": "C1", "nnpa_ops_config": [
        {"pattern": {"match": {"node_type": "onnx.Sigmoid"}, "rewrite": {"device": "cpu"}}},
        {"pattern": {"match": {"node_type": "onnx.Relu", "onnx_node_name": "MatMul_1"}, "rewrite": {"quantize": true}}},
        {"pattern": {"match": {"node_type": "onnx.Relu"}, "rewrite": {"quantize": false}}},
        {"pattern": {"match": {"node_type": "onnx.Relu"}, "rewrite": {"device": "nnpa"}}},
        {"pattern": {"match": {"node_type": "onnx.Relu", "onnx_node_name": "MatMul_2"}, "rewrite": {"device": "cpu"}}}]})";
    const Applied applied = apply_placement(graph, parse_placement(json, nnpa()));
    const std::vector<std::string> wanted{"nnpa", "nnpa", "nnpa", "cpu"};
    BOOST_TEST(devices(graph) == wanted, boost::test_tools::per_element());
    BOOST_TEST(names_at(graph, keep_float_key) == (std::set<std::string>{"MatMul_0", "MatMul_2"}), boost::test_tools::per_element());
    BOOST_TEST(applied.dead.size() == 1u);
    apply_placement(graph, parse_placement(R"({"quantization": [{"quantize": true, "node_type": "onnx.*"}]})", nnpa()));
    BOOST_TEST(names_at(graph, keep_float_key).empty());
    BOOST_TEST(names_at(graph, to_quantize_key) == (std::set<std::string>{"MatMul_0", "MatMul_1", "MatMul_2", "Sigmoid_0"}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(untrusted_expressions_are_bounded) {
    const std::string a(4096, 'a');
    for (const char* slow : {"(a*)*b", "(a|a)*b", "(a?){60}a{60}b", "(((((a*)*)*)*)*)*b", "(.*)(.*)(.*)(.*)(.*)b", "(?=.*b)(?=.*c).*"})
        BOOST_TEST(!Pattern(slow).matches(a));
    for (const std::string& refused :
         {std::string("(a)\\1"), std::string("((a{99}){99}){99}"), std::string(500, '('), std::string(2000, 'a'), std::string("["),
          std::string("*"), std::string("a{2,1}"), std::string("(?=(?=a)a)a"), std::string("a\0b+", 4)})
        BOOST_CHECK_THROW(Pattern{refused}, Error);
    std::string records;
    for (int i = 0; i < 3000; ++i)
        records +=
            fmt::format(R"({}{{"device": "cpu", "node_type": "onnx.*", "onnx_node_name": "({}){{100}}(x|y)*"}})", i ? "," : "", "a*b*c*d*");
    std::vector<std::pair<std::string, std::string>> nodes;
    for (int i = 0; i < 300; ++i) nodes.emplace_back("Relu", std::string(1500, 'a') + std::to_string(i));
    BOOST_CHECK_THROW(devices_after(chain(nodes), "{\"device_placement\": [" + records + "]}"), Error);
}

BOOST_AUTO_TEST_CASE(part_files_of_one) {
    const Target two = load_target("two-npu");
    const auto placed = [&](std::string_view text) {
        Graph graph = chain({{"Relu", "a/Relu"}, {"Relu", "b"}, {"Sigmoid", "c"}, {"Clip", "d"}});
        apply_placement(graph, onert::parse_part(text, two));
        std::string out;
        for (const std::string& device : devices(graph)) out += device + " ";
        return out;
    };
    BOOST_TEST(placed("[partition]\nbackends=cpu,npu-b\ndefault=cpu\ncomply=opcode\n[OPCODE]\nLOGISTIC=NPU-B ; here\n") ==
               "cpu cpu npu-b cpu ");
    BOOST_TEST(placed("; ONE\n[partition]\ndefault=cpu\n\n[OPCODE]\nRELU = npu-b\n_=npu-a\n") == "npu-b npu-b npu-a npu-a ");
    BOOST_TEST(placed("[partition]\ndefault=cpu\ncomply=opname\n[OPNAME]\na=npu-a\nd=npu-b\n[OPCODE]\nRELU=npu-b\n") ==
               "npu-a cpu cpu npu-b ");
    BOOST_TEST(onert::is_part("# x\n\n[partition]\n"));
    BOOST_TEST(!onert::is_part("{}"));
    for (const char* broken :
         {"[partition]\ndefault=npu\n", "[partition]\nbackends=cpu,gpu\n", "[partition]\ncomply=name\n", "[partition]\nx=1\n",
          "[partition]\n[OPCODE]\nadd=cpu\n", "[partition]\n[OPS]\nADD=cpu\n", "[partition\n", "default=cpu\n", "[partition]\ndefault\n"})
        BOOST_CHECK_THROW(onert::parse_part(broken, two), Error);
}

BOOST_AUTO_TEST_SUITE_END()
