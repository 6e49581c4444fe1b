// Constants with one number a channel that are no weights of a product (PRelu's slopes): each number is a scale of its own, one step long.
#include <algorithm>
#include <cmath>

#include "libcore/base/text.h"
#include "libcore/quant/assign/assign.h"

namespace quern {
namespace {

// The one dimension that is longer than 1, or the last; -1: there are several.
int channel_axis(const Dims& dims) {
    int axis = static_cast<int>(dims.size()) - 1;
    if (std::ranges::count_if(dims, [](int64_t dim) { return dim != 1; }) > 1) return -1;
    for (size_t i = 0; i < dims.size(); ++i)
        if (dims[i] != 1) axis = static_cast<int>(i);
    return axis;
}

struct Coded {
    Encoding encoding;
    Tensor codes;
};

// x is |x| * 1; below 0 |x| * (0 - 1) where codes have no sign, else |x| * -1. A 0 is 1 * 0, as no scale may be 0.
Coded step_codes(const Tensor& real, DType storage, int axis) {
    const bool plain = int_range(storage).min < 0;
    std::vector<float> scales = to_floats(real);
    std::vector<int64_t> zeros, codes;
    for (float& x : scales) {
        if (!std::isfinite(x)) throw bad_input("holds NaN or infinity");
        zeros.push_back(!plain && x < 0 ? 1 : 0);
        codes.push_back(x == 0 ? 0 : plain && x < 0 ? -1 : 1 - zeros.back());
        x = x == 0 ? 1 : std::abs(x);
    }
    const Dims dims{static_cast<int64_t>(scales.size())};
    return {make_encoding(storage, Tensor::make<float>(dims, scales), from_ints(storage, dims, zeros), axis, plain),
            from_ints(storage, real.dims, codes)};
}

Coded coded(const Tensor& real, const Scheme& scheme, const QuantWork& work, int axis) {
    if (axis >= 0) return step_codes(real, scheme.weight, axis);
    const GridSpec grid = weight_spec(scheme, work);
    WeightSpec spec{.storage = scheme.weight, .symmetric = scheme.weight_symmetric};
    spec.least_scale = grid.min_scale;
    spec.half_away = grid.half_away;
    const Encoding encoding = weight_encoding(real, spec);
    return {encoding, constant_codes(real, encoding, recipe_of(scheme, work))};
}

struct ChannelConstant {
    std::string key;
    Tensor real;
    int axis;       // of the channels, else -1
    bool channels;  // a number for each is asked for
    std::optional<Override> wanted;

    bool pinned() const { return wanted && !wanted->scale.empty(); }
};

// None: the input is none of these, is codes already, or stays float.
std::optional<ChannelConstant> constant_at(const Graph& graph, NodeId id, size_t input, const std::string& path, const Scheme& scheme,
                                           const QuantWork& work) {
    const ValueId source = graph.node(id).in[input];
    if (!recipe_of(scheme, work).has_channel_constant(*graph.node(id).op, input)) return std::nullopt;
    if (source == ValueId::none || graph.value(source).enc) return std::nullopt;
    const auto real = graph.constant(source);
    if (!real || real->dtype != DType::f32 || real->count() == 0) return std::nullopt;
    const std::string key = path + graph.value(source).name;
    const auto wanted = override_of(work.overrides, key, scheme.weight);
    if (wanted && is_float(wanted->storage)) return std::nullopt;
    const bool channels = scheme.per_channel && !work.request.per_tensor && !real->dims.empty();
    const int axis = channel_axis(real->dims);
    if (channels && axis < 0) return std::nullopt;  // ONE refuses it: more than a number a channel
    return ChannelConstant{key, *real, axis, channels, wanted};
}

Coded coded_as_asked(const ChannelConstant& constant, const Scheme& scheme, const QuantWork& work) {
    return at_place(fmt::format("constant \"{}\"", escape(constant.key)), [&] {
        if (!constant.pinned()) return coded(constant.real, scheme, work, constant.channels ? constant.axis : -1);
        const Encoding encoding = override_encoding(*constant.wanted, constant.real.dims, constant.axis, constant.key);
        return Coded{encoding, constant_codes(constant.real, encoding, recipe_of(scheme, work))};
    });
}

// The constant that holds the codes: itself, or a copy where others read it too.
ValueId store(Graph& graph, ValueId source, const Tensor& real, const Coded& made) {
    const bool shared = graph.uses(source).size() > 1;
    const ValueId home = shared ? graph.add_constant(graph.unique_name(graph.value(source).name + "_quantized"), real) : source;
    graph.value(home).data = made.codes.data;
    graph.value(home).enc = made.encoding;
    return home;
}

}  // namespace

void assign_channel_constants(Graph& graph, const std::string& path, const GraphPlan& plan, const QuantWork& work, QuantReport& report) {
    for (const NodeId id : std::vector<NodeId>(graph.order())) {
        if (!plan.quantized(id) || !plan.nodes.at(id).scheme->full()) continue;
        const NodePlan& node_plan = plan.nodes.at(id);
        for (size_t i = 1; i < graph.node(id).in.size(); ++i) {
            const auto found = constant_at(graph, id, i, path, *node_plan.scheme, work);
            if (!found) continue;
            const Coded made = coded_as_asked(*found, *node_plan.scheme, work);
            graph.node(id).in[i] = store(graph, graph.node(id).in[i], found->real, made);
            ValueReport entry;
            entry.key = found->key;
            entry.role = "constant";
            entry.rule = node_plan.rule;
            entry.method = found->pinned() ? "override" : "min-max";
            entry.encoding = made.encoding;
            report.values.push_back(std::move(entry));
        }
    }
}

}  // namespace quern
