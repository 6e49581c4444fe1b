// Recurrent operators. A run begins with a state of 0: variables are constants.
#include <array>

#include "formats/tflite/map.h"

namespace quern::tflite_format {
namespace {

// Operands of a sequence LSTM by their place; gates stand in the order input, forget, cell, output.
constexpr size_t input_weights = 1, recurrent_weights = 5, peepholes = 9, biases = 12, projection = 16, first_state = 18, norms = 20,
                 operands = 24;
// ONNX's order: input, output, forget, cell; peepholes input, output, forget.
constexpr std::array<size_t, 4> gates{0, 3, 1, 2};
constexpr std::array<size_t, 3> peephole_gates{0, 2, 1};

template <size_t n>
ValueId stacked(Site& site, size_t first, const std::array<size_t, n>& order, std::string_view what) {
    Values parts;
    for (const size_t gate : order) parts.push_back(site.in(first + gate));
    const ValueId all = site.node("Concat", parts, {{"axis", int64_t{0}}});
    return site.node("Unsqueeze", {all, site.numbers(what, {0})});
}

// Constants in codes with one scale each, one after the other along axis 1 and with their scales; nullopt: they are others. `spare`
// codes of 0 follow.
std::optional<ValueId> stacked_codes(Site& site, size_t first, std::string_view what, size_t spare = 0) {
    std::vector<int64_t> codes;
    std::vector<float> scales;
    std::optional<Encoding> form;
    Dims dims{1, 0};
    for (const size_t gate : gates) {
        const FileTensor& tensor = site.tensor(first + gate);
        if (tensor.data.empty() || tensor.shape.empty()) return std::nullopt;
        const ValueId id = site.in(first + gate);
        const auto& enc = site.graph().value(id).enc;
        const bool plain = enc && enc->axis < 0 && enc->block == 0 && enc->symmetric() && is_integer(enc->storage);
        if (!plain || (form && form->storage != enc->storage)) return std::nullopt;
        form = enc;
        const Tensor part = *site.graph().constant(id);
        const auto items = to_ints(part);
        codes.insert(codes.end(), items.begin(), items.end());
        scales.insert(scales.end(), static_cast<size_t>(part.dims[0]), to_floats(enc->scale)[0]);
        dims.resize(2);
        dims[1] += part.dims[0];
        dims.insert(dims.end(), part.dims.begin() + 1, part.dims.end());
    }
    dims[1] += static_cast<int64_t>(spare);
    codes.resize(codes.size() + spare, 0);
    scales.resize(scales.size() + spare, scales.back());
    if (count_of(dims) != static_cast<int64_t>(codes.size())) throw bad_input("gates have different sizes");
    const ValueId id = site.constant(what, from_ints(form->storage, dims, codes));
    site.graph().value(id).type.dtype = form->real;
    site.graph().value(id).enc = make_encoding(form->storage, Tensor::vector<float>(scales), {}, 1);
    return id;
}

bool all_present(const Site& site, size_t first, size_t count) {
    for (size_t i = 0; i < count; ++i)
        if (!site.has(first + i)) return false;
    return true;
}

bool any_present(const Site& site, size_t first, size_t count) {
    for (size_t i = 0; i < count; ++i)
        if (site.has(first + i)) return true;
    return false;
}

// The state [batch, units] with a dim for directions at `axis`.
ValueId state(Site& site, size_t operand, int64_t axis) {
    return site.node("Unsqueeze", {site.in(operand), site.numbers("directions", {axis})});
}

ValueId real_bias(Site& site, int64_t units) {
    Values bias;
    for (const size_t gate : gates) bias.push_back(site.in(biases + gate));
    const ValueId none = site.constant("no_bias", from_floats(DType::f32, {}, std::array{0.0f}));
    bias.push_back(site.node("Expand", {none, site.numbers("bias_shape", {4 * units})}));
    return site.node("Unsqueeze", {site.node("Concat", bias, {{"axis", int64_t{0}}}), site.numbers("b_axes", {0})});
}

bool sequence_lstm(Site& site) {
    const bool plain = all_present(site, input_weights, 4) && all_present(site, recurrent_weights, 4) && all_present(site, biases, 4) &&
                       !any_present(site, projection, 2) && !any_present(site, norms, operands - norms) &&
                       all_present(site, first_state, 2);
    const bool peeps = any_present(site, peepholes, 3);
    if (!plain || (peeps && !all_present(site, peepholes, 3)) || site.real("proj_clip") != 0 || site.flag("diagonal_recurrent_tensors"))
        return false;
    if (site.word("fused_activation_function", "NONE") != "TANH" || site.rank(0) != 3) return false;
    const bool time_major = site.flag("time_major");
    const int64_t directions = time_major ? 0 : 1;  // axis of a state's directions
    Attrs attrs{{"hidden_size", site.tensor(recurrent_weights).shape.at(1)}, {"layout", int64_t{!time_major}}};
    if (const float clip = site.real("cell_clip"); clip > 0) attrs["cell_clip"] = clip;
    const int64_t units = site.tensor(recurrent_weights).shape.at(1);
    if (units < 0 || units > INT32_MAX) throw bad_input("has {} units", units);
    const auto weights = stacked_codes(site, input_weights, "w"), recurrent = stacked_codes(site, recurrent_weights, "r");
    Values in{site.in(0), weights ? *weights : stacked(site, input_weights, gates, "w_axes"),
              recurrent ? *recurrent : stacked(site, recurrent_weights, gates, "r_axes")};
    if (const auto codes = stacked_codes(site, biases, "b", 4 * static_cast<size_t>(units)))
        in.push_back(*codes);
    else
        in.push_back(real_bias(site, units));
    in.push_back(ValueId::none);
    for (const size_t which : {first_state, first_state + 1}) in.push_back(state(site, which, directions));
    if (peeps) in.push_back(stacked(site, peepholes, peephole_gates, "p_axes"));
    const ValueId y = site.node("LSTM", in, attrs);
    Graph& graph = site.graph();
    if (const auto made = encoding_of(site.out_tensor(), site.scope().from); made && weights) graph.value(y).enc = made;
    constexpr size_t hidden = 4;  // of the intermediates: what the cells' output is rounded to
    if (site.op().intermediates.size() > hidden)
        if (const auto made =
                encoding_of(site.scope().from.tensors[static_cast<size_t>(site.op().intermediates[hidden])], site.scope().from))
            graph.node(graph.value(y).producer).internal["hidden"] = *made;
    site.add("Squeeze", {y, site.numbers("y_axes", {time_major ? 1 : 2})}, {site.out_value(0)});
    return true;
}

constexpr std::array rows{
    MapRow{Code::UNIDIRECTIONAL_SEQUENCE_LSTM, "LSTM", sequence_lstm,
           "projections, layer norms, coupled gates, activations other than tanh"},
};

}  // namespace

std::span<const MapRow> recurrent_rows() { return rows; }

}  // namespace quern::tflite_format
