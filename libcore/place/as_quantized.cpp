#include "libcore/place/as_quantized.h"

#include <algorithm>
#include <unordered_map>

#include "libcore/os/threads.h"
#include "libcore/quant/quantize.h"
#include "libcore/quant/ranges/ranges.h"
#include "libcore/quant/types/recipe.h"
#include "libcore/support/quantity.h"

namespace quern::place {

bool takes_floats(const Target& target) {
    const Fact single = std::string(name_of(DType::f32));
    const auto takes = [&](const Constraint& constraint) {
        return constraint.quantity->name != "storage" || !constraint.when.empty() || !constraint.except.empty() || constraint.holds(single);
    };
    return std::any_of(target.devices.begin(), target.devices.end(), [&](const Device& device) {
        return device.name != cpu_device && std::all_of(device.generic.begin(), device.generic.end(), takes);
    });
}

std::string type_for(const Target& target, std::string_view type) {
    if (type.empty()) return target.type.empty() ? "i8" : target.type;
    return std::string(target.runtime.empty() ? type : type_by(recipe_named(target.runtime), type));
}

Graph as_quantized(const Graph& graph, const Target& target, std::string_view type) {
    QuantRequest request{.scheme = &scheme_named(type)};
    request.search.method = &whole_range();
    QuantWork work(request);
    (target.runtime.empty() ? work.usual : work.recipe) = &recipe_named(target.runtime.empty() ? "tflite" : target.runtime);
    Graph copy = graph;
    Ranges ranges;
    for (const std::string& key : value_keys(copy)) {
        ValueRange range;
        range.min = -1;
        range.max = 1;
        range.count = 2;
        ranges.values[key] = std::move(range);
    }
    ThreadPool pool(1);
    quantize_graph(copy, &ranges, work, pool);
    return copy;
}

void take_devices(Graph& from, Graph& to) {
    std::unordered_map<std::string, std::string> devices;
    for (NodeRef& ref : placed_nodes(from)) devices[std::move(ref.key)] = ref.node().device;
    for (const NodeRef& ref : placed_nodes(to))
        if (const auto found = devices.find(ref.key); found != devices.end()) ref.node().device = found->second;
}

}  // namespace quern::place
