// Elementwise nodes: their vector functions against libm, and 8-bit tables against the reference, code by code. (Fused chains:
// tests/random.)
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "formats/text/text.h"
#include "libcore/exec/session.h"
#include "libcore/kernels/simd/loops.h"

using namespace quern;

namespace {

std::vector<float> run(const Graph& graph, std::span<const Tensor> in, const CompileOptions& options, int threads = 1) {
    ThreadPool pool(threads);
    Session session(Program::compile(graph, options), pool);
    return to_floats(session.run(in).at(0));
}

// y = op(x) on one tensor.
Graph unary_graph(std::string_view op, Dims dims) {
    Graph graph;
    const Type type = Type::tensor(DType::f32, Shape::of(dims));
    const ValueId x = graph.add_value("x", type), y = graph.add_value("y", type);
    graph.add_node(find_op(op), "node", {x}, {y});
    graph.inputs = {x};
    graph.outputs = {y};
    infer_types(graph);
    return graph;
}

double relative_error(std::string_view op, double (*function)(double), float low, float high) {
    constexpr int64_t count = 20001;
    std::vector<float> x(count), y(count);
    for (int64_t i = 0; i < count; ++i) x[static_cast<size_t>(i)] = low + (high - low) * static_cast<float>(i) / count;
    const Graph graph = unary_graph(op, {count});
    const simd::Unary unary = *simd::unary_of(graph, graph.node(graph.order()[0]));
    unary.loop(x.data(), y.data(), x.size(), unary.a, unary.b);
    double worst = 0;
    for (size_t i = 0; i < x.size(); ++i) {
        const double want = function(x[i]);
        if (want != 0) worst = std::max(worst, std::abs((y[i] - want) / want));
    }
    return worst;
}

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

}  // namespace

BOOST_AUTO_TEST_CASE(vector_functions_are_within_a_millionth) {
    BOOST_TEST(relative_error("Exp", std::exp, -87, 88) < 1e-6);
    BOOST_TEST(relative_error("Erf", std::erf, -6, 6) < 1e-6);
    BOOST_TEST(relative_error("Tanh", std::tanh, -12, 12) < 1e-6);
    BOOST_TEST(relative_error("Sigmoid", logistic, -80, 80) < 1e-6);
}

BOOST_AUTO_TEST_CASE(vector_functions_keep_limits_and_nan) {
    const float infinity = std::numeric_limits<float>::infinity();
    const std::vector<float> x{infinity, -infinity, std::nanf(""), 0, 1000, -1000};
    const auto apply = [&](std::string_view op) {
        const Graph graph = unary_graph(op, {6});
        const simd::Unary unary = *simd::unary_of(graph, graph.node(graph.order()[0]));
        std::vector<float> y(x.size());
        unary.loop(x.data(), y.data(), x.size(), unary.a, unary.b);
        BOOST_TEST(std::isnan(y[2]), op << " of NaN is " << y[2]);
        y.erase(y.begin() + 2);
        return y;
    };
    BOOST_TEST(apply("Exp") == std::vector<float>({infinity, 0, 1, infinity, 0}), boost::test_tools::per_element());
    BOOST_TEST(apply("Erf") == std::vector<float>({1, -1, 0, 1, -1}), boost::test_tools::per_element());
    BOOST_TEST(apply("Tanh") == std::vector<float>({1, -1, 0, 1, -1}), boost::test_tools::per_element());
    BOOST_TEST(apply("Sigmoid") == std::vector<float>({1, 0, 0.5f, 1, 0}), boost::test_tools::per_element());
}

// oneDNN takes up to 12 dims.
BOOST_AUTO_TEST_CASE(any_number_of_dims_runs) {
    const auto same_as_reference = [](const Graph& graph, const Tensor& in) {
        const std::vector<float> want = run(graph, std::span(&in, 1), {.reference = true}), got = run(graph, std::span(&in, 1), {}, 2);
        BOOST_REQUIRE(got.size() == want.size());
        for (size_t i = 0; i < got.size(); ++i) BOOST_TEST(std::abs(got[i] - want[i]) <= 1e-5f);
    };
    const std::vector<float> six{-2.0f, -0.5f, 0.0f, 0.25f, 1.0f, 3.0f};
    for (const size_t rank : {size_t{12}, size_t{13}, size_t{20}}) {
        Dims dims(rank, 1);
        dims[0] = 2, dims[rank - 2] = 3;
        const Tensor in = Tensor::make<float>(dims, six);
        for (const std::string_view op :
             {"Relu", "LeakyRelu", "Sigmoid", "Tanh", "Elu", "HardSwish", "Swish", "Clip", "Gelu", "Exp", "Softmax", "Neg"}) {
            BOOST_TEST_CONTEXT(op << " of rank " << rank) {
                Graph graph = unary_graph(op, dims);
                same_as_reference(graph, in);
                graph.value(graph.inputs[0]).type.shape = {};  // the rank is known to the run alone
                graph.value(graph.outputs[0]).type.shape = {};
                same_as_reference(graph, in);
            }
        }
        for (const std::string_view op : {"Add", "Mul", "Sub", "Max"}) {
            BOOST_TEST_CONTEXT(op << " of rank " << rank) {
                Graph graph = unary_graph("Relu", dims);
                const ValueId z = graph.add_value("z", graph.value(graph.inputs[0]).type);
                graph.add_node(find_op(op), "both", {graph.inputs[0], graph.outputs[0]}, {z});
                graph.outputs = {z};
                infer_types(graph);
                same_as_reference(graph, in);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(tables_give_the_codes_of_the_reference) {
    for (const std::string_view op : {"Sigmoid", "Tanh", "HardSwish", "Exp", "Abs", "Sqrt"}) {
        Graph graph = unary_graph(op, {2, 1000});
        graph.value(graph.inputs[0]).enc = make_encoding(DType::u8, Tensor::scalar(0.043f), Tensor::scalar(uint8_t{117}));
        graph.value(graph.outputs[0]).enc = make_encoding(DType::i8, Tensor::scalar(0.0171f), Tensor::scalar(int8_t{-9}));
        std::vector<float> items(2000);
        for (size_t i = 0; i < items.size(); ++i) items[i] = static_cast<float>(i) * 0.006f - 6;
        const Tensor in = Tensor::make<float>({2, 1000}, items);
        BOOST_TEST_CONTEXT(op) {
            BOOST_TEST(Program::compile(graph, {.mode = Mode::integer})->choices().at(0).kernel == "lookup");
            const auto want = run(graph, std::span(&in, 1), {.mode = Mode::integer, .reference = true});
            BOOST_TEST((want == run(graph, std::span(&in, 1), {.mode = Mode::integer})));
            BOOST_TEST((want == run(graph, std::span(&in, 1), {.mode = Mode::integer}, 3)));
        }
    }
}

// A product takes one sum into its result's buffer; what is added next is added by a kernel of its own.
BOOST_AUTO_TEST_CASE(two_sums_behind_a_product) {
    Graph graph = parse_text(R"(func.func @main(%x: tensor<2x3xf32>, %a: tensor<2x4xf32>, %b: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %w = "onnx.Constant"() {value = dense<2.0> : tensor<3x4xf32>} : () -> tensor<3x4xf32>
  %m = "onnx.MatMul"(%x, %w) : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %s = "onnx.Add"(%m, %a) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %y = "onnx.Add"(%b, %s) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
})")
                      .graph;
    infer_types(graph);
    const std::vector<float> a{1, 2, 3, 4, 5, 6, 7, 8}, b{10, 20, 30, 40, 50, 60, 70, 80};
    const std::array in{Tensor::make<float>({2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6}), Tensor::make<float>({2, 4}, a),
                        Tensor::make<float>({2, 4}, b)};
    const std::vector<float> want{23, 34, 45, 56, 85, 96, 107, 118};
    BOOST_TEST(run(graph, in, {}) == want, boost::test_tools::per_element());
}
