#include "libcore/exec/choose.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "libcore/base/text.h"
#include "libcore/exec/qlinear_eval.h"
#include "libcore/graph/op_ids.h"
#include "libcore/graph/questions.h"
#include "libcore/kernels/loader.h"
#include "libcore/ops/integer/onnx_products.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/passes/shared.h"

namespace quern {
namespace {

const Profile& onnx_profile() { return need_profile("onnx"); }

bool takes(const ProfileRow& row, const Graph& graph, const Node& node, const std::optional<Encoding>& out) {
    using Result = ProfileRow::Result;
    return (row.result == Result::any || (row.result == Result::encoded) == out.has_value()) &&
           row.takes(graph, node, out ? *out : Encoding{});
}

bool is_coded(const Graph& graph, ValueId id) {
    return id != ValueId::none && graph.value(id).enc && is_integer(graph.value(id).enc->storage);
}

// Functions of operator packages see whatever their operands are encoded in; products only if both sides are codes.
bool takes_registered(const Graph& graph, const Node& node) {
    if (!registered_on_codes(*node.op) || node.out.empty() || node.out[0] == ValueId::none) return false;
    const auto& out = graph.value(node.out[0]).enc;
    const int weight = node.op->quant.weight;
    return (!out || out->is_fixed()) && (weight < 0 || (is_coded(graph, node.in[0]) && static_cast<size_t>(weight) < node.in.size() &&
                                                        is_coded(graph, node.in[static_cast<size_t>(weight)])));
}

// Data movement moves codes if everything it moves has one encoding per tensor.
bool moves_codes(const Graph& graph, const Node& node) {
    if (!has(node.op->traits, Trait::data_movement) || node.out.empty()) return false;
    const auto fixed = [&](ValueId id) {
        const auto& enc = graph.value(id).enc;
        return enc && enc->is_fixed() ? &*enc : nullptr;
    };
    const Encoding* out = node.out[0] == ValueId::none ? nullptr : fixed(node.out[0]);
    if (!out || !out->per_tensor()) return false;
    if (makes_zeros(node) && !out->symmetric()) return false;
    const auto fits = [&](ValueId id) {
        if (id == ValueId::none) return true;
        return graph.value(id).enc ? fixed(id) && *fixed(id) == *out : graph.value(id).type.dtype != out->real;
    };
    return std::all_of(node.in.begin(), node.in.end(), fits) && std::all_of(node.out.begin(), node.out.end(), fits);
}

class Chooser {
   public:
    Chooser(const Graph& graph, const CompileOptions& options, const Recorded* recorded)
        : graph_(graph), options_(options), uses_(graph.all_uses()), is_recorded_(recorded != nullptr) {
        if (recorded)
            for (const Recorded::Step& step : recorded->steps)
                if (step.nodes.empty() || !recorded_.emplace(step.nodes[0], &step).second)
                    throw bad_input("a step is there twice or empty");
    }

    std::vector<Group> run() {
        const std::vector<NodeId> order = graph_.topo();
        std::map<const Node*, Group> by_last;
        for (const NodeId id : order) {
            const Node& node = graph_.node(id);
            if (taken_.contains(&node)) continue;
            Group group = is_recorded_ ? recorded_group(node) : group_from(node);
            group.real = why_real(group);
            taken_.insert(group.nodes.begin(), group.nodes.end());
            const Node* last = group.nodes.back();
            by_last.emplace(last, std::move(group));
        }
        std::vector<Group> groups;
        for (const NodeId id : order)
            if (const auto found = by_last.find(&graph_.node(id)); found != by_last.end()) groups.push_back(std::move(found->second));
        return groups;
    }

   private:
    bool encoded(ValueId id) const { return id != ValueId::none && options_.mode != Mode::floating && graph_.value(id).enc.has_value(); }

    bool is_dynamic(ValueId id) const { return id != ValueId::none && graph_.value(id).enc && graph_.value(id).enc->is_dynamic(); }

    // Kernels compute on real numbers: in integer runs encoded values are left to the integer reference.
    bool fits_mode(const Site& site) const {
        if (options_.mode != Mode::integer) return true;
        return !encoded(site.out()) && std::none_of(site.in.begin(), site.in.end(), [&](ValueId id) { return encoded(id); });
    }

    static std::span<const Bytes> state_of(const Recorded::Step* step) { return step ? std::span(step->state) : std::span<const Bytes>(); }

    // The one node that reads the site's result, if nobody else sees it.
    const Node* only_reader(const Site& site) const {
        const Use* use = only_use(uses_[index_of(site.out())]);
        if (options_.observable || encoded(site.out()) || !use) return nullptr;
        const Node& next = graph_.node(use->node);
        return next.out.size() == 1 && next.bodies.empty() && !taken_.contains(&next) ? &next : nullptr;
    }

    Site grown(const KernelRow& row, const Node& node) const {
        Site site{graph_, {&node}, node.in};
        while (row.absorbs) {
            const Node* next = only_reader(site);
            if (!next || !row.absorbs(site, *next)) break;
            for (const ValueId id : site.operands(*next)) site.in.push_back(id);
            site.nodes.push_back(next);
        }
        return site;
    }

    static std::string why_absent(std::string_view row, const Group& group) {
        const KernelLibrary* library = kernel_library(row);
        const std::string& why = library && !library->problem.empty() ? library->problem : group.refusals;
        return why.empty() ? "" : ": " + why;
    }

    // As the record says, if that is what the graph allows.
    Group recorded_group(const Node& node) const {
        return at_place([&] { return fmt::format("step \"{}\"", escape(node.name)); },
                        [&] {
                            const auto found = recorded_.find(node.name);
                            if (found == recorded_.end()) throw bad_input("is not in the plan");
                            const Recorded::Step& step = *found->second;
                            Group group = group_from(node, &step);
                            const std::string_view row = group.lookup ? "lookup" : group.row;
                            const auto same = [](const Node* a, const std::string& name) { return a->name == name; };
                            if (row != step.row)
                                throw unsupported("is planned for the kernel \"{}\", which is not here{}", escape(step.row),
                                                  why_absent(step.row, group));
                            if (!std::equal(group.nodes.begin(), group.nodes.end(), step.nodes.begin(), step.nodes.end(), same))
                                throw bad_input("the plan joins other nodes than the kernel takes");
                            return group;
                        });
    }

    Group group_from(const Node& node, const Recorded::Step* recorded = nullptr) const {
        Group group = alone(node);
        if (options_.mode == Mode::integer && joins_codes(group)) return group;
        if (options_.mode == Mode::integer && !options_.reference && (group.lookup = Lookup::make(graph_, node, state_of(recorded)))) {
            group.how = StepArithmetic::table;
            return group;
        }
        if (options_.mode == Mode::integer && moves_codes(graph_, node)) group.how = StepArithmetic::moves;
        if (options_.reference || node.out.empty() || !node.op->domain.empty()) return group;
        if (recorded && recorded->row.empty()) return group;
        for (const KernelRow& row : kernel_rows(recorded ? std::string_view(recorded->row) : std::string_view())) {
            if (!node.is(row.op)) continue;
            Site site = grown(row, node);
            site.state = state_of(recorded);
            std::string refusal;
            if (!fits_mode(site))
                refusal = "works on codes";
            else if (auto kernel = row.make(site, refusal)) {
                group.nodes = site.nodes;
                group.in = site.in;
                group.kernel = std::move(kernel);
                group.row = row.name;
                return group;
            }
            group.refusals += fmt::format("{}{}: {}", group.refusals.empty() ? "" : "; ", row.name, refusal);
        }
        return group;
    }

    // The one node that reads a result, as input `at` (and perhaps as others), where the result is no output and has no encoding.
    const Node* only_node_behind(ValueId result, size_t at) const {
        const auto& uses = uses_[index_of(result)];
        if (graph_.value(result).enc || uses.empty()) return nullptr;
        for (const Use& use : uses)
            if (use.node == NodeId::none || use.index < 0 || use.node != uses[0].node) return nullptr;
        const Node& next = graph_.node(uses[0].node);
        return !taken_.contains(&next) && at < next.in.size() && next.in[at] == result ? &next : nullptr;
    }

    // A product whose real result goes to one Relu or Clip with an encoded output is requantized once, behind it.
    void add_activation(Group& group) const {
        const ValueId out = group.nodes.back()->out[0];
        if (std::any_of(group.in.begin(), group.in.end(), [&](ValueId id) { return is_dynamic(id); })) return;  // its sum is real
        const Node* next_node = only_node_behind(out, 0);
        if (!next_node) return;
        const Node& next = *next_node;
        const auto& encoding = graph_.value(next.out[0]).enc;
        if (!encoding || !encoding->plain_integer()) return;
        const auto bounds = clip_bounds(graph_, next);
        if (!bounds) return;
        const Tensor limits = quantize(Tensor::vector<float>(std::array{bounds->low, bounds->high}), *encoding);
        const auto codes = to_ints(limits);
        group.unit_out = encoding->with_limits(codes[0], codes[1]);
        group.nodes.push_back(&next);
    }

    // The nodes behind the group's that the row joins. What else they read is the first one's operand or constant.
    bool adds_links(const ProfileRow& row, Group& group) const {
        for (const ProfileLink& link : row.links) {
            const ValueId result = group.nodes.back()->out[0];
            const Node* next = only_node_behind(result, link.at);
            if (!next || !next->is(link.op) || next->out.size() != 1) return false;
            for (const ValueId id : next->in)
                if (id != ValueId::none && id != result && !graph_.value(id).constant() && id != group.nodes[0]->in[0]) return false;
            group.nodes.push_back(next);
        }
        if (row.links.empty()) return true;
        group.unit_out = graph_.value(group.nodes.back()->out[0]).enc;
        return group.unit_out && row.joins(graph_, group.nodes);
    }

    static Group alone(const Node& node) { return {{&node}, node.in, nullptr, {}, nullptr, {}}; }

    // Integer arithmetic of one node: the rows of the model's profile, then those of onnx, then what QLinear operators do.
    bool joins_codes(Group& group) const {
        const Node& node = *group.nodes[0];
        if (node.out.empty() || node.out[0] == ValueId::none) return false;
        if (options_.profile && options_.profile->name != onnx_profile().name &&
            joins_rows(options_.profile->rows, group, StepArithmetic::profile))
            return true;
        if (joins_rows(onnx_profile().rows, group, StepArithmetic::onnx)) return true;
        if (takes_registered(graph_, node)) {
            group.how = StepArithmetic::onnx;
            group.eval = registered_on_codes(*node.op);
            return true;
        }
        return joins_qlinear(group);
    }

    // A row that takes the operands as they are encoded, with what it joins and the activation behind it where the row allows.
    bool joins_rows(std::span<const ProfileRow> rows, Group& group, StepArithmetic how) const {
        const Node& node = *group.nodes[0];
        if (std::any_of(node.in.begin(), node.in.begin() + node.op->in_min, [](ValueId id) { return id == ValueId::none; })) return false;
        for (const ProfileRow& row : rows) {
            if (!node.is(row.op)) continue;
            Group wider = alone(node);
            if (!adds_links(row, wider)) continue;
            if (row.unit) add_activation(wider);
            const auto& out = wider.unit_out ? wider.unit_out : graph_.value(node.out[0]).enc;
            if (!takes(row, graph_, node, out)) continue;
            wider.how = how;
            wider.eval = row.eval;
            group = std::move(wider);
            return true;
        }
        return false;
    }

    // Of results that are not stored as codes only if the activation behind lets every code pass: then it does nothing to the codes.
    bool joins_qlinear(Group& group) const {
        const Node& node = *group.nodes[0];
        if (node.out.size() != 1) return false;
        Group wider = alone(node);
        if (!takes_qlinear(graph_, node, graph_.value(node.out[0]).enc)) {
            add_activation(wider);
            if (!wider.unit_out || !takes_qlinear(graph_, node, wider.unit_out)) return false;
        }
        wider.how = StepArithmetic::qlinear;
        wider.eval = eval_qlinear;
        group = std::move(wider);
        return true;
    }

    // Does the node give one of its operands, in their encoding? Then real numbers give the same codes.
    bool selects(const Node& node) const {
        const auto& out = graph_.value(node.out[0]).enc;
        return has(node.op->quant.traits, QuantTrait::selects) && std::ranges::all_of(node.in, [&](ValueId id) {
                   return id == ValueId::none || graph_.value(id).enc == out || !is_float(graph_.value(id).type.dtype);
               });
    }

    // Does the node compute on weights that are codes, by a profile whose kernels round the activations to codes, too?
    bool leaves_activations_real(const Node& node) const {
        return options_.profile && options_.profile->name != onnx_profile().name && node.is(ops::LSTM, ops::RNN, ops::own::SVDF) &&
               std::ranges::any_of(node.in, [&](ValueId id) { return encoded(id) && graph_.value(id).constant(); });
    }

    // Why a node that reads and makes codes, or whose profile would have it compute on codes, computes on real numbers; empty if it
    // does not. If, Loop and Scan compute nothing themselves.
    std::string why_real(const Group& group) const {
        const Node& node = *group.nodes[0];
        if (options_.mode == Mode::integer && !group.eval && !node.out.empty() && leaves_activations_real(node) &&
            std::ranges::none_of(node.out, [&](ValueId id) { return encoded(id); }))
            return fmt::format("profile {} has no kernel for it that rounds the activations beside its weights", options_.profile->name);
        if (options_.mode != Mode::integer || group.how != StepArithmetic::real || group.kernel || node.out.empty() ||
            !node.bodies.empty() || !encoded(node.out[0]) ||
            std::none_of(node.in.begin(), node.in.end(), [&](ValueId id) { return encoded(id); }))
            return {};
        if (selects(node) || (options_.reference && Lookup::make(graph_, node))) return {};
        if (has(node.op->traits, Trait::data_movement)) return "its operands have other encodings than its result";
        const auto rows = options_.profile ? options_.profile->rows : std::span<const ProfileRow>();
        const bool known =
            std::any_of(rows.begin(), rows.end(), [&](const ProfileRow& row) { return node.is(row.op) && row.links.empty(); });
        if (known) return fmt::format("profile {} does not take it as it is encoded", options_.profile->name);
        return fmt::format("profile {} has no integer kernel for it", options_.profile ? options_.profile->name : "onnx");
    }

    const Graph& graph_;
    const CompileOptions& options_;
    std::vector<std::vector<Use>> uses_;
    std::set<const Node*> taken_;
    std::map<std::string_view, const Recorded::Step*> recorded_;  // by their first nodes
    bool is_recorded_;
};

}  // namespace

bool computes_on_codes(const Graph& graph, const Node& node) {
    if (node.out.empty() || node.out[0] == ValueId::none) return false;
    const auto& out = graph.value(node.out[0]).enc;
    return std::ranges::any_of(onnx_profile().rows,
                               [&](const ProfileRow& row) { return node.is(row.op) && takes(row, graph, node, out); }) ||
           takes_registered(graph, node) || takes_qlinear(graph, node, out);
}

std::vector<Group> choose_kernels(const Graph& graph, const CompileOptions& options, const Recorded* recorded) {
    return Chooser(graph, options, recorded).run();
}

}  // namespace quern
