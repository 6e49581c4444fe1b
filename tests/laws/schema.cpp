// The JSON schema of rules files says what the reader takes. With QUERN_WRITE_PAGES set it is written instead.
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <fstream>

#include "libcore/base/json.h"
#include "libcore/os/io.h"
#include "libcore/quant/algorithms/algorithm.h"
#include "libcore/quant/types/rules.h"
#include "libcore/quant/types/spellings.h"

using namespace quern;

namespace {

Json words_of(bool runs) {
    Json words = Json::array();
    for (const Method& method : all_methods())
        if (runs || !method.by_runs) words.push_back(method.name);
    return words;
}

Json algorithms() {
    Json names = Json::array();
    for (const Algorithm& row : all_algorithms()) names.push_back(row.name);
    return {{{"const", "none"}}, {{"type", "array"}, {"items", {{"enum", names}}}, {"uniqueItems", true}}};
}

Json setting(const RuleKey& key) {
    if (key.kind == RuleKey::Kind::edge || key.kind == RuleKey::Kind::weights)
        return {{"enum", edge_names(key.kind == RuleKey::Kind::weights)}, {"description", key.doc}};
    if (key.kind == RuleKey::Kind::algorithms) return {{"oneOf", algorithms()}, {"description", key.doc}};
    if (key.kind == RuleKey::Kind::word) return {{"enum", words_of(key.name == "method")}, {"description", key.doc}};
    return {{"type", key.kind == RuleKey::Kind::boolean ? "boolean" : "number"}, {"description", key.doc}};
}

std::string schema() {
    Json types = Json::array();
    for (const std::string_view name : scheme_names()) types.push_back(name);
    for (const Spelling& row : all_spellings()) types.push_back(row.name);
    Json keys{{"type", {{"enum", types}, {"description", "a type of quantize --list-types"}}}};
    for (const RuleKey& key : rule_keys()) keys[std::string(key.name)] = setting(key);
    types.push_back("none");
    const Json comments{{"^_", Json::object()}}, rule{{"$ref", "#/$defs/rule"}};
    const Json full{
        {"type", "object"}, {"properties", keys}, {"patternProperties", comments}, {"additionalProperties", false}, {"required", {"type"}}};
    Json members{{"kind", {{"const", "rules"}}}, {"version", {{"const", 1}}}, {"global", rule}, {"io", rule}};
    for (const Rules::Kind& kind : Rules::kinds()) members[std::string(kind.key)] = {{"type", "object"}, {"additionalProperties", rule}};
    const Json document{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                        {"title", "rules of quern quantize: quern-rules(7)"},
                        {"type", "object"},
                        {"properties", members},
                        {"patternProperties", comments},
                        {"additionalProperties", false},
                        {"required", {"kind", "version"}},
                        {"$defs", {{"rule", {{"oneOf", {{{"enum", types}}, full}}}}}}};
    return document.dump(1) + "\n";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(pages)

BOOST_AUTO_TEST_CASE(rules_schema) {
    const std::string path = std::string(QUERN_DOCS) + "/generated/rules.schema.json";
    if (std::getenv("QUERN_WRITE_PAGES"))
        std::ofstream(path) << schema();
    else
        BOOST_TEST((map_input(path).text() == schema()), path << " is not current: QUERN_WRITE_PAGES=1 build/tests/laws --run_test=pages");
}

BOOST_AUTO_TEST_SUITE_END()
