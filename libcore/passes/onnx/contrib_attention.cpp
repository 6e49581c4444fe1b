// GroupQueryAttention in place of causal Attention with caches. It knows of each row how many tokens it has: padding stands behind
// them. Caches that are written in place are as long as they will ever be; positions say how many of theirs are filled.
#include <array>

#include "libcore/graph/op_ids.h"
#include "libcore/passes/onnx/contrib.h"
#include "libcore/passes/shared.h"

namespace quern {
namespace {

constexpr std::string_view mask_name = "attention_mask", positions_name = "position_ids";
constexpr int64_t turned_multiple = 16;  // of the size of heads that onnxruntime's kernel turns itself

// The tables of a RotaryEmbedding by position_ids.
struct Turn {
    ValueId cosine = ValueId::none, sine = ValueId::none;
    bool pairs = false;
    bool operator==(const Turn&) const = default;
};

class AttentionMaker {
   public:
    AttentionMaker(Graph& graph, Contrib& made) : graph_(graph), made_(made), mask_(graph.find(mask_name)) {}

    void run() {
        for (const NodeId id : std::vector<NodeId>(graph_.order())) {
            if (!graph_.node(id).is(ops::Attention)) continue;
            if (const auto found = in_place_of(graph_, graph_.node(id)))
                replace_in_place(id, *found);
            else if (const std::string why = obstacle(graph_.node(id)); why.empty())
                replace(id);
            else
                ++made_.kept_attentions[why];
        }
    }

   private:
    std::string obstacle(const Node& node) const {
        const NodeView view(node);
        if (const Node* by = made_by(graph_, node.in[1], ops::TensorScatter); by && graph_.is_input(by->in[0]))
            return "whose caches are written otherwise than at position_ids";
        if (mask_ == ValueId::none || !graph_.is_input(mask_)) return "without an input attention_mask";
        if (view.integer("is_causal") == 0 || view.integer("right_window_size") >= 0) return "that looks ahead";
        for (size_t i = 4; i < 6; ++i)
            if (input_of(node, i) == ValueId::none || !graph_.is_input(node.in[i])) return "without caches";
        if (input_of(node, 6) != ValueId::none || input_of(node, 3) == ValueId::none || !is_padding(node.in[3]))
            return "with a mask of its own";
        if (node.out.size() > 3 && node.out[3] != ValueId::none) return "whose scores are a result";
        if (graph_.value(node.in[0]).type.shape.rank() != 3) return "of queries by head";
        if (graph_.value(node.in[4]).type.shape.dims.back() != graph_.value(node.in[5]).type.shape.dims.back())
            return "with keys and values of different sizes";
        return {};
    }

    // Is this attention_mask and nothing else, in some shape?
    bool is_padding(ValueId id) const {
        while (id != mask_) {
            const NodeId by = graph_.value(id).producer;
            if (by == NodeId::none || !graph_.node(by).is(ops::Cast, ops::Unsqueeze, ops::Expand, ops::Reshape)) return false;
            id = graph_.node(by).in[0];
        }
        return true;
    }

    // The table whose rows position_ids chooses; none if `id` is made otherwise.
    ValueId table_of(ValueId id) const {
        const Node* node = made_by(graph_, id, ops::Gather);
        const bool by_position = node && NodeView(*node).integer("axis") == 0 && graph_.value(node->in[1]).name == positions_name;
        return by_position && is_plain_constant(graph_, node->in[0]) ? node->in[0] : ValueId::none;
    }

    std::optional<Turn> turn_of(ValueId id) const {
        const Node* node = made_by(graph_, id, ops::RotaryEmbedding);
        if (!node || input_of(*node, 3) != ValueId::none) return std::nullopt;
        const Turn turn{table_of(node->in[1]), table_of(node->in[2]), NodeView(*node).integer("interleaved") != 0};
        if (turn.cosine == ValueId::none || turn.sine == ValueId::none) return std::nullopt;
        return turn;
    }

    // What attention itself can turn: queries and keys by the same tables.
    std::optional<Turn> turn_inside(ValueId query, ValueId key, ValueId cache) const {
        const auto turn = turn_of(query);
        const Dim& size = graph_.value(cache).type.shape.dims.back();
        if (!turn || turn != turn_of(key) || !size.known() || size.value % turned_multiple != 0) return std::nullopt;
        return turn;
    }

    ValueId add(OpId op, const std::string& name, std::vector<ValueId> in, DType dtype, Attrs attrs = {}) {
        const ValueId out = graph_.add_value(graph_.unique_name(name), Type::tensor(dtype));
        graph_.add_node(need_op(op), graph_.unique_node_name(name), std::move(in), {out}, std::move(attrs), graph_.order().front());
        return out;
    }

    // int32: [batch], the place of each row's last token, and how long the longest row is.
    struct Lengths {
        ValueId last = ValueId::none, total = ValueId::none;
    };
    ValueId narrow(const char* name, ValueId x) {
        return add(ops::Cast, name, {x}, DType::i32, {{"to", int64_t{row_of(DType::i32).onnx}}});
    }
    ValueId whole(const char* name, int64_t number) { return graph_.add_constant(name, Tensor::scalar(number)); }
    ValueId axes(const char* name, std::vector<int64_t> items) { return graph_.add_constant(name, Tensor::vector<int64_t>(items)); }

    const Lengths& lengths_of_mask() {
        if (by_mask_) return *by_mask_;
        const Attrs flat{{"keepdims", int64_t{0}}};
        const ValueId sum = add(ops::ReduceSum, "lengths.sum", {mask_, axes("lengths.axes", {1})}, DType::i64, flat);
        const ValueId last = add(ops::Sub, "lengths.last", {sum, whole("lengths.one", 1)}, DType::i64);
        const ValueId dims = add(ops::Shape, "lengths.dims", {mask_}, DType::i64);
        const ValueId total = add(ops::Gather, "lengths.total", {dims, whole("lengths.axis", 1)}, DType::i64);
        return by_mask_.emplace(Lengths{narrow("seqlens_k", last), narrow("total_sequence_length", total)});
    }

    const Lengths& lengths_of_positions() {
        if (by_positions_) return *by_positions_;
        const Attrs flat{{"keepdims", int64_t{0}}};
        const ValueId last =
            add(ops::ReduceMax, "lengths.last", {graph_.find(positions_name), axes("lengths.axes", {1})}, DType::i64, flat);
        const ValueId longest = add(ops::ReduceMax, "lengths.longest", {last, axes("lengths.rows", {0})}, DType::i64, flat);
        const ValueId total = add(ops::Add, "lengths.total", {longest, whole("lengths.one", 1)}, DType::i64);
        return by_positions_.emplace(Lengths{narrow("seqlens_k", last), narrow("total_sequence_length", total)});
    }

    // `window`: of tokens to the left; -1: all.
    static Attrs attributes(const NodeView& view, int64_t heads, int64_t kv_heads, int64_t window, const std::optional<Turn>& turn) {
        Attrs attrs{{"num_heads", heads}, {"kv_num_heads", kv_heads}};
        if (view.has("scale")) attrs["scale"] = view.real("scale");
        if (const float cap = view.real("softcap"); cap > 0) attrs["softcap"] = cap;
        if (window >= 0) attrs["local_window_size"] = window + 1;  // itself counts
        if (turn) attrs["do_rotary"] = int64_t{1};
        if (turn && turn->pairs) attrs["rotary_interleaved"] = int64_t{1};
        return attrs;
    }

    // Queries, keys, values and the caches of both, and what else the operator reads.
    std::vector<ValueId> operands(std::array<ValueId, 5> given, const Lengths& lengths, const std::optional<Turn>& turn) const {
        const auto unturned = [&](ValueId x) { return turn ? graph_.node(graph_.value(x).producer).in[0] : x; };
        std::vector<ValueId> in{unturned(given[0]), unturned(given[1]), given[2], given[3], given[4], lengths.last, lengths.total};
        if (turn) in.insert(in.end(), {turn->cosine, turn->sine});
        return in;
    }

    void become(NodeId id, std::vector<ValueId> in, Attrs attrs, bool turned) {
        Node& node = graph_.node(id);
        node.attrs = std::move(attrs);
        node.op = need_op(ops::microsoft::GroupQueryAttention);
        node.in = std::move(in);
        ++made_.attentions;
        made_.rotated += turned;
    }

    void replace(NodeId id) {
        const Lengths& lengths = lengths_of_mask();
        const Node& node = graph_.node(id);
        const NodeView view(node);
        const auto turn = turn_inside(node.in[0], node.in[1], node.in[4]);
        become(id, operands({node.in[0], node.in[1], node.in[2], node.in[4], node.in[5]}, lengths, turn),
               attributes(view, view.integer("q_num_heads"), view.integer("kv_num_heads"), view.integer("left_window_size"), turn),
               turn.has_value());
    }

    void replace_in_place(NodeId id, const InPlace& found) {
        const Lengths& lengths = lengths_of_positions();
        const auto turn = turn_inside(found.query, found.key, found.past_key);
        const auto heads = [&](ValueId x) { return graph_.value(x).type.shape.dims[1].value; };
        const Node& node = graph_.node(id);
        Attrs attrs = attributes(NodeView(node), heads(node.in[0]), heads(found.past_key), found.window, turn);
        const std::vector<ValueId> results{found.result, found.present_key, found.present_value};
        for (const ValueId result : results) graph_.erase(graph_.value(result).producer);
        graph_.node(id).out = results;
        for (const ValueId result : results) graph_.value(result).producer = id;
        become(id, operands({found.query, found.key, found.value, found.past_key, found.past_value}, lengths, turn), std::move(attrs),
               turn.has_value());
    }

    Graph& graph_;
    Contrib& made_;
    ValueId mask_;
    std::optional<Lengths> by_mask_, by_positions_;
};

}  // namespace

void make_grouped_attention(Graph& graph, Contrib& made) { AttentionMaker(graph, made).run(); }

}  // namespace quern
