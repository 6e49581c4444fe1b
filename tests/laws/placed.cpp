#include "tests/laws/placed.h"

#include "libcore/base/text.h"
#include "libcore/exec/meaning.h"
#include "libcore/place/assign.h"
#include "libcore/place/target_file.h"
#include "tools/place/asked.h"

namespace quern::laws {

Placed placed(const Model& model, std::string_view target, bool in_form) {
    Model asked_about = model;
    asked_about.graph = as_encoded(std::move(asked_about.graph));
    const place::Target on = place::load_target(target);
    AskedForm asked(asked_about, on, {.fixed = {}, .as = {}, .in_form = in_form});
    Placed made;
    made.seconds = place::assign(asked.graph(), on).seconds;
    made.all_that_can = on.compiler_decides;
    asked.give_devices(asked_about.graph);
    const Graph& graph = asked_about.graph;
    for (const NodeId id : graph.order())
        for (const ValueId out : graph.node(id).out)
            if (out != ValueId::none && graph.value(out).enc) made.devices[graph.value(out).name] = graph.node(id).device;
    return made;
}

std::string difference(const Placed& want, const Placed& got) {
    for (const auto& [value, device] : want.devices) {
        const auto found = got.devices.find(value);
        const bool in_parts = got.all_that_can && device == place::cpu_device;
        if (found != got.devices.end() && found->second != device && !in_parts)
            return fmt::format("\"{}\" is made on {}, was on {}", escape(value), found->second, device);
    }
    return {};
}

}  // namespace quern::laws
