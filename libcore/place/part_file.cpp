#include "libcore/place/part_file.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>

#include "formats/tflite/map/map.h"
#include "libcore/base/text.h"
#include "libcore/graph/op_ids.h"

namespace quern::onert {
namespace {

using place::PlacementFile;
using place::PlacementRule;

struct Line {
    size_t number;
    std::string section, key, value;
    std::string place() const { return fmt::format("line {}", number); }
};

std::string_view without_comment(std::string_view line) { return trim(line.substr(0, line.find_first_of(";#"))); }

std::vector<Line> read_lines(std::string_view text) {
    std::vector<Line> lines;
    std::string section;
    size_t number = 0;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = without_comment(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        ++number;
        if (line.empty()) continue;
        if (line.front() == '[') {
            if (line.back() != ']') throw bad_input("line {}: \"{}\" is not a section", number, escape(line));
            section = std::string(trim(line.substr(1, line.size() - 2)));
            continue;
        }
        const size_t equals = line.find('=');
        if (equals == std::string_view::npos || section.empty())
            throw bad_input("line {}: \"{}\" is neither a section nor KEY=VALUE in one", number, escape(line));
        lines.push_back({number, section, std::string(trim(line.substr(0, equals))), std::string(trim(line.substr(equals + 1)))});
    }
    return lines;
}

// The nodes that operators of the file became: those of one are named like its result, or like it with "/Operator" behind.
class Groups {
   public:
    explicit Groups(const Graph& graph) {
        for (const NodeId id : graph.order()) ops_[group_of(graph.node(id))].insert(std::string(graph.node(id).op->name));
    }
    const std::set<std::string>& of(const Node& node) const {
        static const std::set<std::string> none;
        const auto found = ops_.find(group_of(node));
        return found == ops_.end() ? none : found->second;
    }

   private:
    static std::string group_of(const Node& node) {
        const std::string suffix = "/" + std::string(node.op->name);
        return node.name.ends_with(suffix) ? node.name.substr(0, node.name.size() - suffix.size()) : node.name;
    }
    std::map<std::string, std::set<std::string>> ops_;
};

// Could the nodes with these operators be what a row makes?
bool fits(const std::set<std::string>& ops, const std::vector<std::string>& row) {
    const auto in_row = [&](const std::string& op) { return std::find(row.begin(), row.end(), op) != row.end(); };
    static const std::set<std::string> fused{"Relu", "Clip", "Tanh"};
    std::set<std::string> rest;
    for (const std::string& op : ops)
        if (in_row(op))
            rest.insert(op);
        else if (!fused.contains(op))
            return false;
    static const std::set<std::string> helpers{"Mul", "Transpose", "Reshape", "Cast", "Squeeze", "Unsqueeze"};
    if (row.size() == 1) return !rest.empty();
    return std::any_of(rest.begin(), rest.end(), [&](const std::string& op) { return rest.size() == row.size() || !helpers.contains(op); });
}

std::vector<std::string> known_codes() {
    std::vector<std::string> names;
    for (const auto* row : tflite_format::map_rows())
        if (row->custom.empty()) names.emplace_back(tflite::EnumNameBuiltinOperator(row->code));
    return names;
}

PlacementRule opcode_rule(const Line& line) {
    PlacementRule rule;
    for (const auto* row : tflite_format::map_rows()) {
        if (!row->custom.empty() || line.key != tflite::EnumNameBuiltinOperator(row->code)) continue;
        const bool filters = row->code == tflite_format::Code::CONV_2D, depthwise = row->code == tflite_format::Code::DEPTHWISE_CONV_2D;
        auto cache = std::make_shared<std::map<const Graph*, Groups>>();
        rule.accepts = [=, words = split(row->ops, ' ')](const Graph& graph, const Node& node) {
            if (!fits(cache->try_emplace(&graph, graph).first->second.of(node), words)) return false;
            if (!node.is(ops::Conv) || (!filters && !depthwise)) return true;
            return (NodeView(node).integer("group") > 1) == depthwise;
        };
        return rule;
    }
    // An operator that is kept as it is in the graph.
    if (std::any_of(line.key.begin(), line.key.end(),
                    [](char c) { return !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') && c != '_'; }))
        throw bad_input("{}: \"{}\" is not an operator code{}", line.place(), escape(line.key), did_you_mean(line.key, known_codes()));
    rule.accepts = [name = line.key](const Graph&, const Node& node) { return node.op->name == name && !node.op->known(); };
    return rule;
}

PlacementRule opname_rule(const Line& line) {
    PlacementRule rule;
    rule.accepts = [name = line.key](const Graph&, const Node& node) {
        return node.name == name || (node.name.starts_with(name + "/") && node.name == fmt::format("{}/{}", name, node.op->name));
    };
    return rule;
}

void check_backends(const Line& line, const place::Target& target) {
    for (const std::string& name : split(line.value, ',')) (void)place::known_device(std::string(trim(name)), target, line.place());
}

}  // namespace

bool is_part(std::string_view text) {
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = without_comment(text.substr(0, end));
        if (!line.empty()) return line == "[partition]";
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return false;
}

PlacementFile parse_part(std::string_view text, const place::Target& target) {
    const std::vector<Line> lines = read_lines(text);
    PlacementFile file;
    std::string comply = "opcode";
    std::optional<PlacementRule> rest;
    const auto set_rest = [&](const Line& line) {
        rest = PlacementRule{};
        rest->rest = true;
        rest->place = fmt::format("{} ({})", line.place(), escape(line.key));
        rest->device = place::known_device(line.value, target, line.place());
    };
    static const std::array<std::string, 3> keys{"backends", "default", "comply"};
    for (const Line& line : lines) {
        if (line.section != "partition") continue;
        if (line.key == "backends")
            check_backends(line, target);
        else if (line.key == "default")
            set_rest(line);
        else if (line.key == "comply")
            comply = line.value;
        else
            throw bad_input("{}: \"{}\" is not a key of [partition]{}", line.place(), escape(line.key), did_you_mean(line.key, keys));
        if (line.key == "comply" && comply != "opcode" && comply != "opname")
            throw bad_input("{}: comply is \"{}\", need opcode or opname", line.place(), escape(comply));
    }
    for (const Line& line : lines) {
        if (line.section == "partition") continue;
        const bool opcode = line.section == "OPCODE";
        if (!opcode && line.section != "OPNAME")
            throw bad_input("{}: in section [{}], need [OPCODE] or [OPNAME]", line.place(), escape(line.section));
        if (opcode != (comply == "opcode")) continue;
        if (line.key == "_") {
            set_rest(line);
            continue;
        }
        PlacementRule rule = opcode ? opcode_rule(line) : opname_rule(line);
        rule.place = fmt::format("{} ({})", line.place(), escape(line.key));
        rule.device = place::known_device(line.value, target, line.place());
        file.rules.push_back(std::move(rule));
    }
    if (rest) file.rules.push_back(std::move(*rest));
    return file;
}

}  // namespace quern::onert
