// The quantizer's report: where values are, what their weights are like, the rules that it proposes, and that its page stays a page
// whatever the names are and however large the model is.
#include "libcore/graph/quantize.h"
#include "libcore/quant/report/report.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "libcore/base/json.h"
#include "libcore/quant/assign/measure_weight.h"
#include "libcore/quant/types/rules.h"
#include "libcore/report/html.h"

using namespace quern;

namespace {

Tensor floats(const Dims& dims, const std::vector<float>& numbers) { return Tensor::make<float>(dims, numbers); }

ValueReport value(const std::string& key, const std::string& node, double db, const char* role = "activation") {
    ValueReport v;
    v.key = key;
    v.role = role;
    v.rule = "type";
    v.method = "auto";
    v.observed = v.range = {-1, 1};
    v.sqnr_db = db;
    v.node = node;
    v.depth = 0;
    v.encoding = make_encoding(DType::i8, floats({}, {0.5f}), {});
    for (int i = -8; i < 8; ++i) v.masses.push_back({i / 8.0, (i + 1) / 8.0, 100.0 - i * i});
    return v;
}

NodeReport node(const std::string& key, const char* op, int unit, const std::string& rule_name) {
    return {.key = key, .op = op, .rule = "type", .quantized = true, .unit = unit, .reason = {}, .depth = 0, .rule_name = rule_name};
}
NodeReport node(const std::string& key, const char* op, int unit) { return node(key, op, unit, key); }

size_t count(std::string_view text, std::string_view part) {
    size_t found = 0;
    for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++found;
    return found;
}

QuantReport chain(size_t nodes) {
    QuantReport report;
    report.type = "i8";
    report.model = "net.onnx";
    for (size_t i = 0; i < nodes; ++i) {
        const std::string name = "encoder/layer." + std::to_string(i) + "/attention/output/MatMul";
        report.nodes.push_back(node(name, "MatMul", static_cast<int>(i)));
        report.nodes.back().depth = static_cast<int>(i);
        report.values.push_back(value(name + "_output_0", name, 20 + static_cast<double>(i % 977) / 20));
        report.values.push_back(value(name + "_weight", name, 30 + static_cast<double>(i % 1013) / 20, "weight"));
        for (size_t v = report.values.size() - 2; v < report.values.size(); ++v) report.values[v].depth = static_cast<int>(i);
        report.values.back().encoding = make_encoding(DType::i8, floats({2}, {0.5f, 0.25f}), {}, 0);
        report.values.back().channels.assign(most_channel_ranges, ChannelRange{{-0.7, 0.5}, {-1, 1}});
    }
    return report;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(quant_report)

BOOST_AUTO_TEST_CASE(sizes_for_people) {
    BOOST_TEST(human_bytes(1023) == "1023 B");
    BOOST_TEST(human_bytes(1536) == "1.5 KB");
    BOOST_TEST(human_bytes(3.0 * 1024 * 1024) == "3.0 MB");
}

BOOST_AUTO_TEST_CASE(depth_is_the_longest_path) {
    Graph g;
    const Type type = Type::tensor(DType::f32, Shape::of(std::vector<int64_t>{4}));
    const ValueId x = g.add_value("x", type), a = g.add_value("a", type), b = g.add_value("b", type), y = g.add_value("y", type);
    const ValueId w = g.add_constant("w", floats({4}, {1, 2, 3, 4}));
    g.inputs = {x};
    g.add_node(find_op("Exp"), "first", {x}, {a});
    g.add_node(find_op("Neg"), "second", {a}, {b});
    const ValueId again = g.add_value("b_int16", type);
    g.add_node(find_op("Recode", "quern"), "change", {b}, {again});
    const ValueId sum = g.add_value("sum", type);
    g.add_node(find_op("Add"), "third", {x, again}, {sum});
    g.add_node(find_op("Mul"), "fourth", {sum, w}, {y});
    g.outputs = {y};
    QuantReport report;
    for (const char* key : {"x", "a", "b", "sum", "w", "elsewhere"}) report.values.push_back(value(key, "", 40));
    report.nodes = {node("third", "Add", 0), node("elsewhere", "Add", 1)};
    report.nodes[1].depth = -1;
    for (ValueReport& v : report.values) v.depth = -1;
    locate(g, report);
    const std::vector<std::pair<std::string, int>> want{{"first", 0}, {"first", 0}, {"second", 1}, {"third", 2}, {"fourth", 3}, {"", -1}};
    for (size_t i = 0; i < want.size(); ++i) {
        BOOST_TEST_CONTEXT(report.values[i].key) {
            BOOST_TEST(report.values[i].node == want[i].first);
            BOOST_TEST(report.values[i].depth == want[i].second);
        }
    }
    BOOST_TEST(report.nodes[0].depth == 2);
    BOOST_TEST(report.nodes[1].depth == -1);
}

BOOST_AUTO_TEST_CASE(weights_by_channel) {
    const Tensor weight = floats({2, 3}, {1, -1, 0.5f, 8, 4, -2});
    ValueReport report;
    report.encoding = make_encoding(DType::i8, floats({2}, {0.0625f, 0.03125f}), {}, 0, true);
    measure_weight(report, weight, quantize(weight, report.encoding));
    BOOST_REQUIRE(report.channels.size() == 2u);
    BOOST_TEST(report.channels[0].observed.lo == -1);
    BOOST_TEST(report.channels[0].observed.hi == 1);
    BOOST_TEST(report.channels[1].observed.hi == 8);
    BOOST_TEST(report.channels[1].range.hi == 127 * 0.03125);  // less than 8: clipped
    BOOST_TEST(report.observed.lo == -2);
    BOOST_TEST(report.range.hi == 127 * 0.0625);
    double numbers = 0;
    for (const Mass& mass : report.masses) numbers += mass.weight;
    BOOST_TEST(numbers == 6);
    BOOST_TEST(std::isfinite(report.sqnr_db));

    // By columns, and in blocks of two along them: {1, -1}, {0.5}, {8, 4}, {-2}.
    report.encoding = make_encoding(DType::i8, floats({3}, {1, 1, 1}), {}, 1, true);
    measure_weight(report, weight, quantize(weight, report.encoding));
    BOOST_REQUIRE(report.channels.size() == 3u);
    BOOST_TEST(report.channels[1].observed.lo == -1);
    BOOST_TEST(report.channels[1].observed.hi == 4);
    report.encoding = make_encoding(DType::i8, floats({2, 2}, {1, 1, 1, 1}), {}, 1, true);
    report.encoding.block = 2;
    measure_weight(report, weight, quantize(weight, report.encoding));
    BOOST_REQUIRE(report.channels.size() == 4u);
    BOOST_TEST(report.channels[1].observed.hi == 0.5);
    BOOST_TEST(report.channels[2].observed.lo == 4);
    BOOST_TEST(report.channels[3].observed.lo == -2);
}

BOOST_AUTO_TEST_CASE(channels_are_joined) {
    std::vector<float> numbers(1000), scales(1000);
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i + 1), scales[i] = static_cast<float>(i + 1) / 100;
    const Tensor weight = floats({1000, 1}, numbers);
    ValueReport report;
    report.encoding = make_encoding(DType::i8, floats({1000}, scales), {}, 0, true);
    measure_weight(report, weight, quantize(weight, report.encoding));
    BOOST_REQUIRE(report.channels.size() == most_channel_ranges);
    BOOST_TEST(report.channels.front().observed.lo == 1);
    BOOST_TEST(report.channels.back().observed.hi == 1000);
    for (size_t i = 1; i < report.channels.size(); ++i)
        BOOST_TEST(report.channels[i].observed.lo == report.channels[i - 1].observed.hi + 1);
}

BOOST_AUTO_TEST_CASE(rules_give_finer_types_to_whole_units) {
    QuantReport report;
    report.nodes = {node("conv", "Conv", 0), node("relu \"1\"", "Relu", 0),   node("made", "Mul", 0, ""),
                    node("other", "Add", 1), node("only made", "Mul", 2, ""), node("norm/mean", "ReduceMean", 3, "norm")};
    report.values = {value("a", "relu \"1\"", 30), value("w", "conv", 20, "weight"), value("m", "only made", 20), value("u", "", 20),
                     value("p", "norm/mean", 20)};
    report.finer = {&scheme_named("w8a16"), &scheme_named("i16-sym")};
    const auto types = [&](size_t i) {
        const Rules rules = parse_rules(ProposedRules(report).for_value(report.values[i]));
        std::map<std::string, std::string> out;
        for (const auto& [name, rule] : rules.node_names) out[name] = rule.scheme ? rule.scheme->name : "none";
        return out;
    };
    using Types = std::map<std::string, std::string>;
    BOOST_TEST((types(0) == Types{{"conv", "w8a16"}, {"relu \"1\"", "w8a16"}}));
    BOOST_TEST((types(1) == Types{{"conv", "i16-sym"}, {"relu \"1\"", "i16-sym"}}));  // w8a16 has no finer weights
    BOOST_TEST((types(4) == Types{{"norm", "none"}}));
    report.values[0].encoding = make_encoding(DType::i16, floats({}, {0.5f}), {});
    BOOST_TEST((types(0) == Types{{"conv", "none"}, {"relu \"1\"", "none"}}));
    for (const size_t i : {2, 3}) BOOST_TEST(ProposedRules(report).for_value(report.values[i]).empty());
}

BOOST_AUTO_TEST_CASE(json_has_figures) {
    QuantReport report = chain(3);
    report.finer = {&scheme_named("w8a16")};
    BOOST_TEST(!parse_json(report_json(report)).contains("end_to_end"));
    report.sizes = Sizes{.before = 4000, .after = 1000, .file_before = 4100, .file_after = {}};
    report.end_to_end = EndToEnd{.samples = 7, .outputs = {{"y", 31.5}, {"z", INFINITY}}, .agreement = 99.5, .top1 = {}, .float_top1 = {}};
    const Json json = parse_json(report_json(report));
    BOOST_TEST(json.at("model") == "net.onnx");
    BOOST_TEST(json.at("sizes").at("constants_after") == 1000);
    BOOST_TEST(json.at("sizes").at("file_after").is_null());
    BOOST_TEST(json.at("end_to_end").at("outputs")[1].at("sqnr_db").is_null());
    BOOST_TEST(json.at("end_to_end").at("top1").is_null());
    const Json& first = json.at("values")[0];
    BOOST_TEST(first.at("bits") == 8);
    BOOST_TEST(first.at("depth") == 0);
    BOOST_TEST(first.at("proposed_rules").at("node_names").at(first.at("node").get<std::string>()) == "w8a16");
    const std::string page = report_html(report);
    BOOST_TEST(page.find("<b>31.5 dB</b>SQNR of the worst output") != std::string::npos);
    BOOST_TEST(page.find("<b>99.50 %</b>agreement") != std::string::npos);
    BOOST_TEST(page.find("not measured") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_was_not_measured_says_how) {
    QuantReport report = chain(1);
    report.measure_by = "quern check a.onnx 'b<c>.onnx' --input-list SAMPLES.txt";
    BOOST_TEST(report_html(report).find("<pre>quern check a.onnx 'b&lt;c&gt;.onnx' --input-list") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(names_cannot_break_the_page) {
    const std::string name = "</pre></script><script>\"&'\x01\xff";
    QuantReport report = chain(1);
    report.model = report.type = report.lineage = report.measure_by = name;
    report.nodes = {node(name, "Conv", 0), node(name, "Neg", -1)};
    report.nodes[1].quantized = false;
    report.nodes[1].reason = name;
    report.values = {value(name, name, 30)};
    report.values[0].note = report.values[0].rule = report.values[0].shared_with = name;
    report.algorithms = {{.name = name, .measure = name, .layers = {{.layer = name, .note = name}}, .notes = {name}}};
    const std::string page = report_html(report);
    BOOST_TEST(count(page, "<script>") == 1u);
    BOOST_TEST(count(page, "</script>") == 1u);
    BOOST_TEST(page.find('\x01') == std::string::npos);
    BOOST_TEST(page.find('\xff') == std::string::npos);
    BOOST_TEST(parse_json(report_json(report)).at("values").size() == 1u);
}

// Rows and pictures of the noisiest only, and dots that fall together once.
BOOST_AUTO_TEST_CASE(large_models_have_pages_of_bounded_size) {
    const QuantReport report = chain(10000);
    const std::string page = report_html(report);
    BOOST_TEST(page.size() < 6'000'000u);
    BOOST_TEST(count(page, "<tr data-bits=") == listed_values);
    BOOST_TEST(count(page, "<details>") == detailed_values);
    BOOST_TEST(count(page, "<a href=\"#v") == detailed_values);
    BOOST_TEST(page.find("the first 4000 of 20000") != std::string::npos);
    const std::string twice = report_html(chain(20000));
    BOOST_TEST(static_cast<double>(twice.size()) < 1.1 * static_cast<double>(page.size()));
}

BOOST_AUTO_TEST_CASE(an_empty_report) {
    QuantReport report;
    report.type = "i8";
    BOOST_TEST(report_html(report).find("<table") == std::string::npos);
    BOOST_TEST(parse_json(report_json(report)).at("values").empty());
}

BOOST_AUTO_TEST_SUITE_END()
