#include "libcore/quant/report/report.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "libcore/base/json.h"
#include "libcore/base/text.h"

namespace quern {
namespace {

// A float as the shortest decimal that reads back the same; what is infinite or not known is null in files.
Json number(double value) { return std::isfinite(value) ? *parse_double(shortest(static_cast<float>(value))) : value; }

Json encoding_json(const Encoding& e) {
    Json out{{"storage", name_of(e.storage)}, {"symmetric", e.symmetric()}};
    if (!is_float(e.storage)) out["qmin"] = e.qmin, out["qmax"] = e.qmax;
    if (e.is_dynamic()) {
        out["dynamic"] = true;
        return out;
    }
    if (!e.per_tensor()) out["axis"] = e.axis;
    if (e.block > 0) out["block"] = e.block;
    if (!e.scale.defined()) return out;
    if (e.scale.count() == 1) {
        out["scale"] = number(to_floats(e.scale)[0]);
        out["zero"] = e.zero_at();
    } else {
        out["scales"] = e.scale.count();
    }
    return out;
}

Json value_json(const ValueReport& v, const ProposedRules& rules) {
    Json out{{"name", v.key},
             {"role", v.role},
             {"rule", v.rule},
             {"method", v.method},
             {"encoding", encoding_json(v.encoding)},
             {"observed", {number(v.observed.lo), number(v.observed.hi)}},
             {"range", {number(v.range.lo), number(v.range.hi)}},
             {"sqnr_db", number(v.sqnr_db)},
             {"clipped", number(v.clipped)},
             {"bits", v.bits()}};
    if (!std::isnan(v.optimum.sqnr_db))
        out["optimum"] = {{"range", {number(v.optimum.range.lo), number(v.optimum.range.hi)}}, {"sqnr_db", number(v.optimum.sqnr_db)}};
    if (!v.node.empty()) out["node"] = v.node, out["depth"] = v.depth;
    if (const std::string proposed = rules.for_value(v); !proposed.empty()) out["proposed_rules"] = parse_json(proposed);
    if (!v.shared_with.empty()) out["shared_with"] = v.shared_with;
    if (!v.note.empty()) out["note"] = v.note;
    return out;
}

Json node_json(const NodeReport& n) {
    Json out{{"name", n.key}, {"op", n.op}, {"rule", n.rule}, {"quantized", n.quantized}};
    if (n.unit >= 0) out["unit"] = n.unit;
    if (n.depth >= 0) out["depth"] = n.depth;
    if (!n.reason.empty()) out["reason"] = n.reason;
    return out;
}

Json algorithm_json(const AlgorithmReport& report) {
    Json layers = Json::array();
    for (const LayerGain& gain : report.layers) {
        Json layer{
            {"name", gain.layer}, {"changed", gain.changed}, {"before_db", number(gain.before_db)}, {"after_db", number(gain.after_db)}};
        if (!gain.note.empty()) layer["note"] = gain.note;
        layers.push_back(std::move(layer));
    }
    return {{"name", report.name}, {"measure", report.measure}, {"notes", report.notes}, {"layers", layers}};
}

Json count_or_null(const std::optional<uint64_t>& count) { return count ? Json(*count) : Json(nullptr); }
Json percent(const std::optional<double>& value) { return value ? number(*value) : Json(nullptr); }

Json sizes_json(const Sizes& sizes) {
    return {{"constants_before", sizes.before},
            {"constants_after", sizes.after},
            {"file_before", count_or_null(sizes.file_before)},
            {"file_after", count_or_null(sizes.file_after)}};
}

Json end_to_end_json(const EndToEnd& measured) {
    Json outputs = Json::array();
    for (const EndToEnd::Output& output : measured.outputs) outputs.push_back({{"name", output.name}, {"sqnr_db", number(output.sqnr_db)}});
    return {{"samples", measured.samples},
            {"outputs", outputs},
            {"agreement", percent(measured.agreement)},
            {"top1", percent(measured.top1)},
            {"float_top1", percent(measured.float_top1)}};
}

std::string decibel(double value) {
    if (std::isnan(value)) return "not known";
    return std::isinf(value) ? "exact" : fmt::format("{:.1f} dB", value);
}

std::string explain_value(const ValueReport& v) {
    std::string text = fmt::format("value \"{}\" ({})\n  encoding  {}\n", v.key, v.role, to_string(v.encoding));
    text += fmt::format("  decided   {}{}\n", v.rule, v.shared_with.empty() ? "" : fmt::format(", shared with \"{}\"", v.shared_with));
    if (!v.method.empty())
        text += fmt::format("  range     {} .. {} by {} (observed {} .. {})\n", shortest(static_cast<float>(v.range.lo)),
                            shortest(static_cast<float>(v.range.hi)), v.method, shortest(static_cast<float>(v.observed.lo)),
                            shortest(static_cast<float>(v.observed.hi)));
    text += fmt::format("  SQNR      {}, {:.4f} % of numbers clipped\n", decibel(v.sqnr_db), 100 * v.clipped);
    if (v.optimum.sqnr_db > v.sqnr_db)
        text += fmt::format("  optimum   {} .. {}, {}: {:.1f} dB more\n", shortest(static_cast<float>(v.optimum.range.lo)),
                            shortest(static_cast<float>(v.optimum.range.hi)), decibel(v.optimum.sqnr_db), v.optimum.sqnr_db - v.sqnr_db);
    if (!v.note.empty()) text += fmt::format("  note      {}\n", v.note);
    return text;
}

std::string explain_node(const NodeReport& n) {
    return fmt::format("node \"{}\" ({})\n  {}{}{}\n", escape(n.key), escape(n.op), n.quantized ? "quantized: " : "stays float: ",
                       !n.quantized ? n.reason : n.rule + (n.reason.empty() ? "" : "; " + n.reason),
                       n.unit >= 0 ? fmt::format(", integer unit {}", n.unit) : "");
}

}  // namespace

int ValueReport::bits() const { return encoding.storage == DType::none ? 0 : bits_of(encoding.storage); }

double EndToEnd::worst_db() const {
    double worst = std::numeric_limits<double>::infinity();
    for (const Output& output : outputs) worst = std::min(worst, output.sqnr_db);
    return worst;
}

ProposedRules::ProposedRules(const QuantReport& report) : report_(report) {
    for (const NodeReport& node : report.nodes) {
        nodes_.emplace(node.key, &node);
        if (node.unit >= 0) units_[node.unit].push_back(&node);
    }
}

const NodeReport* ProposedRules::node_of(const ValueReport& value) const {
    const auto found = nodes_.find(value.node);
    return found == nodes_.end() ? nullptr : found->second;
}

std::string ProposedRules::for_value(const ValueReport& value) const {
    const NodeReport* node = node_of(value);
    if (!node) return "";
    const auto unit = units_.find(node->unit);
    std::string_view type = "none";
    for (const Scheme* scheme : report_.finer) {
        const DType storage = value.role == "activation" ? scheme->activation : scheme->weight;
        if (storage == DType::none || bits_of(storage) <= value.bits()) continue;
        type = scheme->name;
        break;
    }
    Json names = Json::object();
    for (const NodeReport* member : unit == units_.end() ? std::vector{node} : unit->second)
        if (!member->rule_name.empty()) names[member->rule_name] = member->rule_name == member->key ? type : "none";
    if (names.empty()) return "";
    return json_line({{"kind", "rules"}, {"version", 1}, {"node_names", names}});
}

size_t QuantReport::float_nodes() const {
    return static_cast<size_t>(std::count_if(nodes.begin(), nodes.end(), [](const NodeReport& node) { return !node.quantized; }));
}

std::vector<std::string> QuantReport::idle_rules() const {
    std::map<std::string, const NodeReport*> first;  // by rule: a node that stays float, nullptr where one does not
    for (const NodeReport& node : nodes)
        if (node.asked) {
            const auto known = first.try_emplace(node.rule, &node).first;
            if (node.quantized) known->second = nullptr;
        }
    std::vector<std::string> sentences;
    for (const auto& [rule, node] : first)
        if (node)
            sentences.push_back(
                fmt::format("the rule of {} changes nothing: node \"{}\" ({}): {}", rule, escape(node->key), node->op, node->reason));
    return sentences;
}

size_t AlgorithmReport::changed() const {
    return static_cast<size_t>(std::ranges::count_if(layers, [](const LayerGain& gain) { return gain.changed; }));
}

std::string AlgorithmReport::text() const {
    std::string text = layers.empty() ? fmt::format("{}: nothing to do in this model", name)
                                      : fmt::format("{}: {} of {} layers changed", name, changed(), layers.size());
    for (const std::string& note : notes) text += fmt::format("\n  {}", note);
    for (const LayerGain& gain : layers) {
        text += fmt::format("\n  {}", gain.layer);
        if (!std::isnan(gain.before_db))
            text += fmt::format(": SQNR of {} {}, was {}", measure, decibel(gain.after_db), decibel(gain.before_db));
        if (!gain.note.empty()) text += fmt::format("{} {}", std::isnan(gain.before_db) ? ":" : ";", gain.note);
    }
    return text;
}

const ValueReport* QuantReport::find(std::string_view key) const {
    const auto found = std::find_if(values.begin(), values.end(), [&](const ValueReport& value) { return value.key == key; });
    return found == values.end() ? nullptr : &*found;
}

Json report_document(const QuantReport& report) {
    Json values = Json::array(), nodes = Json::array();
    const ProposedRules rules(report);
    for (const ValueReport& value : report.values) values.push_back(value_json(value, rules));
    for (const NodeReport& node : report.nodes) nodes.push_back(node_json(node));
    Json out{{"kind", "report"},          {"version", 1},     {"type", report.type}, {"lineage", report.lineage},
             {"samples", report.samples}, {"values", values}, {"nodes", nodes}};
    if (!report.model.empty()) out["model"] = report.model;
    if (report.sizes) out["sizes"] = sizes_json(*report.sizes);
    if (report.coverage) out["coverage"] = coverage_json(*report.coverage);
    if (report.end_to_end) out["end_to_end"] = end_to_end_json(*report.end_to_end);
    for (const AlgorithmReport& algorithm : report.algorithms) out["algorithms"].push_back(algorithm_json(algorithm));
    return out;
}

std::string report_json(const QuantReport& report) { return json_document(report_document(report), 1); }

std::string explain(const QuantReport& report, std::string_view name) {
    std::string text;
    std::vector<std::string> names;
    for (const ValueReport& value : report.values) {
        if (value.key == name) text += explain_value(value);
        names.push_back(value.key);
    }
    for (const NodeReport& node : report.nodes) {
        if (node.key == name) text += explain_node(node);
        names.push_back(node.key);
    }
    if (text.empty()) throw bad_input("no encoded value and no node \"{}\"{}", escape(name), did_you_mean(name, names));
    return text;
}

}  // namespace quern
