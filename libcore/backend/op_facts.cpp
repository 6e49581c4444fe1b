#include "libcore/backend/op_facts.h"

#include <algorithm>
#include <array>
#include <bit>

#include "libcore/base/json.h"
#include "libcore/base/text.h"

namespace quern {
namespace {

constexpr int max_arity = 255;
constexpr std::array kinds{AttrKind::integer, AttrKind::real,   AttrKind::text,    AttrKind::integers, AttrKind::reals,
                           AttrKind::texts,   AttrKind::tensor, AttrKind::tensors, AttrKind::type};

QuantRule rule_from(const quern_quant_rule& from, int inputs) {
    if (from.kind < 0 || from.kind > QUERN_QUANT_FIXED) throw unsupported("its quantization rule has kind {}", from.kind);
    if (from.weight >= inputs || from.bias >= inputs) throw unsupported("its quantization rule names an input that it has not");
    return {static_cast<QuantRule::Kind>(from.kind),
            from.activations,
            from.weight < 0 ? -1 : from.weight,
            from.weight_axis,
            from.bias < 0 ? -1 : from.bias,
            from.lo,
            from.hi};
}

void check(const OpFacts& facts) {
    const auto good = [](int min, int max) { return 0 <= min && min <= max && max <= max_arity; };
    if (facts.name.empty() || facts.domain.empty()) throw unsupported("has no name or domain");
    if (!good(facts.in_min, facts.in_max) || !good(facts.out_min, facts.out_max) || facts.out_max == 0)
        throw unsupported("takes {} to {} inputs and gives {} to {} outputs", facts.in_min, facts.in_max, facts.out_min, facts.out_max);
    for (size_t i = 0; i < facts.attributes.size(); ++i) {
        const OpFacts::Attribute& attribute = facts.attributes[i];
        if (attribute.name.empty()) throw unsupported("its attribute {} has no name", i);
        if (attribute.kind < 0 || static_cast<size_t>(attribute.kind) >= kinds.size())
            throw unsupported("attribute {} has kind {}", escape(attribute.name), attribute.kind);
    }
}

int natural(const JsonView& json) { return static_cast<int>(std::min<uint64_t>(json.natural(), max_arity + 1)); }

}  // namespace

AttrKind kind_of(const OpFacts::Attribute& attribute) { return kinds.at(static_cast<size_t>(attribute.kind)); }

OpFacts facts_of(const quern_custom_op& op) {
    if (!QUERN_HAS(&op, eval) || !op.name || !*op.name || !op.domain || !*op.domain || !op.infer || !op.eval)
        throw unsupported("has no name, domain, infer or eval");
    OpFacts facts{.name = op.name,
                  .domain = op.domain,
                  .doc = op.doc ? op.doc : "",
                  .in_min = op.in_min,
                  .in_max = op.in_max,
                  .out_min = op.out_min,
                  .out_max = op.out_max};
    if (op.attribute_count > 0 && !op.attributes) throw unsupported("has {} attributes without a list", op.attribute_count);
    for (size_t i = 0; i < op.attribute_count; ++i) {
        const quern_attribute_def& def = *op.attributes[i];
        facts.attributes.push_back({def.name ? def.name : "", def.kind, def.fallback ? def.fallback : "", def.required != 0});
    }
    facts.quant = rule_from(op.quant, op.in_max);
    facts.on_codes = QUERN_HAS(&op, eval_codes) && op.eval_codes;
    check(facts);
    return facts;
}

Json to_json(const OpFacts& facts) {
    Json attributes = Json::array();
    for (const OpFacts::Attribute& a : facts.attributes) attributes.push_back({a.name, a.kind, a.fallback, a.required});
    const QuantRule& rule = facts.quant;
    return {{"name", facts.name},
            {"domain", facts.domain},
            {"doc", facts.doc},
            {"arity", {facts.in_min, facts.in_max, facts.out_min, facts.out_max}},
            {"attributes", std::move(attributes)},
            {"rule",
             {static_cast<int>(rule.kind), rule.activations, rule.weight, rule.weight_axis, rule.bias, std::bit_cast<uint32_t>(rule.lo),
              std::bit_cast<uint32_t>(rule.hi)}},
            {"codes", facts.on_codes}};
}

OpFacts facts_from(const JsonView& json) {
    const JsonView arity = json["arity"], rule = json["rule"], attributes = json["attributes"];
    OpFacts facts{.name = json["name"].text(),
                  .domain = json["domain"].text(),
                  .doc = json["doc"].text(),
                  .in_min = natural(arity.at(0)),
                  .in_max = natural(arity.at(1)),
                  .out_min = natural(arity.at(2)),
                  .out_max = natural(arity.at(3))};
    for (size_t i = 0; i < attributes.size(); ++i) {
        const JsonView a = attributes.at(i);
        facts.attributes.push_back({a.at(0).text(), natural(a.at(1)), a.at(2).text(), a.at(3).boolean()});
    }
    const auto number = [&](size_t i) { return static_cast<int32_t>(rule.at(i).integer()); };
    const auto bits = [&](size_t i) { return static_cast<uint32_t>(rule.at(i).integer()); };
    facts.quant = rule_from(
        {number(0), bits(1), number(2), number(3), number(4), std::bit_cast<float>(bits(5)), std::bit_cast<float>(bits(6))}, facts.in_max);
    facts.on_codes = json["codes"].boolean();
    check(facts);
    return facts;
}

}  // namespace quern
