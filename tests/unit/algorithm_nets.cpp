#include "tests/unit/algorithm_nets.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <random>

#include "tests/common/graph_of.h"

namespace quern {

Tensor random_tensor(Dims dims, unsigned seed, double width, double middle) {
    std::mt19937 random(seed);
    std::vector<float> numbers(static_cast<size_t>(count_of(dims)));
    for (float& x : numbers) x = static_cast<float>(middle + width * (static_cast<double>(random() % 20001) / 10000 - 1));
    return Tensor::make<float>(std::move(dims), numbers);
}

Tensor uneven(Tensor tensor, size_t axis, bool divided) {
    std::vector<float> numbers = to_floats(tensor);
    const auto inner = static_cast<size_t>(count_of(std::span(tensor.dims).subspan(axis + 1)));
    for (size_t i = 0; i < numbers.size(); ++i) {
        const auto channel = i / inner % static_cast<size_t>(tensor.dims[axis]);
        const int exponent = static_cast<int>(channel * 5 % 9) - 4;
        numbers[i] *= std::ldexp(1.0f, divided ? -exponent : exponent);
    }
    return Tensor::make<float>(tensor.dims, numbers);
}

Graph small_net() {
    return graph_of(
        R"(%a = "onnx.Conv"(%x, %w1, %b1) {pads = [1, 1, 1, 1], onnx_node_name = "first"} : (tensor<1x3x6x6xf32>, tensor<8x3x3x3xf32>, tensor<8xf32>) -> tensor<1x8x6x6xf32>
%b = "onnx.Relu"(%a) : (tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32>
%c = "onnx.Conv"(%b, %w2, %b2) {group = 8 : si64, onnx_node_name = "depthwise"} : (tensor<1x8x6x6xf32>, tensor<8x1x3x3xf32>, tensor<8xf32>) -> tensor<1x8x4x4xf32>
%d = "onnx.LeakyRelu"(%c) {alpha = 0.1 : f32} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
%e = "onnx.Conv"(%d, %w3, %b3) {onnx_node_name = "last"} : (tensor<1x8x4x4xf32>, tensor<6x8x1x1xf32>, tensor<6xf32>) -> tensor<1x6x4x4xf32>
%f = "onnx.Relu"(%e) : (tensor<1x6x4x4xf32>) -> tensor<1x6x4x4xf32>
%g = "onnx.MaxPool"(%f) {kernel_shape = [2, 2], strides = [2, 2]} : (tensor<1x6x4x4xf32>) -> tensor<1x6x2x2xf32>
%h = "onnx.Flatten"(%g) : (tensor<1x6x2x2xf32>) -> tensor<1x24xf32>
%y = "onnx.Gemm"(%h, %w4, %b4) {transB = 1 : si64, onnx_node_name = "scores"} : (tensor<1x24xf32>, tensor<5x24xf32>, tensor<5xf32>) -> tensor<1x5xf32>)",
        {{"w1", uneven(random_tensor({8, 3, 3, 3}, 1), 0, false)},
         {"b1", uneven(random_tensor({8}, 2, 0.1), 0, false)},
         {"w2", random_tensor({8, 1, 3, 3}, 3)},
         {"b2", uneven(random_tensor({8}, 4, 0.1), 0, false)},
         {"w3", uneven(random_tensor({6, 8, 1, 1}, 5), 1, true)},
         {"b3", random_tensor({6}, 6, 0.1)},
         {"w4", random_tensor({5, 24}, 7)},
         {"b4", random_tensor({5}, 8)}});
}

Tensor sample_of(const Graph& graph, uint64_t i) {
    return random_tensor(*graph.value(graph.inputs[0]).type.shape.concrete(), static_cast<unsigned>(100 + i), 1, 0.3);
}

SampleFeed feed_of(const Graph& graph, uint64_t count) {
    const auto shape = std::make_shared<Graph>(graph);
    return {count, [=](uint64_t i) { return std::vector<Tensor>{sample_of(*shape, i)}; },
            [](uint64_t i) { return fmt::format("sample {}", i); }, [](uint64_t i) { return i; }, "test"};
}

std::vector<float> outputs_of(const Graph& graph, Mode mode, uint64_t sample) {
    ThreadPool pool(1);
    Session session(Program::compile(graph, {.mode = mode, .reference = true}), pool);
    return to_floats(session.run(std::vector<Tensor>{sample_of(graph, sample)})[0]);
}

double sqnr(const Graph& reference, const Graph& graph, uint64_t first, uint64_t count) {
    double signal = 0, noise = 0;
    for (uint64_t i = first; i < first + count; ++i) {
        const std::vector<float> want = outputs_of(reference, Mode::floating, i), got = outputs_of(graph, Mode::fake, i);
        for (size_t k = 0; k < want.size(); ++k) {
            signal += static_cast<double>(want[k]) * static_cast<double>(want[k]);
            noise += std::pow(static_cast<double>(want[k]) - static_cast<double>(got[k]), 2);
        }
    }
    return 10 * std::log10(signal / noise);
}

std::vector<float> constant(const Graph& graph, const std::string& node, size_t at) {
    return to_floats(*graph.constant(graph.node(graph.find_node(node)).in[at]));
}

double greatest(const std::vector<float>& numbers, size_t first, size_t count, size_t step) {
    float most = 0;
    for (size_t i = 0; i < count; ++i) most = std::max(most, std::abs(numbers[first + i * step]));
    return static_cast<double>(most);
}

Quantized quantized(const Graph& source, const char* type, std::vector<std::string> names, int threads, bool per_tensor, const Rules* rules,
                    SmoothMul smooth_mul) {
    Quantized made{source, source, {}};
    ThreadPool pool(threads);
    const SampleFeed feed = feed_of(source, 48);
    AlgorithmOptions options{.chosen = algorithms_named(names), .feed = &feed, .rows = 1024, .iterations = 400, .smooth_mul = smooth_mul};
    QuantRequest request;
    request.scheme = &scheme_named(type);
    request.per_tensor = per_tensor;
    request.rules = rules;
    QuantWork work(request);
    std::optional<Ranges> ranges;
    made.reports = run_before(made.graph, ranges, "", work, options, pool);
    made.reference = made.graph;
    if (ranges)
        for (AlgorithmReport& report : run_between(made.graph, *ranges, work, options, pool)) made.reports.push_back(std::move(report));
    quantize_graph(made.graph, ranges ? &*ranges : nullptr, work, pool);
    for (AlgorithmReport& report : run_after(made.reference, made.graph, work, options, pool)) made.reports.push_back(std::move(report));
    return made;
}

void same_function(const Graph& source, const Graph& changed) {
    for (uint64_t i = 0; i < 5; ++i) {
        const std::vector<float> want = outputs_of(source, Mode::floating, i), got = outputs_of(changed, Mode::floating, i);
        for (size_t k = 0; k < want.size(); ++k) BOOST_TEST(std::abs(got[k] - want[k]) < 1e-3f);
    }
}

}  // namespace quern
