#include "libcore/quant/plan/norm_parts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "libcore/graph/op_ids.h"
#include "libcore/ops/shared/portable_math.h"
#include "libcore/passes/passes.h"
#include "libcore/passes/pipelines.h"
#include "libcore/passes/shared.h"
#include "libcore/quant/plan/joined.h"
#include "libcore/quant/plan/sensitivity.h"
#include "libcore/quant/plan/statistics.h"
#include "libcore/quant/types/asked.h"

namespace quern {
namespace {

constexpr double least_whole_db = 25;  // that all parts together must keep of the numbers

bool is_norm(const Node& node) { return node.is(ops::LayerNormalization, ops::RMSNormalization); }

// y = d * inverse(sqrt(mean(d^2) + epsilon)), where d is x less its mean or, for RMSNormalization, x.
class Parts {
   public:
    // Nodes are added before `before`; `norm` says what is computed and has the result's name.
    Parts(Graph& graph, const Node& norm, std::string result, NodeId before)
        : graph_(graph), view_(norm), result_(std::move(result)), before_(before) {}

    // The normal numbers, before scale and bias; none if the rank of x is not known.
    ValueId add(ValueId x) {
        const int64_t axis = view_.integer("axis");
        const Shape& shape = graph_.value(x).type.shape;
        if (axis >= 0 && !shape.ranked) return ValueId::none;
        const int64_t count = axis < 0 ? -axis : static_cast<int64_t>(shape.rank()) - axis;
        std::vector<int64_t> last;
        for (int64_t i = -count; i < 0; ++i) last.push_back(i);
        const ValueId axes = graph_.add_constant(result_ + "/axes", Tensor::make<int64_t>({count}, last));
        const ValueId epsilon = graph_.add_constant(result_ + "/epsilon", Tensor::scalar(view_.real("epsilon")));
        ValueId d = x;
        if (view_.node().is(ops::LayerNormalization)) d = part("centred", ops::Sub, {x, mean("mean", x, axes)});
        const ValueId variance = mean("variance", part("squares", ops::Mul, {d, d}), axes);
        const ValueId root = part("root", ops::Sqrt, {part("raised", ops::Add, {variance, epsilon})});
        return part("normal", ops::Mul, {d, part("inverse", ops::Reciprocal, {root})});
    }
    ValueId part(std::string_view what, OpId op, std::vector<ValueId> in, Attrs attrs = {}) {
        const ValueId made = graph_.add_value(graph_.unique_name(result_ + "/" + std::string(what)), Type{});
        const NodeId id = graph_.add_node(need_op(op), graph_.unique_node_name(view_.node().name + "/" + std::string(what)), std::move(in),
                                          {made}, std::move(attrs), before_);
        graph_.node(id).scope = view_.node().scope;
        graph_.node(id).device = view_.node().device;
        nodes.push_back(graph_.node(id).name);
        return made;
    }

    std::vector<std::string> nodes;  // their names

   private:
    ValueId mean(std::string_view what, ValueId x, ValueId axes) {
        return part(what, ops::ReduceMean, {x, axes}, {{"keepdims", int64_t{1}}});
    }

    Graph& graph_;
    NodeView view_;
    std::string result_;
    NodeId before_;
};

constexpr std::array whole_norms{&fuse_layernorm, &fuse_rmsnorm};

bool is_measured(const Graph& graph, const Node& node) {
    return is_norm(node) && node.in[0] != ValueId::none && node.out[0] != ValueId::none && !graph.value(node.out[0]).enc &&
           graph.value(node.out[0]).type.dtype == DType::f32;
}

bool is_biased(const Node& norm) { return norm.in.size() > 2 && norm.in[2] != ValueId::none; }

struct Kept {
    double db;               // of the numbers, on codes of all parts
    std::string_view least;  // the part that loses most
};

// What the normalization that makes `result` keeps part by part: the noise of its parts, each beside its own numbers, adds up. Nothing if
// they were not measured.
std::optional<Kept> kept_by_parts(const Ranges& ranges, const std::string& result, const Node& norm, const QuantWork& work) {
    const GridSpec spec = activation_spec(*work.request.scheme, work);
    const SearchOptions search = search_of(*work.request.scheme, work);
    double noise = 0, most = -1;
    std::string_view least;
    for (const std::string_view what : {"centred", "raised", "inverse", "normal", "scaled"}) {
        if (what == "centred" && !norm.is(ops::LayerNormalization)) continue;
        if (what == "scaled" && !is_biased(norm)) continue;
        const auto found = ranges.values.find(result + "/" + std::string(what));
        if (found == ranges.values.end() || found->second.histogram.bins.empty()) return std::nullopt;
        const FoundGrid grid = find_grid(found->second, spec, search);
        double db = grid.error.sqnr_db();
        if (what == "raised")
            db = std::min(db, response_db(
                                  masses_of(found->second), grid.grid, spec, [](double x) { return 1 / std::sqrt(x); }, false));
        const double share = portable::pow(10.0, -db / 10);
        noise += share;
        if (share > most) {
            most = share;
            least = what;
        }
    }
    return Kept{-10 * portable::log10(noise), least};
}

class Speller {
   public:
    Speller(Graph& graph, const std::string& path, const Ranges& ranges, QuantWork& work)
        : graph_(graph), path_(path), ranges_(ranges), work_(work) {}

    // Notes in the work why not, if it is for what was measured.
    bool wanted(const Node& node) {
        if (!is_measured(graph_, node) || kept_from_codes(node, path_, work_)) return false;
        const auto kept = kept_by_parts(ranges_, path_ + graph_.value(node.out[0]).name, node, work_);
        if (!kept) return false;
        if (kept->db >= least_whole_db || work_.request.full_integer) return true;
        work_.lost[path_ + node.name] =
            fmt::format("on codes its parts would keep only {:.1f} dB together, \"{}\" least", kept->db, kept->least);
        return false;
    }

    void spell(NodeId id) {
        const Node norm = graph_.node(id);
        const ValueId result = norm.out[0];
        Parts parts(graph_, norm, graph_.value(result).name, id);
        ValueId made = parts.add(norm.in[0]);
        if (made == ValueId::none) return;
        const bool bias = is_biased(norm);
        if (bias) made = parts.part("scaled", ops::Mul, {made, norm.in[1]});
        take_over(graph_, result, need_op(bias ? ops::Add : ops::Mul), {made, norm.in[bias ? 2 : 1]});
        parts.nodes.push_back(norm.name);
        for (const std::string& name : parts.nodes) work_.spelled.insert(path_ + name);
    }

   private:
    Graph& graph_;
    const std::string& path_;
    const Ranges& ranges_;
    QuantWork& work_;
};

}  // namespace

Graph with_norm_parts(const Graph& graph) {
    Graph own = graph;
    Graph whole = graph;
    run_pipeline(whole, pipelines::whole_norms);  // as quantize_model has it
    std::map<std::string, const Graph*> twins;
    for_each_graph(whole, [&](const Graph& part, const std::string& path) { twins[path] = &part; });
    bool any = false;
    for_each_graph(own, [&](Graph& part, const std::string& path) {
        const Graph& twin = *twins.at(path);
        for (const NodeId id : twin.order()) {
            const Node& norm = twin.node(id);
            if (!is_measured(twin, norm)) continue;
            const std::string& result = twin.value(norm.out[0]).name;
            const ValueId x = part.find(twin.value(norm.in[0]).name), y = part.find(result);
            if (x == ValueId::none || y == ValueId::none || part.value(y).producer == NodeId::none) continue;
            Parts parts(part, norm, result, NodeId::none);
            const ValueId normal = parts.add(x);
            if (normal == ValueId::none) continue;
            any = true;
            if (const auto scale = twin.constant(norm.in[1]); scale && is_biased(norm))
                parts.part("scaled", ops::Mul, {normal, part.add_constant(result + "/scale", *scale)});
        }
    });
    if (any) infer_types(own);
    return own;
}

void spell_norms(Graph& graph, const Ranges& ranges, QuantWork& work) {
    if (work.request.scheme->activation != DType::i8) return;
    graph = joined(graph, whole_norms, work);
    bool any = false;
    for_each_graph(graph, [&](Graph& part, const std::string& path) {
        Speller speller(part, path, ranges, work);
        for (const NodeId id : std::vector<NodeId>(part.order())) {
            if (part.node(id).erased || !is_norm(part.node(id)) || !speller.wanted(part.node(id))) continue;
            speller.spell(id);
            any = true;
        }
    });
    if (any) infer_types(graph);
}

}  // namespace quern
