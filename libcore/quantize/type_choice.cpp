#include "libcore/quantize/type_choice.h"

#include <fmt/format.h>

#include "libcore/base/error.h"
#include "libcore/place/target.h"
#include "libcore/place/target_file.h"
#include "libcore/quant/types/recipe.h"

namespace quern {
namespace {

std::string rules_of(const TypeChoice& choice) {
    if (!choice.runtime.empty()) return fmt::format(", by the rules of {}", choice.runtime);
    return choice.format.empty() ? "" : fmt::format(", by the rules of {} files", choice.format);
}

void take_target(TypeChoice& choice, std::string_view name) {
    const place::Target target = place::load_target(name);
    choice.format = target.format;
    if (choice.runtime.empty()) choice.runtime = target.runtime;
    if (target.static_shapes) choice.static_for = fmt::format("target {}", target.name);
    if (!choice.type.empty()) return;
    if (target.type.empty()) throw usage_error("target {} states no type", target.name).with_hint("give --type");
    choice.type = target.type;
    choice.said.push_back(fmt::format("target {} takes type {}{}", target.name, choice.type, rules_of(choice)));
}

}  // namespace

TypeChoice choose_type(std::string_view type, std::string_view target, std::string_view runtime) {
    TypeChoice choice{.type = std::string(type), .format = {}, .runtime = std::string(runtime), .static_for = {}, .said = {}};
    if (!target.empty()) take_target(choice, target);
    if (choice.runtime.empty()) return choice;
    const std::string asked = choice.type.empty() ? "i8" : choice.type;
    const std::string_view taken = type_by(recipe_named(choice.runtime), asked);
    if (taken == asked) return choice;
    if (!choice.type.empty())
        choice.said.push_back(fmt::format("type {} stands for {}: {} takes codes without a sign", asked, taken, choice.runtime));
    choice.type = taken;
    return choice;
}

}  // namespace quern
