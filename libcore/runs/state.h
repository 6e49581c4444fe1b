// State that a model hands from one sample to the next: outputs fed back to inputs.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "formats/tensors/fit.h"

namespace quern {

struct StatePlan {
    std::vector<std::pair<size_t, size_t>> loops;  // input, output that feeds it
    std::vector<size_t> fed;                       // inputs that come from the samples
    std::map<size_t, Tensor> first;                // inputs that do not begin at 0

    // The state before the first sample: `first`, else zeros; an unknown dim is 1 if it is the batch (a first dim, or its symbol), else
    // that of the state that follows, or 0 (an empty cache), or 1 if the graph cannot take 0.
    std::vector<Tensor> initial(const Graph& graph) const;
};

// A state that has become an input and an output; `first`: what it begins with, undefined for zeros.
struct ExposedState {
    ValueId in, out;
    Tensor first;
};

// Recurrent operators (LSTM, GRU, RNN) that begin with constant zeros, or with nothing, get inputs and outputs for their state:
// "<node>/h" and "<node>/h_out", and "<node>/c" of an LSTM. The operator State becomes an input of its name. Throws Exit::unsupported if
// a pass has dropped what continues a State, or it begins with what is computed.
std::vector<ExposedState> expose_state(Graph& graph);

// `exposed` states are fed back, and `pairs`, which are "in=out". With `by_name`, also inputs whose name with a usual suffix or exchange is
// an output's ("h" and "h_out" or "hN", "h_in" and "h_out", "past_..." and "present_...") of equal dtype. Throws Exit::usage if there is
// nothing to feed back.
StatePlan plan_states(const Graph& graph, bool by_name, const std::vector<std::string>& pairs,
                      const std::vector<ExposedState>& exposed = {});
// By the flags --stateful, with which recurrent operators are exposed first, and --state.
StatePlan asked_states(Graph& graph, bool stateful, const std::vector<std::string>& pairs);

// Of the inputs that come from the samples.
std::vector<InputSpec> fed_specs(const Graph& graph, const StatePlan& plan);

}  // namespace quern
