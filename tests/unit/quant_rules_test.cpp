// Rules: which one decides, and what is no rule.
#include <boost/test/unit_test.hpp>

#include "libcore/base/error.h"
#include "libcore/base/json.h"
#include "libcore/quant/types/rules.h"

using namespace quern;

namespace {

Node node_of(const char* op, const char* name, const char* scope = "") {
    Node node;
    node.op = find_op(op);
    node.name = name;
    node.scope = scope;
    return node;
}

std::string message_of(const std::string& json) {
    try {
        parse_rules(json);
    } catch (const Error& error) {
        BOOST_TEST((error.exit() == Exit::bad_input));
        return error.message();
    }
    return "no error";
}

std::string rules_with(const std::string& members) { return "{\"kind\":\"rules\",\"version\":1," + members + "}"; }

}  // namespace

BOOST_AUTO_TEST_SUITE(quant_rules)

BOOST_AUTO_TEST_CASE(the_most_particular_rule_decides) {
    const Rules rules = parse_rules(rules_with(
        R"("global": "i8", "module_types": {"layer": "u8-asym"}, "op_types": {"Softmax": "none", "Conv": {"type": "w8a16", "method": "mse"}},
        "module_names": {"/encoder": "i16-sym", "/encoder/layer.3": "u8i8", "if_1/then_branch": "i8-sym"}, "node_names": {"conv_7": "none"}, "_note": 1)"));
    const auto who = [&](const Node& node, const std::string& path = "") { return rules.match(node, path).name; };
    BOOST_TEST(who(node_of("Relu", "r")) == "global");
    BOOST_TEST(who(node_of("Relu", "r", "/decoder/layer.2/")) == "module type layer");
    BOOST_TEST(who(node_of("Conv", "c", "/decoder/layer.2/")) == "op type Conv");
    BOOST_TEST(who(node_of("Conv", "c", "/encoder/layer.2/")) == "module /encoder");
    BOOST_TEST(who(node_of("Conv", "c", "/encoder/layer.3/attention/")) == "module /encoder/layer.3");
    BOOST_TEST(who(node_of("Conv", "c", "/encoder2/")) == "op type Conv");
    BOOST_TEST(who(node_of("Conv", "conv_7", "/encoder/layer.3/")) == "node conv_7");
    BOOST_TEST(who(node_of("Relu", "r"), "if_1/then_branch/") == "module if_1/then_branch");
    const auto softmax = rules.match(node_of("Softmax", "s"), "");
    BOOST_REQUIRE(softmax.rule);
    BOOST_TEST(!softmax.rule->scheme);
    const auto conv = rules.match(node_of("Conv", "c"), "");
    BOOST_TEST(conv.rule->scheme->name == "w8a16");
    BOOST_TEST((conv.rule->method == &method_named("mse")));
    BOOST_TEST(conv.by_kind);
    BOOST_TEST(rules.unmatched(Graph(), {}).empty());
}

// PyTorch's names of modules have dots where paths of nodes have slashes.
BOOST_AUTO_TEST_CASE(modules_are_named_with_dots_or_slashes) {
    const Rules rules = parse_rules(rules_with(R"("module_names": {"encoder.layer.3": "none", "/decoder": "i8"})"));
    const auto who = [&](const char* scope) { return rules.match(node_of("Relu", "r", scope), "").name; };
    BOOST_TEST(who("/encoder/layer.3/attention/") == "module encoder.layer.3");
    BOOST_TEST(who("/encoder/layer/3/") == "module encoder.layer.3");
    BOOST_TEST(who("/encoder/layer.30/") == "");
    BOOST_TEST(who("/decoder.1/") == "module /decoder");
    BOOST_TEST(who("/decoder1/") == "");
}

BOOST_AUTO_TEST_CASE(none_at_any_level_excludes) {
    const Rules rules = parse_rules(rules_with(
        R"("global": "i8", "module_types": {"layer": "none"}, "op_types": {"Conv": "i8", "Softmax": "none"}, "module_names": {"head": "i8", "tail": "none"},
        "node_names": {"s1": "i8", "c1": "none"})"));
    const auto quantized = [&](const char* op, const char* name, const char* scope) {
        return rules.match(node_of(op, name, scope), "").rule->scheme != nullptr;
    };
    BOOST_TEST(quantized("Relu", "r", ""));
    BOOST_TEST(!quantized("Relu", "r", "/layer.2/"));
    BOOST_TEST(quantized("Conv", "c", "/layer.2/"));  // the operator is more particular than a module's type
    BOOST_TEST(!quantized("Softmax", "s", ""));
    BOOST_TEST(quantized("Softmax", "s", "/head/"));  // and a module than an operator
    BOOST_TEST(!quantized("Conv", "c", "/tail/layer.1/"));
    BOOST_TEST(quantized("Softmax", "s1", "/tail/"));  // and a node than all
    BOOST_TEST(!quantized("Conv", "c1", "/head/"));
}

BOOST_AUTO_TEST_CASE(a_rule_changes_its_type) {
    const Rule rule = parse_rule("w8a16,per-channel=no,weight_bits=4,act_sym=no,block=64,eps=0.5,method=mse,weight_method=sqnr");
    BOOST_TEST(rule.scheme->name == "w8a16");
    BOOST_TEST((rule.scheme->activation == DType::i16 && !rule.scheme->activation_symmetric));
    BOOST_TEST((rule.scheme->weight == DType::i4 && !rule.scheme->per_channel && rule.scheme->blocks));
    BOOST_TEST((rule.scheme->block == 64 && rule.scheme->least_scale == 0.5f));
    BOOST_TEST((rule.method == &method_named("mse") && rule.weight_method == &method_named("sqnr")));
    BOOST_TEST(!rule.algorithms.has_value());
    BOOST_TEST((*parse_rule("i8,algorithms=gptq+cle").algorithms == std::vector<std::string>{"gptq", "cle"}));
    BOOST_TEST(parse_rule("i8,algorithms=none").algorithms->empty());
    const Rule copy = rule;  // a derived type lives as long as a rule with it
    BOOST_TEST((copy.scheme == rule.scheme && copy.own == rule.own));
    BOOST_TEST((parse_rule("i8").scheme == &scheme_named("i8") && !parse_rule("none").scheme));
    BOOST_TEST((parse_rule("i8,act_bits=16").scheme->activation_symmetric && !parse_rule("w8a16,act_bits=8").scheme->activation_symmetric));
    BOOST_TEST((parse_rule("u8-asym,weight_bits=4").scheme->weight == DType::u4));
    const Rule blocks = parse_rule("wo-u4,weight_bits=2,block=64");
    BOOST_TEST((blocks.scheme->weight == DType::u2 && !blocks.scheme->weight_symmetric && blocks.scheme->block == 64));
    BOOST_TEST((!parse_rule("wo-i4,weight_sym=no").scheme->weight_symmetric));
    const auto channels = [](const char* text) {
        const Scheme scheme = *parse_rule(text).scheme;
        return std::pair(scheme.per_channel, scheme.per_row);
    };
    BOOST_TEST((channels("i8") == std::pair(true, true) && channels("i8,per_channel=no") == std::pair(false, false)));
    BOOST_TEST((channels("i8,per_row=yes") == std::pair(false, true) && channels("i8,per_row=no") == std::pair(true, false)));
    BOOST_TEST((channels("i8,per_row=yes,per_channel=yes") == std::pair(true, true)));
    const Rule widths = parse_rule("i8,bias_bits=8,float_bits=16");
    BOOST_TEST((widths.scheme->bias_bits == 8 && widths.scheme->float_bits == 16));
}

BOOST_AUTO_TEST_CASE(a_rule_is_written_as_it_is_read) {
    const std::map<RuleKey::Kind, std::string> others{
        {RuleKey::Kind::word, "mse"}, {RuleKey::Kind::edge, "none"}, {RuleKey::Kind::weights, "u4"}, {RuleKey::Kind::algorithms, "cle"}};
    const std::map<std::string_view, std::string> numbers{{"act_bits", "16"},   {"weight_bits", "4"}, {"bias_bits", "8"},
                                                          {"float_bits", "16"}, {"block", "32"},      {"eps", "0.1"}};
    for (const RuleKey& key : rule_keys()) {
        const std::string value = key.kind == RuleKey::Kind::number    ? numbers.at(key.name)
                                  : key.kind == RuleKey::Kind::boolean ? "yes"
                                                                       : others.at(key.kind);
        const Rule rule = parse_rule(fmt::format("{},{}={}", key.name == "two_level" ? "w4a16-lpbq" : "i8", key.name, value));
        const Json json = rule_json(rule);
        BOOST_TEST((json.size() == 2 && json.contains(key.name)));
        const Rule again = read_rule(JsonView(json));
        BOOST_TEST((again.changes == rule.changes && again.method == rule.method && again.weight_method == rule.weight_method));
        BOOST_TEST((again.algorithms == rule.algorithms && again.scheme->name == rule.scheme->name));
    }
    BOOST_TEST((rule_json(parse_rule("none")) == "none" && rule_json(parse_rule("w8a16")) == "w8a16"));
}

BOOST_AUTO_TEST_CASE(types_whose_activations_are_the_same_share_units) {
    const Scheme& i8 = scheme_named("i8");
    BOOST_TEST(i8.same_activations(changed(i8, {.weight_bits = 4, .per_channel = false})));
    BOOST_TEST(!i8.same_activations(changed(i8, {.act_sym = true})));
    BOOST_TEST(!i8.same_activations(changed(i8, {.eps = 1.0f})));
    BOOST_TEST(!i8.same_activations(scheme_named("u8i8")));
    BOOST_TEST(!i8.same_activations(scheme_named("wo-i8-sym")));
}

BOOST_AUTO_TEST_CASE(changes_that_a_type_has_no_place_for_are_refused) {
    const auto refused = [](std::string_view text) {
        try {
            parse_rule(text);
        } catch (const Error& error) {
            BOOST_TEST((error.exit() == Exit::usage));
            return error.message();
        }
        return std::string("accepted");
    };
    BOOST_TEST(refused("wo-i4,act_bits=8") == "act_bits does not go with type wo-i4: its activations stay float");
    BOOST_TEST(refused("f16,block=32") == "block does not go with type f16: its weights are floats, which have no scale");
    BOOST_TEST(refused("wo-i4,bias_bits=8") == "bias_bits does not go with type wo-i4: its biases stay float");
    BOOST_TEST(refused("wo-u4,two_level=yes") == "two_level does not go with type wo-u4: it needs symmetric int4 weights in blocks");
    BOOST_TEST(refused("w4a16-lpbq,weight_bits=8") ==
               "two_level does not go with type w4a16-lpbq: it needs symmetric int4 weights in blocks");
    BOOST_TEST(refused("i8,bias_bits=16") == "bias_bits: got 16, need 8 or 32");
    BOOST_TEST(refused("i8,float_bits=8") == "float_bits: got 8, need 16 or 32");
    BOOST_TEST(refused("dynamic-nnpa,per_row=yes") == "per_row does not go with type dynamic-nnpa: NNPA has one scale per tensor");
    BOOST_TEST(refused("i8,act_bits=12") == "act_bits: got 12, need 8 or 16");
    BOOST_TEST(refused("i8,weight_bits=5") == "weight_bits: got 5, need 2, 4, 8 or 16");
    BOOST_TEST(refused("i8,block=-1") == "block: got -1, need 1 or more, or 0 for none");
    BOOST_TEST(refused("i8,eps=0") == "eps: got 0, need a number above 0");
    BOOST_TEST(refused("i8,per_channel=maybe") == "per_channel: is a string, need true or false");
    BOOST_TEST(refused("dynamic-i8,act_bits=16") ==
               "act_bits 16 does not go with type dynamic-i8: what is quantized at run time has 8 bits");
    BOOST_TEST(refused("none,eps=1") == "has settings beside type none");
    BOOST_TEST(refused("") == "is empty, need a type or none");
}

BOOST_AUTO_TEST_CASE(a_rule_that_matches_nothing_is_an_error) {
    const Rules rules = parse_rules(rules_with(R"("op_types": {"Relu": "i8"}, "node_names": {"conv_8": "none"})"));
    BOOST_TEST(!rules.match(node_of("Conv", "conv_7"), "").rule);
    rules.match(node_of("Relu", "r"), "");
    const auto unmatched = rules.unmatched(Graph(), {});
    BOOST_REQUIRE(unmatched.size() == 1);
    BOOST_TEST(unmatched[0] == "rule node_names.\"conv_8\" matches nothing");
    BOOST_TEST(rules.unmatched(Graph(), {"conv_8"})[0] ==
               "rule node_names.\"conv_8\" matches nothing: it is fused into other operators before anything is quantized");
}

BOOST_AUTO_TEST_CASE(broken_rules_are_refused_with_their_place) {
    BOOST_TEST(message_of("{}") == "\"kind\" is missing");
    BOOST_TEST(message_of("{\"kind\":\"rules\",\"version\":2}") == "rules version 2, this tool reads up to 1");
    BOOST_TEST(message_of(rules_with("\"op_type\": {}")) == "op_type: is not a kind of rule (did you mean \"op_types\"?)");
    BOOST_TEST(message_of(rules_with("\"op_types\": {\"Conv\": \"i9\"}")).starts_with("op_types.\"Conv\": unknown type \"i9\""));
    BOOST_TEST(message_of(rules_with("\"op_types\": {\"Conv\": {\"method\": \"mse\"}}")) == "op_types.\"Conv\": has no \"type\"");
    BOOST_TEST(message_of(rules_with("\"op_types\": {\"Conv\": {\"type\": \"i8\", \"bits\": 8}}")) ==
               "op_types.\"Conv\".bits: is not a key of a rule (type, method, weight_method, inputs, outputs, weights, act_bits, act_sym, "
               "weight_bits, weight_sym, "
               "bias_bits, float_bits, per_channel, per_row, block, two_level, eps, algorithms)");
    BOOST_TEST(message_of(rules_with("\"op_types\": {\"Conv\": {\"type\": \"i8\", \"method\": \"best\"}}"))
                   .starts_with("op_types.\"Conv\".method: unknown method \"best\""));
    BOOST_TEST(message_of(rules_with("\"global\": 8")) == "global: is a number, need an object");
    BOOST_TEST(message_of(rules_with("\"node_names\": [1]")) == "node_names: is an array, need an object");
}

BOOST_AUTO_TEST_SUITE_END()
