// One rule: a type, and what is changed of it.
#include <algorithm>
#include <array>

#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "libcore/quant/types/rules.h"
#include "libcore/quant/types/spellings.h"

namespace quern {
namespace {

struct Draft {
    const Scheme* scheme = nullptr;
    Rule rule;
    SchemeChanges changes;
};

struct Reader {
    RuleKey key;
    void (*read)(const JsonView& json, Draft& to);
};

const Method* method_in(const JsonView& json) {
    try {
        return &method_named(json.text());
    } catch (const Error& error) {
        json.fail(error.message());
    }
}

// A list of names, or "none".
std::vector<std::string> algorithms_in(const JsonView& json) {
    std::vector<std::string> names;
    if (json.json().is_string() && json.text() == "none") return names;
    for (size_t i = 0; i < json.size(); ++i) names.push_back(json.at(i).text());
    return names;
}

std::optional<DType> storage_in(const JsonView& json, bool weights) {
    try {
        return edge_storage(json.text(), weights);
    } catch (const Error& error) {
        json.fail(error.message());
    }
}

using Kind = RuleKey::Kind;
constexpr std::array readers{
    Reader{{"method", "how ranges of activations are found", Kind::word},
           [](const JsonView& v, Draft& to) { to.rule.method = method_in(v); }},
    Reader{{"weight_method", "how ranges of weights are found", Kind::word},
           [](const JsonView& v, Draft& to) {
               to.rule.weight_method = method_in(v);
               if (to.rule.weight_method->by_runs) v.fail(fmt::format("method {} goes by runs, which weights have not", v.text()));
           }},
    Reader{{"inputs", "how the nodes read activations, where not as the type says; none: as they are", Kind::edge},
           [](const JsonView& v, Draft& to) { to.changes.inputs = storage_in(v, false); }},
    Reader{{"outputs", "how results are stored, where not as the type says; none: as floats", Kind::edge},
           [](const JsonView& v, Draft& to) { to.changes.outputs = storage_in(v, false); }},
    Reader{{"weights", "how weights are stored, where not as the type says; none: as floats", Kind::weights},
           [](const JsonView& v, Draft& to) { to.changes.weights = storage_in(v, true); }},
    Reader{{"act_bits", "bits of activations: 8 or 16", Kind::number},
           [](const JsonView& v, Draft& to) { to.changes.act_bits = v.integer(); }},
    Reader{{"act_sym", "are activations symmetric?", Kind::boolean},
           [](const JsonView& v, Draft& to) { to.changes.act_sym = v.boolean(); }},
    Reader{{"weight_bits", "bits of weights: 2, 4, 8 or 16", Kind::number},
           [](const JsonView& v, Draft& to) { to.changes.weight_bits = v.integer(); }},
    Reader{{"weight_sym", "are weights symmetric?", Kind::boolean},
           [](const JsonView& v, Draft& to) { to.changes.weight_sym = v.boolean(); }},
    Reader{{"bias_bits", "bits of biases beside quantized products: 8 or 32", Kind::number},
           [](const JsonView& v, Draft& to) { to.changes.bias_bits = v.integer(); }},
    Reader{{"float_bits", "bits of constants that stay floats: 16 or 32", Kind::number},
           [](const JsonView& v, Draft& to) { to.changes.float_bits = v.integer(); }},
    Reader{{"per_channel", "does each output channel of a weight have a scale?", Kind::boolean},
           [](const JsonView& v, Draft& to) { to.changes.per_channel = v.boolean(); }},
    Reader{{"per_row", "does each output channel of a weight of MatMul and Gemm have a scale?", Kind::boolean},
           [](const JsonView& v, Draft& to) { to.changes.per_row = v.boolean(); }},
    Reader{{"block", "weights that share a scale, along the input channels; 0: no blocks", Kind::number},
           [](const JsonView& v, Draft& to) { to.changes.block = v.integer(); }},
    Reader{{"two_level", "are scales of blocks 4-bit integers times a scale of the channel?", Kind::boolean},
           [](const JsonView& v, Draft& to) { to.changes.two_level = v.boolean(); }},
    Reader{{"eps", "no scale of activations or weights is smaller", Kind::number},
           [](const JsonView& v, Draft& to) { to.changes.eps = v.real32(); }},
    Reader{{"algorithms", "what improves these nodes, in place of --algorithms; none: nothing does", Kind::algorithms},
           [](const JsonView& v, Draft& to) { to.rule.algorithms = algorithms_in(v); }},
};

constexpr auto keys = [] {
    std::array<RuleKey, readers.size()> out{};
    for (size_t i = 0; i < readers.size(); ++i) out[i] = readers[i].key;
    return out;
}();

// nullptr: "none".
const Scheme* scheme_in(const JsonView& name) {
    if (name.text() == "none") return nullptr;
    try {
        return &scheme_named(type_of_spelling(name.text()));
    } catch (const Error& error) {
        throw bad_input("{}: {}", name.place(), error.message()).with_hint(error.hint());
    }
}

void read_key(const std::string& key, const JsonView& member, Draft& to) {
    const auto reader = std::ranges::find(readers, key, [](const Reader& row) { return row.key.name; });
    if (reader != readers.end()) return reader->read(member, to);
    std::vector<std::string> names{"type"};
    for (const RuleKey& row : keys) names.emplace_back(row.name);
    member.fail(fmt::format("is not a key of a rule ({}){}", join(names, ", "), did_you_mean(key, names)));
}

// "yes" is true, "0.5" a number, anything else a word.
Json json_of(const std::string& text) {
    if (text == "yes" || text == "true") return true;
    if (text == "no" || text == "false") return false;
    if (const auto whole = parse_int(text)) return *whole;
    if (const auto number = parse_double(text)) return *number;
    return text;
}

}  // namespace

std::span<const RuleKey> rule_keys() { return keys; }

Rule read_rule(const JsonView& json) {
    if (json.json().is_string()) return {.scheme = scheme_in(json)};
    Draft draft;
    bool more = false;
    json.each([&](const std::string& key, const JsonView& member) {
        if (key == "type" || key.starts_with("_")) return;
        read_key(key, member, draft);
        more = true;
    });
    if (!json.has("type")) json.fail("has no \"type\"");
    draft.rule.scheme = scheme_in(json["type"]);
    if (!draft.rule.scheme && more) json.fail("has settings beside type none");
    if (draft.changes == SchemeChanges()) return draft.rule;
    try {
        draft.rule.own = std::make_shared<const Scheme>(changed(*draft.rule.scheme, draft.changes));
    } catch (const Error& error) {
        json.fail(error.message());
    }
    draft.rule.scheme = draft.rule.own.get();
    draft.rule.changes = draft.changes;
    return draft.rule;
}

Json rule_json(const Rule& rule) {
    const std::string type = rule.scheme ? std::string(rule.scheme->name) : "none";
    Json json{{"type", type}};
    const auto put = [&](const char* key, const auto& value) {
        if (value) json[key] = *value;
    };
    const auto put_edge = [&](const char* key, const std::optional<DType>& storage) {
        if (storage) json[key] = std::string(edge_name(*storage));
    };
    if (rule.method) json["method"] = std::string(rule.method->name);
    if (rule.weight_method) json["weight_method"] = std::string(rule.weight_method->name);
    const SchemeChanges& changes = rule.changes;
    put_edge("inputs", changes.inputs);
    put_edge("outputs", changes.outputs);
    put_edge("weights", changes.weights);
    put("act_bits", changes.act_bits);
    put("act_sym", changes.act_sym);
    put("weight_bits", changes.weight_bits);
    put("weight_sym", changes.weight_sym);
    put("bias_bits", changes.bias_bits);
    put("float_bits", changes.float_bits);
    put("per_channel", changes.per_channel);
    put("per_row", changes.per_row);
    put("block", changes.block);
    put("two_level", changes.two_level);
    if (changes.eps) json["eps"] = static_cast<double>(*changes.eps);
    put("algorithms", rule.algorithms);
    return json.size() == 1 ? Json(type) : json;
}

Rule parse_rule(std::string_view text) {
    const auto parts = split(text, ',');
    if (parts.empty()) throw usage_error("is empty, need a type or none");
    say_spelling(parts.front());
    Json document{{"type", parts.at(0)}};
    for (size_t i = 1; i < parts.size(); ++i) {
        const size_t equals = parts[i].find('=');
        if (equals == std::string::npos) throw usage_error("\"{}\": need KEY=VALUE behind the type", escape(parts[i]));
        std::string key = parts[i].substr(0, equals);
        std::ranges::replace(key, '-', '_');
        if (document.contains(key)) throw usage_error("{} is given twice", escape(key));
        const std::string value = parts[i].substr(equals + 1);
        document[key] = key == "algorithms" && value != "none" ? Json(split(value, '+')) : json_of(value);
    }
    try {
        return read_rule(JsonView(document));
    } catch (const Error& error) {
        throw usage_error("{}", error.message());
    }
}

}  // namespace quern
