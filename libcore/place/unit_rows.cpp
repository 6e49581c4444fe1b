#include "libcore/place/unit_rows.h"

#include <algorithm>
#include <map>

#include "libcore/base/text.h"
#include "libcore/graph/op_ids.h"
#include "libcore/ops/shared/spatial.h"
#include "libcore/place/tile.h"
#include "libcore/support/observe.h"
#include "libcore/support/units.h"

namespace quern::place {
namespace {

constexpr int64_t longest = int64_t{1} << 30;  // products of two such lengths stay inside int64

int64_t floor_of(int64_t number, int64_t by) { return number / by - (number % by < 0); }

Dims dims_of(const Graph& graph, ValueId id) { return assumed_dims(graph.value(id).type.shape); }

// The axis of the rows of a value that `node` makes, from the last.
size_t rows_from_end(const Graph& graph, const Node& node, ValueId id, const Dims& dims) {
    const std::vector<size_t> order = device_order(graph, node, id, dims.size());
    const size_t first = dims.size() > 2 ? 1 : 0, end = std::max(first + 1, dims.size() - 1);
    for (size_t i = first; i < end; ++i)
        if (dims[order[i]] > 1) return dims.size() - order[i];
    return dims.size() - (dims[order[0]] > 1 ? order[0] : order[first]);
}

bool resizes_by_rows(const NodeView& view) {
    const std::string mode = view.text("mode");
    return (mode == "nearest" || mode == "linear") && view.text("coordinate_transformation_mode") != "tf_crop_and_resize" &&
           view.integer("antialias") == 0;
}

// Does the node take each line of its last axes, from attribute `axis` on or on it alone, for itself?
bool keeps_axis(const Node& node, size_t rank, size_t rows) {
    const size_t axis = normal_axis(NodeView(node).integer("axis"), rank);
    return node.is(ops::LayerNormalization, ops::RMSNormalization) ? axis > rows : axis != rows;
}

}  // namespace

UnitRows::UnitRows(const Graph& graph, std::span<const NodeId> unit) {
    const Node& last = graph.node(unit.back());
    result_ = last.out.empty() ? ValueId::none : last.out[0];
    const Dims dims = result_ == ValueId::none ? Dims{} : dims_of(graph, result_);
    if (!dims.empty()) {
        from_end_ = rows_from_end(graph, last, result_, dims);
        length_ = dims[axis_in(dims.size())];
    }
    for (size_t i = unit.size(); i-- > 0 && refusal_.empty();) {
        const Node& node = graph.node(unit[i]);
        const bool one = !dims.empty() && node.out.size() == 1 && node.bodies.empty() && length_ <= longest;
        if (!one || !is_reached(node.out[0]) || !add(graph, node))
            refusal_ = fmt::format("{} does not run in stripes of rows", node.op->name);
    }
    number_values(graph, unit);
}

void UnitRows::number_values(const Graph& graph, std::span<const NodeId> unit) {
    std::map<ValueId, size_t> slots{{result_, 0}};
    for (Reach& made : reaches_) {
        made.from_slot = slots.at(made.from);
        const auto [at, fresh] = slots.try_emplace(made.to, slots.size());
        made.to_slot = at->second;
        const Value& value = graph.value(made.to);
        const bool inside = std::any_of(unit.begin(), unit.end(), [&](NodeId id) { return id == value.producer; });
        if (!fresh || inside || value.constant()) continue;
        values_.push_back(made.to);
        slot_of_.push_back(made.to_slot);
    }
    slots_ = slots.size();
    values_.push_back(result_);
    slot_of_.push_back(0);
}

bool UnitRows::is_reached(ValueId id) const {
    return id == result_ || std::any_of(reaches_.begin(), reaches_.end(), [&](const Reach& made) { return made.to == id; });
}

int64_t UnitRows::rows_of(const Graph& graph, ValueId id) const {
    const Dims dims = dims_of(graph, id);
    return dims.size() < from_end_ ? 1 : dims[axis_in(dims.size())];
}

UnitRows::Reach UnitRows::reach(const Graph& graph, const Node& node, size_t input) const {
    Reach made{node.out[0], node.in[input]};
    const Dims dims = dims_of(graph, node.in[input]);
    made.whole = dims.size() < from_end_ || (dims[axis_in(dims.size())] == 1 && rows_of(graph, made.from) != 1);
    if (dims.size() >= from_end_) made.of = std::max<int64_t>(dims[axis_in(dims.size())], 1);
    return made;
}

bool UnitRows::add_elements(const Graph& graph, const Node& node, size_t inputs) {
    for (size_t i = 0; i < std::min(inputs, node.in.size()); ++i)
        if (node.in[i] != ValueId::none) reaches_.push_back(reach(graph, node, i));
    return true;
}

// Operands from number `first` on are needed whole.
void UnitRows::add_whole(const Graph& graph, const Node& node, size_t first) {
    for (size_t i = first; i < node.in.size(); ++i) {
        if (node.in[i] == ValueId::none) continue;
        reaches_.push_back(reach(graph, node, i));
        reaches_.back().whole = true;
    }
}

bool UnitRows::add_window(const Graph& graph, const Node& node, Reach reach) {
    const size_t rank = dims_of(graph, reach.to).size(), first = channels_last(NodeView(node)) ? 1 : 2;
    if (rank < from_end_ || axis_in(rank) < first) return false;
    const auto window = support::node_window(graph, node);
    const size_t i = axis_in(rank) - first;
    if (!window || i >= window->rank() || window->before[i] < 0) return false;
    const int64_t stride = window->stride[i], before = window->before[i];
    if (std::max({stride, before, window->kernel[i], window->dilation[i], reach.of}) > longest) return false;
    const int64_t behind = (window->kernel[i] - 1) * window->dilation[i];
    if (behind > longest) return false;
    reach.whole = false;
    if (node.is(ops::ConvTranspose)) {
        if (NodeView(node).text("auto_pad") != "NOTSET") return false;
        reach.per = stride, reach.below = before - behind + stride - 1, reach.above = before;
    } else {
        reach.step = stride, reach.below = -before, reach.above = behind - before;
    }
    reaches_.push_back(reach);
    add_whole(graph, node, 1);
    return true;
}

// Rows of the left operand; of the right one those of the same matrix of a batch, or all.
bool UnitRows::add_product(const Graph& graph, const Node& node) {
    if (node.is(ops::Gemm) && NodeView(node).integer("transA") != 0) return false;
    if (from_end_ < 2 || dims_of(graph, node.in[0]).size() < 2) return false;
    for (size_t i = 0; i < node.in.size(); ++i) {
        if (node.in[i] == ValueId::none) continue;
        Reach made = reach(graph, node, i);
        made.whole = made.whole || (i == 1 && from_end_ == 2);
        reaches_.push_back(made);
    }
    return true;
}

bool UnitRows::add(const Graph& graph, const Node& node) {
    if (node.in.empty() || node.in[0] == ValueId::none) return false;
    const size_t rank = dims_of(graph, node.out[0]).size();
    if (rank < from_end_) return false;
    if (node.is(ops::Conv, ops::ConvTranspose, ops::MaxPool, ops::AveragePool)) return add_window(graph, node, reach(graph, node, 0));
    if (node.is(ops::MatMul, ops::Gemm)) return add_product(graph, node);
    if (node.is(ops::Softmax, ops::LogSoftmax, ops::LayerNormalization, ops::RMSNormalization)) {
        add_whole(graph, node, 1);
        return keeps_axis(node, rank, axis_in(rank)) && add_elements(graph, node, 1);
    }
    if (node.is(ops::Concat)) return keeps_axis(node, rank, axis_in(rank)) && add_elements(graph, node, node.in.size());
    if (node.is(ops::Resize)) {
        Reach made = reach(graph, node, 0);
        if (!resizes_by_rows(NodeView(node)) || made.of > longest) return false;
        const int64_t rows = std::max<int64_t>(rows_of(graph, made.from), 1);
        if (made.of != rows) {  // a row on either side, and what a shrunk picture skips
            made.step = made.of, made.per = rows, made.below = -rows;
            made.above = rows + (made.of > rows ? (made.of + rows - 1) / rows * rows : 0);
        }
        reaches_.push_back(made);
        add_whole(graph, node, 1);
        return true;
    }
    const bool elements = has(node.op->traits, Trait::elementwise) || node.is(ops::own::Recode, ops::Identity);
    return elements && add_elements(graph, node, node.in.size());
}

std::vector<Rows> UnitRows::needed(int64_t first, int64_t end) const {
    std::vector<Rows> rows(slots_);
    std::vector<bool> reached(slots_);
    rows[0] = {first, end, length_, false};
    reached[0] = true;
    for (const Reach& reach : reaches_) {
        const Rows made = rows[reach.from_slot];
        Rows need{0, reach.of, reach.of, reach.whole};
        if (!reach.whole && made.first < made.end) {
            need.first = std::clamp<int64_t>(floor_of(made.first * reach.step + reach.below, reach.per), 0, reach.of);
            need.end = std::clamp<int64_t>(floor_of((made.end - 1) * reach.step + reach.above, reach.per) + 1, need.first, reach.of);
        }
        Rows& all = rows[reach.to_slot];
        all = reached[reach.to_slot]
                  ? Rows{std::min(all.first, need.first), std::max(all.end, need.end), std::max(all.of, need.of), all.whole || need.whole}
                  : need;
        reached[reach.to_slot] = true;
    }
    std::vector<Rows> out;
    out.reserve(slot_of_.size());
    for (const size_t slot : slot_of_) out.push_back(rows[slot]);
    return out;
}

}  // namespace quern::place
