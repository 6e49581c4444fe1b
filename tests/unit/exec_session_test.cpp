// Sessions: many shapes through one program, sessions side by side, observers inside bodies.
#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <cfenv>
#include <cmath>
#include <thread>

#include "libcore/exec/session.h"
#include "tests/common/graph_of.h"

using namespace quern;

namespace {

Tensor ramp(Dims dims, float from) {
    std::vector<float> items(static_cast<size_t>(count_of(dims)));
    for (size_t i = 0; i < items.size(); ++i) items[i] = from + 0.01f * static_cast<float>(i);
    return Tensor::make<float>(std::move(dims), items);
}

// y = tanh(conv(x) * 0.5) for any batch and size.
Graph symbolic_net() {
    return graph_of(R"(%half = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
%conv = "onnx.Conv"(%x, %weight) {onnx_node_name = "conv", pads = [1, 1, 1, 1]} : (tensor<?{n}x3x?{h}x?{w}xf32>, tensor<*xf32>) -> tensor<*xf32>
%scaled = "onnx.Mul"(%conv, %half) {onnx_node_name = "scale"} : (tensor<*xf32>, tensor<f32>) -> tensor<*xf32>
%y = "onnx.Tanh"(%scaled) {onnx_node_name = "tanh"} : (tensor<*xf32>) -> tensor<*xf32>)",
                    {{"weight", ramp({5, 3, 3, 3}, -0.6f)}});
}

// y = if (flag) x + x else -x, x captured by both bodies.
Graph branching_net() {
    return graph_of(R"(func.func @main(%flag: tensor<i1>, %x: tensor<2xf32>) -> tensor<*xf32> {
  %y = "onnx.If"(%flag) ({
    %result = "onnx.Neg"(%x) : (tensor<2xf32>) -> tensor<2xf32>
    onnx.Yield %result : tensor<2xf32>
  }, {
    %result = "onnx.Add"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    onnx.Yield %result : tensor<2xf32>
  }) {onnx_node_name = "choose"} : (tensor<i1>) -> tensor<*xf32>
  return %y : tensor<*xf32>
})");
}

}  // namespace

BOOST_AUTO_TEST_CASE(one_session_runs_changing_shapes) {
    const Graph graph = symbolic_net();
    ThreadPool pool(2);
    Session fast(Program::compile(graph, {}), pool), reference(Program::compile(graph, {.reference = true}), pool);
    for (const Dims& dims : {Dims{1, 3, 8, 8}, Dims{2, 3, 5, 7}, Dims{1, 3, 8, 8}, Dims{4, 3, 1, 1}, Dims{2, 3, 5, 7}}) {
        const Tensor in = ramp(dims, -0.3f);
        const Tensor got = fast.run(std::span(&in, 1)).at(0), want = reference.run(std::span(&in, 1)).at(0);
        BOOST_TEST(got.dims == want.dims, boost::test_tools::per_element());
        const auto a = to_floats(got), b = to_floats(want);
        for (size_t i = 0; i < a.size(); ++i) BOOST_REQUIRE_SMALL(std::abs(a[i] - b[i]), 1e-5f);
    }
}

// Gemm of two computed matrices, the second as it is or turned: near the reference, and the same bits on any number of threads.
BOOST_AUTO_TEST_CASE(products_of_two_computed_matrices) {
    for (const bool turned : {false, true}) {
        Graph graph;
        const Dim m = Dim::named("m"), k = Dim::named("k"), n = Dim::named("n");
        const ValueId a = graph.add_value("a", Type::tensor(DType::f32, Shape::of_dims({m, k}))),
                      b = graph.add_value("b", Type::tensor(DType::f32, Shape::of_dims(turned ? std::vector{n, k} : std::vector{k, n}))),
                      y = graph.add_value("y", Type{});
        graph.add_node(find_op("Gemm"), "product", {a, b}, {y}, {{"transB", int64_t{turned}}});
        graph.inputs = {a, b};
        graph.outputs = {y};
        infer_types(graph);
        verify(graph);
        ThreadPool one(1), two(2);
        const auto program = Program::compile(graph, {});
        Session fast(program, one), threads(program, two), reference(Program::compile(graph, {.reference = true}), one);
        for (const auto& [rows, depth, columns] :
             {std::array{98, 64, 98}, std::array{1, 7, 3}, std::array{5, 1, 40}, std::array{98, 64, 98}}) {
            const std::array in{ramp({rows, depth}, -0.7f), ramp(turned ? Dims{columns, depth} : Dims{depth, columns}, -0.3f)};
            const Tensor got = fast.run(in).at(0), again = threads.run(in).at(0), want = reference.run(in).at(0);
            BOOST_TEST(got.dims == want.dims, boost::test_tools::per_element());
            const auto x = to_floats(got), twice = to_floats(again), z = to_floats(want);
            BOOST_TEST((x == twice));
            float greatest = 0;
            for (const float item : z) greatest = std::max(greatest, std::abs(item));
            for (size_t i = 0; i < x.size(); ++i) BOOST_REQUIRE_SMALL(std::abs(x[i] - z[i]) / greatest, 1e-5f);
        }
    }
}

// Padding as far as the kernel reaches, or beyond it: pieces of the result that see nothing else begin and end by the number of threads.
BOOST_AUTO_TEST_CASE(convolutions_padded_as_far_as_they_reach) {
    const auto waves = [](const Dims& dims) {
        std::vector<float> items(static_cast<size_t>(count_of(dims)));
        for (size_t i = 0; i < items.size(); ++i) items[i] = std::sin(static_cast<float>(7 * i + 1));
        return from_floats(DType::f32, dims, items);
    };
    struct Geometry {
        Dims data, filter;
        std::vector<int64_t> pads, strides, dilations;
    };
    for (const Geometry& g : {Geometry{{1, 8, 2, 1}, {1, 8, 3, 1}, {1, 1, 1, 1}, {1, 1}, {1, 1}},
                              Geometry{{1, 8, 2, 2}, {2, 8, 2, 2}, {1, 0, 0, 2}, {2, 1}, {1, 1}},
                              Geometry{{1, 8, 3, 2}, {2, 8, 2, 2}, {1, 2, 1, 0}, {1, 2}, {2, 1}},
                              Geometry{{1, 8, 2, 3}, {3, 8, 2, 2}, {2, 2, 2, 2}, {1, 1}, {2, 2}}}) {
        Graph graph;
        const ValueId x = graph.add_value("x", Type::tensor(DType::f32, Shape::of(g.data))), y = graph.add_value("y", Type{});
        const ValueId w = graph.add_constant("w", waves(g.filter));
        graph.add_node(find_op("Conv"), "conv", {x, w}, {y}, {{"pads", g.pads}, {"strides", g.strides}, {"dilations", g.dilations}});
        graph.inputs = {x};
        graph.outputs = {y};
        infer_types(graph);
        const Tensor in = waves(g.data);
        const auto result = [&](int threads) {
            ThreadPool pool(threads);
            Session session(Program::compile(graph, {}), pool);  // which is made for these threads
            return to_floats(session.run(std::span(&in, 1)).at(0));
        };
        for (const int threads : {2, 3, 4, 8}) BOOST_TEST((result(threads) == result(1)));
    }
}

BOOST_AUTO_TEST_CASE(outputs_outlive_later_runs_and_the_session) {
    const Graph graph = symbolic_net();
    ThreadPool pool(1);
    std::vector<Tensor> kept;
    std::vector<float> want;
    {
        Session session(Program::compile(graph, {}), pool);
        const Tensor first = ramp({1, 3, 4, 4}, 0.1f), second = ramp({1, 3, 4, 4}, -0.5f);
        kept = session.run(std::span(&first, 1));
        want = to_floats(kept.at(0));
        session.run(std::span(&second, 1));
    }
    BOOST_TEST(to_floats(kept.at(0)) == want, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(sessions_of_one_program_run_side_by_side) {
    const auto program = Program::compile(symbolic_net(), {});
    const auto run_once = [&](int64_t batch) {
        ThreadPool pool(1);
        Session session(program, pool);
        const Tensor in = ramp({batch, 3, 9, 9}, -0.4f);
        return to_floats(session.run(std::span(&in, 1)).at(0));
    };
    const std::vector<std::vector<float>> want{run_once(1), run_once(2), run_once(3)};
    std::vector<std::vector<float>> got(12);
    {
        std::vector<std::jthread> threads;
        for (size_t i = 0; i < got.size(); ++i) threads.emplace_back([&, i] { got[i] = run_once(static_cast<int64_t>(i % 3) + 1); });
    }
    for (size_t i = 0; i < got.size(); ++i) BOOST_TEST((got[i] == want[i % 3]));
}

BOOST_AUTO_TEST_CASE(observers_see_the_body_that_ran) {
    ThreadPool pool(1);
    Session session(Program::compile(branching_net(), {.observable = true}), pool);
    std::vector<std::string> seen;
    session.set_observer([&](std::string_view key, const Tensor&) { seen.emplace_back(key); });
    const auto run = [&](bool flag) {
        seen.clear();
        const std::vector<float> items{1, -3};
        const std::vector<Tensor> in{Tensor::scalar(flag), Tensor::make<float>({2}, items)};
        return to_floats(session.run(in).at(0));
    };
    const auto saw = [&](std::string_view key) { return std::find(seen.begin(), seen.end(), key) != seen.end(); };
    BOOST_TEST(run(true) == std::vector<float>({2, -6}), boost::test_tools::per_element());
    BOOST_TEST((saw("choose/then_branch/result") && saw("y") && !saw("choose/else_branch/result")));
    BOOST_TEST(run(false) == std::vector<float>({-1, 3}), boost::test_tools::per_element());
    BOOST_TEST((saw("choose/else_branch/result") && !saw("choose/then_branch/result")));
}

BOOST_AUTO_TEST_CASE(the_rounding_of_the_host_changes_nothing) {
    const Graph graph = symbolic_net();
    const Tensor in = ramp({2, 3, 9, 9}, -0.4f);
    const auto numbers = [&](int threads) {
        ThreadPool pool(threads);
        Session session(Program::compile(graph, {}), pool);
        return to_floats(session.run(std::span(&in, 1)).at(0));
    };
    const std::vector<float> want = numbers(1);
    for (const int rounding : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
        std::fesetround(rounding);
        const std::vector<float> one = numbers(1), three = numbers(3);
        BOOST_TEST(std::fegetround() == rounding);
        std::fesetround(FE_TONEAREST);
        BOOST_TEST((one == want && three == want), "rounding " << rounding);
    }
}
