#include "libcore/kernels/conv_site.h"

#include <cmath>
#include <cstring>

#include "libcore/graph/op_ids.h"
#include "libcore/ops/shared/spatial.h"

namespace quern {
namespace {

bool is_foldable_norm(const Site& site, const Node& node) {
    if (!node.is(ops::BatchNormalization) || site.nodes.size() != 1 || node.in[0] != site.out() || node.out.size() != 1) return false;
    if (NodeView(node).integer("training_mode") != 0 || channels_last(NodeView(node)) != channels_last(NodeView(site.first())))
        return false;
    for (size_t i = 1; i < 5; ++i)
        if (!site.value(node.in.at(i)).constant() || !is_f32(site, node.in[i])) return false;
    return true;
}

bool has_bias(const Node& node) { return node.in.size() > 2 && node.in[2] != ValueId::none; }

std::vector<float> norm_part(const Graph& graph, const Node& norm, size_t i) { return to_floats(*graph.constant(norm.in[i])); }

// By how much the BatchNormalization multiplies each channel.
std::vector<float> norm_factors(const Graph& graph, const Node& norm) {
    std::vector<float> factors = norm_part(graph, norm, 1);
    const std::vector<float> variance = norm_part(graph, norm, 4);
    const float epsilon = NodeView(norm).real("epsilon");
    for (size_t m = 0; m < factors.size(); ++m) factors[m] /= std::sqrt(variance[m] + epsilon);
    return factors;
}

}  // namespace

bool absorbs_into_conv(const Site& site, const Node& next) {
    return is_foldable_norm(site, next) || is_residual_add(site, next) || is_chained_eltwise(site, next);
}

std::string_view conv_obstacle(const Site& site) {
    const Node& node = site.first();
    if (!is_f32(site, node.in[0])) return "is not float32";
    if (!site.value(node.in[1]).constant() || !is_f32(site, node.in[1])) return "the filter is not constant";
    if (has_bias(node) && !site.value(node.in[2]).constant()) return "the bias is not constant";
    const size_t rank = site.value(node.in[1]).type.shape.rank();
    return rank < 3 || rank > 5 ? "is not 1-, 2- or 3-dimensional" : "";
}

ConvSite::ConvSite(const Site& site) : view(site.first()), last(channels_last(view)), group(view.integer("group")) {
    const Node& node = site.first();
    filter = *site.value(node.in[1]).type.shape.concrete();
    if (last) filter = to_channels_first(filter);
    held.push_back(node.in[1]);
    if (has_bias(node)) held.push_back(node.in[2]);
    if (site.nodes.size() > 1 && is_foldable_norm({site.graph, {&node}, {}}, *site.nodes[1])) norm_ = site.nodes[1];
    if (norm_) held.insert(held.end(), norm_->in.begin() + 1, norm_->in.begin() + 5);
    tail = tail_of(site, norm_ ? 2 : 1);
    name = std::string("conv") + (norm_ ? "+BatchNormalization" : "") + tail.name;
}

FloatSource ConvSite::filter_source(const Site& site) const {
    FloatSource stored = floats_of(site, site.first().in[1]);
    if (!last && !norm_) return stored;
    return [stored, moves = last, dims = filter, factors = norm_ ? norm_factors(site.graph, *norm_) : std::vector<float>()] {
        const Bytes from = stored();
        MutableBytes own(from.size());
        auto* to = reinterpret_cast<float*>(own.data());
        if (moves)
            swap_axes(reinterpret_cast<const float*>(from.data()), to, dims[0], count_of(space_of(dims)), dims[1]);
        else
            std::memcpy(to, from.data(), from.size());
        from.release();
        const auto each = static_cast<size_t>(count_of(std::span(dims).subspan(1)));
        for (size_t i = 0; i < each * factors.size(); ++i) to[i] *= factors[i / each];
        return std::move(own).freeze();
    };
}

std::vector<float> ConvSite::bias(const Site& site) const {
    const Node& node = site.first();
    std::vector<float> bias(static_cast<size_t>(filter[0]));
    if (has_bias(node)) bias = to_floats(*site.graph.constant(node.in[2]));
    if (!norm_) return bias;
    const auto factors = norm_factors(site.graph, *norm_), shift = norm_part(site.graph, *norm_, 2),
               mean = norm_part(site.graph, *norm_, 3);
    for (size_t m = 0; m < bias.size(); ++m) bias[m] = (bias[m] - mean[m]) * factors[m] + shift[m];
    return bias;
}

std::shared_ptr<const ConvSite::Place> ConvSite::place(const Dims& given) const {
    return places_->get(given, [&] { return make_place(given); });
}

ConvSite::Place ConvSite::make_place(const Dims& given) const {
    Place at;
    at.x = last ? to_channels_first(given) : given;
    std::vector<Dim> spatial;
    for (const int64_t length : space_of(at.x)) spatial.push_back(Dim::of(length));
    at.window = window_of(view, spatial, space_of(filter));
    at.out = {at.x[0], filter[0]};
    for (size_t i = 0; i < at.window.rank(); ++i) at.out.push_back(window_count(at.window, i, spatial[i]).value);
    at.result = as_graph(at.out);
    return at;
}

Dims ConvSite::as_graph(const Dims& channels_first) const { return last ? to_channels_last(channels_first) : channels_first; }

}  // namespace quern
