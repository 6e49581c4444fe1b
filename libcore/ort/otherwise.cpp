#include "libcore/ort/otherwise.h"

#include <algorithm>
#include <array>

#include "libcore/base/error.h"
#include "libcore/graph/op_ids.h"
#include "libcore/graph/summary.h"

namespace quern::ort {
namespace {

struct Row {
    std::string_view provider;
    OpId op;
    bool (*is)(const Graph& graph, const Node& node);
    std::string_view why;
};

// Nearest neighbours that HTP picks by another rule.
bool picks_other_pixels(const Graph&, const Node& node) {
    const NodeView view(node);
    if (view.text("mode") != "nearest") return false;
    const std::string where = view.text("coordinate_transformation_mode"), rounding = view.text("nearest_mode");
    if (where == "asymmetric") return rounding == "round_prefer_ceil";
    return (where == "half_pixel" || where == "align_corners") && (rounding == "floor" || rounding == "ceil");
}

// Both factors quantized to 8 bits, and so is the product.
bool is_deep_product(const Graph& graph, const Node& node) {
    const auto narrow = [&](ValueId id) {
        return graph.value(id).enc && !graph.value(id).constant() && bits_of(graph.value(id).enc->storage) <= 8;
    };
    return graph.value(node.in[0]).type.shape.rank() >= 5 && narrow(node.in[0]) && narrow(node.in[1]) && narrow(node.out[0]);
}

// Whole numbers become what uint8 holds of them, from 0 to 255; great floats become 0.
bool casts_to_truth(const Graph& graph, const Node& node) { return graph.value(node.out[0]).type.dtype == DType::boolean; }

// What HTP computes in float16, where whole numbers end.
bool is_of_integers(const Graph& graph, const Node& node) { return is_integer(graph.value(node.in[0]).type.dtype); }

constexpr std::array rows{
    Row{"qnn", ops::Resize, picks_other_pixels,
        "QNN takes it and gives other pixels than nearest_mode and coordinate_transformation_mode say"},
    Row{"qnn", ops::MatMul, is_deep_product, "QNN takes products of 8 bits with five dims and gives other values"},
    Row{"qnn", ops::Cast, casts_to_truth, "QNN takes casts to truth values and gives other values than 0 and 1"},
    Row{"qnn", ops::Mod, is_of_integers, "QNN takes remainders of integers and gives other values, by its float16"},
    Row{"qnn", ops::CumSum, is_of_integers, "QNN takes sums of integers along an axis and gives other values, by its float16"},
};

}  // namespace

std::optional<std::string> otherwise(const Provider& provider, const Graph& graph, const Node& node) {
    for (const Row& row : rows)
        if (row.provider == provider.name && node.is(row.op) && row.is(graph, node)) return std::string(row.why);
    return std::nullopt;
}

void refuse_otherwise(const Provider& provider, const Graph& graph) {
    for_each_graph(graph, [&](const Graph& part, const std::string&) {
        for (const NodeId id : part.order())
            if (const auto why = otherwise(provider, part, part.node(id))) throw unsupported("{}: {}", described(part.node(id)), *why);
    });
}

}  // namespace quern::ort
