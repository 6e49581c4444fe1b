// Nets of which it is known what costs them accuracy when they are quantized.
#pragma once

#include <cmath>
#include <random>

#include "formats/format.h"
#include "formats/samples/random_source.h"
#include "libcore/check/budget.h"
#include "libcore/check/check.h"
#include "libcore/quant/collect/collect.h"

namespace quern::check_nets {

inline Tensor random_weights(Dims dims, uint32_t seed, float spread) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0, spread);
    std::vector<float> items(static_cast<size_t>(count_of(dims)));
    for (float& item : items) item = normal(random);
    return Tensor::make<float>(std::move(dims), items);
}

// The elements of a constant, changed.
inline void change(Graph& graph, const std::string& name, const std::function<void(std::vector<float>&)>& fn) {
    const ValueId id = graph.find(name);
    std::vector<float> items = to_floats(*graph.constant(id));
    fn(items);
    graph.value(id).data = Tensor::make<float>(graph.constant(id)->dims, items).data;
}

// x [1,channels,6,6], then `depth` times a convolution "c<i>" with weights "w<i>" [channels,channels,1,1] and a bias "b<i>", and a Relu
// "r<i>".
inline Graph chain(size_t depth, int64_t channels = 8) {
    Graph g;
    const Type type = Type::tensor(DType::f32, Shape::of(std::vector<int64_t>{1, channels, 6, 6}));
    ValueId last = g.add_value("x", type);
    g.inputs = {last};
    for (size_t i = 0; i < depth; ++i) {
        const std::string n = std::to_string(i);
        const ValueId w = g.add_constant("w" + n, random_weights({channels, channels, 1, 1}, static_cast<uint32_t>(i),
                                                                 1.4f / std::sqrt(static_cast<float>(channels)))),
                      b = g.add_constant("b" + n, random_weights({channels}, static_cast<uint32_t>(100 + i), 0.2f)),
                      c = g.add_value("c" + n, {}), r = g.add_value("r" + n, {});
        g.add_node(find_op("Conv"), "conv" + n, {last, w, b}, {c});
        g.add_node(find_op("Relu"), "relu" + n, {c}, {r});
        last = r;
    }
    g.outputs = {last};
    infer_types(g);
    return g;
}

// A model with its ranges and samples.
class Bench {
   public:
    explicit Bench(Graph graph, uint64_t samples = 6) : pool_(2) {
        model.graph = std::move(graph);
        source = random_samples(input_specs(model.graph), 1, samples);
        const auto recorder = make_recorder(model.graph, "", {});
        for (uint64_t i = 0; i < source->count(); ++i) recorder->run(source->sample(i));
        ranges = recorder->ranges(true);
    }
    Quantizer quantizer(std::string_view type, bool per_tensor = false) {
        return {model, &ranges, {.scheme = &scheme_named(type), .per_tensor = per_tensor}, pool_};
    }
    CheckReport report(std::string_view type, size_t evaluated = 0) {
        const Quantizer q = quantizer(type);
        const Graph exact = q.exact();
        Evaluator evaluator(exact, *source, {});
        CheckReport out;
        check_model(out, evaluator, std::string(type), q.quantized(*q.request().scheme), {});
        check_units(out, evaluator, exact, q.quantized(*q.request().scheme), *source, {.evaluated_units = evaluated});
        return out;
    }

    Model model;
    Ranges ranges;
    std::unique_ptr<SampleSource> source;

   private:
    ThreadPool pool_;
};

// Channel 0 of r1 is nearly nothing, and the weight of channel 5 of conv2 for it is so great that the grid of that channel is coarse.
inline Graph outlier_weight() {
    Graph g = chain(4);
    change(g, "w1", [](std::vector<float>& w) { std::fill_n(w.begin(), 8, 0.0f); });
    change(g, "b1", [](std::vector<float>& b) { b[0] = 0.001f; });
    change(g, "w2", [](std::vector<float>& w) { w[5 * 8] = 60; });
    return g;
}

// Channel 5 of r1 is far greater than all others, and what reads it makes little of it.
inline Graph outlier_channel() {
    Graph g = chain(4);
    change(g, "b1", [](std::vector<float>& b) { b[5] = 300; });
    change(g, "w2", [](std::vector<float>& w) {
        for (size_t i = 0; i < 8; ++i) w[i * 8 + 5] = 0.001f;
    });
    return g;
}

}  // namespace quern::check_nets
