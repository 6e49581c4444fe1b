#include "libcore/exec/meaning.h"

#include <algorithm>
#include <array>

#include "libcore/base/text.h"
#include "libcore/exec/program.h"
#include "libcore/graph/summary.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/passes/passes.h"
#include "libcore/passes/pipelines.h"

namespace quern {
namespace {

bool spells_encoding(const Op& op) {
    constexpr std::array<std::string_view, 4> parts{"uantizeLinear", "QLinear", "MatMulInteger", "ConvInteger"};
    constexpr std::array<std::string_view, 3> names{"QGemm", "DynamicQuantizeMatMul", "DynamicQuantizeLSTM"};
    return std::ranges::any_of(parts, [&](std::string_view part) { return op.name.find(part) != op.name.npos; }) ||
           std::ranges::find(names, op.name) != names.end();
}

bool spells_encodings(const Graph& graph) {
    bool found = false;
    for_each_graph(graph, [&](const Graph& part, const std::string&) {
        found = found || std::ranges::any_of(part.order(), [&](NodeId id) { return spells_encoding(*part.node(id).op); });
    });
    return found;
}

// Has the profile a kernel for the node that rounds its activations, because its weights are codes?
bool rounds_beside_weights(const Profile& profile, const Graph& graph, const Node& node) {
    if (node.out.empty() || node.out[0] == ValueId::none || graph.value(node.out[0]).enc ||
        node.in.size() < static_cast<size_t>(node.op->in.min))
        return false;
    if (std::any_of(node.in.begin(), node.in.begin() + node.op->in.min, [](ValueId id) { return id == ValueId::none; })) return false;
    return std::ranges::any_of(profile.rows, [&](const ProfileRow& row) {
        return row.result == ProfileRow::Result::real && node.is(row.op) && row.takes(graph, node, Encoding{});
    });
}

// Activations in small floats are numbers, rounded where they are stored: integers alone have kernels that compute on codes.
Mode mode_of(const Graph& graph, const Profile* profile) {
    if (!profile) profile = own_profile(graph);
    bool found = false, rounded = false;
    for_each_graph(graph, [&](const Graph& part, const std::string&) {
        for (size_t i = 0; i < part.value_count(); ++i) {
            const Value& value = part.value(static_cast<ValueId>(i));
            if (value.erased || !value.enc || (value.constant() && value.enc->is_fixed())) continue;
            (value.enc->is_fixed() && is_float(value.enc->storage) ? rounded : found) = true;
        }
        const auto rounds = [&](NodeId id) { return rounds_beside_weights(*profile, part, part.node(id)); };
        found = found || (profile && std::ranges::any_of(part.order(), rounds));
    });
    return found ? Mode::integer : rounded ? Mode::fake : Mode::floating;
}

}  // namespace

bool is_quantized(const Graph& graph) { return has_encodings(graph) || spells_encodings(graph); }

Graph as_encoded(Graph graph) { return is_quantized(graph) ? as_folded(std::move(graph)) : graph; }

Graph as_trained(Graph graph) {
    if (fold_fake_quant.run(graph) > 0) infer_types(graph);
    return as_encoded(std::move(graph));
}

Mode own_mode(const Graph& graph, const Profile* profile) {
    return spells_encodings(graph) ? mode_of(as_folded(graph), profile) : mode_of(graph, profile);
}

std::string computed_text(const Graph& graph, Mode mode, const Profile* profile) {
    if (mode == Mode::floating && !is_quantized(graph)) return {};
    if (mode == Mode::fake) return "numbers rounded to the codes";
    if (mode == Mode::floating)
        return own_mode(graph) != Mode::floating ? "numbers, not rounded to the codes" : "numbers, weights from codes";
    if (!profile) profile = own_profile(graph);
    return fmt::format("codes, profile {}", profile ? profile->name : "onnx");
}

std::vector<std::string> real_operators(std::span<const Choice> choices) {
    std::vector<std::string> out;
    std::vector<std::pair<const Choice*, size_t>> kinds;  // the first of an operator and a reason, and how many there are
    for (const Choice& choice : choices) {
        if (choice.real.empty()) continue;
        const auto same = [&](const auto& kind) { return kind.first->op == choice.op && kind.first->real == choice.real; };
        const auto found = std::find_if(kinds.begin(), kinds.end(), same);
        found == kinds.end() ? void(kinds.emplace_back(&choice, 1)) : void(++found->second);
    }
    out.reserve(kinds.size());
    for (const auto& [first, count] : kinds)
        out.push_back(fmt::format("{} (\"{}\"{}: {})", first->op, escape(first->node),
                                  count > 1 ? fmt::format(" and {} more", count - 1) : "", first->real));
    return out;
}

}  // namespace quern
