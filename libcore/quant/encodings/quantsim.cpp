#include "libcore/quant/encodings/quantsim.h"

#include <algorithm>
#include <array>

#include "libcore/base/error.h"
#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "libcore/graph/op_ids.h"
#include "libcore/quant/encodings/encodings_form.h"

namespace quern {
namespace {

std::optional<bool> truth_of(const JsonView& json, std::string_view key) {
    if (!json.has(key)) return std::nullopt;
    return truth_at(json[key]);
}

// What one operator gets.
struct Settings {
    bool quantized = false;
    SchemeChanges changes;
    bool operator==(const Settings&) const = default;
};

class QuantsimReader {
   public:
    QuantsimReader(const JsonView& json, const Scheme& base) : json_(json), base_(base) {}

    Quantsim read() {
        check_sections();
        read_defaults(json_["defaults"]);
        if (json_.has("params")) read_params(json_["params"], defaults_.changes);
        out_.rules.global = rule_of(defaults_);
        if (json_.has("op_type")) json_["op_type"].each([&](const std::string& op, const JsonView& json) { read_op(op, json); });
        if (json_.has("supergroups"))
            for (size_t i = 0; i < json_["supergroups"].size(); ++i) read_supergroup(json_["supergroups"].at(i));
        read_border("model_input", "is_input_quantized", "inputs of the model are quantized where quantized operators read them");
        read_border("model_output", "is_output_quantized", "outputs of the model are quantized as other results are");
        return std::move(out_);
    }

   private:
    const JsonView& json_;
    const Scheme& base_;
    Quantsim out_;
    Settings defaults_;

    void leave(const std::string& place, std::string_view why) { out_.unapplied.push_back(fmt::format("{}: {}", printable(place), why)); }

    void check_sections() {
        static const std::vector<std::string> sections{"defaults", "params", "op_type", "supergroups", "model_input", "model_output"};
        json_.each([&](const std::string& key, const JsonView&) {
            if (key == "encoding_constraints" || key == "supported_kernels" || key == "hw_version")
                leave(key, "it is about the kernels of a device, which --target and quern place know");
            else if (std::ranges::find(sections, key) == sections.end())
                leave(key, fmt::format("it is not a section that is known{}", did_you_mean(key, sections)));
        });
    }

    // Reports keys of an object that are none of those known.
    void leave_others(const JsonView& json, std::initializer_list<std::string_view> known) {
        json.each([&](const std::string& key, const JsonView& member) {
            if (std::find(known.begin(), known.end(), key) == known.end()) leave(member.place(), "it has no counterpart");
        });
    }

    void read_defaults(const JsonView& json) {
        leave_others(json, {"ops", "params", "strict_symmetric", "unsigned_symmetric", "per_channel_quantization"});
        const Json none = Json::object();
        const JsonView ops = json.has("ops") ? json["ops"] : JsonView(none), params = json.has("params") ? json["params"] : JsonView(none);
        leave_others(ops, {"is_output_quantized", "is_symmetric"});
        defaults_.quantized = truth_of(ops, "is_output_quantized").value_or(false);
        if (base_.full()) defaults_.changes.act_sym = truth_of(ops, "is_symmetric").value_or(false);
        defaults_.changes.weight_sym = false;
        read_param(params, defaults_.changes);
        defaults_.changes.per_channel = truth_of(json, "per_channel_quantization").value_or(false);
        if (truth_of(json, "strict_symmetric").value_or(false))
            leave("defaults.strict_symmetric", "symmetric weights leave out the least code anyway, activations use it");
        if (truth_of(json, "unsigned_symmetric").value_or(false))
            leave("defaults.unsigned_symmetric", "symmetric codes are signed, whatever the range");
    }

    // Of weights.
    void read_param(const JsonView& json, SchemeChanges& to) {
        leave_others(json, {"is_quantized", "is_symmetric"});
        if (!truth_of(json, "is_quantized").value_or(true)) leave(json.place(), "weights of a quantized operator are quantized, too");
        if (const auto symmetric = truth_of(json, "is_symmetric")) to.weight_sym = *symmetric;
    }

    void read_params(const JsonView& json, SchemeChanges& to) {
        json.each([&](const std::string& key, const JsonView& param) {
            if (key == "weight")
                read_param(param, to);
            else if (key != "bias")
                leave(param.place(), "only weight and bias have settings");
            else if (truth_of(param, "is_quantized").value_or(false))
                leave(param.place(), "biases always have 32 bits");
        });
    }

    Rule rule_of(const Settings& settings) const {
        if (!settings.quantized) return {};
        Rule rule;
        rule.own = std::make_shared<const Scheme>(changed(base_, settings.changes));
        rule.scheme = rule.own.get();
        rule.changes = settings.changes;
        return rule;
    }

    void read_op(const std::string& name, const JsonView& json) {
        leave_others(json, {"is_input_quantized", "is_output_quantized", "is_symmetric", "per_channel_quantization", "params"});
        const Op* op = find_op(name);
        if (!op) return leave(json.place(), "it is not an operator of ONNX");
        Settings settings = defaults_;
        settings.quantized = truth_of(json, "is_output_quantized").value_or(settings.quantized);
        // What only moves numbers hands its encoding on, whether it is said to have a quantizer of its own or not.
        if (has(op->traits, Trait::data_movement)) settings.quantized = defaults_.quantized;
        if (!truth_of(json, "is_input_quantized").value_or(true))
            leave(json.place() + ".is_input_quantized", "a quantized operator reads quantized inputs");
        if (const auto symmetric = truth_of(json, "is_symmetric"); symmetric && base_.full()) settings.changes.act_sym = *symmetric;
        if (const auto channels = truth_of(json, "per_channel_quantization")) settings.changes.per_channel = *channels;
        if (json.has("params")) read_params(json["params"], settings.changes);
        if (settings == defaults_) return;
        Rule rule = rule_of(settings);
        rule.used = true;
        out_.rules.op_types.emplace(name, std::move(rule));
    }

    // Products, or sums, with the activation behind them are one unit anyway.
    static bool is_unit(const std::vector<const Op*>& chain) {
        if (chain.size() < 2 || std::ranges::find(chain, nullptr) != chain.end()) return false;
        const bool begins = chain.front()->quant.weight >= 0 || chain.front()->is(ops::Add);
        return begins && std::all_of(chain.begin() + 1, chain.end(), [](const Op* op) {
                   return has(op->traits, Trait::activation) || op->is(ops::BatchNormalization) || op->is(ops::Add);
               });
    }

    void read_supergroup(const JsonView& json) {
        leave_others(json, {"op_list"});
        const JsonView list = json["op_list"];
        std::vector<const Op*> chain;
        std::vector<std::string> names;
        for (size_t i = 0; i < list.size(); ++i) {
            names.push_back(list.at(i).text());
            chain.push_back(find_op(names.back()));
        }
        if (!is_unit(chain)) leave(json.place(), fmt::format("{} are not one integer unit", printable(join(names, ", "))));
    }

    void read_border(std::string_view section, std::string_view key, std::string_view why) {
        bool wanted = section == "model_output" && defaults_.quantized;
        if (json_.has(section)) {
            const JsonView json = json_[section];
            leave_others(json, {key});
            wanted = truth_of(json, key).value_or(wanted);
        }
        if (wanted != defaults_.quantized) leave(std::string(section), why);
    }
};

}  // namespace

bool is_quantsim(std::string_view text) {
    const Json document = parse_json(text);
    return document.is_object() && document.contains("defaults") && !document.contains("kind");
}

Quantsim parse_quantsim(std::string_view text, const Scheme& base) {
    const Json document = parse_json(text);
    const JsonView json(document);
    return QuantsimReader(json, base).read();
}

}  // namespace quern
