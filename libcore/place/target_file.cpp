#include "libcore/place/target_file.h"

#include <algorithm>

#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "libcore/os/folder.h"
#include "libcore/os/io.h"
#include "libcore/place/embedded.h"
#include "libcore/place/target_json.h"

namespace quern::place {
namespace {

constexpr int extends_limit = 8;

std::string_view embedded_json(std::string_view name) {
    for (const EmbeddedTarget& row : embedded_targets())
        if (equal_in_any_case(row.name, name)) return row.json;
    return {};
}

bool is_path(std::string_view name) { return name.find('/') != std::string_view::npos || name.ends_with(".json"); }

// The document with everything that it extends. `file`: it is from there, and its neighbours lie there; empty: only shipped ones may be
// named.
Json whole(std::string_view text, const std::string& file, int depth) {
    if (depth > extends_limit) throw bad_input("\"extends\" goes deeper than {} targets, or in a circle", extends_limit);
    Json document = parse_json(text);
    const JsonView json(document);
    if (!json.has("extends")) return document;
    const JsonView extends = json["extends"];
    const std::string& name = extends.text();
    if (is_path(name) && (file.empty() || name.find('/') != std::string::npos))
        extends.fail(fmt::format("\"{}\": need a shipped target, or a file beside this one", escape(name)));
    if (is_path(name)) {
        const Bytes bytes = map_beside(file, name);
        return merge_targets(at_place(name, [&] { return whole(bytes.text(), file, depth + 1); }), document);
    }
    const std::string_view shipped = embedded_json(name);
    if (shipped.empty()) extends.fail(fmt::format("there is no target \"{}\"{}", escape(name), did_you_mean(name, target_names())));
    return merge_targets(whole(shipped, {}, depth + 1), document);
}

// What `use` makes of the document of a target; errors name the target or its file.
template <class Use>
auto with_document(std::string_view name_or_path, const Use& use) {
    const std::string name(name_or_path);
    if (const std::string_view shipped = embedded_json(name); !shipped.empty())
        return at_place(fmt::format("target {}", name), [&] { return use(whole(shipped, {}, 0)); });
    if (!is_path(name))
        throw usage_error("there is no target \"{}\"{}", escape(name), did_you_mean(name, target_names()))
            .with_hint("--list-targets lists them; a file's name ends in .json");
    const Bytes bytes = map_input(name);
    return at_place(display_name(name), [&] { return use(whole(bytes.text(), name, 0)); });
}

}  // namespace

Target parse_target(std::string_view json) { return read_target(whole(json, {}, 0)); }

Target load_target(std::string_view name) {
    return with_document(name, [](const Json& document) { return read_target(document); });
}

Json target_document(std::string_view name) {
    return with_document(name, [](const Json& document) { return document; });
}

std::vector<std::string> target_names() {
    std::vector<std::string> names;
    for (const EmbeddedTarget& row : embedded_targets()) names.emplace_back(row.name);
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace quern::place
