#include "libcore/passes/pipelines.h"

#include <array>

#include "libcore/graph/edit.h"
#include "libcore/passes/passes.h"

namespace quern {
namespace {

constexpr std::array folded_passes{&drop_identity, &fold_qdq};
constexpr std::array float_run_passes{&drop_identity, &fold_constants, &fuse_lstm,    &fuse_gru,
                                      &fuse_gelu,     &fuse_layernorm, &fuse_rmsnorm, &drop_dead};
constexpr std::array observed_passes{&fuse_lstm, &split_attention, &expand_attention};
constexpr std::array quantizer_passes{&decode_floats,  &fold_fake_quant, &fuse_lstm,    &split_attention, &drop_identity, &fold_qdq,
                                      &fold_constants, &inline_branches, &drop_neutral, &fuse_batchnorm,  &drop_dead};
constexpr std::array expanded_passes{&drop_identity, &fold_constants, &drop_dead};
constexpr std::array whole_norms_passes{&drop_identity, &fold_constants, &fuse_layernorm, &fuse_rmsnorm};
constexpr std::array pinned_passes{&fold_constants, &inline_branches, &drop_identity, &drop_dead};
constexpr std::array placed_passes{&drop_identity, &fold_constants, &drop_dead};
constexpr std::array bodies_passes{&fold_constants, &drop_dead};
constexpr std::array tflite_wholes_passes{&fold_qdq,  &drop_identity,  &fold_constants, &merge_common,    &fuse_batchnorm,
                                          &fuse_gelu, &fuse_layernorm, &fuse_rmsnorm,   &split_attention, &expand_attention};
constexpr std::array tflite_passes{&fold_qdq,     &drop_identity, &fold_constants,       &fuse_batchnorm, &fuse_gelu,    &fuse_layernorm,
                                   &fuse_rmsnorm, &move_layout,   &drop_transpose_pairs, &fold_constants, &drop_neutral, &drop_dead};
constexpr std::array onnx_layout_passes{&drop_transpose_pairs, &drop_dead, &merge_common};

}  // namespace

namespace pipelines {
constinit const Pipeline folded{"folded", "explicit operators become encodings of values", folded_passes};
constinit const Pipeline float_run{"float_run", "what a float run may compute in other steps than the graph says", float_run_passes};
constinit const Pipeline observed{"observed", "what ranges are collected of", observed_passes};
constinit const Pipeline quantizer{"quantizer", "what the quantizer decides about", quantizer_passes};
constinit const Pipeline expanded{"expanded", "behind operators that were spelled out for the quantizer", expanded_passes};
constinit const Pipeline whole_norms{"whole_norms", "normalizations in one piece", whole_norms_passes};
constinit const Pipeline pinned{"pinned", "behind inputs that have become constants", pinned_passes};
constinit const Pipeline placed{"placed", "what a device is asked about", placed_passes};
constinit const Pipeline bodies{"bodies", "bodies whose shapes have become known", bodies_passes};
constinit const Pipeline tflite_wholes{"tflite_wholes", "before what TFLite and Circle lack is written with what they have",
                                       tflite_wholes_passes};
constinit const Pipeline tflite{"tflite", "before TFLite and Circle files are written", tflite_passes};
constinit const Pipeline onnx_layout{"onnx_layout", "behind a graph that was brought back to channels-first", onnx_layout_passes};
}  // namespace pipelines

int run_pipeline(Graph& graph, const Pipeline& pipeline) { return run_passes(graph, pipeline.passes); }

Graph as_folded(Graph graph) {
    run_pipeline(graph, pipelines::folded);
    localize_constants(graph);
    run_passes(graph, std::array{&drop_dead});
    return graph;
}

}  // namespace quern
