// Session over small graphs built by hand.
#include <boost/test/unit_test.hpp>

#include "libcore/exec/program.h"
#include "libcore/exec/record.h"
#include "libcore/exec/session.h"
#include "tests/common/graph_of.h"

using namespace quern;

namespace {

// y = relu(a + b)
Graph sum_graph() {
    return graph_of(R"(%sum = "onnx.Add"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
%y = "onnx.Relu"(%sum) : (tensor<4xf32>) -> tensor<4xf32>)");
}

Encoding int8_encoding(float scale, int8_t zero) { return make_encoding(DType::i8, Tensor::scalar(scale), Tensor::scalar(zero)); }

std::vector<float> run(const Graph& graph, const CompileOptions& options, std::vector<float> a, std::vector<float> b) {
    ThreadPool pool(1);
    Session session(Program::compile(graph, options), pool);
    const std::vector<Tensor> in{Tensor::make<float>({4}, a), Tensor::make<float>({4}, b)};
    const auto out = session.run(in);
    return to_floats(out.at(0));
}

}  // namespace

BOOST_AUTO_TEST_CASE(session_runs_a_graph) {
    BOOST_TEST(run(sum_graph(), {}, {1, -2, 3, 0}, {1, 1, 1, 1}) == std::vector<float>({2, 0, 4, 1}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(encoded_values_are_rounded_in_fake_and_integer_runs) {
    Graph graph = sum_graph();
    graph.value(graph.outputs[0]).enc = int8_encoding(0.5f, -128);
    const std::vector<float> a{0.3f, 0.6f, 70, -9}, b{0, 0, 70, 0}, want{0.5f, 0.5f, 127.5f, 0};
    for (const Mode mode : {Mode::fake, Mode::integer})
        BOOST_TEST(run(graph, {.mode = mode}, a, b) == want, boost::test_tools::per_element());
    BOOST_TEST(run(graph, {}, a, b)[0] == 0.3f);
}

BOOST_AUTO_TEST_CASE(observer_sees_every_value) {
    ThreadPool pool(1);
    Session session(Program::compile(sum_graph(), {.observable = true}), pool);
    std::vector<std::string> seen;
    session.set_observer([&](std::string_view key, const Tensor&) { seen.emplace_back(key); });
    const std::vector<float> ones(4, 1.0f);
    const std::vector<Tensor> in(2, Tensor::make<float>({4}, ones));
    session.run(in);
    BOOST_TEST(seen == std::vector<std::string>({"a", "b", "sum", "y"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(wrong_input_is_refused_by_name) {
    ThreadPool pool(1);
    Session session(Program::compile(sum_graph(), {}), pool);
    const std::vector<float> three(3, 1.0f);
    const std::vector<Tensor> in(2, Tensor::make<float>({3}, three));
    BOOST_CHECK_EXCEPTION(session.run(in), Error, [](const Error& e) {
        return e.exit() == Exit::bad_input && e.message().find("input \"a\"") != std::string::npos;
    });
}

// Kernels are made ready for the shapes that are declared: those without elements are never theirs (oneDNN divides by zero for some).
BOOST_AUTO_TEST_CASE(kernels_are_not_made_ready_for_tensors_without_elements) {
    Graph graph = graph_of(R"(%y = "onnx.MatMul"(%a, %b) : (tensor<0x16xf32>, tensor<16x5xf32>) -> tensor<0x5xf32>)");
    const std::vector<float> ones(80, 1.0f);
    graph.value(graph.inputs.at(1)).data = Tensor::make<float>({16, 5}, ones).data;
    graph.inputs.pop_back();
    ThreadPool pool(1);
    const auto program = Program::compile(graph, {});
    static_cast<const CompiledGraph&>(*program).warm(pool);
    const std::vector<Tensor> in{Tensor::make<float>({0, 16}, {})};
    BOOST_TEST(Session(program, pool).run(in).at(0).dims == Dims({0, 5}), boost::test_tools::per_element());
}

// What a kernel packs of its constants does not replace them where it reads them otherwise, too. Compiling folds such a product; a context
// may declare it.
BOOST_AUTO_TEST_CASE(weights_that_are_multiplied_by_themselves) {
    Graph graph = graph_of(R"(%p = "onnx.MatMul"(%b, %b) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
%y = "onnx.Add"(%p, %a) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>)");
    const ValueId weights = graph.inputs.at(0);
    BOOST_TEST_REQUIRE(graph.value(weights).name == "b");
    const std::vector<float> items{1, 2, 3, 4}, rows{1, 0, 0, 2}, want{8, 10, 15, 24};
    std::erase(graph.inputs, weights);
    Graph without = graph;
    graph.value(weights).data = Tensor::make<float>({2, 2}, items).data;

    Recorded recorded = record(std::make_shared<CompiledGraph>(graph, CompileOptions{}, ""));
    BOOST_TEST(recorded.held.empty());
    const auto restored = CompiledGraph::restore(graph, {}, recorded);
    ThreadPool pool(1);
    const std::vector<Tensor> in{Tensor::make<float>({2, 2}, rows)};
    BOOST_TEST(to_floats(Session(restored, pool).run(in).at(0)) == want, boost::test_tools::per_element());

    recorded.held = {weights};
    BOOST_CHECK_EXCEPTION(CompiledGraph::restore(without, {}, recorded), Error, [](const Error& error) {
        return error.exit() == Exit::bad_input && error.message().find("the data of \"b\" are missing") != std::string::npos;
    });
}
