// Pipelines: which passes run, in which order, before something is done with a graph. Each is run until nothing changes (run_passes).
#pragma once

#include "libcore/passes/pass.h"

namespace quern {

struct Pipeline {
    std::string_view name, doc;
    std::span<const Pass* const> passes;
};

namespace pipelines {
extern const Pipeline folded, float_run, observed, quantizer, expanded, whole_norms, pinned, placed, bodies, tflite_wholes, tflite,
    onnx_layout;
}

int run_pipeline(Graph& graph, const Pipeline& pipeline);

// The graph with its encodings on values, where files have explicit operators (Q/DQ), and constants in the bodies that read them.
Graph as_folded(Graph graph);

}  // namespace quern
