// If, Loop and Scan over bodies built by hand.
#include <boost/test/unit_test.hpp>

#include "libcore/exec/session.h"

using namespace quern;

namespace {

const Type number = Type::tensor(DType::f32, Shape::of(Dims{}));
const Type flag = Type::tensor(DType::boolean, Shape::of(Dims{}));

// A body that adds its first two inputs.
void fill_sum_body(Graph& body, const Type& a, const Type& b, int copies) {
    body.inputs = {body.add_value("a", a), body.add_value("b", b)};
    const ValueId sum = body.add_value("sum", Type{});
    body.add_node(find_op("Add"), "add", body.inputs, {sum});
    body.outputs.assign(static_cast<size_t>(copies), sum);
}

std::vector<Tensor> run(const Graph& graph, const std::vector<Tensor>& in) {
    ThreadPool pool(1);
    Session session(Program::compile(graph, {}), pool);
    return session.run(in);
}

Tensor floats(Dims dims, std::vector<float> items) { return Tensor::make<float>(std::move(dims), items); }

// total = start; Loop: total += step (captured), and each total is kept.
Graph loop_graph() {
    Graph graph;
    const ValueId trips = graph.add_value("trips", Type::tensor(DType::i64, Shape::of(Dims{}))), start = graph.add_value("start", number);
    const ValueId step = graph.add_value("step", number), total = graph.add_value("total", Type{}), each = graph.add_value("each", Type{});
    graph.inputs = {trips, start, step};
    const NodeId loop = graph.add_node(find_op("Loop"), "loop", {trips, ValueId::none, start}, {total, each});
    Graph& body = graph.add_body(loop, "body");
    const ValueId turn = body.add_value("turn", Type::tensor(DType::i64, Shape::of(Dims{}))), go = body.add_value("go", flag);
    const ValueId so_far = body.add_value("so_far", number), captured = body.add_value("step_inside", number),
                  next = body.add_value("next", Type{});
    body.inputs = {turn, go, so_far};
    body.captures = {{captured, step}};
    body.add_node(find_op("Add"), "add", {so_far, captured}, {next});
    body.outputs = {go, next, next};
    graph.outputs = {total, each};
    infer_types(graph);
    verify(graph);
    return graph;
}

Graph scan_graph(bool backwards) {
    Graph graph;
    const ValueId start = graph.add_value("start", number), items = graph.add_value("items", Type::tensor(DType::f32, Shape::of(Dims{3})));
    const ValueId last = graph.add_value("last", Type{}), sums = graph.add_value("sums", Type{});
    graph.inputs = {start, items};
    const std::vector<int64_t> direction{backwards ? 1 : 0};
    const NodeId scan =
        graph.add_node(find_op("Scan"), "scan", {start, items}, {last, sums},
                       {{"num_scan_inputs", int64_t{1}}, {"scan_input_directions", direction}, {"scan_output_directions", direction}});
    fill_sum_body(graph.add_body(scan, "body"), number, number, 2);
    graph.outputs = {last, sums};
    infer_types(graph);
    verify(graph);
    return graph;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(control)

BOOST_AUTO_TEST_CASE(loop_carries_and_collects) {
    const Graph graph = loop_graph();
    BOOST_TEST(to_string(graph.value(graph.outputs[1]).type) == "float32[?]");
    const auto out = run(graph, {Tensor::scalar(int64_t{3}), Tensor::scalar(1.0f), Tensor::scalar(0.5f)});
    BOOST_TEST(to_floats(out[0]) == std::vector<float>({2.5f}), boost::test_tools::per_element());
    BOOST_TEST(to_floats(out[1]) == std::vector<float>({1.5f, 2.0f, 2.5f}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(loop_without_turns_gives_its_start_and_nothing) {
    const auto out = run(loop_graph(), {Tensor::scalar(int64_t{0}), Tensor::scalar(1.0f), Tensor::scalar(0.5f)});
    BOOST_TEST(to_floats(out[0])[0] == 1.0f);
    BOOST_TEST(out[1].dims == Dims({0}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(scan_runs_forwards_and_backwards) {
    const std::vector<Tensor> in{Tensor::scalar(10.0f), floats({3}, {1, 2, 4})};
    const auto forward = run(scan_graph(false), in), backward = run(scan_graph(true), in);
    BOOST_TEST(to_floats(forward[1]) == std::vector<float>({11, 13, 17}), boost::test_tools::per_element());
    BOOST_TEST(to_floats(backward[1]) == std::vector<float>({17, 16, 14}), boost::test_tools::per_element());
    BOOST_TEST(to_floats(backward[0])[0] == 17.0f);
}

BOOST_AUTO_TEST_CASE(condition_of_if_must_be_one_bool) {
    Graph graph;
    const ValueId condition = graph.add_value("condition", Type::tensor(DType::boolean, Shape::unranked()));
    const ValueId y = graph.add_value("y", Type{});
    graph.inputs = {condition};
    const NodeId node = graph.add_node(find_op("If"), "if", {condition}, {y});
    for (const auto& [branch, value] : {std::pair("else_branch", 1.0f), std::pair("then_branch", 2.0f)}) {
        Graph& body = graph.add_body(node, branch);
        body.outputs = {body.add_constant("c", Tensor::scalar(value))};
    }
    graph.outputs = {y};
    infer_types(graph);
    verify(graph);
    const bool yes = true, no = false;
    BOOST_TEST(to_floats(run(graph, {Tensor::scalar(yes)})[0])[0] == 2.0f);
    BOOST_TEST(to_floats(run(graph, {Tensor::scalar(no)})[0])[0] == 1.0f);
    const std::vector<uint8_t> two{1, 0};
    const Tensor both{DType::boolean, {2}, Bytes::copy_of(std::span<const uint8_t>(two))};
    BOOST_CHECK_THROW(run(graph, {both}), Error);
}

BOOST_AUTO_TEST_SUITE_END()
