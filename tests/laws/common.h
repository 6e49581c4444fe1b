// What the laws share: the models they are swept over, and runs on random inputs.
#pragma once

#include <string>
#include <vector>

#include "formats/format.h"
#include "libcore/exec/session.h"

namespace quern::laws {

// Public models ($QUERN_MODELS; without it exported ones of tests/models/exports/EXPORTS, and in CI that is an error) and
// tests/laws/graphs.
std::vector<std::string> model_paths(std::string_view exports = {});

// Those of tests/models/exports/EXPORTS.
std::vector<std::string> exported_paths(std::string_view exports);

std::string text_of(const Graph& graph);
std::string text_of(const Model& model);  // with metadata, lineage and facts

// Inputs of fixed shapes from the same numbers every time: symbols are 1 if they name a batch, else 8 (512 for "sequence").
std::vector<Tensor> random_inputs(const Graph& graph);
// On the reference rows; encodings, which fold_qdq makes of explicit operators, are simulated.
std::vector<Tensor> outputs_of(const Graph& graph, std::span<const Tensor> inputs);
// max|a-b| / max|b|; infinity if shapes, types, or NaNs differ.
double difference(const Tensor& a, const Tensor& b);

}  // namespace quern::laws
