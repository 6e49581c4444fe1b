#include "libcore/support/runtime.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "libcore/support/quantity.h"
#include "libcore/support/violation.h"

namespace quern::support {
namespace {

std::vector<std::string> read_names(const JsonView& json) {
    std::vector<std::string> names;
    for (size_t i = 0; i < json.size(); ++i) names.push_back(json.at(i).text());
    return names;
}

RuntimeRow read_row(const JsonView& json) {
    RuntimeRow row;
    row.ops = read_names(json["ops"]);
    json.each([&](const std::string& key, const JsonView& member) {
        if (key == "of") {
            row.of = read_names(member);
        } else if (key == "opset") {
            if (member.has("min")) row.oldest = member["min"].integer();
            if (member.has("max")) row.newest = member["max"].integer();
        } else if (key == "real") {
            row.real = member.boolean();
        } else if (key == "constraints") {
            for (size_t i = 0; i < member.size(); ++i) row.constraints.push_back(read_constraint(member.at(i)));
        } else if (key != "ops" && !key.starts_with("_")) {
            member.fail("is not a key of a list of operators");
        }
    });
    return row;
}

bool lists(const std::vector<std::string>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

Runtime parse_runtime(std::string_view text) {
    const Json document = parse_json(text);
    const JsonView json(document);
    json.check_kind("runtime", 1);
    Runtime runtime{json["name"].text(), json["doc"].text(), json.has("opset") ? json["opset"].integer() : 0, {}};
    const JsonView ops = json["ops"];
    for (size_t i = 0; i < ops.size(); ++i) runtime.rows.push_back(read_row(ops.at(i)));
    return runtime;
}

bool has_none(const RuntimeRow& row) { return !row.real && row.constraints.empty(); }

std::string cell_of(const RuntimeRow& row) {
    std::vector<std::string> parts;
    bool none = has_none(row);
    if (none) parts.emplace_back("none");
    for (const Constraint& constraint : row.constraints) {
        const std::string_view of = constraint.quantity->name;
        none = none || (of == "form" && !row.real && constraint.demand() == "float32");
        const std::string demand = of == "types"              ? constraint.demand()
                                   : of == "form"             ? none ? "none" : constraint.demand()
                                               : of == "operator_version" ? "version " + constraint.demand()
                                                              : fmt::format("{} {}", constraint.name(), constraint.demand());
        parts.push_back(constraint.why.empty() ? demand : fmt::format("{} ({})", demand, constraint.why));
    }
    if (!row.real && !none) parts.emplace_back("not float32");
    const std::string text = join(parts, "; ");
    if (row.oldest == 0 && row.newest == 0) return text;
    if (row.newest == 0) return fmt::format("from opset {} on: {}", row.oldest, text);
    return row.oldest == 0 ? fmt::format("to opset {}: {}", row.newest, text)
                           : fmt::format("opset {} to {}: {}", row.oldest, row.newest, text);
}

}  // namespace

std::vector<std::string> runtime_names() {
    std::vector<std::string> names;
    for (const EmbeddedRuntime& row : embedded_runtimes()) names.emplace_back(row.name);
    return names;
}

const Runtime& runtime_named(std::string_view name) {
    static std::map<std::string, Runtime, std::less<>> asked;  // each is read when it is first asked for
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    if (const auto found = asked.find(name); found != asked.end()) return found->second;
    for (const EmbeddedRuntime& row : embedded_runtimes())
        if (row.name == name) return asked.emplace(name, parse_runtime(row.json)).first->second;
    throw bug("no runtime {}", name);
}

namespace {

std::string full_name_of(const Node& node) {
    return node.op->domain == "com.microsoft" ? fmt::format("{}.{}", node.op->domain, node.op->name) : std::string(node.op->name);
}

// The first constraint that the node violates, of those that `asks`.
template <class Asks>
std::optional<std::string> first_violation(const Runtime& runtime, const Graph& graph, const Node& node, int64_t opset, const Asks& asks) {
    const std::string name = full_name_of(node);
    for (const RuntimeRow& row : runtime.rows) {
        if ((row.oldest > 0 && opset < row.oldest) || (row.newest > 0 && opset > row.newest) || !lists(row.ops, name)) continue;
        if (has_none(row)) return fmt::format("it has none from opset {} on", row.oldest);
        for (const Constraint& constraint : row.constraints)
            if (!asks(constraint))
                continue;
            else if (auto text = violation(constraint, graph, node))
                return text;
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::string> refusal(const Runtime& runtime, const Graph& graph, const Node& node, int64_t opset) {
    return first_violation(runtime, graph, node, opset, [](const Constraint&) { return true; });
}

std::optional<std::string> refusal_on_reals(const Runtime& runtime, const Graph& graph, const Node& node) {
    return first_violation(runtime, graph, node, 0, [](const Constraint& constraint) {
        const std::string_view of = constraint.quantity->name;
        return of != "form" && of != "operator_version" && of != "same_encoding";
    });
}

bool lists(const Runtime& runtime, std::string_view op) {
    return std::ranges::any_of(runtime.rows, [&](const RuntimeRow& row) { return lists(row.ops, op); });
}

std::string brief(std::string_view refusal) { return std::string(refusal.substr(0, refusal.find(", need "))); }

std::string some_of(std::vector<std::string> places) {
    constexpr size_t max = 3;
    const bool more = places.size() > max;
    if (more) places.resize(max);
    return join(places, "; ") + (more ? "; ..." : "");
}

bool has_kernel(const Runtime& runtime, std::string_view of, std::string_view form) {
    for (const RuntimeRow& row : runtime.rows) {
        if (!lists(row.of, of)) continue;
        for (const Constraint& constraint : row.constraints)
            if (constraint.quantity->name == "form" && !std::ranges::any_of(constraint.is, [&](const Fact& fact) {
                    const std::string said = to_string(fact);
                    return said == form || said.starts_with(std::string(form) + " ");
                }))
                return false;
    }
    return true;
}

bool takes_reals(const Runtime& runtime, std::string_view op) {
    return std::ranges::none_of(runtime.rows, [&](const RuntimeRow& row) { return !row.real && lists(row.ops, op); });
}

bool takes_form(const Runtime& runtime, std::string_view op, std::string_view form) {
    for (const RuntimeRow& row : runtime.rows)
        for (const Constraint& constraint : row.constraints)
            if (lists(row.ops, op) && constraint.quantity->name == "form" && !constraint.holds(Fact(std::string(form)))) return false;
    return true;
}

bool takes_one_scale(const Runtime& runtime, std::string_view op, std::string_view data, std::string_view weights) {
    const std::string many = fmt::format("{} {}[c] ", data, weights),
                      one = data == weights ? fmt::format("{} ", data) : fmt::format("{} {} ", data, weights);
    bool found = false;
    for (const RuntimeRow& row : runtime.rows) {
        if (!lists(row.ops, op)) continue;
        for (const Constraint& constraint : row.constraints)
            for (const Fact& fact : constraint.is) {
                const std::string form = to_string(fact) + " ";
                if (form.starts_with(many)) return false;
                found = found || form.starts_with(one);
            }
    }
    return found;
}

std::string runtimes_page(std::span<const std::string> names) {
    std::string head = "| operator |", rule = "\n|---|", page;
    for (const std::string& name : names) {
        head += fmt::format(" {} |", name);
        rule += "---|";
    }
    std::map<std::string, std::map<std::string, std::string>> cells;  // by operator, by runtime
    for (const std::string& name : names)
        for (const RuntimeRow& row : runtime_named(name).rows)
            for (const std::string& op : row.ops) {
                std::string& cell = cells[op][name];
                cell += (cell.empty() ? "" : "<br>") + cell_of(row);
            }
    for (const auto& [op, row] : cells) {
        page += fmt::format("| {} |", op);
        for (const std::string& name : names) page += fmt::format(" {} |", row.contains(name) ? row.at(name) : "");
        page += "\n";
    }
    return head + rule + "\n" + page;
}

}  // namespace quern::support
