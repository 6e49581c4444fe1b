#include "libcore/support/constraint.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "libcore/support/quantities.h"

namespace quern::support {
namespace {

// Conditions have all but the last three.
constexpr std::array<Key, 10> keys{{
    {"check", "what is asked: one of the checks below; needed"},
    {"is", "one value, or a list of those that are allowed: numbers, words, true and false for yes and no"},
    {"not", "one value, or a list of those that are refused"},
    {"min", "the least number"},
    {"max", "the greatest number"},
    {"multiple_of", "numbers must be multiples of this, which is at least 1"},
    {"unknown", "\"ok\": what is not known, such as an open dim, is allowed (default: it is refused)"},
    {"when", "conditions, objects with the keys above: unless each observes something and holds, nothing is asked"},
    {"except", "operators that are not asked"},
    {"why", "a reason, which refusals and lists show"},
}};

std::vector<std::string> first_keys(size_t count) {
    std::vector<std::string> names;
    for (size_t i = 0; i < count; ++i) names.emplace_back(keys[i].name);
    return names;
}

std::string alternatives(const std::vector<Fact>& facts) {
    std::string out;
    for (size_t i = 0; i < facts.size(); ++i) {
        if (i > 0) out += i + 1 == facts.size() ? " or " : ", ";
        out += to_string(facts[i]);
    }
    return out;
}

Fact read_fact(const JsonView& json) {
    if (json.json().is_string()) return json.text();
    if (json.json().is_boolean()) return std::string(json.boolean() ? "yes" : "no");
    if (!json.json().is_number()) json.fail("need a number, a word, true or false");
    return json.real();
}

std::vector<Fact> read_facts(const JsonView& json) {
    std::vector<Fact> facts;
    if (!json.json().is_array()) return {read_fact(json)};
    for (size_t i = 0; i < json.size(); ++i) facts.push_back(read_fact(json.at(i)));
    if (facts.empty()) json.fail("is empty");
    return facts;
}

void read_check(const JsonView& json, Condition& to) {
    const std::string& text = json.text();
    const size_t colon = text.find(':');
    const std::string name = text.substr(0, colon == std::string::npos ? colon : colon + 1);
    to.quantity = find_quantity(name);
    if (to.quantity) {
        if (colon != std::string::npos) to.argument = text.substr(colon + 1);
        if (colon != std::string::npos && to.argument.empty()) json.fail(fmt::format("\"{}\" lacks what stands behind the colon", text));
        return;
    }
    std::vector<std::string> names;
    for (const Quantity& row : quantities()) names.emplace_back(row.name);
    json.fail(fmt::format("\"{}\" is nothing that can be checked{}", escape(text), did_you_mean(name, names)));
}

double finite(const JsonView& json) {
    const double value = json.real();
    if (!std::isfinite(value)) json.fail("is not finite");
    return value;
}

// True if `key` is one of a condition.
bool read_member(const std::string& key, const JsonView& member, Condition& to) {
    if (key == "check") {
        read_check(member, to);
    } else if (key == "is") {
        to.is = read_facts(member);
    } else if (key == "not") {
        to.is_not = read_facts(member);
    } else if (key == "min") {
        to.min = finite(member);
    } else if (key == "max") {
        to.max = finite(member);
    } else if (key == "multiple_of") {
        to.multiple_of = finite(member);
        if (*to.multiple_of < 1) member.fail("need at least 1");
    } else if (key == "unknown") {
        if (member.text() != "ok") member.fail("need \"ok\"");
        to.unknown_ok = true;
    } else {
        return key.starts_with("_");
    }
    return true;
}

void complete(const JsonView& json, const Condition& condition) {
    if (!condition.quantity) json.fail("\"check\" is missing");
    if (condition.is.empty() && condition.is_not.empty() && !condition.min && !condition.max && !condition.multiple_of)
        json.fail("tests nothing: need \"is\", \"not\", \"min\", \"max\" or \"multiple_of\"");
}

Condition read_condition(const JsonView& json) {
    Condition condition;
    json.each([&](const std::string& key, const JsonView& member) {
        if (!read_member(key, member, condition))
            member.fail(fmt::format("is not a key of a condition{}", did_you_mean(key, first_keys(keys.size() - 3))));
    });
    complete(json, condition);
    return condition;
}

}  // namespace

bool Condition::holds(const Fact& fact) const {
    if (std::holds_alternative<std::monostate>(fact)) return unknown_ok;
    if (!is.empty() && std::find(is.begin(), is.end(), fact) == is.end()) return false;
    if (std::find(is_not.begin(), is_not.end(), fact) != is_not.end()) return false;
    if (!min && !max && !multiple_of) return true;
    const double* number = std::get_if<double>(&fact);
    if (!number) return false;
    return (!min || *number >= *min) && (!max || *number <= *max) && (!multiple_of || std::fmod(*number, *multiple_of) == 0);
}

std::string Condition::name() const {
    return argument.empty() ? std::string(quantity->words) : fmt::format("{} {}", quantity->words, escape(argument));
}

std::string Condition::demand() const {
    std::vector<std::string> parts;
    if (!is.empty()) parts.push_back(alternatives(is));
    if (!is_not.empty()) parts.push_back("not " + alternatives(is_not));
    if (min && max)
        parts.push_back(fmt::format("{} to {}", to_string(Fact(*min)), to_string(Fact(*max))));
    else if (min)
        parts.push_back("at least " + to_string(Fact(*min)));
    else if (max)
        parts.push_back("at most " + to_string(Fact(*max)));
    if (multiple_of) parts.push_back("a multiple of " + to_string(Fact(*multiple_of)));
    if (unknown_ok) parts.push_back("unknown is allowed");
    return join(parts, ", ");
}

std::string Constraint::text() const {
    std::string out = fmt::format("{}: {}", name(), demand());
    for (size_t i = 0; i < when.size(); ++i)
        out += fmt::format("{} {} is {}", i == 0 ? ", where" : " and", when[i].name(), when[i].demand());
    if (!except.empty()) out += fmt::format("; not asked of {}", join(except, ", "));
    if (!why.empty()) out += fmt::format(" ({})", escape(why));
    return out;
}

std::span<const Key> constraint_keys() { return keys; }

Constraint read_constraint(const JsonView& json) {
    Constraint constraint;
    json.each([&](const std::string& key, const JsonView& member) {
        if (key == "when") {
            for (size_t i = 0; i < member.size(); ++i) constraint.when.push_back(read_condition(member.at(i)));
        } else if (key == "except") {
            for (size_t i = 0; i < member.size(); ++i) constraint.except.push_back(member.at(i).text());
        } else if (key == "why") {
            constraint.why = member.text();
        } else if (!read_member(key, member, constraint)) {
            member.fail(fmt::format("is not a key of a constraint{}", did_you_mean(key, first_keys(keys.size()))));
        }
    });
    complete(json, constraint);
    return constraint;
}

}  // namespace quern::support
