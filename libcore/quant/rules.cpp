#include "libcore/quant/rules.h"

#include <algorithm>
#include <array>
#include <vector>

#include "libcore/base/json.h"
#include "libcore/base/text.h"

namespace quern {
namespace {

Rule read_rule(const JsonView& json) {
    const auto scheme = [](const JsonView& name) -> const Scheme* {
        if (name.text() == "none") return nullptr;
        try {
            return &scheme_named(name.text());
        } catch (const Error& error) {
            name.fail(error.message());
        }
    };
    if (json.json().is_string()) return {scheme(json), {}};
    Rule rule;
    bool typed = false;
    json.each([&](const std::string& key, const JsonView& member) {
        if (key == "type") {
            rule.scheme = scheme(member);
            typed = true;
        } else if (key == "method") {
            try {
                rule.method = &method_named(member.text());
            } catch (const Error& error) {
                member.fail(error.message());
            }
        } else if (!key.starts_with("_")) {
            member.fail("is not a key of a rule (type, method)");
        }
    });
    if (!typed) json.fail("has no \"type\"");
    return rule;
}

void read_map(const JsonView& json, std::map<std::string, Rule>& to) {
    json.each([&](const std::string& key, const JsonView& member) { to.emplace(key, read_rule(member)); });
}

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

// Does module `name` enclose a node on `path`? Leading and closing slashes do not matter.
bool encloses(std::string_view name, std::string_view path) {
    const auto bare = [](std::string_view text) {
        while (text.starts_with('/')) text.remove_prefix(1);
        while (text.ends_with('/')) text.remove_suffix(1);
        return text;
    };
    name = bare(name);
    path = bare(path);
    return !name.empty() && path.starts_with(name) && (path.size() == name.size() || path[name.size()] == '/');
}

}  // namespace

Rules parse_rules(std::string_view text) {
    const Json document = parse_json(text);
    const JsonView json(document);
    json.check_kind("rules", 1);
    Rules rules;
    json.each([&](const std::string& key, const JsonView& member) {
        if (key == "kind" || key == "version" || key.starts_with("_")) return;
        if (key == "global")
            rules.global = read_rule(member);
        else if (key == "io")
            rules.io = read_rule(member);
        else if (key == "module_names")
            read_map(member, rules.module_names);
        else if (key == "module_types")
            read_map(member, rules.module_types);
        else if (key == "node_names")
            read_map(member, rules.node_names);
        else if (key == "op_types")
            read_map(member, rules.op_types);
        else
            member.fail(fmt::format(
                "is not a kind of rule{}",
                did_you_mean(key, std::array<std::string, 6>{"global", "io", "module_names", "module_types", "node_names", "op_types"})));
    });
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

void Rules::check_all_used() const {
    const auto check = [](const char* kind, const std::map<std::string, Rule>& rules) {
        for (const auto& [name, rule] : rules)
            if (!rule.used)
                throw bad_input("rule {}.\"{}\" matches nothing", kind, escape(name))
                    .with_hint("model-info lists names, scopes and operators");
    };
    check("module_names", module_names);
    check("module_types", module_types);
    check("node_names", node_names);
    check("op_types", op_types);
}

}  // namespace quern
