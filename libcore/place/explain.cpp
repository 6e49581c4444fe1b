// What a placement says in words: what its times are worth, and why a node is where it is.
#include <algorithm>
#include <cmath>

#include "libcore/base/text.h"
#include "libcore/place/assign.h"
#include "libcore/report/html.h"

namespace quern::place {
namespace {

const MemorySplit* split_of(const Partitions& partitions, NodeId node) {
    for (const MemorySplit& split : partitions.memory_splits)
        for (int p = split.first; p < split.first + split.parts; ++p) {
            const std::vector<NodeId>& nodes = partitions.parts[static_cast<size_t>(p)].nodes;
            if (std::find(nodes.begin(), nodes.end(), node) != nodes.end()) return &split;
        }
    return nullptr;
}

}  // namespace

std::string Placement::costs() const {
    if (measured || basis.starts_with("estimate")) return basis;
    if (basis.starts_with("measured")) return "estimate: some operators have no row; the others " + basis;
    return "estimate: " + (basis.empty() ? "the target does not say what its costs are from" : basis);
}

std::string Placement::proof() const {
    const std::string by = measured ? "" : ", by costs that are an estimate";
    if (exact) return "the least there is" + by;
    return fmt::format("at most {:.1f} % above the least{}", bound > 0 ? 100 * (seconds / bound - 1) : 0, by);
}

std::string explain(const Placement& placement, std::string_view key) {
    if (const Decision* decision = placement.find(key)) return explain(placement, *decision);
    std::vector<std::string> names;
    for (const Decision& d : placement.decisions) names.push_back(d.key);
    throw usage_error("there is no node \"{}\"{}", escape(key), did_you_mean(key, names));
}

std::string explain(const Placement& placement, const Decision& decision) {
    std::string text = fmt::format("node \"{}\" ({}) runs on {}: {}", escape(decision.key), escape(decision.type), decision.device,
                                   printable(decision.rule));
    if (!decision.refused.empty()) text += "\n  not granted: " + printable(decision.refused);
    if (const MemorySplit* split = split_of(placement.partitions, decision.node))
        text += fmt::format("\n  its partition is split for memory: {}, most at \"{}\"; {} parts", printable(split->why),
                            printable(split->peak), split->parts);
    if (decision.together > 1) text += fmt::format("\n  one of {} nodes of an integer unit, which stay together", decision.together);
    for (size_t d = 0; d < decision.choices.size(); ++d) {
        const DeviceOption& choice = decision.choices[d];
        text += fmt::format("\n  {:<12}", placement.devices[d]);
        if (!choice.refusal.empty()) {
            text += "refused: " + printable(choice.refusal);
            continue;
        }
        text += choice.seconds ? fmt::format("{:>10}", human_seconds(choice.counted))
                               : fmt::format("{:>10} (assumed: no cost row)", human_seconds(choice.counted));
        if (choice.stripes) text += ", " + to_string(*choice.stripes);
        if (placement.devices[d] == decision.device)
            text += fmt::format(", transfers in {}, out {}", human_seconds(decision.transfer_in), human_seconds(decision.transfer_out));
        else if (choice.moved)
            text += fmt::format(", moving it there alone: {}{}", *choice.moved >= 0 ? "+" : "", human_seconds(*choice.moved));
    }
    if (!placement.measured && !decision.choices.empty()) text += "\n  times are an " + printable(placement.costs());
    return text;
}

}  // namespace quern::place
