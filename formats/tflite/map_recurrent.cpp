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
    Values in{site.in(0), stacked(site, input_weights, gates, "w_axes"), stacked(site, recurrent_weights, gates, "r_axes")};
    Values bias;
    for (const size_t gate : gates) bias.push_back(site.in(biases + gate));
    const int64_t units = site.tensor(recurrent_weights).shape.at(1);
    if (units < 0 || units > INT32_MAX) throw bad_input("has {} units", units);
    const ValueId none = site.constant("no_bias", from_floats(DType::f32, {}, std::array{0.0f}));
    bias.push_back(site.node("Expand", {none, site.numbers("bias_shape", {4 * units})}));
    in.push_back(site.node("Unsqueeze", {site.node("Concat", bias, {{"axis", int64_t{0}}}), site.numbers("b_axes", {0})}));
    in.insert(in.end(), {ValueId::none, state(site, first_state, directions), state(site, first_state + 1, directions)});
    if (peeps) in.push_back(stacked(site, peepholes, peephole_gates, "p_axes"));
    const ValueId y = site.node("LSTM", in, attrs);
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
