// What a file means, however it says it: encodings on values or operators that stand for them, and whether a run computes on codes.
#pragma once

#include "libcore/exec/session.h"

namespace quern {

// Has it encodings, or operators that stand for them?
bool is_quantized(const Graph& graph);

// The graph with its encodings on values (as_folded) if it has any, else as it is: what tools ask, run and compare.
Graph as_encoded(Graph graph);

// The same with fake quantization that is spelled out in float operators as encodings, too: what a file was trained for. Runs compute
// these operators as they stand.
Graph as_trained(Graph graph);

// How the model runs by itself: on codes where activations are encoded, by constants or at run time, or where weights are and the profile
// that the model names, or `profile` in its place, rounds what it multiplies them with; else on numbers, which are rounded where
// activations are stored in float8.
Mode own_mode(const Graph& graph, const Profile* profile = nullptr);

// "codes, profile tflite": what a run of `graph` in `mode` computes; "" for the numbers of a model that is not quantized.
std::string computed_text(const Graph& graph, Mode mode, const Profile* profile = nullptr);

// Operators of an integer run, or of code, that compute on real numbers, one text for each kind of operator and reason.
std::vector<std::string> real_operators(std::span<const Choice> choices);

}  // namespace quern
