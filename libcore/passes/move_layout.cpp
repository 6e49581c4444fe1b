// Moves a whole graph between channels-first (NCHW) and channels-last (NHWC). Operators over channels and space get the attribute
// `layout`; others carry the order of their operands along as far as they can (layout_plan.cpp); who cannot, and the graph's inputs and
// outputs, keep the source order, with a Transpose where two orders meet. A moved value keeps its name and carries its permutation from
// the source.
#include <algorithm>
#include <map>

#include "libcore/graph/op_ids.h"
#include "libcore/passes/layout.h"
#include "libcore/passes/passes.h"
#include "libcore/passes/shared.h"

namespace quern {
namespace {

template <class T>
std::vector<T> permuted(const std::vector<T>& items, const Order& order) {
    std::vector<T> out;
    for (const int64_t i : order) out.push_back(items[static_cast<size_t>(i)]);
    return out;
}

class Mover {
   public:
    Mover(Graph& graph, bool channels_last) : graph_(graph), last_(channels_last), view_{graph, orders_, channels_last} {}

    int run() {
        for (const NodeId id : graph_.topo())
            if (auto plan = layout_plan(view_, graph_.node(id))) take(id, std::move(*plan));
        if (plans_.empty()) return 0;
        for (const auto& [id, order] : orders_) move_value(id, order);
        for (const NodeId id : std::vector<NodeId>(graph_.order())) {
            const auto found = plans_.find(id);
            if (found == plans_.end())
                read_in_source_order(id);
            else
                rewrite(id, found->second);
        }
        give_outputs();
        for (const auto& [id, plan] : plans_) drop_if_idle(id);
        graph_.sort();
        return static_cast<int>(plans_.size());
    }

   private:
    void take(NodeId id, LayoutPlan plan) {
        for (size_t i = 0; i < plan.out.size(); ++i)
            if (const ValueId out = graph_.node(id).out[i]; out != ValueId::none && !in_source_order(plan.out[i]))
                orders_[out] = plan.out[i];
        plans_.emplace(id, std::move(plan));
    }

    void remember(Value& value, const Order& order) const {
        std::vector<int> before = value.permutation;
        if (before.empty())
            for (size_t i = 0; i < order.size(); ++i) before.push_back(static_cast<int>(i));
        value.permutation = permuted(before, order);
        if (std::is_sorted(value.permutation.begin(), value.permutation.end())) value.permutation.clear();
        if (value.enc && !value.enc->per_tensor()) value.enc->axis = static_cast<int>(place_of(order, value.enc->axis));
    }

    void move_value(ValueId id, const Order& order) {
        Value& value = graph_.value(id);
        value.type.shape.dims = permuted(value.type.shape.dims, order);
        remember(value, order);
    }

    std::string suffix(const Order& order) const {
        if (order == channels_order(last_, order.size())) return last_ ? "_nhwc" : "_nchw";
        return in_source_order(order) ? last_ ? "_nchw" : "_nhwc" : "_moved";
    }

    // A constant operand in an order; shorter ones are broadcast, so that leading dims of 1 are put before them.
    ValueId moved_constant(ValueId id, const Order& order) {
        if (in_source_order(order)) return id;
        const auto key = std::pair(id, order);
        if (const auto found = made_.find(key); found != made_.end()) return found->second;
        Tensor tensor = *graph_.constant(id);
        const size_t missing = order.size() - tensor.dims.size();
        tensor.dims.insert(tensor.dims.begin(), missing, 1);
        tensor = quern::permuted(tensor, order);
        const auto uses = graph_.uses(id);
        const bool alone = std::all_of(uses.begin(), uses.end(), [&](const Use& use) { return use.node == uses[0].node; });
        const Value source = graph_.value(id);
        ValueId target = id;
        if (!alone) {
            target = graph_.add_value(graph_.unique_name(source.name + suffix(order)), source.type);
            graph_.value(target).enc = source.enc;
        }
        Value& value = graph_.value(target);
        value.type.shape = Shape::of(tensor.dims);
        value.data = tensor.data;
        if (value.enc && !value.enc->per_tensor()) value.enc->axis += static_cast<int>(missing);
        remember(value, order);
        return made_[key] = target;
    }

    // `id` in an order, through a Transpose if it has another; one for all that need it.
    ValueId in_order(ValueId id, const Order& order) {
        const Order perm = between(view_.order(id), order);
        if (in_source_order(perm)) return id;
        const auto key = std::pair(id, order);
        if (const auto found = made_.find(key); found != made_.end()) return found->second;
        const Value& value = graph_.value(id);
        Type type = value.type;
        type.shape.dims = permuted(type.shape.dims, perm);
        const ValueId out = graph_.add_value(graph_.unique_name(value.name + suffix(order)), type);
        if (const auto& enc = graph_.value(id).enc) {
            graph_.value(out).enc = enc;
            if (!enc->per_tensor()) graph_.value(out).enc->axis = static_cast<int>(place_of(perm, enc->axis));
        }
        graph_.add_node(need_op(ops::Transpose), graph_.unique_node_name(graph_.value(out).name), {id}, {out}, {{"perm", perm}});
        return made_[key] = out;
    }

    void rewrite(NodeId id, const LayoutPlan& plan) {
        for (size_t i = 0; i < plan.in.size(); ++i) {
            const ValueId in = graph_.node(id).in[i];
            if (in == ValueId::none) continue;
            if (plan.in[i].empty())
                graph_.node(id).in[i] = in_source(in);
            else
                graph_.node(id).in[i] = graph_.value(in).constant() ? moved_constant(in, plan.in[i]) : in_order(in, plan.in[i]);
        }
        if (!plan.rewrite) return;
        plan.rewrite(graph_.node(id), [&](std::string_view what, const std::vector<int64_t>& items) {
            return graph_.add_constant(graph_.node(id).name + "/" + std::string(what), Tensor::vector<int64_t>(items));
        });
    }

    ValueId in_source(ValueId id) { return view_.moved(id) ? in_order(id, source_order(orders_.at(id).size())) : id; }

    void read_in_source_order(NodeId id) {
        for (size_t i = 0; i < graph_.node(id).in.size(); ++i)
            if (const ValueId in = graph_.node(id).in[i]; in != ValueId::none) {
                const ValueId plain = in_source(in);
                graph_.node(id).in[i] = plain;
            }
        for (Graph& body : graph_.node(id).bodies)
            for (Graph::Capture& capture : body.captures) capture.outer = in_source(capture.outer);
    }

    // A graph output keeps name and order: the moved value behind it is the one that is renamed.
    void give_outputs() {
        for (ValueId& output : graph_.outputs) {
            if (!view_.moved(output)) continue;
            const std::string name = graph_.value(output).name;
            const ValueId plain = in_source(output);
            graph_.rename(output, graph_.unique_name(name + (last_ ? "_nhwc" : "_nchw") + "_inner"));
            graph_.rename(plain, name);
            output = plain;
        }
    }

    // A Transpose that has become an Identity.
    void drop_if_idle(NodeId id) {
        if (graph_.node(id).erased || !graph_.node(id).is(ops::Identity)) return;
        const ValueId from = graph_.node(id).in[0], to = graph_.node(id).out[0];
        if (graph_.value(from).enc != graph_.value(to).enc || !forward(graph_, to, from) || graph_.node(id).erased) return;
        graph_.erase(id);
        graph_.erase(to);
    }

    Graph& graph_;
    bool last_;
    std::map<ValueId, Order> orders_;  // of what is moved
    LayoutView view_;
    std::map<NodeId, LayoutPlan> plans_;
    std::map<std::pair<ValueId, Order>, ValueId> made_;
};

}  // namespace

constinit const Pass move_layout{"move_layout", "move to channels-last (NHWC)",
                                 [](Graph& graph) { return on_every_graph(graph, [](Graph& g) { return Mover(g, true).run(); }); }, 1e-5f,
                                 false};
constinit const Pass move_layout_back{"move_layout_back", "move to channels-first (NCHW)",
                                      [](Graph& graph) { return on_every_graph(graph, [](Graph& g) { return Mover(g, false).run(); }); },
                                      1e-5f, false};

}  // namespace quern
