#include "libcore/quant/types/rules.h"

#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <vector>

#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "libcore/quant/types/spellings.h"

namespace quern {
namespace {

constexpr std::array kind_rows{Rules::Kind{"module_names", &Rules::module_names}, Rules::Kind{"module_types", &Rules::module_types},
                               Rules::Kind{"node_names", &Rules::node_names}, Rules::Kind{"op_types", &Rules::op_types},
                               Rules::Kind{"subgraphs", &Rules::subgraphs}};

bool is_pattern(std::string_view name) { return name.find_first_of("*?[") != std::string_view::npos; }
bool fits(const std::string& pattern, const std::string& name) {
    return is_pattern(pattern) && fnmatch(pattern.c_str(), name.c_str(), FNM_NOESCAPE) == 0;
}

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

// Leading and closing slashes do not matter, and dots separate as slashes do: torch names /encoder/layer.3/attention
// "encoder.layer.3.attention".
std::string bare_module(std::string_view text) {
    while (text.starts_with('/')) text.remove_prefix(1);
    while (text.ends_with('/')) text.remove_suffix(1);
    std::string bare(text);
    std::ranges::replace(bare, '.', '/');
    return bare;
}

// Does module `name`, or a pattern, enclose a node on `path`?
bool encloses(std::string_view name, std::string_view path) {
    const std::string module = bare_module(name), inner = bare_module(path);
    if (module.empty()) return false;
    if (inner.starts_with(module) && (inner.size() == module.size() || inner[module.size()] == '/')) return true;
    if (!is_pattern(module)) return false;
    for (size_t end = inner.find('/'); end != std::string::npos; end = inner.find('/', end + 1))
        if (fits(module, inner.substr(0, end))) return true;
    return fits(module, inner);
}

using Entry = std::pair<const std::string, Rule>;

// The rules of one of these names, the first name first, then those whose patterns fit one, the longest pattern first.
std::vector<const Entry*> rules_for(const std::map<std::string, Rule>& rules, std::initializer_list<std::string> names) {
    std::vector<const Entry*> same, fitting;
    for (const std::string& name : names)
        if (const auto rule = rules.find(name); rule != rules.end()) same.push_back(&*rule);
    for (const Entry& entry : rules)
        if (std::ranges::any_of(names, [&](const std::string& name) { return fits(entry.first, name); })) fitting.push_back(&entry);
    std::ranges::stable_sort(fitting, [](const Entry* a, const Entry* b) { return a->first.size() > b->first.size(); });
    same.insert(same.end(), fitting.begin(), fitting.end());
    return same;
}

// Nodes that a name or pattern is about, with or without the path of their graph.
std::vector<NodeId> nodes_named(const Graph& graph, const std::string& path, const std::string& name) {
    std::vector<NodeId> same, fitting;
    for (const NodeId id : graph.order()) {
        const std::string &own = graph.node(id).name, full = path + own;
        if (own == name || full == name) same.push_back(id);
        if (fits(name, own) || fits(name, full)) fitting.push_back(id);
    }
    return same.empty() ? fitting : same;
}

// All nodes that lie behind some, or before them, these included.
std::set<NodeId> reached_from(const Graph& graph, std::vector<NodeId> open, bool forward) {
    const auto uses = graph.all_uses();
    std::set<NodeId> reached(open.begin(), open.end());
    const auto visit = [&](NodeId id) {
        if (id != NodeId::none && reached.insert(id).second) open.push_back(id);
    };
    while (!open.empty()) {
        const Node& node = graph.node(open.back());
        open.pop_back();
        for (const ValueId id : forward ? node.out : node.in) {
            if (id == ValueId::none) continue;
            if (!forward) visit(graph.value(id).producer);
            if (forward)
                for (const Use& use : uses[index_of(id)]) visit(use.node);
        }
    }
    return reached;
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

void Rules::look_into(const Graph& graph) const {
    for_each_graph(graph, [&](const Graph& part, const std::string& path) {
        for (const auto& [key, rule] : subgraphs) look_for(key, part, path);
    });
}

void Rules::look_for(const std::string& key, const Graph& graph, const std::string& path) const {
    Subgraph& found = found_[key];
    const size_t dots = key.find("..");
    if (dots == std::string::npos) {
        found.why = ": need FIRST..LAST, the names of two nodes";
        return;
    }
    const std::string first = key.substr(0, dots), last = key.substr(dots + 2);
    const std::vector<NodeId> firsts = nodes_named(graph, path, first), lasts = nodes_named(graph, path, last);
    const std::set<NodeId> behind = reached_from(graph, firsts, true), before = reached_from(graph, lasts, false);
    for (const NodeId id : behind)
        if (before.contains(id)) found.nodes.insert(path + graph.node(id).name);
    if (!path.empty() && (firsts.empty() || lasts.empty())) return;  // they may be in another graph
    if (!found.why.empty()) return;
    found.why = firsts.empty() || lasts.empty() ? fmt::format(": there is no node \"{}\"", escape(firsts.empty() ? first : last))
                                                : fmt::format(": no way leads from \"{}\" to \"{}\"", escape(first), escape(last));
}

Rules::Match Rules::match(const Node& node, const std::string& path) const {
    // Every rule that applies counts as used, also where a more particular one decides.
    Match match;
    const auto offer = [&](const std::string& kind, const std::string& name, const Rule& rule, bool by_kind) {
        rule.used = true;
        if (!match.rule) match = Match{&rule, name.empty() ? kind : kind + " " + name, by_kind};
    };
    for (const Entry* entry : rules_for(node_names, {path + node.name, node.name})) {
        const bool same = entry->first == path + node.name || entry->first == node.name;
        offer(same ? "node" : "nodes", entry->first, entry->second, true);
    }
    for (const auto& [key, found] : found_)
        if (found.nodes.contains(path + node.name) && subgraphs.contains(key)) offer("subgraph", key, subgraphs.at(key), false);
    match_modules(full_path(node, path), node, offer);
    return match;
}

void Rules::match_modules(const std::string& full, const Node& node, const Offer& offer) const {
    std::vector<const Entry*> modules;
    for (const auto& entry : module_names)
        if (encloses(entry.first, full) || encloses(entry.first, node.scope)) modules.push_back(&entry);
    std::stable_sort(modules.begin(), modules.end(), [](const auto* a, const auto* b) { return a->first.size() > b->first.size(); });
    for (const auto* entry : modules) offer("module", entry->first, entry->second, false);
    for (const Entry* entry : rules_for(op_types, {std::string(node.op->name)})) offer("op type", entry->first, entry->second, true);
    const auto components = split(full, '/');
    for (auto module = components.rbegin(); module != components.rend(); ++module)
        for (const Entry* entry : rules_for(module_types, {*module, std::string(without_index(*module))}))
            offer("module type", entry->first, entry->second, false);
    if (global) offer("global", "", *global, false);
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

std::string Rules::why_unmatched(std::string_view kind, const std::string& name, const Graph& graph,
                                 const std::set<std::string>& fused) const {
    const auto subgraph = kind == "subgraphs" ? found_.find(name) : found_.end();
    const bool by_name = kind == "node_names" || kind == "op_types";
    const auto names = [&](const std::string& gone) { return gone == name || fits(name, gone); };
    if (subgraph != found_.end() ? !subgraph->second.nodes.empty() : by_name && std::ranges::any_of(fused, names))
        return ": it is fused into other operators before anything is quantized";
    return subgraph != found_.end() ? subgraph->second.why : did_you_mean(name, names_of(graph, kind));
}

std::vector<std::string> Rules::unmatched(const Graph& graph, const std::set<std::string>& fused) const {
    std::vector<std::string> found;
    for (const Kind& kind : kind_rows)
        for (const auto& [name, rule] : this->*kind.rules) {
            if (rule.used) continue;
            found.push_back(
                fmt::format("rule {}.\"{}\" matches nothing{}", kind.key, escape(name), why_unmatched(kind.key, name, graph, fused)));
        }
    return found;
}

}  // namespace quern
