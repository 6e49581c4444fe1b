#include "libcore/backend/question.h"

#include "libcore/base/json.h"

namespace quern {
namespace {

std::string devices_text(Instance& instance) {
    Json list = Json::array();
    for (const DeviceInfo& d : instance.devices())
        list.push_back({{"name", d.name}, {"doc", d.doc}, {"memory_bytes", d.memory_bytes}, {"simulated", d.simulated}});
    const quern_backend_api& table = instance.table();
    return json_line({{"name", table.name}, {"version", table.version}, {"doc", table.doc}, {"devices", list}});
}

std::string refusals_text(Instance& instance, const Question& question) {
    Json list = Json::array();
    for (const auto& reason : instance.refusals(*question.graph, question.options)) list.push_back(reason ? Json(*reason) : Json());
    return json_line(list);
}

}  // namespace

void answer(Instance& instance, const Question& question, OutputFile& out) {
    if (question.name == "devices")
        out.write(devices_text(instance));
    else if (question.name == "supports")
        out.write(refusals_text(instance, question));
    else
        instance.compile(*question.graph, question.options, out);
}

}  // namespace quern
