#include "libcore/ort/settings.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/base/json.h"
#include "libcore/base/text.h"

namespace quern::ort {
namespace {

// The last text of a key holds.
void set(Entries& entries, const std::string& key, std::string text) {
    const auto found = std::ranges::find(entries, key, &Entries::value_type::first);
    if (found == entries.end())
        entries.emplace_back(key, std::move(text));
    else
        found->second = std::move(text);
}

std::string listed(const Provider& provider) {
    std::vector<std::string> names;
    for (const Spelling& row : provider.spellings) names.push_back(fmt::format("{}=", row.name));
    return names.empty() ? "it has none" : "it has " + join(names, ", ");
}

const Spelling& spelling_named(const Provider& provider, std::string_view name) {
    std::vector<std::string> names;
    for (const Spelling& row : provider.spellings) {
        if (row.name == name) return row;
        names.emplace_back(row.name);
    }
    throw usage_error("provider {} has no setting \"{}\"{}", provider.name, escape(name), did_you_mean(name, names))
        .with_hint(listed(provider));
}

// "qnn,soc=57".
void take_device(std::string_view text, Settings& out) {
    const std::vector<std::string> words = split(text, ',');
    out.provider = &provider_named(trim(words.front()));
    for (const auto& [key, value] : out.provider->defaults) set(out.own, std::string(key), std::string(value));
    for (size_t i = 1; i < words.size(); ++i) {
        const std::string_view word = trim(words[i]);
        const size_t equals = word.find('=');
        if (equals == word.npos || equals + 1 == word.size())
            throw usage_error("\"{}\" of device \"{}\": need NAME=TEXT", escape(word), escape(text)).with_hint(listed(*out.provider));
        const Spelling& spelling = spelling_named(*out.provider, word.substr(0, equals));
        const std::string_view value = word.substr(equals + 1);
        set(out.own, std::string(spelling.own), spelling.read ? spelling.read(value) : std::string(value));
    }
}

void take_entries(const JsonView& object, Entries& out) {
    object.each([&](const std::string& key, const JsonView& member) {
        const Json& json = member.json();
        if (json.is_string())
            set(out, key, json.get<std::string>());
        else if (json.is_boolean())
            set(out, key, json.get<bool>() ? "1" : "0");
        else if (json.is_number())
            set(out, key, json_line(json));
        else
            member.fail("need a text, a number or a boolean");
    });
}

void check_needed(const Settings& settings) {
    const Provider& provider = *settings.provider;
    if (provider.needed.empty()) return;
    const Spelling& row = spelling_named(provider, provider.needed);
    if (std::ranges::find(settings.own, row.own, &Entries::value_type::first) != settings.own.end()) return;
    throw usage_error("provider {} needs {}=: {}", provider.name, row.name, row.doc)
        .with_hint(fmt::format("--backend ort:{}", provider.device));
}

Product product_of(const JsonView& member, const Provider& provider) {
    const std::string& text = member.text();
    if (text != "context" && text != "dlc") member.fail("need context or dlc");
    if (text == "dlc" ? !provider.writes_dlc : !provider.contexts) throw usage_error("provider {} makes no {}", provider.name, text);
    return text == "dlc" ? Product::dlc : Product::context;
}

std::vector<std::string> sharing_of(const JsonView& member) {
    std::vector<std::string> out;
    for (size_t i = 0; i < member.size(); ++i) out.push_back(member.at(i).text());
    return out;
}

Settings parsed(std::string_view json) {
    const Json options = json.empty() ? Json::object() : parse_json(json);
    const JsonView view(options);
    Settings out;
    take_device(view.has("device") ? view["device"].text() : "cpu", out);
    view.each([&](const std::string& key, const JsonView& member) {
        if (key == "provider")
            take_entries(member, out.own);
        else if (key == "session")
            take_entries(member, out.session);
        else if (key == "product")
            out.product = product_of(member, *out.provider);
        else if (key == "sharing")
            out.sharing = sharing_of(member);
        else if (key != "device")
            throw usage_error("unknown option \"{}\": there are device, product, sharing, provider and session", escape(key));
    });
    check_needed(out);
    return out;
}

}  // namespace

Settings parse_settings(std::string_view json) {
    try {
        return parsed(json);
    } catch (const Error& error) {
        if (error.exit() != Exit::bad_input) throw;
        throw usage_error("{}", error.message());  // options are the user's
    }
}

}  // namespace quern::ort
