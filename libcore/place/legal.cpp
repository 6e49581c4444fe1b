#include "libcore/place/legal.h"

#include "libcore/base/text.h"
#include "libcore/place/support.h"

namespace quern::place {

std::string to_string(const Refused& refused) {
    return fmt::format("node \"{}\" ({}): {} cannot run it: {}", escape(refused.key), escape(refused.type), refused.device, refused.reason);
}

std::vector<Refused> settle_wishes(Graph& graph, const Target& target) {
    std::vector<Refused> refused;
    for (const NodeRef& ref : placed_nodes(graph)) {
        const Device* device = find_device(target, ref.node().device);
        if (!device || device->name == cpu_device) continue;
        if (auto reason = refusal(*device, *ref.graph, ref.id)) {
            refused.push_back({ref.key, ref.type(), device->name, std::move(*reason)});
            ref.node().device = cpu_device;
        }
    }
    return refused;
}

std::vector<Refused> refused_by_all(Graph& graph, const Target& target) {
    std::vector<Refused> refused;
    for (const NodeRef& ref : placed_nodes(graph)) {
        if (ref.node().device != cpu_device) continue;
        std::vector<Refused> reasons;
        bool all = true;
        for (const Device& device : target.devices) {
            if (device.name == cpu_device) continue;
            auto reason = refusal(device, *ref.graph, ref.id);
            all = all && reason;
            if (reason) reasons.push_back({ref.key, ref.type(), device.name, std::move(*reason)});
        }
        if (all) refused.insert(refused.end(), reasons.begin(), reasons.end());
    }
    return refused;
}

}  // namespace quern::place
