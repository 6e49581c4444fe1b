#include <boost/test/unit_test.hpp>

#include "libcore/graph/op.h"
#include "tests/common/graph_of.h"

using namespace quern;

BOOST_AUTO_TEST_SUITE(uses)

namespace {

Type vector_of(int64_t n) { return Type::tensor(DType::f32, Shape::of(Dims{n})); }

struct Net {
    Graph graph = graph_of(R"(func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = "onnx.Relu"(%x) {onnx_node_name = "relu"} : (tensor<4xf32>) -> tensor<4xf32>
  %z = "onnx.Add"(%y, %x) {onnx_node_name = "add"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %z, %y : tensor<4xf32>, tensor<4xf32>
})");
    ValueId x = graph.find("x"), y = graph.find("y"), z = graph.find("z");
    NodeId relu = graph.find_node("relu"), add = graph.find_node("add");
};

std::string readers(const Graph& graph, ValueId id) {
    std::string out;
    for (const Use& use : graph.uses(id))
        out += fmt::format("{}:{} ", use.node == NodeId::none ? "out" : graph.node(use.node).name, use.index);
    return out;
}

}  // namespace

BOOST_AUTO_TEST_CASE(readers_and_outputs) {
    Net net;
    BOOST_TEST(readers(net.graph, net.x) == "relu:0 add:1 ");
    BOOST_TEST(readers(net.graph, net.y) == "add:0 out:1 ");
    net.graph.check_lists();
}

BOOST_AUTO_TEST_CASE(a_copy_without_nodes_has_lists) {
    Graph graph;
    const ValueId x = graph.add_value("x", vector_of(4));
    graph.inputs = graph.outputs = {x};
    const Graph copy = graph;
    copy.check_lists();
    BOOST_TEST(readers(copy, x) == "out:0 ");
}

BOOST_AUTO_TEST_CASE(every_change_of_operands_counts) {
    Net net;
    Operands& in = net.graph.node(net.add).in;
    in[0] = net.x;
    BOOST_TEST(readers(net.graph, net.x) == "relu:0 add:0 add:1 ");
    in.push_back(net.y);
    in.insert(in.begin(), net.y);
    BOOST_TEST(readers(net.graph, net.y) == "add:0 add:3 out:1 ");
    in.erase(in.begin());
    in.resize(5);
    in.pop_back();
    BOOST_TEST(in.size() == 4u);
    BOOST_TEST(readers(net.graph, net.y) == "add:2 out:1 ");
    in = std::vector<ValueId>{net.y, net.y};
    BOOST_TEST(readers(net.graph, net.x) == "relu:0 ");
    in[0] = in[1] = net.x;
    BOOST_TEST(readers(net.graph, net.x) == "relu:0 add:0 add:1 ");
    net.graph.check_lists();
}

BOOST_AUTO_TEST_CASE(replaced_and_erased) {
    Net net;
    net.graph.replace_uses(net.x, net.y, true);
    BOOST_TEST(readers(net.graph, net.x).empty());
    BOOST_TEST(readers(net.graph, net.y) == "relu:0 add:0 add:1 out:1 ");
    net.graph.erase(net.add);
    BOOST_TEST(readers(net.graph, net.y) == "relu:0 out:1 ");
    BOOST_TEST(net.graph.node(net.add).in.size() == 2u);
    BOOST_TEST((net.graph.find_node("add") == NodeId::none));
    net.graph.check_lists();
}

BOOST_AUTO_TEST_CASE(copies_and_moves_have_lists_of_their_own) {
    Net net;
    Graph copy = net.graph;
    copy.node(net.add).in[1] = net.y;
    BOOST_TEST(readers(copy, net.x) == "relu:0 ");
    BOOST_TEST(readers(net.graph, net.x) == "relu:0 add:1 ");
    const Graph moved = std::move(copy);
    BOOST_TEST(readers(moved, net.y) == "add:0 add:1 out:1 ");
    moved.check_lists();
    net.graph.check_lists();
    Node alone = net.graph.node(net.add);
    alone.in[0] = net.x;
    BOOST_TEST(readers(net.graph, net.x) == "relu:0 add:1 ");
}

BOOST_AUTO_TEST_CASE(captures_are_uses) {
    Net net;
    const ValueId all = net.graph.add_value("all", vector_of(4));
    const NodeId loop = net.graph.add_node(need_op("Loop"), "loop", {ValueId::none, ValueId::none}, {all});
    Graph& body = net.graph.add_body(loop, "body");
    body.captures.push_back({body.add_value("inner", vector_of(4)), net.y});
    BOOST_TEST(readers(net.graph, net.y) == "add:0 loop:-1 out:1 ");
    net.graph.replace_uses(net.y, net.x);
    BOOST_TEST(readers(net.graph, net.x) == "relu:0 add:0 add:1 loop:-1 out:1 ");
    net.graph.check_lists();
    net.graph.erase(loop);
    BOOST_TEST(readers(net.graph, net.x) == "relu:0 add:0 add:1 out:1 ");
}

BOOST_AUTO_TEST_CASE(nodes_are_found_by_their_names) {
    Net net;
    net.graph.rename(net.relu, "first");
    BOOST_TEST((net.graph.find_node("first") == net.relu));
    BOOST_TEST((net.graph.find_node("relu") == NodeId::none));
    BOOST_TEST(net.graph.unique_node_name("first") == "first_1");
    net.graph.node(net.relu).name = "behind its back";
    BOOST_CHECK_THROW(net.graph.check_lists(), Error);
}

BOOST_AUTO_TEST_SUITE_END()
