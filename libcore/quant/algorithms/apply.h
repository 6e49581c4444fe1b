// The chosen algorithms around the quantizer: those before it on the float graph, those after it on the quantized one.
#pragma once

#include <optional>

#include "libcore/quant/algorithms/algorithm.h"

namespace quern {

// Throws Exit::usage, naming it, if an algorithm needs samples and there are none.
void check_samples(const AlgorithmChoice& choice, const SampleFeed* feed);

// Runs what comes before on a graph that the quantizer's passes are done with. `ranges` are those of the graph as it is then: measured
// anew if there are samples and values changed, or no ranges were there; else rescaled, as `options.normals` are. Muls
// that smoothquant puts in are added to work.dividers. Throws Exit::usage naming
// values whose ranges would have to be measured again.
std::vector<AlgorithmReport> run_before(Graph& graph, std::optional<Ranges>& ranges, const std::string& lineage, QuantWork& work,
                                        AlgorithmOptions& options, ThreadPool& pool);

// Runs what changes `ranges` of a float graph that is as the quantizer will get it.
std::vector<AlgorithmReport> run_between(Graph& graph, Ranges& ranges, const QuantWork& work, const AlgorithmOptions& options,
                                         ThreadPool& pool);

// `reference`: the graph as it was given to the quantizer.
std::vector<AlgorithmReport> run_after(const Graph& reference, Graph& graph, const QuantWork& work, const AlgorithmOptions& options,
                                       ThreadPool& pool);

}  // namespace quern
