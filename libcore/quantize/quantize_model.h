// Quantizing a model for the file that it goes to.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "formats/format.h"
#include "libcore/quant/algorithms/algorithm.h"
#include "libcore/quant/quantize.h"

namespace quern {

// Those of the file `path`, or if that is "" the ones inside the model; nothing if there are none. Throws Exit::bad_input if they were
// collected on another model, unless `force`.
std::optional<Ranges> ranges_for(const Model& model, const std::string& path, bool force);

// For a type of codes a graph that computes in float16 or bfloat16 becomes one on float32; the type that it had, else none.
DType widen_for_codes(Graph& graph, const QuantRequest& request);

// The graph that the quantizer decides about: in float32, by its passes, and for a type of activations with attention as the products that
// it computes, where no rule keeps it float.
void prepare_graph(Graph& graph, const QuantWork& work);

// Prepares the graph with the quantizer's passes and quantizes it by the rules of the destination; embedded ranges are dropped. Exit::usage
// if the type needs ranges and there are none, and neither samples nor encodings of the model or of overrides. `overrides_place`: where the
// overrides come from, for messages.
QuantReport quantize_model(Model& model, const Ranges* ranges, const QuantRequest& request, ThreadPool& pool,
                           const std::string& overrides_place = "overrides", AlgorithmOptions algorithms = {});

}  // namespace quern
