// What LSTM, GRU and RNN share: their shapes and directions, activations by name, and the loop over time.
#pragma once

#include "libcore/graph/op.h"

namespace quern {

// Operands by their place.
namespace recurrent_operands {
inline constexpr size_t weights_at = 1, recurrence_at = 2, bias_at = 3, lengths_at = 4, hidden_at = 5, cell_at = 6, peepholes_at = 7;
}

// Concrete shapes of a recurrent node.
struct Recurrent {
    int64_t steps, batch, input, hidden, directions, gates;
    bool batch_first;    // attribute layout = 1
    bool reverse_first;  // direction = reverse: the only direction runs backwards
    bool backwards(int64_t direction) const { return reverse_first || direction == 1; }
};
Recurrent recurrent_of(EvalCtx& ctx, int64_t gates);

// Where rows of the operands and results start, in elements.
struct RecurrentPlaces {
    const Recurrent& rec;
    int64_t x(int64_t t, int64_t b) const { return (rec.batch_first ? b * rec.steps + t : t * rec.batch + b) * rec.input; }
    int64_t y(int64_t t, int64_t d, int64_t b) const {
        return (rec.batch_first ? (b * rec.steps + t) * rec.directions + d : (t * rec.directions + d) * rec.batch + b) * rec.hidden;
    }
    int64_t state(int64_t d, int64_t b) const { return (rec.batch_first ? b * rec.directions + d : d * rec.batch + b) * rec.hidden; }
};
// Gives y and, where somebody wants them, the last h and c (nullptr: the operator has no cells).
template <class T>
void give_recurrent(EvalCtx& ctx, const Recurrent& rec, const std::vector<T>& y, const std::vector<T>& h, const std::vector<T>* c);
int64_t direction_count(const NodeView& node);  // throws Exit::bad_input for an unknown direction

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

// Bounds the sums of gates by attribute clip, as onnxruntime does, which lets the cell of an LSTM pass; 0: no bound.
template <class T>
struct Clip {
    T limit;
    T operator()(T x) const { return limit > 0 ? std::min(std::max(x, -limit), limit) : x; }
};
template <class T>
Clip<T> clip_of(const NodeView& node) {
    return {node.has("clip") ? static_cast<T>(node.real("clip")) : T{0}};
}

// What one step of an LSTM does with the sums of its gates i, o, f, c: h and c are updated in place.
template <class T>
struct LstmCell {
    int64_t hidden;
    const T* peephole;          // of i, o, f, the output gate's on the new cell; zeros if absent
    const GateActivation* act;  // of the gates, the candidate and the cell
    Clip<T> clip, cell_clip;
    bool coupled;  // the forget gate is 1 - i

    void operator()(const T* gate, T* h, T* c) const {
        const int64_t n = hidden;
        const T *pi = peephole, *po = pi + n, *pf = po + n;
        for (int64_t k = 0; k < n; ++k) {
            const T i = act[0](clip(gate[k] + pi[k] * c[k]));
            const T f = coupled ? T{1} - i : act[0](clip(gate[2 * n + k] + pf[k] * c[k]));
            c[k] = cell_clip(f * c[k] + i * act[1](clip(gate[3 * n + k])));
            const T o = act[0](clip(gate[n + k] + po[k] * c[k]));
            h[k] = o * act[2](c[k]);
        }
    }
};

}  // namespace quern
