// What LSTM, GRU and RNN share: their shapes and directions, activations by name, and the loop over time.
#pragma once

#include "libcore/graph/op.h"

namespace quern {

// Concrete shapes of a recurrent node.
struct Recurrent {
    int64_t steps, batch, input, hidden, directions, gates;
    bool batch_first;    // attribute layout = 1
    bool reverse_first;  // direction = reverse: the only direction runs backwards
    bool backwards(int64_t direction) const { return reverse_first || direction == 1; }
};
Recurrent recurrent_of(EvalCtx& ctx, int64_t gates);

void infer_recurrent(InferCtx& ctx);  // Y, Y_h and, if there is one, Y_c

// One activation of the standard's list with its parameters.
struct GateActivation {
    enum class Kind : uint8_t {
        relu,
        tanh,
        sigmoid,
        affine,
        leaky_relu,
        thresholded_relu,
        scaled_tanh,
        hard_sigmoid,
        elu,
        softsign,
        softplus
    };
    Kind kind;
    float alpha, beta;
    template <class T>
    T operator()(T x) const;
};

// The activations of every direction one after the other; `defaults` names those of one direction.
std::vector<GateActivation> gate_activations(const NodeView& node, std::span<const std::string_view> defaults, int64_t directions);

// Bounds the input of an activation by attribute clip; 0: no bound.
template <class T>
struct Clip {
    T limit;
    T operator()(T x) const { return limit > 0 ? std::min(std::max(x, -limit), limit) : x; }
};
template <class T>
Clip<T> clip_of(const NodeView& node) {
    return {node.has("clip") ? static_cast<T>(node.real("clip")) : T{0}};
}

}  // namespace quern
