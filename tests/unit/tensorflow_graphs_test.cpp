// Graphs of TensorFlow: what goes in and out, functions, control flow; broken and hostile ones, which are refused with the right exit code.
#include <boost/test/unit_test.hpp>

#include "formats/format.h"
#include "formats/read.h"
#include "libcore/exec/session.h"
#include "libcore/graph/op_ids.h"
#include "tests/unit/graph_def_file.h"

using namespace quern;
using namespace quern::test;

BOOST_AUTO_TEST_SUITE(tensorflow_graphs)

namespace {

constexpr int f32 = GraphDefFile::f32, boolean = GraphDefFile::boolean;

Graph graph_of(const GraphDefFile& file) { return read_model(file.bytes(), "", "").graph; }

std::vector<double> run(const GraphDefFile& file, const std::vector<Tensor>& inputs) {
    const Graph graph = graph_of(file);
    ThreadPool pool(1);
    Session session(Program::compile(graph, {}), pool);
    std::vector<double> all;
    for (const Tensor& tensor : session.run(inputs))
        for (const double item : to_doubles(tensor)) all.push_back(item);
    return all;
}

Tensor reals(const std::vector<float>& items) { return Tensor::vector<float>(items); }

// "exit: message" of what reading refuses; empty: it reads.
std::string refusal(const Bytes& bytes) {
    try {
        read_model(bytes, "", "");
        return "";
    } catch (const Error& error) {
        return fmt::format("{}: {}", static_cast<int>(error.exit()), error.message());
    }
}
std::string refusal(const GraphDefFile& file) { return refusal(file.bytes()); }

void expect_refusal(const GraphDefFile& file, const std::string& words) {
    const std::string got = refusal(file);
    BOOST_TEST((got.find(words) != std::string::npos && got.find('\n') == std::string::npos), got << " is not about " << words);
}

std::vector<std::string> names(const Graph& graph, const std::vector<ValueId>& values) {
    std::vector<std::string> list;
    for (const ValueId id : values) list.push_back(graph.value(id).name);
    return list;
}

// A constant whose list of numbers is shorter than its shape says.
GraphDefFile& short_constant(GraphDefFile& file, const std::vector<int64_t>& dims, const std::vector<float>& items) {
    Message tensor;
    tensor.number(1, f32).message(2, GraphDefFile::shape(dims));
    for (const float item : items) tensor.real(5, item);
    return file.node("c", "Const", {}, {attr_type("dtype", f32), {"value", Message().message(8, tensor)}});
}

GraphDefFile calls(const std::string& inner) {
    return GraphDefFile()
        .placeholder("x", {2})
        .node("y", "PartitionedCall", {"x"}, {attr_function("f", "outer")})
        .function("outer", {"a"}, {{"r", "inner:output:0"}},
                  {GraphDefFile::node_of("inner", "StatefulPartitionedCall", {"a"}, {attr_function("f", inner)})});
}

}  // namespace

// Placeholders go in, what nobody reads comes out; what does not hang on an input does not.
BOOST_AUTO_TEST_CASE(inputs_and_outputs_are_found) {
    const auto file = GraphDefFile()
                          .node("y", "Relu", {"x", "^waits"})
                          .placeholder("x", {-1, 2})
                          .placeholder("unused", {3})
                          .floats("w", {1}, {1})
                          .node("trained", "Neg", {"w"})
                          .node("waits", "NoOp", {})
                          .node("layer/z", "Neg", {"x:0"});
    const Graph graph = graph_of(file);
    BOOST_TEST(names(graph, graph.inputs) == (std::vector<std::string>{"x"}), boost::test_tools::per_element());
    BOOST_TEST(names(graph, graph.outputs) == (std::vector<std::string>{"y", "layer/z"}), boost::test_tools::per_element());
    BOOST_TEST(to_string(graph.value(graph.inputs[0]).type) == "float32[batch,2]");
    BOOST_TEST(graph.node(graph.find_node("layer/z")).scope == "/layer/");
}

BOOST_AUTO_TEST_CASE(numbers_that_are_left_out) {
    GraphDefFile zeros = GraphDefFile().placeholder("x", {3}).node("y", "AddV2", {"x", "c"});
    short_constant(zeros, {3}, {});
    BOOST_TEST(run(zeros, {reals({1, 2, 3})}) == (std::vector<double>{1, 2, 3}), boost::test_tools::per_element());
    GraphDefFile repeated = GraphDefFile().placeholder("x", {3}).node("y", "AddV2", {"x", "c"});
    short_constant(repeated, {3}, {1, 5});
    BOOST_TEST(run(repeated, {reals({1, 2, 3})}) == (std::vector<double>{2, 7, 8}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(functions_are_inlined) {
    const auto file = calls("twice").function("twice", {"b"}, {{"r", "sum:z:0"}}, {GraphDefFile::node_of("sum", "AddV2", {"b", "b"})});
    BOOST_TEST(run(file, {reals({1, 2})}) == (std::vector<double>{2, 4}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(branches_and_loops_of_functions) {
    const auto branches =
        GraphDefFile()
            .placeholder("x", {2})
            .placeholder("p", {}, boolean)
            .node("y", "StatelessIf", {"p", "x"}, {attr_function("then_branch", "neg"), attr_function("else_branch", "own")})
            .function("neg", {"a"}, {{"r", "n:y:0"}}, {GraphDefFile::node_of("n", "Neg", {"a"})})
            .function("own", {"a"}, {{"r", "a"}}, {});
    BOOST_TEST(run(branches, {reals({1, 2}), Tensor::scalar(true)}) == (std::vector<double>{-1, -2}), boost::test_tools::per_element());
    BOOST_TEST(run(branches, {reals({1, 2}), Tensor::scalar(false)}) == (std::vector<double>{1, 2}), boost::test_tools::per_element());
    // while (x < limit) x = x + x; the limit is read from outside
    const auto loop = GraphDefFile()
                          .placeholder("x", {})
                          .placeholder("limit", {})
                          .node("y", "While", {"x", "limit"}, {attr_function("cond", "less"), attr_function("body", "twice")})
                          .function("less", {"a", "b"}, {{"r", "l:z:0"}}, {GraphDefFile::node_of("l", "Less", {"a", "b"})})
                          .function("twice", {"a", "b"}, {{"r", "s:z:0"}, {"same", "i:output:0"}},
                                    {GraphDefFile::node_of("s", "AddV2", {"a", "a"}), GraphDefFile::node_of("i", "Identity", {"b"})});
    BOOST_TEST(run(loop, {Tensor::scalar(3.0f), Tensor::scalar(20.0f)}) == (std::vector<double>{24}), boost::test_tools::per_element());
    const Graph graph = graph_of(loop);
    for (const NodeId id : graph.order())
        if (graph.node(id).is(ops::Loop)) BOOST_TEST(graph.node(id).in.size() == 3);  // no count, the condition, one value
}

// max(x, 0) of TensorFlow 1, and a loop that doubles until 20.
BOOST_AUTO_TEST_CASE(switches_and_merges) {
    const auto branches = GraphDefFile()
                              .placeholder("x", {2})
                              .placeholder("p", {}, boolean)
                              .node("switch", "Switch", {"x", "p"})
                              .node("no", "Neg", {"switch"})
                              .node("yes", "AddV2", {"switch:1", "switch:1"})
                              .node("y", "Merge", {"no", "yes"});
    BOOST_TEST(run(branches, {reals({1, 2}), Tensor::scalar(true)}) == (std::vector<double>{2, 4}), boost::test_tools::per_element());
    BOOST_TEST(run(branches, {reals({1, 2}), Tensor::scalar(false)}) == (std::vector<double>{-1, -2}), boost::test_tools::per_element());
    const std::vector<NamedAttr> frame{attr_s("frame_name", "while")};
    const auto loop = GraphDefFile()
                          .placeholder("x", {})
                          .floats("limit", {}, {20})
                          .node("enter", "Enter", {"x"}, frame)
                          .node("bound", "Enter", {"limit"}, {attr_s("frame_name", "while"), attr_b("is_constant", true)})
                          .node("merge", "Merge", {"enter", "next"})
                          .node("less", "Less", {"merge", "bound"})
                          .node("goes_on", "LoopCond", {"less"})
                          .node("switch", "Switch", {"merge", "goes_on"})
                          .node("body", "Identity", {"switch:1"})
                          .node("sum", "AddV2", {"body", "body"})
                          .node("next", "NextIteration", {"sum"})
                          .node("y", "Exit", {"switch"});
    BOOST_TEST(run(loop, {Tensor::scalar(3.0f)}) == (std::vector<double>{24}), boost::test_tools::per_element());
}

// What keeps a branch out is computed of constants: the other stands where the condition did.
BOOST_AUTO_TEST_CASE(conditions_that_are_known_choose_at_once) {
    const Graph graph = graph_of(GraphDefFile()
                                     .placeholder("x", {2})
                                     .constant<uint8_t>("phase", {}, {0}, boolean)
                                     .node("training", "PlaceholderWithDefault", {"phase"})
                                     .node("p", "LogicalNot", {"training"})
                                     .node("switch", "Switch", {"x", "p"})
                                     .node("no", "Invented", {"switch"})
                                     .node("yes", "Neg", {"switch:1"})
                                     .node("merge", "Merge", {"no", "yes"})
                                     .node("y", "Identity", {"merge"}));
    for (const NodeId id : graph.order()) BOOST_TEST((graph.node(id).is(ops::Neg) || graph.node(id).is(ops::Identity)));
}

// for (i = 0; i < 3; ++i) out[i] = 2 * in[i], as tf.while_loop writes it with TensorArrays.
BOOST_AUTO_TEST_CASE(arrays_in_loops) {
    const std::vector<NamedAttr> frame{attr_s("frame_name", "while")}, fixed{attr_s("frame_name", "while"), attr_b("is_constant", true)};
    const auto file = GraphDefFile()
                          .placeholder("x", {3, 2})
                          .one("three", 3)
                          .one("zero", 0)
                          .one("one", 1)
                          .node("places", "Range", {"zero", "three", "one"})
                          .node("in", "TensorArrayV3", {"three"}, {attr_type("dtype", f32)})
                          .node("filled", "TensorArrayScatterV3", {"in", "places", "x", "in:1"})
                          .node("out", "TensorArrayV3", {"three"}, {attr_type("dtype", f32)})
                          .node("enter_i", "Enter", {"zero"}, frame)
                          .node("enter_out", "Enter", {"out:1"}, frame)
                          .node("enter_handle", "Enter", {"out"}, fixed)
                          .node("enter_in", "Enter", {"in"}, fixed)
                          .node("enter_filled", "Enter", {"filled"}, fixed)
                          .node("i", "Merge", {"enter_i", "next_i"})
                          .node("flow", "Merge", {"enter_out", "next_flow"})
                          .one("limit", 3)
                          .node("enter_limit", "Enter", {"limit"}, fixed)
                          .node("less", "Less", {"i", "enter_limit"})
                          .node("goes_on", "LoopCond", {"less"})
                          .node("switch_i", "Switch", {"i", "goes_on"})
                          .node("switch_flow", "Switch", {"flow", "goes_on"})
                          .node("item", "TensorArrayReadV3", {"enter_in", "switch_i:1", "enter_filled"})
                          .node("twice", "AddV2", {"item", "item"})
                          .node("written", "TensorArrayWriteV3", {"enter_handle", "switch_i:1", "twice", "switch_flow:1"})
                          .node("enter_one", "Enter", {"one"}, fixed)
                          .node("more", "AddV2", {"switch_i:1", "enter_one"})
                          .node("next_i", "NextIteration", {"more"})
                          .node("next_flow", "NextIteration", {"written"})
                          .node("exit_flow", "Exit", {"switch_flow"})
                          .node("y", "TensorArrayGatherV3", {"out", "places", "exit_flow"});
    const Tensor x = Tensor::make<float>({3, 2}, std::vector<float>{1, 2, 3, 4, 5, 6});
    BOOST_TEST(run(file, {x}) == (std::vector<double>{2, 4, 6, 8, 10, 12}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(unknown_operators_are_kept) {
    const Graph graph = graph_of(GraphDefFile().placeholder("x", {2}).node("y", "Invented", {"x"}, {attr_i("times", 3)}));
    const quern::Node& node = graph.node(graph.find_node("y"));
    BOOST_TEST(node.op->name == "Invented");
    BOOST_TEST(node.op->domain == "tensorflow");
    BOOST_TEST(std::get<int64_t>(node.attrs.at("times")) == 3);
}

BOOST_AUTO_TEST_CASE(broken_graphs_are_refused) {
    expect_refusal(GraphDefFile().placeholder("x", {2}).node("y", "Relu", {"gone"}), "3: ");
    expect_refusal(GraphDefFile().placeholder("x", {2}).node("x", "Relu", {"x"}), "there twice");
    expect_refusal(GraphDefFile().placeholder("x", {2}).node("a", "AddV2", {"x", "b"}).node("b", "Neg", {"a"}).node("y", "Neg", {"b"}),
                   "computed of itself");
    expect_refusal(GraphDefFile().placeholder("x", {2}).node("y", "Relu", {"x:99999999"}), "3: ");
    expect_refusal(GraphDefFile().placeholder("x", {-7}).node("y", "Relu", {"x"}), "a dim is -7");
    expect_refusal(GraphDefFile().placeholder("x", {2}).constant<float>("w", {3}, {1, 2}, f32).node("y", "AddV2", {"x", "w"}),
                   "has 8 bytes, need 12");
    expect_refusal(GraphDefFile().placeholder("x", {2}).constant<float>("w", {2}, {1, 2}, 4711).node("y", "AddV2", {"x", "w"}),
                   "not an element type");
    expect_refusal(GraphDefFile().placeholder("x", {2}), "no output");
    expect_refusal(GraphDefFile().placeholder("x", {2}, 20).node("y", "ReadVariableOp", {"x"}), "4: ");
    expect_refusal(GraphDefFile().placeholder("x", {2}).node("s", "Switch", {"x", "x"}).node("y", "Neg", {"s:1"}), ": ");
    expect_refusal(GraphDefFile().placeholder("x", {2}).node("y", "Exit", {"x"}), ": ");
}

BOOST_AUTO_TEST_CASE(hostile_graphs_are_refused) {
    GraphDefFile huge = GraphDefFile().placeholder("x", {2}).node("y", "AddV2", {"x", "c"});
    short_constant(huge, {1 << 20, 1 << 20}, {1});
    expect_refusal(huge, "4: ");
    GraphDefFile overflow = GraphDefFile().placeholder("x", {2}).node("y", "AddV2", {"x", "c"});
    short_constant(overflow, {int64_t{1} << 40, int64_t{1} << 40}, {1});
    expect_refusal(overflow, "3: ");
    expect_refusal(calls("outer"), "deeper than");
    expect_refusal(calls("gone"), "not in the file");
    // Each calls the one before twice.
    GraphDefFile bomb = calls("f30");
    bomb.function("f0", {"a"}, {{"r", "n:y:0"}}, {GraphDefFile::node_of("n", "Neg", {"a"})});
    for (int i = 1; i <= 30; ++i) {
        const std::vector<NamedAttr> before{attr_function("f", fmt::format("f{}", i - 1))};
        bomb.function(fmt::format("f{}", i), {"a"}, {{"r", "second:output:0"}},
                      {GraphDefFile::node_of("first", "PartitionedCall", {"a"}, before),
                       GraphDefFile::node_of("second", "PartitionedCall", {"first:output:0"}, before)});
    }
    expect_refusal(bomb, "4: ");
}

BOOST_AUTO_TEST_CASE(cut_graphs_are_refused) {
    const Bytes whole =
        calls("twice").function("twice", {"b"}, {{"r", "sum:z:0"}}, {GraphDefFile::node_of("sum", "AddV2", {"b", "b"})}).bytes();
    for (size_t size = 1; size < whole.size(); ++size) {
        const std::string got = refusal(whole.slice(0, size));
        BOOST_TEST((got.empty() || got.starts_with("3: ") || got.starts_with("4: ")), size << ": " << got);
    }
}

BOOST_AUTO_TEST_SUITE_END()
