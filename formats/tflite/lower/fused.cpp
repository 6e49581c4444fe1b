#include "formats/tflite/lower/fused.h"

#include <limits>

#include "libcore/graph/op_ids.h"
#include "libcore/graph/questions.h"
#include "libcore/passes/shared.h"

namespace quern::tflite_format {

std::string_view fused_name(const Graph& graph, const Node& node) {
    const auto bounds = clip_bounds(graph, node);
    if (!bounds) return "NONE";
    if (bounds->low == 0 && bounds->high == std::numeric_limits<float>::infinity()) return "RELU";
    if (bounds->low == 0 && bounds->high == 6) return "RELU6";
    return bounds->low == -1 && bounds->high == 1 ? "RELU_N1_TO_1" : "NONE";
}

Code operator_of(std::string_view fused_name) {
    return fused_name == "RELU" ? Code::RELU : fused_name == "RELU6" ? Code::RELU6 : Code::RELU_N1_TO_1;
}

bool is_mod_of_sizes(const Graph& graph, const Node& node) {
    return is_float(graph.value(node.in[0]).type.dtype) && made_by(graph, node.in[0], ops::Abs) && made_by(graph, node.in[1], ops::Abs);
}

}  // namespace quern::tflite_format
