// Convolutions of many geometries in tiles: the reference's numbers, and the same bits on any number of threads.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <random>

#include "libcore/exec/session.h"
#include "libcore/kernels/isa.h"

using namespace quern;

namespace {

struct Case {
    Dims x, filter;
    std::vector<int64_t> strides{1, 1}, pads{0, 0, 0, 0}, dilations{1, 1};
    std::string tail;  // "", "Relu", "Clip", "Add", "Add Relu", "Sigmoid"
    int64_t group = 1;
};

Tensor random_tensor(const Dims& dims, uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<float> items(static_cast<size_t>(count_of(dims)));
    for (float& item : items) item = static_cast<float>(random() % 2001) / 1000.0f - 1.0f;
    return Tensor::make<float>(dims, items);
}

ValueId constant(Graph& graph, const std::string& name, const Tensor& tensor) {
    const ValueId id = graph.add_value(name, Type::tensor(DType::f32, Shape::of(tensor.dims)));
    graph.value(id).data = tensor.data;
    return id;
}

Graph graph_of(const Case& c) {
    Graph graph;
    const auto value = [&](const std::string& name) { return graph.add_value(name, Type::tensor(DType::f32, {})); };
    const ValueId x = graph.add_value("x", Type::tensor(DType::f32, Shape::of(c.x)));
    const ValueId w = constant(graph, "w", random_tensor(c.filter, 1)), b = constant(graph, "b", random_tensor({c.filter[0]}, 2));
    graph.inputs = {x};
    ValueId y = value("y");
    graph.add_node(find_op("Conv"), "conv", {x, w, b}, {y},
                   {{"strides", c.strides}, {"pads", c.pads}, {"dilations", c.dilations}, {"group", c.group}});
    infer_types(graph);
    if (c.tail.starts_with("Add")) {
        const ValueId other = graph.add_value("other", graph.value(y).type), sum = value("sum");
        graph.inputs.push_back(other);
        graph.add_node(find_op("Add"), "add", {y, other}, {sum});
        y = sum;
    }
    for (const std::string op : {"Relu", "Clip", "Sigmoid"}) {
        if (!c.tail.ends_with(op)) continue;
        const ValueId z = value("z");
        std::vector<ValueId> in{y};
        if (op == "Clip")
            for (const float limit : {-0.25f, 1.5f}) in.push_back(constant(graph, std::to_string(limit), Tensor::scalar(limit)));
        graph.add_node(find_op(op), "tail", in, {z});
        y = z;
    }
    graph.outputs = {y};
    infer_types(graph);
    verify(graph);
    return graph;
}

std::vector<float> run(const Graph& graph, bool reference, int threads) {
    ThreadPool pool(threads);
    Session session(Program::compile(graph, {.reference = reference}), pool);
    std::vector<Tensor> in;
    for (const ValueId id : graph.inputs)
        in.push_back(random_tensor(*graph.value(id).type.shape.concrete(), 3 + static_cast<uint32_t>(in.size())));
    session.run(in);
    return to_floats(session.run(in)[0]);  // the second time in the planned arena
}

}  // namespace

BOOST_AUTO_TEST_CASE(convolutions_in_tiles) {
    const std::vector<Case> cases{
        {{1, 16, 1, 1}, {16, 16, 1, 1}},
        {{1, 64, 7, 7}, {96, 64, 1, 1}, {1, 1}, {0, 0, 0, 0}, {1, 1}, "Add Relu"},
        {{2, 20, 9, 11}, {33, 20, 3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}, "Relu"},
        {{1, 48, 13, 6}, {24, 48, 3, 2}, {2, 1}, {0, 2, 1, 0}, {1, 2}, "Clip"},
        {{1, 512, 6, 5}, {40, 512, 1, 1}, {2, 2}},
        {{1, 17, 5, 5}, {70, 17, 5, 5}, {3, 3}, {4, 4, 4, 4}, {2, 2}, "Add"},
        {{1, 3, 30, 27}, {32, 3, 7, 7}, {2, 2}, {3, 3, 3, 3}, {1, 1}, "Relu"},
        {{3, 1, 8, 40}, {17, 1, 3, 3}, {1, 1}, {1, 1, 1, 1}, {2, 1}, "Clip"},
        {{1, 4, 10, 10}, {16, 4, 2, 2}, {4, 5}, {0, 1, 0, 3}},
        {{1, 16, 12, 12}, {64, 16, 3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}, "Sigmoid"},
        {{1, 48, 14, 30}, {48, 1, 3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}, "Clip", 48},
        {{2, 33, 15, 13}, {33, 1, 3, 3}, {2, 2}, {0, 0, 1, 1}, {1, 1}, "Relu", 33},
        {{1, 5, 9, 9}, {5, 1, 5, 4}, {1, 2}, {2, 4, 3, 4}, {2, 3}, "Add", 5},
        {{1, 64, 2, 3}, {64, 1, 7, 7}, {1, 1}, {6, 6, 6, 6}, {1, 1}, "Add Relu", 64},
        {{1, 20, 1, 40}, {20, 1, 1, 9}, {1, 1}, {0, 0, 0, 0}, {1, 1}, "", 20},
    };
    for (size_t i = 0; i < cases.size(); ++i) {
        const Graph graph = graph_of(cases[i]);
        const auto want = run(graph, true, 1), got = run(graph, false, 1);
        BOOST_REQUIRE(got.size() == want.size());
        double worst = 0;
        for (size_t k = 0; k < got.size(); ++k)
            worst = std::max(worst, std::abs(double{got[k]} - want[k]) / std::max(1.0, std::abs(double{want[k]})));
        BOOST_TEST(worst < 2e-5, "case " << i << ": " << worst);
        for (const int threads : {2, 3, 7})
            BOOST_TEST((run(graph, false, threads) == got), "case " << i << " on " << threads << " threads");
    }
}

BOOST_AUTO_TEST_CASE(not_a_number_passes_a_convolution_with_clamp) {
    if (isa() != Isa::avx512) {
        BOOST_TEST_MESSAGE("no AVX-512: direct kernels do not run here");
        return;
    }
    Graph graph = graph_of({{1, 16, 2, 2}, {16, 16, 1, 1}, {1, 1}, {0, 0, 0, 0}, {1, 1}, "Relu"});
    ThreadPool pool(1);
    Session session(Program::compile(graph, {}), pool);
    std::vector<float> items(64, 1.0f);
    items[1] = std::nanf("");  // channel 0, second pixel
    const auto out = to_floats(session.run(std::vector{Tensor::make<float>({1, 16, 2, 2}, items)})[0]);
    for (size_t i = 0; i < out.size(); ++i) BOOST_TEST(std::isnan(out[i]) == (i % 4 == 1));
}

// Wherever in its window it is, first or last.
BOOST_AUTO_TEST_CASE(not_a_number_passes_a_max_pool) {
    Graph graph = graph_of({{1, 16, 6, 6}, {16, 16, 1, 1}, {1, 1}, {0, 0, 0, 0}, {1, 1}, ""});
    const ValueId y = graph.add_value("pooled", Type::tensor(DType::f32, {}));
    graph.add_node(find_op("MaxPool"), "pool", {graph.outputs[0]}, {y},
                   {{"kernel_shape", std::vector<int64_t>{3, 3}}, {"strides", std::vector<int64_t>{3, 3}}});
    graph.outputs = {y};
    infer_types(graph);
    ThreadPool pool(1);
    for (size_t tap = 0; tap < 9; ++tap) {
        std::vector<float> items(size_t{16} * 36, -1.0f);
        items[tap / 3 * 6 + tap % 3] = std::nanf("");  // channel 0, in the first of four windows
        const std::vector samples{Tensor::make<float>({1, 16, 6, 6}, items)};
        const auto want = to_floats(Session(Program::compile(graph, {.reference = true}), pool).run(samples)[0]);
        const auto got = to_floats(Session(Program::compile(graph, {}), pool).run(samples)[0]);
        BOOST_TEST(std::isnan(want[0]));
        for (size_t i = 0; i < got.size(); ++i) BOOST_TEST(std::isnan(got[i]) == std::isnan(want[i]), "tap " << tap << ", result " << i);
    }
}
