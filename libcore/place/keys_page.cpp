// What a target's file may say: the keys of its objects and the checks of its constraints, from the rows that read them.
#include "libcore/base/json.h"
#include "libcore/place/support.h"
#include "libcore/place/target_json.h"
#include "libcore/support/quantities.h"

namespace quern::place {
namespace {

std::string meaning(const Quantity& row) { return row.doc.empty() ? std::string(row.words) : fmt::format("{}: {}", row.words, row.doc); }

std::string text_page() {
    std::string out;
    const auto line = [&](std::string_view name, std::string_view doc) { out += fmt::format("  {:<24}  {}\n", name, doc); };
    for (const KeyGroup& group : target_keys()) {
        out += fmt::format("keys of {}\n", group.of);
        for (const Key& key : group.keys) line(key.name, key.doc);
        out += "\n";
    }
    out += "checks\n";
    for (const Quantity& row : quantities()) line(row.name, meaning(row));
    return out;
}

Json json_page() {
    Json keys = Json::object(), checks = Json::object();
    for (const KeyGroup& group : target_keys())
        for (const Key& key : group.keys) keys[std::string(group.of)][std::string(key.name)] = key.doc;
    for (const Quantity& row : quantities()) checks[std::string(row.name)] = meaning(row);
    return {{"keys", keys}, {"checks", checks}};
}

}  // namespace

std::string keys_page(PageFormat format) { return format == PageFormat::json ? json_document(json_page()) : text_page(); }

}  // namespace quern::place
