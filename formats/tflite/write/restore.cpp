#include "formats/tflite/write/restore.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "libcore/base/text.h"
#include "libcore/graph/op_ids.h"
#include "libcore/passes/passes.h"
#include "libcore/passes/shared.h"

namespace quern::tflite_format {
namespace {

// Reads a row's form along the nodes of a graph.
class Form {
   public:
    Form(Parts& parts, std::string_view text) : parts_(parts), rest_(text) {}

    // Is it what makes `id`? `outermost`: the anchor itself.
    bool makes(ValueId id, bool outermost = false) {
        if (rest_.empty() || id == ValueId::none) return false;
        const char first = rest_.front();
        if (first == '*') return take(1), true;
        if (first == '[') return axes(id);
        if (first == '-' || (first >= '0' && first <= '9')) return number(id);
        if (first >= 'a' && first <= 'z') return operand(id);
        const OpId op{rest_.substr(0, rest_.find('(')), ""};
        take(op.name.size() + 1);
        const Node* node = outermost ? &parts_.anchor() : parts_.before(id, op);
        if (!node) return false;
        for (size_t i = 0;; ++i) {
            if (i >= node->in.size() || !makes(node->in[i])) return false;
            const char next = rest_.front();
            take(1);
            if (next == ')') return i + 1 == node->in.size() || has_only_defaults(*node, i + 1);
        }
    }

   private:
    void take(size_t count) { rest_.remove_prefix(count); }

    static bool has_only_defaults(const Node& node, size_t from) {
        return std::all_of(node.in.begin() + static_cast<std::ptrdiff_t>(from), node.in.end(),
                           [](ValueId id) { return id == ValueId::none; });
    }

    bool operand(ValueId id) {
        const auto [place, fresh] = parts_.named.try_emplace(rest_.front(), id);
        take(1);
        return fresh || place->second == id;
    }

    bool number(ValueId id) {
        float wanted = 0;
        const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), wanted);
        take(static_cast<size_t>(end - rest_.data()));
        const auto tensor = parts_.graph().value(id).enc ? std::nullopt : parts_.graph().constant(id);
        return error == std::errc() && tensor && tensor->count() == 1 && to_floats(*tensor)[0] == wanted;
    }

    // One axis, counted from the end or not.
    bool axes(ValueId id) {
        int64_t wanted = 0;
        const auto [end, error] = std::from_chars(rest_.data() + 1, rest_.data() + rest_.size(), wanted);
        take(static_cast<size_t>(end - rest_.data()) + 1);
        const auto given = quern::ints_of(parts_.graph(), id);
        if (error != std::errc() || !given || given->size() != 1) return false;
        axis_ = (*given)[0];
        return axis_ == wanted || (wanted < 0 && axis_ >= 0 && last_axis(wanted));
    }
    // An axis that is not negative is the wanted one if the first operand has that rank.
    bool last_axis(int64_t wanted) const {
        const auto first = parts_.named.begin();
        return first != parts_.named.end() && axis_ == static_cast<int64_t>(parts_.dims(first->second).size()) + wanted;
    }

    Parts& parts_;
    std::string_view rest_;
    int64_t axis_ = 0;
};

bool coded(const Graph& graph, ValueId id) { return graph.value(id).enc.has_value(); }

// Has the operator a kernel for codes of that kind?
bool takes(const RestoreRow& row, const Encoding& encoding) {
    constexpr std::array<std::pair<DType, std::string_view>, 3> words{{{DType::i8, "i8"}, {DType::u8, "u8"}, {DType::i16, "i16"}}};
    return std::any_of(words.begin(), words.end(), [&](const auto& word) {
        return word.first == encoding.storage && row.codes.find(word.second) != std::string_view::npos;
    });
}

// Has the value no codes but those of what the node, which makes it, moves?
bool has_only_moved_codes(const Graph& graph, const Node& maker, ValueId id) {
    if (id == ValueId::none || !coded(graph, id)) return true;
    const bool moved = has(maker.op->traits, Trait::data_movement) && maker.in[0] != ValueId::none;
    return moved && graph.value(id).enc == graph.value(maker.in[0]).enc;
}

// Codes come in and go out, or nowhere; between stand none but those that move.
bool has_one_arithmetic(const Parts& at, const Graph& graph, const RestoreRow& row) {
    if (at.as) return true;  // its row has looked
    const auto is_real = [&](ValueId id) { return id != ValueId::none && is_float(graph.value(id).type.dtype); };
    const auto& first = graph.value(at.in.at(0)).enc;
    const bool on_codes = std::any_of(at.in.begin(), at.in.end(), [&](ValueId id) { return is_real(id) && coded(graph, id); });
    for (const ValueId id : at.out)
        if (is_real(id) && (coded(graph, id) != on_codes || (row.moves && graph.value(id).enc != first))) return false;
    for (const ValueId id : at.in)
        if (on_codes && is_real(id) && (!coded(graph, id) || (row.moves && !takes(row, *graph.value(id).enc)))) return false;
    const auto is_result = [&](ValueId id) { return std::ranges::find(at.out, id) != at.out.end(); };
    return std::ranges::all_of(at.nodes(), [&](NodeId node) {
        return std::ranges::all_of(graph.node(node).out,
                                   [&](ValueId id) { return is_result(id) || has_only_moved_codes(graph, graph.node(node), id); });
    });
}

bool matches(Parts& at, const RestoreRow& row) {
    const OpId op{row.form.substr(0, row.form.find('(')), ""};
    if (!at.anchor().is(op)) return false;
    at.out.assign(1, at.anchor().out.at(0));
    if (op.name.size() < row.form.size()) {
        if (!Form(at, row.form).makes(at.out[0], true)) return false;
        for (const auto& [letter, id] : at.named) at.in.push_back(id);
    }
    return (!row.match || row.match(at)) && at.closed() && has_one_arithmetic(at, at.graph(), row);
}

// The operator takes the place of the nodes; readers of its operands are the nodes and it.
void put(Graph& graph, const Parts& at, const RestoreRow& row, std::string_view format, Uses& uses) {
    const Node& anchor = graph.node(at.nodes().front());
    const std::string name = anchor.name, scope = anchor.scope, device = anchor.device;
    for (const ValueId id : at.out) graph.value(id).producer = NodeId::none;
    for (const NodeId id : at.nodes())
        for (const ValueId out : at.out) std::replace(graph.node(id).out.begin(), graph.node(id).out.end(), out, ValueId::none);
    const NodeId place = at.nodes().front();
    const Op* op = at.as ? at.as : unknown_op(tflite::EnumNameBuiltinOperator(row.code), format, 0);
    const NodeId made = graph.add_node(op, graph.unique_node_name(name), at.in, at.out, at.options, place);
    graph.node(made).scope = scope;
    graph.node(made).device = device;
    for (const NodeId id : at.nodes()) graph.erase(id);
    uses.resize(graph.value_count());
    for (size_t i = 0; i < at.in.size(); ++i)
        if (at.in[i] != ValueId::none) uses[index_of(at.in[i])].push_back({made, static_cast<int>(i)});
}

// Shapes and places that are cast from int32, which the formats take as they are.
void take_int32(Graph& graph) {
    constexpr std::array<std::pair<OpId, size_t>, 6> operands{
        {{ops::Expand, 1}, {ops::Gather, 1}, {ops::GatherND, 1}, {ops::Reshape, 1}, {ops::ReverseSequence, 1}, {ops::Tile, 1}}};
    for (const NodeId id : graph.order())
        for (const auto& [op, i] : operands) {
            Node& node = graph.node(id);
            if (!node.is(op)) continue;
            const Node* cast = made_by(graph, node.in[i], ops::Cast);
            if (cast && graph.value(cast->in[0]).type.dtype == DType::i32 && graph.value(node.in[i]).type.dtype == DType::i64)
                node.in[i] = cast->in[0];
        }
}

void restore_in(Graph& graph, std::string_view format) {
    take_int32(graph);
    drop_dead.run(graph);
    Uses uses = graph.all_uses();
    for (const auto& [state, next] : states_of(graph)) uses[index_of(next)].push_back({NodeId::none, 0});
    const std::vector<NodeId> order = graph.topo();
    for (auto id = order.rbegin(); id != order.rend(); ++id) {
        if (graph.node(*id).erased || graph.node(*id).out.empty() || graph.node(*id).out[0] == ValueId::none) continue;
        for (const auto rows : {restore_shape_rows(), restore_places_rows(), restore_arithmetic_rows()}) {
            const auto found = std::find_if(rows.begin(), rows.end(), [&](const RestoreRow& row) {
                Parts at(graph, uses, *id, format);
                if (!matches(at, row)) return false;
                put(graph, at, row, format, uses);
                return true;
            });
            if (found != rows.end()) break;
        }
    }
    graph.sort();
}

}  // namespace

Ints Parts::dims(ValueId id) const {
    Ints out;
    if (!type(id).shape.ranked) return out;
    for (const Dim& dim : type(id).shape.dims) out.push_back(dim.known() ? dim.value : -1);
    return out;
}

std::optional<Ints> Parts::ints(const Node& node, size_t i) const { return quern::ints_of(graph_, input_of(node, i)); }

const Node* Parts::before(ValueId id, OpId op) {
    const Node* node = made_by(graph_, id, op);
    if (node && !is_part(graph_.value(id).producer)) nodes_.push_back(graph_.value(id).producer);
    return node;
}

const Node* Parts::behind(ValueId id, OpId op) {
    NodeId reader = NodeId::none;
    for (const Use& use : uses_[index_of(id)]) {
        if (use.node == NodeId::none || use.index < 0 || (reader != NodeId::none && use.node != reader)) return nullptr;
        if (graph_.node(use.node).erased) continue;
        reader = use.node;
    }
    if (reader == NodeId::none || !graph_.node(reader).is(op) || graph_.node(reader).in[0] != id) return nullptr;
    if (!is_part(reader)) nodes_.push_back(reader);
    return &graph_.node(reader);
}

bool Parts::read_once(ValueId id) const {
    const auto& uses = uses_[index_of(id)];
    const auto live = [&](const Use& use) { return use.node == NodeId::none || !graph_.node(use.node).erased; };
    return std::count_if(uses.begin(), uses.end(), live) == 1;
}

ValueId Parts::uncast(ValueId id) {
    const Node* cast = made_by(graph_, id, ops::Cast);
    if (!cast || type(cast->in[0]).dtype != DType::i32 || type(id).dtype != DType::i64) return id;
    if (read_once(id) && !is_part(graph_.value(id).producer)) nodes_.push_back(graph_.value(id).producer);
    return cast->in[0];
}

ValueId Parts::numbers(std::string_view what, const Ints& items, Dims shape) {
    return graph_.add_constant(fmt::format("{}/{}", graph_.value(out.at(0)).name, what), from_ints(DType::i32, std::move(shape), items));
}

bool Parts::closed() const {
    for (const NodeId id : nodes_)
        for (const ValueId value : graph_.node(id).out) {
            if (value == ValueId::none || std::find(out.begin(), out.end(), value) != out.end()) continue;
            for (const Use& use : uses_[index_of(value)])
                if (use.node == NodeId::none || use.index < 0 || (!graph_.node(use.node).erased && !is_part(use.node))) return false;
        }
    return true;
}

void restore_operators(Graph& graph, std::string_view format) {
    for_each_graph(graph, [&](Graph& g, const std::string&) { restore_in(g, format); });
}

}  // namespace quern::tflite_format
