// Recurrent layers: several in one operator, gates in another order.
#include <array>
#include <optional>

#include "formats/torch/map/map.h"

namespace quern::torch_format {
namespace {

struct Cell {
    OpId op;
    std::vector<size_t> gates;  // ours, as places of theirs
    Attrs attrs;
};

std::vector<std::string> both(const std::vector<std::string>& names, bool bidirectional) {
    std::vector<std::string> all = names;
    if (bidirectional) all.insert(all.end(), names.begin(), names.end());
    return all;
}

using CellOf = Cell(bool bidirectional);

Cell lstm(bool) { return {ops::LSTM, {0, 3, 1, 2}, {}}; }                                // i f g o -> i o f c
Cell gru(bool) { return {ops::GRU, {1, 0, 2}, {{"linear_before_reset", int64_t{1}}}}; }  // r z n -> z r h
template <const OpId& activation>
Cell rnn(bool bidirectional) {
    return {ops::RNN, {0}, {{"activations", both({std::string(activation.name)}, bidirectional)}}};
}

// Blocks of rows in another order, with a dim for the direction in front.
ValueId reordered(Site& site, ValueId weights, const std::vector<size_t>& gates) {
    const ValueId axis = site.integers({0}, "direction");
    if (gates.size() == 1) return site.add(ops::Unsqueeze, {weights, axis});
    Values blocks, ordered;
    for (size_t i = 0; i < gates.size(); ++i) blocks.push_back(site.value("gate"));
    site.put(ops::Split, {weights}, blocks, {{"axis", int64_t{0}}, {"num_outputs", static_cast<int64_t>(gates.size())}});
    for (const size_t gate : gates) ordered.push_back(blocks[gate]);
    return site.add(ops::Unsqueeze, {site.add(ops::Concat, ordered, {{"axis", int64_t{0}}}), axis});
}

ValueId joined(Site& site, const Values& parts) {
    return parts.size() == 1 ? parts[0] : site.add(ops::Concat, parts, {{"axis", int64_t{0}}});
}

// Rows [from, from + count) of the states of all layers and directions.
ValueId states(Site& site, ValueId all, int64_t from, int64_t count) {
    return site.add(ops::Slice, {all, site.integers({from}, "from"), site.integers({from + count}, "to"), site.integers({0}, "axis")});
}

// [length, directions, batch, width] -> [length, batch, directions * width]
ValueId side_by_side(Site& site, ValueId y, int64_t directions) {
    if (directions == 1) return site.add(ops::Squeeze, {y, site.integers({1}, "direction")});
    return site.reshape(site.add(ops::Transpose, {y}, {{"perm", Ints{0, 2, 1, 3}}}), {0, 0, -1});
}

// What the operator asks for.
struct Stack {
    Cell cell;
    int64_t layers = 0, directions = 1, hidden = 0;
    bool biases = false, batch_first = false;
    Values params;  // of each layer and direction: w, r and with biases those of both
    Values states;  // h, of LSTMs c too; rows for each layer and direction

    bool lstm() const { return cell.op == ops::LSTM; }
    size_t params_each() const { return biases ? 4 : 2; }
};

// Known from the first recurrent weights.
std::optional<int64_t> hidden_size(const Site& site) {
    const auto& named = site.need("params").items;
    if (named.size() < 2) throw bad_input("has {} weights", named.size());
    const Shape& weights = site.meta(named[1]).shape;
    if (weights.rank() < 2 || !weights.dims[1].known()) return std::nullopt;
    return weights.dims[1].value;
}

// None: dropout while training, projections (which have more weights), sizes that are not known, data without a batch.
std::optional<Stack> stack_of(Site& site, CellOf* cell_of) {
    if (site.flag("train") && site.real("dropout", 0) != 0) return std::nullopt;
    const bool bidirectional = site.flag("bidirectional");
    Stack stack{.cell = cell_of(bidirectional),
                .layers = site.integer("num_layers"),
                .directions = bidirectional ? 2 : 1,
                .biases = site.flag("has_biases"),
                .batch_first = site.flag("batch_first"),
                .params = site.list("params"),
                .states = {}};
    if (stack.layers < 1 || stack.layers > 65536) return std::nullopt;
    if (stack.params.size() != stack.params_each() * static_cast<size_t>(stack.layers * stack.directions)) return std::nullopt;
    stack.states = stack.lstm() ? site.list("hx") : Values{site.in("hx")};
    const auto hidden = hidden_size(site);
    if ((stack.lstm() && stack.states.size() != 2) || !hidden || site.rank("input") == 2) return std::nullopt;
    stack.hidden = *hidden;
    return stack;
}

ValueId layer_weights(Site& site, const Stack& stack, int64_t layer, size_t which) {
    Values parts;
    for (int64_t d = 0; d < stack.directions; ++d) {
        const size_t first = static_cast<size_t>(layer * stack.directions + d) * stack.params_each();
        parts.push_back(reordered(site, stack.params[first + which], stack.cell.gates));
    }
    return joined(site, parts);
}

// Both biases of a direction beside one another.
ValueId layer_biases(Site& site, const Stack& stack, int64_t layer) {
    if (!stack.biases) return ValueId::none;
    return site.add(ops::Concat, {layer_weights(site, stack, layer, 2), layer_weights(site, stack, layer, 3)}, {{"axis", int64_t{1}}});
}

struct Layer {
    ValueId y, h, c;
};

Layer add_layer(Site& site, const Stack& stack, ValueId x, int64_t layer) {
    Values in{x, layer_weights(site, stack, layer, 0), layer_weights(site, stack, layer, 1), layer_biases(site, stack, layer),
              ValueId::none};
    for (const ValueId all : stack.states)
        in.push_back(stack.layers == 1 ? all : states(site, all, layer * stack.directions, stack.directions));
    Attrs attrs = stack.cell.attrs;
    attrs["hidden_size"] = stack.hidden;
    attrs["direction"] = std::string(stack.directions == 2 ? "bidirectional" : "forward");
    Values out{site.value("Y"), site.value("Y_h")};
    if (stack.lstm()) out.push_back(site.value("Y_c"));
    site.put(stack.cell.op, in, out, attrs);
    return {side_by_side(site, out[0], stack.directions), out[1], stack.lstm() ? out[2] : ValueId::none};
}

// Between [length, batch, width] and [batch, length, width], where the operator's data begin with the batch.
ValueId turned(Site& site, const Stack& stack, ValueId x) {
    return stack.batch_first ? site.add(ops::Transpose, {x}, {{"perm", Ints{1, 0, 2}}}) : x;
}

template <CellOf* cell_of>
bool recurrent(Site& site) {
    const auto stack = stack_of(site, cell_of);
    if (!stack) return false;
    ValueId x = turned(site, *stack, site.in("input"));
    Values last_h, last_c;
    for (int64_t l = 0; l < stack->layers; ++l) {
        const Layer layer = add_layer(site, *stack, x, l);
        x = layer.y;
        last_h.push_back(layer.h);
        last_c.push_back(layer.c);
    }
    site.bind(turned(site, *stack, x));
    site.bind(joined(site, last_h), 1);
    if (stack->lstm()) site.bind(joined(site, last_c), 2);
    return true;
}

// One step: a layer over a sequence of length 1. (h), of an LSTM (h, c)
template <CellOf* cell_of>
bool one_step(Site& site) {
    const Cell cell = cell_of(false);
    const bool lstm = cell.op == ops::LSTM;
    const int64_t hidden = site.dim("w_hh", 1);
    if (hidden < 1 || site.rank("input") != 2 || site.has("b_ih") != site.has("b_hh")) return false;
    const ValueId axis = site.integers({0}, "step");
    const auto whole = [&](std::string_view name) { return reordered(site, site.in(name), cell.gates); };
    Values in{site.add(ops::Unsqueeze, {site.in("input"), axis}), whole("w_ih"), whole("w_hh"), ValueId::none, ValueId::none};
    if (site.has("b_ih")) in[3] = site.add(ops::Concat, {whole("b_ih"), whole("b_hh")}, {{"axis", int64_t{1}}});
    for (const ValueId state : lstm ? site.list("hx") : Values{site.in("hx")}) in.push_back(site.add(ops::Unsqueeze, {state, axis}));
    Attrs attrs = cell.attrs;
    attrs["hidden_size"] = hidden;
    Values out{site.value("Y"), site.value("Y_h")};
    if (lstm) out.push_back(site.value("Y_c"));
    site.put(cell.op, in, out, attrs);
    for (size_t i = 1; i < out.size(); ++i) site.result(ops::Squeeze, {out[i], axis}, {}, i - 1);
    return true;
}

constexpr MapRow cell(std::string_view name, std::string_view ops, bool (*rewrite)(Site& site)) {
    return {.names = name, .ops = ops, .rewrite = rewrite, .limits = "a hidden size that is not fixed"};
}
constexpr MapRow layers(std::string_view name, std::string_view ops, bool (*rewrite)(Site& site)) {
    return {.names = name,
            .ops = ops,
            .rewrite = rewrite,
            .limits = "training with dropout, projections, data without a batch; packed sequences"};
}
constexpr std::array recurrent_table{
    cell("aten.lstm_cell", "LSTM", one_step<lstm>),
    cell("aten.gru_cell", "GRU", one_step<gru>),
    cell("aten.rnn_tanh_cell", "RNN", one_step<rnn<ops::Tanh>>),
    cell("aten.rnn_relu_cell", "RNN", one_step<rnn<ops::Relu>>),
    layers("aten.lstm.input", "LSTM", recurrent<lstm>),
    layers("aten.gru.input", "GRU", recurrent<gru>),
    layers("aten.rnn_tanh.input", "RNN", recurrent<rnn<ops::Tanh>>),
    layers("aten.rnn_relu.input", "RNN", recurrent<rnn<ops::Relu>>),
};

}  // namespace

std::span<const MapRow> recurrent_rows() { return recurrent_table; }

}  // namespace quern::torch_format
