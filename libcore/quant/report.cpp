#include "libcore/quant/report.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/json.h"
#include "libcore/base/text.h"

namespace quern {
namespace {

// A float as the shortest decimal that reads back the same.
Json number(double value) {
    if (std::isnan(value)) return nullptr;
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    return *parse_double(shortest(static_cast<float>(value)));
}

Json encoding_json(const Encoding& e) {
    Json out{{"storage", name_of(e.storage)}, {"qmin", e.qmin}, {"qmax", e.qmax}, {"symmetric", e.symmetric()}};
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

Json value_json(const ValueReport& v) {
    Json out{{"name", v.key},
             {"role", v.role},
             {"rule", v.rule},
             {"method", v.method},
             {"encoding", encoding_json(v.encoding)},
             {"observed", {number(v.observed.lo), number(v.observed.hi)}},
             {"range", {number(v.range.lo), number(v.range.hi)}},
             {"sqnr_db", number(v.sqnr_db)},
             {"clipped", number(v.clipped)}};
    if (!v.shared_with.empty()) out["shared_with"] = v.shared_with;
    if (!v.note.empty()) out["note"] = v.note;
    return out;
}

Json node_json(const NodeReport& n) {
    Json out{{"name", n.key}, {"op", n.op}, {"rule", n.rule}, {"quantized", n.quantized}};
    if (n.unit >= 0) out["unit"] = n.unit;
    if (!n.reason.empty()) out["reason"] = n.reason;
    return out;
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
    if (!v.note.empty()) text += fmt::format("  note      {}\n", v.note);
    return text;
}

std::string explain_node(const NodeReport& n) {
    return fmt::format("node \"{}\" ({})\n  {}{}{}\n", n.key, n.op,
                       n.quantized ? "quantized: " : "stays float: ", n.quantized ? n.rule : n.reason,
                       n.unit >= 0 ? fmt::format(", integer unit {}", n.unit) : "");
}

}  // namespace

size_t QuantReport::float_nodes() const {
    return static_cast<size_t>(std::count_if(nodes.begin(), nodes.end(), [](const NodeReport& node) { return !node.quantized; }));
}

const ValueReport* QuantReport::find(std::string_view key) const {
    const auto found = std::find_if(values.begin(), values.end(), [&](const ValueReport& value) { return value.key == key; });
    return found == values.end() ? nullptr : &*found;
}

std::string report_json(const QuantReport& report) {
    Json values = Json::array(), nodes = Json::array();
    for (const ValueReport& value : report.values) values.push_back(value_json(value));
    for (const NodeReport& node : report.nodes) nodes.push_back(node_json(node));
    const Json out{{"kind", "report"},          {"version", 1},     {"type", report.type}, {"lineage", report.lineage},
                   {"samples", report.samples}, {"values", values}, {"nodes", nodes}};
    return out.dump(1) + "\n";
}

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
