// Rules: which one decides, and what is no rule.
#include <boost/test/unit_test.hpp>

#include "libcore/base/error.h"
#include "libcore/quant/rules.h"

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
    rules.check_all_used();
}

BOOST_AUTO_TEST_CASE(a_rule_that_matches_nothing_is_an_error) {
    const Rules rules = parse_rules(rules_with(R"("op_types": {"Relu": "i8"}, "node_names": {"conv_8": "none"})"));
    BOOST_TEST(!rules.match(node_of("Conv", "conv_7"), "").rule);
    rules.match(node_of("Relu", "r"), "");
    try {
        rules.check_all_used();
        BOOST_ERROR("accepted");
    } catch (const Error& error) {
        BOOST_TEST(error.message() == "rule node_names.\"conv_8\" matches nothing");
    }
}

BOOST_AUTO_TEST_CASE(broken_rules_are_refused_with_their_place) {
    BOOST_TEST(message_of("{}") == "\"kind\" is missing");
    BOOST_TEST(message_of("{\"kind\":\"rules\",\"version\":2}") == "rules version 2, this tool reads up to 1");
    BOOST_TEST(message_of(rules_with("\"op_type\": {}")) == "op_type: is not a kind of rule (did you mean \"op_types\"?)");
    BOOST_TEST(message_of(rules_with("\"op_types\": {\"Conv\": \"i9\"}")).starts_with("op_types.\"Conv\": unknown type \"i9\""));
    BOOST_TEST(message_of(rules_with("\"op_types\": {\"Conv\": {\"method\": \"mse\"}}")) == "op_types.\"Conv\": has no \"type\"");
    BOOST_TEST(message_of(rules_with("\"op_types\": {\"Conv\": {\"type\": \"i8\", \"bits\": 8}}")) ==
               "op_types.\"Conv\".bits: is not a key of a rule (type, method)");
    BOOST_TEST(message_of(rules_with("\"op_types\": {\"Conv\": {\"type\": \"i8\", \"method\": \"best\"}}"))
                   .starts_with("op_types.\"Conv\".method: unknown method \"best\""));
    BOOST_TEST(message_of(rules_with("\"global\": 8")) == "global: is a number, need an object");
    BOOST_TEST(message_of(rules_with("\"node_names\": [1]")) == "node_names: is an array, need an object");
}

BOOST_AUTO_TEST_SUITE_END()
