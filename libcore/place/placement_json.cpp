// From JSON to PlacementFile: the flat form and the one of match and rewrite.
#include <array>

#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "libcore/place/placement_file.h"

namespace quern::place {
namespace {

constexpr size_t record_limit = 100000;
const std::array<std::string, 4> top_keys{"device_placement", "quantization", "nnpa_ops_config", "compile_options"};

Pattern read_pattern(const JsonView& json) {
    const std::string& text = json.text();  // which names the place itself
    return at_place(json.place(), [&] { return Pattern(text); });
}

std::string read_device(const JsonView& json, const Target& target) { return known_device(json.text(), target, json.place()); }

NumberTest read_number_test(const JsonView& json) {
    if (json.json().is_number_integer()) return {NumberTest::Kind::equal, json.integer()};
    const auto test = parse_number_test(json.text());
    if (!test) json.fail(fmt::format("is \"{}\", need N, ==N, !=N, <N, <=N, >N, >=N or %N==R with whole numbers", escape(json.text())));
    return *test;
}

int64_t read_index(const std::string& key, const JsonView& json, int64_t limit) {
    const auto index = parse_int(key);
    if (!index || *index < -limit || *index >= limit) json.fail(fmt::format("\"{}\" is not an index of one", escape(key)));
    return *index;
}

std::vector<OperandTest> read_operands(const JsonView& json) {
    std::vector<OperandTest> tests;
    json.each([&](const std::string& key, const JsonView& member) {
        if (key.starts_with("_")) return;
        OperandTest test;
        test.index = read_index(key, member, 1 << 20);
        if (member.has("rank")) test.rank = read_number_test(member["rank"]);
        if (member.has("type")) test.type = member["type"].text();
        if (member.has("dims"))
            member["dims"].each([&](const std::string& axis, const JsonView& dim) {
                if (!axis.starts_with("_")) test.dims.emplace_back(read_index(axis, dim, 64), read_number_test(dim));
            });
        tests.push_back(std::move(test));
    });
    return tests;
}

// {"device", "node_type", "onnx_node_name"}; of the list "quantization": {"quantize", ...}.
PlacementRule read_flat(const JsonView& json, const Target& target, bool device) {
    PlacementRule rule;
    rule.place = json.place();
    if (device)
        rule.device = read_device(json["device"], target);
    else
        rule.quantize = json["quantize"].boolean();
    rule.type = read_pattern(json["node_type"]);
    if (json.has("onnx_node_name")) rule.name = read_pattern(json["onnx_node_name"]);
    return rule;
}

PlacementRule read_pair(const JsonView& json, const Target& target) {
    PlacementRule rule;
    rule.place = json.place();
    const JsonView pattern = json["pattern"], match = pattern["match"], rewrite = pattern["rewrite"];
    rule.type = read_pattern(match["node_type"]);
    if (match.has("onnx_node_name")) rule.name = read_pattern(match["onnx_node_name"]);
    if (match.has("inputs")) rule.inputs = read_operands(match["inputs"]);
    if (match.has("outputs")) rule.outputs = read_operands(match["outputs"]);
    if (rewrite.has("device")) rule.device = read_device(rewrite["device"], target);
    if (rewrite.has("quantize")) rule.quantize = rewrite["quantize"].boolean();
    if (!rule.device && !rule.quantize) rewrite.fail("has neither \"device\" nor \"quantize\"");
    return rule;
}

}  // namespace

std::string known_device(std::string_view name, const Target& target, std::string_view place) {
    if (name.empty()) return {};
    if (const Device* device = find_device(target, name)) return device->name;
    const std::vector<std::string> names = device_names(target);
    throw bad_input("{}: target {} has no device \"{}\"{}", place, target.name, escape(name), did_you_mean(name, names))
        .with_hint(fmt::format("it has {}; \"\" leaves the choice to the tool", join(names, ", ")));
}

PlacementFile parse_placement(std::string_view text, const Target& target) {
    const Json document = parse_json(text);
    const JsonView json(document);
    PlacementFile file;
    json.each([&](const std::string& key, const JsonView& member) {
        const bool known = key == "device_placement" || key == "quantization" || key == "nnpa_ops_config";
        if (!known) {
            if (key == "compile_options")
                file.remarks.emplace_back("compile_options are another compiler's and are passed over");
            else if (!key.starts_with("_"))
                throw bad_input("\"{}\" is not a key of placement files{}", escape(key), did_you_mean(key, top_keys))
                    .with_hint(fmt::format("keys: {}; a comment's key begins with _", join(top_keys, ", ")));
            return;
        }
        if (member.size() > record_limit) member.fail(fmt::format("has {} records, at most {} are read", member.size(), record_limit));
        for (size_t i = 0; i < member.size(); ++i) {
            const JsonView record = member.at(i);
            file.rules.push_back(key == "nnpa_ops_config" ? read_pair(record, target)
                                                          : read_flat(record, target, key == "device_placement"));
        }
    });
    if (file.rules.empty())
        file.remarks.emplace_back("sets nothing: no record of device_placement, quantization or nnpa_ops_config is in it");
    return file;
}

}  // namespace quern::place
