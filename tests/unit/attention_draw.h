// Attentions of ai.onnx, drawn: graph and samples.
#pragma once

#include <random>

#include "libcore/graph/op.h"

namespace quern {

inline Tensor random_floats(std::mt19937& random, Dims dims, float size = 1) {
    std::uniform_real_distribution<float> draw(-size, size);
    std::vector<float> items(static_cast<size_t>(count_of(dims)));
    for (float& item : items) item = draw(random);
    return Tensor::make<float>(std::move(dims), items);
}

inline Tensor ints_of(const std::vector<int64_t>& items) { return Tensor::vector<int64_t>(items); }

// A graph of one node whose inputs are of the types of `in`, undefined ones being absent; shapes stay open if `open`.
inline Graph graph_of_node(std::string_view op, const std::vector<Tensor>& in, size_t outputs, Attrs attrs, bool open = false) {
    Graph graph;
    std::vector<ValueId> ins, outs;
    for (size_t i = 0; i < in.size(); ++i) {
        ins.push_back(ValueId::none);
        if (!in[i].defined()) continue;
        Shape shape = Shape::of(in[i].dims);
        for (size_t d = 0; open && d < shape.rank(); ++d) shape.dims[d] = Dim::unknown();
        ins.back() = graph.add_value("in" + std::to_string(i), Type::tensor(in[i].dtype, shape));
        graph.inputs.push_back(ins.back());
    }
    for (size_t i = 0; i < outputs; ++i) outs.push_back(graph.add_value("out" + std::to_string(i), Type{}));
    graph.outputs = outs;
    graph.add_node(find_op(op), "node", ins, outs, std::move(attrs));
    infer_types(graph);
    verify(graph);
    return graph;
}

struct DrawnAttention {
    std::vector<Tensor> in;  // of the node
    Attrs attrs;
    size_t outputs = 1;

    std::vector<Tensor> samples() const {
        std::vector<Tensor> all;
        for (const Tensor& tensor : in)
            if (tensor.defined()) all.push_back(tensor);
        return all;
    }
};

DrawnAttention draw_attention(uint32_t seed);

}  // namespace quern
