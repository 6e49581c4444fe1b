// The support page: what each device of a target runs, from the same entries that refuse nodes.
#include <algorithm>
#include <map>

#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "libcore/place/support.h"
#include "libcore/place/target_json.h"

namespace quern::place {
namespace {

// Operators with equal constraints, in the order of the operator table.
struct Section {
    std::vector<std::string> ops;
    std::vector<std::string> lines;
};

std::vector<std::string> lines_of(const Device& device, const std::string& op) {
    std::vector<std::string> lines;
    for (const OpSupport& support : device.ops)
        if (std::find(support.ops.begin(), support.ops.end(), op) != support.ops.end()) {
            if (!support.fused.empty()) lines.push_back("in its integer unit: " + join(support.fused, ", "));
            for (const Constraint& constraint : support.constraints)
                if (std::find(constraint.except.begin(), constraint.except.end(), op) == constraint.except.end())
                    lines.push_back(constraint.text());
        }
    return lines;
}

std::vector<std::string> operators_of(const Device& device) {
    std::vector<std::string> names;
    for (const OpSupport& support : device.ops)
        for (const std::string& name : support.ops)
            if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    std::sort(names.begin(), names.end());
    return names;
}

std::vector<Section> sections_of(const Device& device) {
    std::map<std::vector<std::string>, size_t> known;
    std::vector<Section> sections;
    for (const std::string& op : operators_of(device)) {
        const auto lines = lines_of(device, op);
        const auto [place, added] = known.emplace(lines, sections.size());
        if (added) sections.push_back({{}, lines});
        sections[place->second].ops.push_back(op);
    }
    std::stable_sort(sections.begin(), sections.end(),
                     [](const Section& a, const Section& b) { return a.lines.empty() > b.lines.empty(); });
    return sections;
}

std::string device_text(const Device& device, bool markdown) {
    const std::string_view item = markdown ? "- " : "    ", above = markdown ? "\n" : "  ";
    std::string out = fmt::format("\n{}device {}{}\n", markdown ? "### " : "", device.name,
                                  device.backend.empty() ? ", simulated on ref" : fmt::format(", back end {}", device.backend));
    if (device.ops.empty()) out += fmt::format("{}every operator\n", markdown ? "- " : "  ");
    if (!device.generic.empty()) out += fmt::format("{}every operator needs\n", above);
    for (const Constraint& constraint : device.generic) out += fmt::format("{}{}\n", item, constraint.text());
    for (const Section& section : sections_of(device)) {
        out += fmt::format("{}{}{}\n", above, join(section.ops, ", "), markdown && !section.lines.empty() ? "\n" : "");
        for (const std::string& line : section.lines) out += fmt::format("{}{}\n", item, line);
    }
    return out;
}

std::string text_page(const Target& target, bool markdown) {
    std::string out = fmt::format("{}{}: {}\ncosts: {}\n", markdown ? "## " : "", target.name, target.doc, target.basis);
    if (!target.format.empty()) out += fmt::format("{}asked about what a file of format {} holds\n", markdown ? "\n" : "", target.format);
    for (const Device& device : target.devices) out += device_text(device, markdown);
    return out;
}

Json json_page(const Target& target) {
    Json devices = Json::array();
    for (const Device& device : target.devices) {
        Json generic = Json::array(), operators = Json::object();
        for (const Constraint& constraint : device.generic) generic.push_back(constraint.text());
        for (const std::string& op : operators_of(device)) operators[op] = lines_of(device, op);
        devices.push_back({{"name", device.name},
                           {"backend", device.backend},
                           {"every_operator", device.ops.empty()},
                           {"generic", generic},
                           {"operators", operators}});
    }
    return {{"target", target.name}, {"doc", target.doc}, {"basis", target.basis}, {"devices", devices}};
}

}  // namespace

std::string support_page(const Target& target, PageFormat format) {
    if (format == PageFormat::json) return json_document(json_page(target));
    return text_page(target, format == PageFormat::markdown);
}

}  // namespace quern::place
