// Whether a target says of the devices that the back end runs what the back end says itself.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>

#include "libcore/backend/library.h"
#include "libcore/base/text.h"
#include "libcore/conformance/checks.h"
#include "libcore/conformance/part_check.h"
#include "libcore/graph/summary.h"
#include "libcore/place/support.h"
#include "libcore/place/target_file.h"
#include "libcore/support/units.h"

namespace quern::conformance {
namespace {

// What came of the units of one operator on one device.
struct Tally {
    size_t taken = 0, refused = 0, unlisted = 0;  // the last by the target alone
    std::string example;                          // of the first of these: where, and the target's reason

    std::string text() const {
        std::string out = fmt::format("{} units are taken and {} refused by both", taken, refused);
        if (unlisted > 0) out += fmt::format("; the target alone refuses {}, as {}", unlisted, example);
        return out;
    }
};

bool is_drawn(const CaseId& id, const Node& node) {
    return std::ranges::any_of(unit_of(id.op), [&](const Op* op) { return op->name == node.op->name && op->domain == node.op->domain; });
}

// Why the unit does not go to the device: the first reason among its nodes, as one that is refused keeps all from it.
using Reason = std::optional<std::string>;
Reason first_reason(const std::vector<NodeId>& unit, const std::function<Reason(NodeId)>& reason) {
    for (const NodeId node : unit)
        if (Reason found = reason(node)) return found;
    return std::nullopt;
}

// Throws where placement would send a node to a library that refuses it.
void compare(const Context& context, const place::Device& device, const CaseId& id, Tally& tally) {
    set_place(id.text());
    const auto random = random_case(id, context.settings.seed);
    if (!random) return;
    const std::string place = fmt::format("graph {} ({})", id.graph(), inputs_text(random->graph));
    const Graph& graph = random->graph;
    const auto answers = instance_of(context)->refusals(graph, options_of(id.codes));
    std::map<NodeId, Reason> by_library;
    for (size_t i = 0; i < answers.size(); ++i) by_library[graph.order()[i]] = answers[i];
    for (const std::vector<NodeId>& unit : support::units_of(graph).members) {
        if (std::ranges::none_of(unit, [&](NodeId node) { return is_drawn(id, graph.node(node)); })) continue;
        const Reason library = first_reason(unit, [&](NodeId node) { return by_library[node]; });
        const Reason target = first_reason(unit, [&](NodeId node) { return place::refusal(device, graph, node); });
        if (library && !target)
            throw unsupported("{}: {} of the target takes it, the library refuses it: {}", place, device.name, *library);
        tally.taken += !library && !target;
        tally.refused += library && target;
        if (!library && target && ++tally.unlisted == 1) tally.example = fmt::format("{}: {}", place, *target);
    }
}

// By a float and an int mode, as subjects have them.
std::string compared(const Context& context, const place::Device& device, const std::string& op, bool codes) {
    Tally tally;
    for (const CaseId& id : cases_of(op, codes, context.settings.cases))
        if (!id.is_large()) compare(context, device, id, tally);
    return tally.text();
}

// Those that the library of this name runs.
std::vector<const place::Device*> devices_of(const place::Target& target, const std::string& library) {
    std::vector<const place::Device*> out;
    for (const place::Device& device : target.devices)
        if (split_backend_name(device.backend).library == library) out.push_back(&device);
    return out;
}

}  // namespace

std::vector<Step> target_steps(const Context& context) {
    std::vector<Step> steps;
    if (context.settings.target.empty()) return steps;
    const auto target = std::make_shared<const place::Target>(place::load_target(context.settings.target));
    const auto devices = devices_of(*target, context.table.name);
    if (devices.empty())
        steps.push_back({"", [target, &context]() -> std::string {
                             throw unsupported("no device of target \"{}\" has the back end \"{}\"", target->name, context.table.name);
                         }});
    for (const place::Device* device : devices)
        for (const std::string& op : subjects_to_try(context.settings))
            for (const bool codes : {false, true}) {
                if (is_unit(op) && !codes) continue;
                const std::string subject =
                    fmt::format("{}{}", CaseId{op, codes, 0}.subject(), devices.size() > 1 ? " on " + device->name : "");
                steps.push_back({subject, [&context, target, device, op, codes] { return compared(context, *device, op, codes); }});
            }
    return steps;
}

}  // namespace quern::conformance
