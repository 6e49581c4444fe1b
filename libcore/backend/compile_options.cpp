#include "libcore/backend/compile_options.h"

#include <array>

#include "libcore/base/json.h"
#include "libcore/ops/integer/profile.h"

namespace quern {
namespace {

constexpr std::array<std::string_view, 3> modes{"float", "fake", "int"};  // in the order of Mode

Mode mode_named(const JsonView& name) {
    for (size_t i = 0; i < modes.size(); ++i)
        if (modes[i] == name.text()) return static_cast<Mode>(i);
    name.fail("need float, fake or int");
}

}  // namespace

BlobOptions parse_compile_options(std::string_view text) {
    BlobOptions options;
    if (text.empty()) return options;
    const Json json = parse_json(text);
    if (!json.is_object()) throw bad_input("compile options are not a JSON object");
    const JsonView view(json);
    if (view.has("mode")) options.mode = mode_named(view["mode"]);
    if (view.has("reference")) options.reference = view["reference"].boolean();
    if (view.has("profile")) options.profile = &need_profile(view["profile"].text());
    if (view.has("isa")) options.isa = view["isa"].text();
    return options;
}

std::string compile_options_json(const BlobOptions& options) {
    Json json{{"mode", modes[static_cast<size_t>(options.mode)]}, {"reference", options.reference}};
    if (options.profile) json["profile"] = options.profile->name;
    if (!options.isa.empty()) json["isa"] = options.isa;
    return json_line(json);
}

}  // namespace quern
