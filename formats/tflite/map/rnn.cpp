// Simple recurrent operators, SVDF, and Circle's GRU. Variables are states that begin with 0.
#include <array>

#include "formats/tflite/map/map.h"
#include "libcore/ops/integer/profile.h"

namespace quern::tflite_format {
namespace {

// Where the operands of one direction stand.
struct Cell {
    size_t weights = 1, recurrent = 2, bias = 3, state = 4, aux_weights = 0;
    bool backwards = false;
};
constexpr size_t aux_input = 9;

bool has_activation(const Site& site) {
    const std::string word = site.word("fused_activation_function", "NONE");
    return word == "NONE" || word == "TANH" || word == "RELU";
}

// One direction over data of rank 3, its result with a dim for directions.
ValueId rnn(Site& site, ValueId data, const Cell& at, bool time_major) {
    const int64_t units = site.dim(at.weights, 0);
    if (units < 1 || site.rank(at.recurrent) != 2) throw bad_input("has {} units", units);
    const std::string word = site.word("fused_activation_function", "NONE");
    Attrs attrs{{"hidden_size", units}, {"layout", int64_t{!time_major}}};
    attrs["activations"] = std::vector<std::string>{word == "NONE" ? "Affine" : word == "TANH" ? "Tanh" : "Relu"};
    if (word == "NONE") {
        attrs["activation_alpha"] = std::vector<float>{1};
        attrs["activation_beta"] = std::vector<float>{0};
    }
    if (at.backwards) attrs["direction"] = std::string("reverse");
    if (site.flag(asymmetric_key)) attrs[asymmetric_key] = int64_t{1};
    const ValueId first = site.integers({0}, "first");
    const auto wrapped = [&](ValueId id) { return site.add(ops::Unsqueeze, {id, first}); };
    const auto matrix = [&](size_t operand, std::string_view what) {
        const auto codes = stacked_codes(site, std::array{operand}, fmt::format("{}{}", at.backwards ? "back_" : "", what));
        return codes ? *codes : wrapped(site.in(operand));
    };
    const ValueId weights = at.aux_weights
                                ? wrapped(site.add(ops::Concat, {site.in(at.weights), site.in(at.aux_weights)}, {{"axis", int64_t{1}}}))
                                : matrix(at.weights, "w");
    const ValueId none = site.constant(from_floats(DType::f32, {}, std::array{0.0f}), "no_bias");
    const ValueId bias = site.add(ops::Concat, {site.in(at.bias), site.add(ops::Expand, {none, site.integers({units}, "bias_shape")})},
                                  {{"axis", int64_t{0}}});
    const ValueId state = site.add(ops::Unsqueeze, {site.in(at.state), site.integers({time_major ? 0 : 1}, "directions")});
    return site.add(ops::RNN, {data, weights, matrix(at.recurrent, "r"), wrapped(bias), ValueId::none, state}, attrs);
}

ValueId directions(Site& site, bool time_major) { return site.integers({time_major ? 1 : 2}, "y_axes"); }

bool sequence_rnn(Site& site) {
    if (!has_activation(site) || site.rank(0) != 3) return false;
    const bool time_major = site.flag("time_major");
    const ValueId y = rnn(site, site.in(0), {}, time_major);
    site.put(ops::Squeeze, {y, directions(site, time_major)}, {site.out_value(0)});
    return true;
}

// One step: a sequence of length 1.
bool one_step_rnn(Site& site) {
    if (!has_activation(site) || site.rank(0) != 2) return false;
    const ValueId axes = site.integers({0}, "time");
    const ValueId y = rnn(site, site.add(ops::Unsqueeze, {site.in(0), axes}), {}, true);
    site.put(ops::Squeeze, {y, site.integers({0, 1}, "y_axes")}, {site.out_value(0)});
    return true;
}

// A second input stands beside the first if it has weights; without them it takes its place on the way back.
bool bidirectional_rnn(Site& site) {
    if (!has_activation(site) || site.rank(0) != 3 || site.has(10) != site.has(11)) return false;
    const bool time_major = site.flag("time_major");
    Cell forth{}, back{.weights = 5, .recurrent = 6, .bias = 7, .state = 8, .backwards = true};
    ValueId x = site.in(0), y = x;
    if (site.has(10)) {
        forth.aux_weights = 10;
        back.aux_weights = 11;
        x = y = site.add(ops::Concat, {x, site.in(aux_input)}, {{"axis", int64_t{-1}}});
    } else if (site.has(aux_input)) {
        if (!time_major) return false;  // LiteRT's kernel reads the first input both ways here
        y = site.in(aux_input);
    }
    const auto way = [&](ValueId data, const Cell& at) {
        return site.add(ops::Squeeze, {rnn(site, data, at, time_major), directions(site, time_major)});
    };
    const ValueId first = way(x, forth);
    return both_ways(site, first, way(y, back));
}

bool svdf(Site& site) {
    const bool plain = site.rank(0) == 2 && site.has(4) && site.tensor(4).variable;
    if (!plain) return false;
    const Site::Variable state = site.variable(4);
    Values in{site.in(0), site.in(1), site.in(2), state.now};
    if (site.has(3)) in.push_back(site.in(3));
    Attrs attrs{{"rank", site.integer("rank")}};
    if (site.flag(asymmetric_key)) attrs[asymmetric_key] = int64_t{1};
    const bool codes = encoding_of(site.out_tensor(), site.scope().from).has_value();
    // Codes are cut off at the ends of their range, which stand for the activation.
    const std::string word = codes ? "NONE" : site.word("fused_activation_function", "NONE");
    if (word != "NONE" && word != "RELU") throw unsupported("fused activation {}", word);
    const ValueId y = word == "NONE" ? site.out_value(0) : site.value(ops::own::SVDF.name);
    site.put(ops::own::SVDF, in, {y, state.next}, attrs);
    if (word == "RELU") site.put(ops::Relu, {y}, {site.out_value(0)});
    return true;
}

// luci's operator: its "hidden" weights are those of the input, the gate of the state's own part is reset behind its product. It has a
// batch of 1 and gives the last state.
bool gru(Site& site) {
    if (site.in_count() != 6 || site.rank(0) != 3 || site.dim(0, 1) != 1 || site.flag("return_sequences")) return false;
    if (site.rank(1) != 2 || site.rank(3) != 2) throw bad_input("weights are {} and {}", site.rank(1), site.rank(3));
    const int64_t units = site.dim(3, 1);
    if (units < 1 || site.dim(1, 0) != 3 * units || site.dim(3, 0) != 3 * units || site.dim(1, 1) != site.dim(0, 2)) return false;
    const ValueId first = site.integers({0}, "first");
    const auto wrapped = [&](ValueId id) { return site.add(ops::Unsqueeze, {id, first}); };
    const ValueId none = site.constant(from_floats(DType::f32, {}, std::array{0.0f}), "no_bias");
    const ValueId zeros = site.add(ops::Expand, {none, site.integers({3 * units}, "bias_shape")});
    const ValueId bias =
        site.add(ops::Concat, {site.has(2) ? site.in(2) : zeros, site.has(4) ? site.in(4) : zeros}, {{"axis", int64_t{0}}});
    const ValueId state = site.add(ops::Reshape, {site.in(5), site.integers({1, 1, units}, "state_shape")});
    const ValueId last = site.value("last"), all = site.value("all");
    site.put(ops::GRU, {site.in(0), wrapped(site.in(1)), wrapped(site.in(3)), wrapped(bias), ValueId::none, state}, {all, last},
             {{"hidden_size", units}, {"linear_before_reset", int64_t{1}}});
    site.result(ops::Reshape, {last, site.integers(site.out_tensor().shape, "y_shape")});
    return true;
}

constexpr std::array rnn_table{
    MapRow{Code::BIDIRECTIONAL_SEQUENCE_RNN, "RNN Concat", bidirectional_rnn,
           "activations other than none, tanh and relu; a second input for the way back, batch first"},
    MapRow{Code::GRU, "GRU", gru, "batches, whole sequences"},
    MapRow{Code::RNN, "RNN", one_step_rnn, "activations other than none, tanh and relu"},
    MapRow{Code::SVDF, "State SVDF", svdf, "a state that is not a variable"},
    MapRow{Code::UNIDIRECTIONAL_SEQUENCE_RNN, "RNN", sequence_rnn, "activations other than none, tanh and relu"},
};

}  // namespace

std::span<const MapRow> rnn_rows() { return rnn_table; }

}  // namespace quern::tflite_format
