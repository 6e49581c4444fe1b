// Recurrent operators. A run begins with a state of 0: variables are constants.
#include <array>

#include "formats/tflite/map/lstm_places.h"
#include "libcore/ops/integer/profile.h"

namespace quern::tflite_format {
namespace {

constexpr LstmPlaces backwards_places{18, 22, 26, 29, 33, 37, 48, 48, 0, true};
constexpr LstmPlaces forwards_places{1, 5, 9, 12, 16, 35, 48, 48};
constexpr size_t aux_input = 39, aux_operands = 48;
// ONNX's order: input, output, forget, cell; peepholes input, output, forget.
constexpr std::array<size_t, 4> gates{0, 3, 1, 2};
constexpr std::array<size_t, 3> peephole_gates{0, 2, 1};

template <size_t n>
ValueId stacked(Site& site, size_t first, const std::array<size_t, n>& order, std::string_view what) {
    Values parts;
    for (const size_t gate : order) parts.push_back(site.in(first + gate));
    const ValueId all = site.add(ops::Concat, parts, {{"axis", int64_t{0}}});
    return site.add(ops::Unsqueeze, {all, site.integers({0}, what)});
}

// The codes of several gates, by the first operand.
std::optional<ValueId> gate_codes(Site& site, size_t first, std::span<const size_t> order, std::string_view what, size_t spare = 0) {
    std::vector<size_t> operands;
    for (const size_t gate : order) operands.push_back(first + gate);
    return stacked_codes(site, operands, what, spare);
}

// The state [batch, units] with a dim for directions at `axis`.
ValueId state(Site& site, size_t operand, int64_t axis) {
    return site.add(ops::Unsqueeze, {site.in(operand), site.integers({axis}, "directions")});
}

ValueId real_bias(Site& site, size_t first, int64_t units) {
    Values bias;
    for (const size_t gate : gates) bias.push_back(site.in(first + gate));
    const ValueId none = site.constant(from_floats(DType::f32, {}, std::array{0.0f}), "no_bias");
    bias.push_back(site.add(ops::Expand, {none, site.integers({4 * units}, "bias_shape")}));
    return site.add(ops::Unsqueeze, {site.add(ops::Concat, bias, {{"axis", int64_t{0}}}), site.integers({0}, "b_axes")});
}

// Can ONNX's LSTM say it?
bool plain_lstm(const Site& site, const LstmPlaces& at) {
    const bool plain = all_present(site, at.input_weights, 4) && all_present(site, at.recurrent_weights, 4) &&
                       all_present(site, at.biases, 4) && !any_present(site, at.projection, 2) &&
                       !any_present(site, at.norms, at.operands - at.norms) && all_present(site, at.first_state, 2);
    if (!plain || (any_present(site, at.peepholes, 3) && !all_present(site, at.peepholes, 3))) return false;
    const std::string activation = site.word("fused_activation_function", "NONE");
    return site.real("proj_clip") == 0 && !site.flag("diagonal_recurrent_tensors") && (activation == "TANH" || activation == "RELU");
}

// One direction over data of rank 3; the result has a dim for directions, which is 2 with `time_major`, else 1.
ValueId lstm(Site& site, ValueId data, const LstmPlaces& at, bool time_major) {
    const int64_t directions = time_major ? 0 : 1;  // axis of a state's directions
    const int64_t units = site.dim(at.recurrent_weights, 1);
    if (units < 0 || units > INT32_MAX) throw bad_input("has {} units", units);
    Attrs attrs{{"hidden_size", units}, {"layout", int64_t{!time_major}}};
    if (at.backwards) attrs["direction"] = std::string("reverse");
    if (site.word("fused_activation_function", "NONE") == "RELU")
        attrs["activations"] = std::vector<std::string>{"Sigmoid", "Relu", "Relu"};
    if (const float clip = site.real("cell_clip"); clip > 0) attrs["cell_clip"] = clip;
    if (site.flag(asymmetric_key)) attrs[asymmetric_key] = int64_t{1};
    const std::string_view back = at.backwards ? "back_" : "";
    const auto name = [&](std::string_view what) { return fmt::format("{}{}", back, what); };
    const auto weights = gate_codes(site, at.input_weights, gates, name("w")),
               recurrent = gate_codes(site, at.recurrent_weights, gates, name("r"));
    Values in{data, weights ? *weights : stacked(site, at.input_weights, gates, name("w_axes")),
              recurrent ? *recurrent : stacked(site, at.recurrent_weights, gates, name("r_axes"))};
    if (const auto codes = gate_codes(site, at.biases, gates, name("b"), 4 * static_cast<size_t>(units)))
        in.push_back(*codes);
    else
        in.push_back(real_bias(site, at.biases, units));
    in.push_back(ValueId::none);
    for (const size_t which : {at.first_state, at.first_state + 1}) in.push_back(state(site, which, directions));
    if (any_present(site, at.peepholes, 3)) {
        const auto codes = gate_codes(site, at.peepholes, peephole_gates, name("p"));
        in.push_back(codes ? *codes : stacked(site, at.peepholes, peephole_gates, name("p_axes")));
    }
    return site.add(ops::LSTM, in, attrs);
}

bool sequence_lstm(Site& site) {
    constexpr LstmPlaces at;
    if (site.rank(0) != 3) return false;
    const bool time_major = site.flag("time_major");
    if (!plain_lstm(site, at)) {
        const ValueId y = lstm_in_steps(site, site.in(0), ValueId::none, at, time_major, site.dim(0, time_major ? 0 : 1));
        if (y != ValueId::none) site.put(ops::Identity, {y}, {site.out_value(0)});
        return y != ValueId::none;
    }
    const ValueId y = lstm(site, site.in(0), at, time_major);
    Graph& graph = site.graph();
    const bool codes = graph.value(graph.node(graph.value(y).producer).in[1]).enc.has_value();
    if (const auto made = encoding_of(site.out_tensor(), site.scope().from); made && codes) graph.value(y).enc = made;
    constexpr size_t hidden = 4;  // of the intermediates: what the cells' output is rounded to
    if (site.op().intermediates.size() > hidden)
        if (const auto made =
                encoding_of(site.scope().from.tensors[static_cast<size_t>(site.op().intermediates[hidden])], site.scope().from))
            graph.node(graph.value(y).producer).internal["hidden"] = *made;
    site.put(ops::Squeeze, {y, site.integers({time_major ? 1 : 2}, "y_axes")}, {site.out_value(0)});
    return true;
}

// One direction, its result without a dim for directions; none: it cannot be said.
ValueId one_way(Site& site, size_t data, const LstmPlaces& at, bool time_major) {
    if (!at.aux_weights && plain_lstm(site, at))
        return site.add(ops::Squeeze, {lstm(site, site.in(data), at, time_major), site.integers({time_major ? 1 : 2}, "y_axes")});
    const ValueId aux = at.aux_weights ? site.in(aux_input) : ValueId::none;
    return lstm_in_steps(site, site.in(data), aux, at, time_major, site.dim(data, time_major ? 0 : 1));
}

// A second input stands beside the first if it has weights; without them it takes its place on the way back.
bool bidirectional_lstm(Site& site) {
    if (site.rank(0) != 3) return false;
    LstmPlaces forth = forwards_places, back = backwards_places;
    if (any_present(site, aux_input + 1, aux_operands - aux_input - 1)) {
        forth.aux_weights = aux_input + 1;
        back.aux_weights = aux_input + 5;
    }
    if (back.aux_weights && !site.has(aux_input)) throw bad_input("weights of an input that is absent");
    const bool time_major = site.op().options.contains("time_major") ? site.flag("time_major") : true;
    const bool in_place = site.has(aux_input) && !back.aux_weights;
    const ValueId y = one_way(site, 0, forth, time_major);
    if (y == ValueId::none) return false;
    const ValueId z = one_way(site, in_place ? aux_input : 0, back, time_major);
    if (z == ValueId::none) throw unsupported("one way that can be said, and one that cannot");
    return both_ways(site, y, z);
}

// One step: a sequence of length 1.
bool full_lstm(Site& site) {
    constexpr LstmPlaces at;
    if (site.rank(0) != 2 || site.out_count() != 1) return false;
    if (!plain_lstm(site, at)) {
        const ValueId y = lstm_step(site, site.in(0), at);
        if (y != ValueId::none) site.put(ops::Identity, {y}, {site.out_value(0)});
        return y != ValueId::none;
    }
    const ValueId data = site.add(ops::Unsqueeze, {site.in(0), site.integers({0}, "time")});
    site.put(ops::Squeeze, {lstm(site, data, at, true), site.integers({0, 1}, "y_axes")}, {site.out_value(0)});
    return true;
}

// Of one product for all gates, in the order input, cell, forget, output, and states that are operands and results.
bool basic_lstm(Site& site) {
    if (site.in_count() != 5 || site.out_count() != 4 || !all_present(site, 0, 5)) return false;
    for (size_t i = 0; i < 5; ++i)
        if (encoding_of(site.tensor(i), site.scope().from)) return false;
    site.put(ops::Concat, {site.in(0), site.in(1)}, {site.out_value(2)}, {{"axis", int64_t{-1}}});
    const auto made = [&](size_t out) { return site.scope().values[static_cast<size_t>(site.op().out[out])]; };
    site.put(ops::Gemm, {made(2), site.in(2), site.in(3)}, {site.out_value(3)}, {{"transB", int64_t{1}}});
    Values parts;
    for (const auto* what : {"input", "cell", "forget", "output"}) parts.push_back(site.value(what));
    site.put(ops::Split, {made(3)}, parts, {{"axis", int64_t{-1}}, {"num_outputs", int64_t{4}}});
    const ValueId fresh = site.add(ops::Mul, {site.add(ops::Sigmoid, {parts[0]}), site.add(ops::Tanh, {parts[1]})});
    const ValueId kept = site.add(ops::Mul, {site.add(ops::Sigmoid, {parts[2]}), site.in(4)});
    site.put(ops::Add, {fresh, kept}, {site.out_value(1)});
    site.put(ops::Mul, {site.add(ops::Sigmoid, {parts[3]}), site.add(ops::Tanh, {made(1)})}, {site.out_value(0)});
    return true;
}

bool one_step_lstm(Site& site) { return site.word("kernel_type", "FULL") == "BASIC" ? basic_lstm(site) : full_lstm(site); }

constexpr std::array recurrent_table{
    MapRow{Code::BIDIRECTIONAL_SEQUENCE_LSTM, "LSTM Loop Concat", bidirectional_lstm, "as UNIDIRECTIONAL_SEQUENCE_LSTM"},
    MapRow{Code::LSTM, "LSTM Gemm Sigmoid Tanh", one_step_lstm, "as UNIDIRECTIONAL_SEQUENCE_LSTM; the basic kernel on codes"},
    MapRow{Code::UNIDIRECTIONAL_SEQUENCE_LSTM, "LSTM Loop", sequence_lstm,
           "projections, layer norms and coupled gates on codes or over a time that is not fixed; other activations than relu6"},
};

}  // namespace

std::optional<ValueId> stacked_codes(Site& site, std::span<const size_t> operands, std::string_view what, size_t spare) {
    std::vector<int64_t> codes;
    std::vector<float> scales;
    std::optional<Encoding> form;
    Dims dims{1, 0};
    for (const size_t operand : operands) {
        const FileTensor& tensor = site.tensor(operand);
        if (tensor.data.empty() || tensor.shape.empty()) return std::nullopt;
        const ValueId id = site.in(operand);
        const auto& enc = site.graph().value(id).enc;
        const bool plain = enc && enc->per_tensor() && enc->symmetric() && is_integer(enc->storage);
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
    const ValueId id = site.constant(from_ints(form->storage, dims, codes), what);
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

bool both_ways(Site& site, ValueId forth, ValueId back) {
    if (site.flag("merge_outputs") || site.out_count() == 1) {
        site.put(ops::Concat, {forth, back}, {site.out_value(0)}, {{"axis", int64_t{-1}}});
        return true;
    }
    site.put(ops::Identity, {forth}, {site.out_value(0)});
    site.put(ops::Identity, {back}, {site.out_value(1)});
    return true;
}

std::span<const MapRow> recurrent_rows() { return recurrent_table; }

}  // namespace quern::tflite_format
