#include "libcore/place/placement_file.h"

#include <algorithm>
#include <functional>
#include <set>

#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "libcore/quant/types/work.h"

namespace quern::place {
namespace {

constexpr double effort_limit = 1e9;  // steps of matching; some seconds

const Type* type_of(const Graph& graph, const std::vector<ValueId>& values, int64_t index) {
    if (index < 0) index += static_cast<int64_t>(values.size());
    if (index < 0 || index >= static_cast<int64_t>(values.size()) || values[static_cast<size_t>(index)] == ValueId::none) return nullptr;
    return &graph.value(values[static_cast<size_t>(index)]).type;
}

bool fits(const OperandTest& test, const Type* type) {
    if (!type || type->kind != Type::Kind::tensor) return false;
    if (!test.type.empty() && (type->dtype == DType::none || row_of(type->dtype).mlir != test.type)) return false;
    if (test.rank && !(type->shape.ranked && test.rank->holds(static_cast<int64_t>(type->shape.rank())))) return false;
    return std::all_of(test.dims.begin(), test.dims.end(), [&](const auto& dim) {
        const auto rank = static_cast<int64_t>(type->shape.rank());
        const int64_t axis = dim.first < 0 ? dim.first + rank : dim.first;
        return type->shape.ranked && axis >= 0 && axis < rank && dim.second.holds(type->shape.dims[static_cast<size_t>(axis)].value);
    });
}

// Matches rules and nodes, and counts what it costs.
class Matcher {
   public:
    bool matches(const PlacementRule& rule, const NodeRef& ref) {
        if (!fits_pattern(rule.type, ref.type()) || !fits_pattern(rule.name, ref.key)) return false;
        const Node& node = ref.node();
        const auto all = [&](const std::vector<OperandTest>& tests, const std::vector<ValueId>& values) {
            return std::all_of(tests.begin(), tests.end(),
                               [&](const OperandTest& test) { return fits(test, type_of(*ref.graph, values, test.index)); });
        };
        return all(rule.inputs, node.in) && all(rule.outputs, node.out) && (!rule.accepts || rule.accepts(*ref.graph, node));
    }

   private:
    bool fits_pattern(const std::optional<Pattern>& pattern, const std::string& name) {
        if (!pattern) return true;
        effort_ += pattern->cost(name.size());
        if (effort_ > effort_limit) throw bad_input("its expressions take too long to match against this model's names");
        return pattern->matches(name);
    }
    double effort_ = 0;
};

// Takes names out of those of a key, and others in.
void change_names(Graph& graph, std::string_view key, const std::set<std::string>& out, const std::set<std::string>& in) {
    std::set<std::string> names = names_at(graph, key);
    for (const std::string& name : out) names.erase(name);
    names.insert(in.begin(), in.end());
    graph.metadata.erase(std::string(key));
    if (!names.empty()) graph.metadata[std::string(key)] = json_line(Json(names));
}

}  // namespace

bool NumberTest::holds(int64_t value) const {
    switch (kind) {
        case Kind::equal: return value == number;
        case Kind::unequal: return value != number;
        case Kind::less: return value < number;
        case Kind::at_most: return value <= number;
        case Kind::more: return value > number;
        case Kind::at_least: return value >= number;
        case Kind::remainder: return value % number == remainder;
    }
    return false;
}

std::optional<NumberTest> parse_number_test(std::string_view text) {
    using Kind = NumberTest::Kind;
    NumberTest test;
    text = trim(text);
    if (text.starts_with('%')) {
        const size_t equals = text.find("==");
        if (equals == std::string_view::npos) return std::nullopt;
        const auto divisor = parse_int(trim(text.substr(1, equals - 1))), remainder = parse_int(trim(text.substr(equals + 2)));
        if (!divisor || !remainder || *divisor < 1) return std::nullopt;
        return NumberTest{Kind::remainder, *divisor, *remainder};
    }
    static constexpr std::pair<std::string_view, Kind> signs[] = {{"==", Kind::equal},    {"!=", Kind::unequal}, {"<=", Kind::at_most},
                                                                  {">=", Kind::at_least}, {"<", Kind::less},     {">", Kind::more}};
    for (const auto& [sign, kind] : signs)
        if (text.starts_with(sign)) {
            test.kind = kind;
            text.remove_prefix(sign.size());
            break;
        }
    const auto number = parse_int(trim(text));
    if (!number) return std::nullopt;
    test.number = *number;
    return test;
}

namespace {

// Applies the rules to one node after the other, the first that matches it for each of the two that rules set.
class Applier {
   public:
    explicit Applier(const PlacementFile& file) : rules_(file.rules), sets_(file.rules.size()) {}

    void apply(const NodeRef& ref) {
        bool placed = false, decided = false;
        for (size_t i = 0; i < rules_.size() && !(placed && decided); ++i) {
            const PlacementRule& rule = rules_[i];
            const bool device = rule.device && !placed, quantize = rule.quantize && !decided;
            if ((!device && !quantize) || !matcher_.matches(rule, ref)) continue;
            sets_[i] = true;
            if (device) {
                ref.node().device = *rule.device;
                applied_.sources.emplace_back(ref.key, rule.place);
            }
            if (quantize) (*rule.quantize ? asked_for_ : forbidden_).insert(ref.key);
            placed = placed || device;
            decided = decided || quantize;
        }
    }
    Applied end(Graph& graph, const std::vector<NodeRef>& nodes) && {
        change_names(graph, keep_float_key, asked_for_, forbidden_);
        change_names(graph, to_quantize_key, forbidden_, asked_for_);
        for (size_t i = 0; i < rules_.size(); ++i) {
            if (sets_[i] || rules_[i].rest) continue;
            const bool any = std::any_of(nodes.begin(), nodes.end(), [&](const NodeRef& ref) { return matcher_.matches(rules_[i], ref); });
            applied_.dead.push_back(fmt::format("{} {}", rules_[i].place,
                                                any ? "sets nothing: earlier records have every node that it matches" : "matches no node"));
        }
        return std::move(applied_);
    }

   private:
    const std::vector<PlacementRule>& rules_;
    Matcher matcher_;
    std::vector<bool> sets_;  // which of them
    std::set<std::string> forbidden_, asked_for_;
    Applied applied_;
};

}  // namespace

Applied apply_placement(Graph& graph, const PlacementFile& file) {
    Applier applier(file);
    const std::vector<NodeRef> nodes = placed_nodes(graph);
    for (const NodeRef& ref : nodes) applier.apply(ref);
    return std::move(applier).end(graph, nodes);
}

namespace {

// A list of records, each with the text that `value_of` a node gives; "": the node has none.
std::string records(std::string_view list, std::string_view key, const std::vector<NodeRef>& nodes,
                    const std::function<std::string(const NodeRef&)>& value_of) {
    std::string out;
    for (const NodeRef& ref : nodes)
        if (const std::string value = value_of(ref); !value.empty())
            out += fmt::format("{}\n    {{\n      \"{}\": {},\n      \"node_type\": {},\n      \"onnx_node_name\": {}\n    }}",
                               out.empty() ? "" : ",", key, value, json_text(escape_pattern(ref.type(), true)),
                               json_text(escape_pattern(ref.key)));
    return fmt::format("  \"{}\": [{}{}]", list, out, out.empty() ? "" : "\n  ");
}

}  // namespace

std::string write_placement(Graph& graph) {
    const std::vector<NodeRef> nodes = placed_nodes(graph);
    const std::set<std::string> forbidden = names_at(graph, keep_float_key), asked_for = names_at(graph, to_quantize_key);
    const std::string devices =
        records("device_placement", "device", nodes, [](const NodeRef& ref) { return json_text(ref.node().device); });
    if (forbidden.empty() && asked_for.empty()) return "{\n" + devices + "\n}\n";
    const auto decision = [&](const NodeRef& ref) {
        return asked_for.contains(ref.key) ? "true" : forbidden.contains(ref.key) ? "false" : "";
    };
    return "{\n" + devices + ",\n" + records("quantization", "quantize", nodes, decision) + "\n}\n";
}

}  // namespace quern::place
