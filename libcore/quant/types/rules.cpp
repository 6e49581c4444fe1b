#include "libcore/quant/types/rules.h"

#include <algorithm>
#include <array>
#include <vector>

#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "libcore/quant/types/spellings.h"

namespace quern {
namespace {

constexpr std::array kind_rows{Rules::Kind{"module_names", &Rules::module_names}, Rules::Kind{"module_types", &Rules::module_types},
                               Rules::Kind{"node_names", &Rules::node_names}, Rules::Kind{"op_types", &Rules::op_types}};

[[noreturn]] void refuse_kind(const std::string& key, const JsonView& member) {
    std::vector<std::string> names{"global", "io"};
    for (const Rules::Kind& row : kind_rows) names.emplace_back(row.key);
    throw bad_input("{}: is not a kind of rule{}", member.place(), did_you_mean(key, names))
        .with_hint("kinds of rules: " + join(names, ", "));
}

// The rules of a file, and the names of types in it, each of which is explained once.
class FileReader {
   public:
    Rule read(const JsonView& json) {
        Rule rule = read_rule(json);
        types_.insert(json.json().is_string() ? json.text() : json["type"].text());
        return rule;
    }
    void read_map(const JsonView& json, std::map<std::string, Rule>& to) {
        json.each([&](const std::string& key, const JsonView& member) { to.emplace(key, read(member)); });
    }
    void say_spellings() const {
        for (const std::string& type : types_) say_spelling(type);
    }

   private:
    std::set<std::string> types_;
};

std::string full_path(const Node& node, const std::string& path) {
    std::string full = path + node.scope;
    if (!full.empty() && full.back() != '/') full += '/';
    return full;
}

// "layers.3" without its index: "layers".
std::string_view without_index(std::string_view module) {
    const size_t end = module.find_last_not_of("0123456789");
    return end != std::string_view::npos && end + 1 < module.size() && (module[end] == '.' || module[end] == '_') ? module.substr(0, end)
                                                                                                                  : module;
}

// Does module `name` enclose a node on `path`? Leading and closing slashes do not matter, and dots separate as slashes do: torch names
// /encoder/layer.3/attention "encoder.layer.3.attention".
bool encloses(std::string_view name, std::string_view path) {
    const auto bare = [](std::string_view text) {
        while (text.starts_with('/')) text.remove_prefix(1);
        while (text.ends_with('/')) text.remove_suffix(1);
        return text;
    };
    const auto separates = [](char c) { return c == '/' || c == '.'; };
    const auto same = [&](char a, char b) { return a == b || (separates(a) && separates(b)); };
    name = bare(name);
    path = bare(path);
    if (name.empty() || path.size() < name.size() || !std::equal(name.begin(), name.end(), path.begin(), same)) return false;
    return path.size() == name.size() || separates(path[name.size()]);
}

// What rules of a kind may name in a model.
std::vector<std::string> names_of(const Graph& graph, std::string_view kind) {
    std::set<std::string> names;
    for_each_graph(graph, [&](const Graph& part, const std::string& path) {
        for (const NodeId id : part.order()) {
            const Node& node = part.node(id);
            if (kind == "node_names") names.insert(path + node.name);
            if (kind == "op_types") names.emplace(node.op->name);
            std::string module;
            for (const std::string& component : split(full_path(node, path), '/')) {
                if (component.empty()) continue;
                module += "/" + component;
                if (kind == "module_names") names.insert(module);
                if (kind == "module_types") names.emplace(without_index(component));
            }
        }
    });
    return {names.begin(), names.end()};
}

}  // namespace

Rules parse_rules(std::string_view text) {
    const Json document = parse_json(text);
    const JsonView json(document);
    json.check_kind("rules", 1);
    Rules rules;
    FileReader file;
    json.each([&](const std::string& key, const JsonView& member) {
        if (key == "kind" || key == "version" || key.starts_with("_")) return;
        if (key == "global")
            rules.global = file.read(member);
        else if (key == "io")
            rules.io = file.read(member);
        else if (const auto kind = std::ranges::find(kind_rows, key, &Rules::Kind::key); kind != kind_rows.end())
            file.read_map(member, rules.*(kind->rules));
        else
            refuse_kind(key, member);
    });
    file.say_spellings();
    return rules;
}

Rules::Match Rules::match(const Node& node, const std::string& path) const {
    const auto found = [](const std::string& kind, const std::string& name, const Rule& rule, bool by_kind) {
        rule.used = true;
        return Match{&rule, name.empty() ? kind : kind + " " + name, by_kind};
    };
    // Every rule that applies counts as used, also where a more particular one decides.
    Match match;
    const auto offer = [&](Match candidate) {
        if (!match.rule) match = std::move(candidate);
    };
    for (const std::string& name : {path + node.name, node.name})
        if (const auto rule = node_names.find(name); rule != node_names.end()) offer(found("node", rule->first, rule->second, true));
    const std::string full = full_path(node, path);
    std::vector<const std::pair<const std::string, Rule>*> modules;
    for (const auto& entry : module_names)
        if (encloses(entry.first, full) || encloses(entry.first, node.scope)) modules.push_back(&entry);
    std::stable_sort(modules.begin(), modules.end(), [](const auto* a, const auto* b) { return a->first.size() > b->first.size(); });
    for (const auto* entry : modules) offer(found("module", entry->first, entry->second, false));
    if (const auto rule = op_types.find(std::string(node.op->name)); rule != op_types.end())
        offer(found("op type", rule->first, rule->second, true));
    const auto components = split(full, '/');
    for (auto module = components.rbegin(); module != components.rend(); ++module)
        for (const std::string_view name : {std::string_view(*module), without_index(*module)})
            if (const auto rule = module_types.find(std::string(name)); rule != module_types.end())
                offer(found("module type", rule->first, rule->second, false));
    if (global) offer(found("global", "", *global, false));
    return match;
}

void Rules::each(const std::function<void(const std::string&, const Rule&)>& see) const {
    if (global) see("global", *global);
    if (io) see("io", *io);
    for (const Kind& kind : kind_rows)
        for (const auto& [name, rule] : this->*kind.rules) see(fmt::format("{}.\"{}\"", kind.key, escape(name)), rule);
}

bool Rules::any(const std::function<bool(const Rule&)>& is) const {
    bool found = false;
    each([&](const std::string&, const Rule& rule) { found |= is(rule); });
    return found;
}

bool Rules::need_ranges() const {
    return any([](const Rule& rule) { return rule.scheme && rule.scheme->full(); });
}

std::span<const Rules::Kind> Rules::kinds() { return kind_rows; }

std::vector<std::string> Rules::unmatched(const Graph& graph, const std::set<std::string>& fused) const {
    std::vector<std::string> found;
    for (const Kind& kind : kind_rows)
        for (const auto& [name, rule] : this->*kind.rules) {
            if (rule.used) continue;
            const bool gone = (kind.key == "node_names" || kind.key == "op_types") && fused.contains(name);
            found.push_back(fmt::format(
                "rule {}.\"{}\" matches nothing{}", kind.key, escape(name),
                gone ? ": it is fused into other operators before anything is quantized" : did_you_mean(name, names_of(graph, kind.key))));
        }
    return found;
}

}  // namespace quern
