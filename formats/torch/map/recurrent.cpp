// Recurrent layers: several in one operator, gates in another order.
#include <array>

#include "formats/torch/map/map.h"

namespace quern::torch_format {
namespace {

struct Cell {
    std::string_view op;
    std::vector<size_t> gates;  // ours, as places of theirs
    Attrs attrs;
};

std::vector<std::string> both(const std::vector<std::string>& names, bool bidirectional) {
    std::vector<std::string> all = names;
    if (bidirectional) all.insert(all.end(), names.begin(), names.end());
    return all;
}

Cell cell_of(const Site& site, bool bidirectional) {
    const std::string& target = site.of().target;
    if (target.starts_with("aten.lstm")) return {"LSTM", {0, 3, 1, 2}, {}};                                // i f g o -> i o f c
    if (target.starts_with("aten.gru")) return {"GRU", {1, 0, 2}, {{"linear_before_reset", int64_t{1}}}};  // r z n -> z r h
    return {"RNN", {0}, {{"activations", both({target.find("relu") != std::string::npos ? "Relu" : "Tanh"}, bidirectional)}}};
}

// Blocks of rows in another order, with a dim for the direction in front.
ValueId reordered(Site& site, ValueId weights, const std::vector<size_t>& gates) {
    const ValueId axis = site.numbers("direction", {0});
    if (gates.size() == 1) return site.node("Unsqueeze", {weights, axis});
    Values blocks, ordered;
    for (size_t i = 0; i < gates.size(); ++i) blocks.push_back(site.value("gate"));
    site.add("Split", {weights}, blocks, {{"axis", int64_t{0}}, {"num_outputs", static_cast<int64_t>(gates.size())}});
    for (const size_t gate : gates) ordered.push_back(blocks[gate]);
    return site.node("Unsqueeze", {site.node("Concat", ordered, {{"axis", int64_t{0}}}), axis});
}

struct Layer {
    Values w, r, b;  // for each direction
};

ValueId joined(Site& site, const Values& parts) {
    return parts.size() == 1 ? parts[0] : site.node("Concat", parts, {{"axis", int64_t{0}}});
}

// Rows [from, from + count) of the states of all layers and directions.
ValueId states(Site& site, ValueId all, int64_t from, int64_t count) {
    return site.node("Slice", {all, site.numbers("from", {from}), site.numbers("to", {from + count}), site.numbers("axis", {0})});
}

// [length, directions, batch, width] -> [length, batch, directions * width]
ValueId side_by_side(Site& site, ValueId y, int64_t directions) {
    if (directions == 1) return site.node("Squeeze", {y, site.numbers("direction", {1})});
    return site.reshaped(site.node("Transpose", {y}, {{"perm", Ints{0, 2, 1, 3}}}), {0, 0, -1});
}

bool recurrent(Site& site) {
    const bool biases = site.flag("has_biases"), bidirectional = site.flag("bidirectional"), batch_first = site.flag("batch_first");
    if (site.flag("train") && site.real("dropout", 0) != 0) return false;
    const int64_t layers = site.integer("num_layers"), directions = bidirectional ? 2 : 1;
    const Cell cell = cell_of(site, bidirectional);
    const bool lstm = cell.op == "LSTM";
    const Values params = site.list("params");
    const size_t each = biases ? 4 : 2;
    if (layers < 1 || layers > 65536 || params.size() != each * static_cast<size_t>(layers * directions))
        return false;  // with projections there are more
    const Values hx = lstm ? site.list("hx") : Values{site.in("hx")};
    if (lstm && hx.size() != 2) return false;
    const auto& named = site.need("params").items;
    if (named.size() < 2) throw bad_input("has {} weights", named.size());
    const TensorMeta& recurrent_weights = site.meta(named[1]);
    if (recurrent_weights.shape.rank() < 2 || !recurrent_weights.shape.dims[1].known()) return false;
    const int64_t hidden = recurrent_weights.shape.dims[1].value;
    ValueId x = site.in("input");
    const bool single = site.rank("input") == 2;
    if (single) return false;
    if (batch_first) x = site.node("Transpose", {x}, {{"perm", Ints{1, 0, 2}}});
    Values last_h, last_c;
    for (int64_t l = 0; l < layers; ++l) {
        Layer layer;
        for (int64_t d = 0; d < directions; ++d) {
            const size_t at = static_cast<size_t>(l * directions + d) * each;
            layer.w.push_back(reordered(site, params[at], cell.gates));
            layer.r.push_back(reordered(site, params[at + 1], cell.gates));
            if (!biases) continue;
            const ValueId sides =
                site.node("Concat", {reordered(site, params[at + 2], cell.gates), reordered(site, params[at + 3], cell.gates)},
                          {{"axis", int64_t{1}}});
            layer.b.push_back(sides);
        }
        Values in{x, joined(site, layer.w), joined(site, layer.r), biases ? joined(site, layer.b) : ValueId::none, ValueId::none};
        for (const ValueId all : hx) in.push_back(layers == 1 ? all : states(site, all, l * directions, directions));
        Attrs attrs = cell.attrs;
        attrs["hidden_size"] = hidden;
        attrs["direction"] = std::string(bidirectional ? "bidirectional" : "forward");
        const ValueId y = site.value("Y"), h = site.value("Y_h"), c = lstm ? site.value("Y_c") : ValueId::none;
        Values out{y, h};
        if (lstm) out.push_back(c);
        site.add(cell.op, in, out, attrs);
        x = side_by_side(site, y, directions);
        last_h.push_back(h);
        if (lstm) last_c.push_back(c);
    }
    if (batch_first) x = site.node("Transpose", {x}, {{"perm", Ints{1, 0, 2}}});
    site.bind(x);
    site.bind(joined(site, last_h), 1);
    if (lstm) site.bind(joined(site, last_c), 2);
    return true;
}

constexpr std::array recurrent_table{
    MapRow{"aten.lstm.input aten.gru.input aten.rnn_tanh.input aten.rnn_relu.input", "LSTM GRU RNN", recurrent},
};

}  // namespace

std::span<const MapRow> recurrent_rows() { return recurrent_table; }

}  // namespace quern::torch_format
