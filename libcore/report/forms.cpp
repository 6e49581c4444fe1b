#include "libcore/report/forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "libcore/report/html.h"
#include "libcore/report/plot.h"

namespace quern {
namespace {

using Shown = std::optional<std::string>;

double number_of(const Json& value) { return value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN(); }

// How many a list has, or what a number is.
double count_of(const Json& value) { return value.is_structured() ? static_cast<double>(value.size()) : number_of(value); }

// What has something, and is not zero or a list of zeros.
bool holds(const Json& value) {
    if (value.is_array()) return std::ranges::any_of(value, holds);
    return has_something(value) && !(value.is_number() && number_of(value) == 0);
}

std::string plain(const Json& value) {
    if (value.is_string()) return html_text(value.get_ref<const std::string&>());
    return value.is_number_float() ? shortest(value.get<float>()) : html_text(json_line(value));
}

// The first of a list, as many as `argument` says, and how many more there are.
std::string listed(const Json& list, std::string_view argument, std::string_view before, std::string_view after) {
    const auto most = static_cast<size_t>(parse_int(argument).value_or(std::numeric_limits<int>::max()));
    std::string out;
    for (size_t i = 0; i < std::min(list.size(), most); ++i) out += fmt::format("{}{}{}{}", i ? ", " : "", before, plain(list[i]), after);
    return list.size() > most ? fmt::format("{} and {} more", out, list.size() - most) : out;
}

std::string percent(double part) { return fmt::format("{:.1f} %", 100 * part); }

std::string_view in_words(double decibel, std::string_view equal) { return decibel > 0 ? equal : "-"; }

size_t colour_of(const Json& value, const Scope& scope) {
    const Json* colour = find_member(scope, "/colours");
    return colour ? colour->value(value.get<std::string>(), size_t{0}) : 0;
}

struct Form {
    std::string_view name;
    Shown (*show)(const Json& value, const Scope& scope, std::string_view argument);
};

// What each makes of a member that has something; `if` and `no` show nothing, but that it is there, and is not.
constexpr Form forms[] = {
    {"if", [](const Json& v, const Scope&, std::string_view) { return holds(v) ? Shown("") : Shown(); }},
    {"s", [](const Json& v, const Scope&, std::string_view) { return Shown(count_of(v) == 1 ? "" : "s"); }},
    {"count", [](const Json& v, const Scope&, std::string_view) { return Shown(fmt::format("{}", count_of(v))); }},
    {"code", [](const Json& v, const Scope&, std::string_view) { return Shown(fmt::format("<code>{}</code>", plain(v))); }},
    {"codes", [](const Json& v, const Scope&, std::string_view most) { return Shown(listed(v, most, "<code>", "</code>")); }},
    {"words", [](const Json& v, const Scope&, std::string_view most) { return Shown(listed(v, most, "", "")); }},
    {"json", [](const Json& v, const Scope&, std::string_view) { return Shown(html_text(json_line(v))); }},
    {"bytes", [](const Json& v, const Scope&, std::string_view) { return Shown(human_bytes(number_of(v))); }},
    {"time", [](const Json& v, const Scope&, std::string_view) { return Shown(html_time(number_of(v))); }},
    {"share", [](const Json& v, const Scope&, std::string_view) { return Shown(percent(number_of(v))); }},
    {"percent", [](const Json& v, const Scope&, std::string_view) { return Shown(fmt::format("{:.2g}", 100 * number_of(v))); }},
    {"exact",  // decibels of what is rounded, with their unit if there is one
     [](const Json& v, const Scope&, std::string_view unit) {
         if (std::isinf(number_of(v))) return Shown(in_words(number_of(v), "exact"));
         return Shown(fmt::format("{:.1f}{}{}", number_of(v), unit.empty() ? "" : " ", unit));
     }},
    {"top1",  // of a score
     [](const Json& v, const Scope& scope, std::string_view) {
         const double all = number_at({scope.document, v}, "scored");
         return Shown(fmt::format("{:.2f} %", all > 0 ? 100 * number_at({scope.document, v}, "top1") / all : 0.0));
     }},
    {"of",  // a share of another member
     [](const Json& v, const Scope& scope, std::string_view path) {
         const double all = number_at(scope, path);
         return Shown(percent(all > 0 ? number_of(v) / all : 1));
     }},
    {"change",  // from another member
     [](const Json& v, const Scope& scope, std::string_view path) {
         const double before = number_at(scope, path), after = number_of(v);
         if (!(before > 0 && after > 0) || before == after) return Shown("");
         return Shown(after < before ? fmt::format(": {:.1f} times less", before / after)
                                     : fmt::format(": {:.1f} times more", after / before));
     }},
    {"bar",
     [](const Json& v, const Scope&, std::string_view kind) {
         return Shown(fmt::format("<i class=\"{}\" style=\"width:{:.1f}%\"></i>", kind, 60 * std::clamp(number_of(v), 0.0, 1.0)));
     }},
    {"chip",
     [](const Json& v, const Scope& scope, std::string_view) {
         const size_t colour = colour_of(v, scope);
         return Shown(
             fmt::format("<span class=\"chip\" style=\"background:{};color:{}\">{}</span>", html_fill(colour), html_ink(colour), plain(v)));
     }},
    {"swatch",
     [](const Json& v, const Scope& scope, std::string_view) {
         return Shown(fmt::format("<i style=\"background:{}\"></i>{}", html_fill(colour_of(v, scope)), plain(v)));
     }},
    {"area", [](const Json& v, const Scope& scope, std::string_view id) { return Shown(area_picture(v, id, scope.place)); }},
    {"again", [](const Json& v, const Scope& scope, std::string_view) { return Shown(area_again(v, scope.place)); }},
    {"bands", [](const Json& v, const Scope&, std::string_view) { return Shown(bands_picture(v)); }},
    {"boxes", [](const Json& v, const Scope&, std::string_view kind) { return Shown(boxes_picture(v, kind)); }},
};

// As fmt has it; a unit may stand behind a blank: ".1f dB".
std::string formatted(double value, std::string_view form) {
    if (std::isinf(value)) return std::string(in_words(value, "equal"));
    const size_t blank = std::min(form.find(' '), form.size());
    return fmt::format(fmt::runtime("{:" + std::string(form.substr(0, blank)) + "}"), value) + std::string(form.substr(blank));
}

Shown hole(std::string_view text, const Scope& scope) {
    const size_t colon = std::min(text.find(':'), text.size());
    const std::string_view path = text.substr(0, colon), form = colon < text.size() ? text.substr(colon + 1) : "";
    if (path == "#") return std::to_string(scope.place);
    const Json* value = find_member(scope, path);
    if (form == "no") return value && (value->is_array() ? holds(*value) : has_something(*value)) ? Shown() : Shown("");
    if (!value || !has_something(*value)) return std::nullopt;
    if (form.empty()) return plain(*value);
    if (form[0] == '.' || form[0] == '+') return formatted(number_of(*value), form);
    const size_t blank = std::min(form.find(' '), form.size());
    const auto* found = std::ranges::find(forms, form.substr(0, blank), &Form::name);
    if (found == std::end(forms)) throw std::logic_error(fmt::format("page: no form \"{}\"", form));
    return found->show(*value, scope, form.substr(std::min(blank + 1, form.size())));
}

// The place of the bracket that closes the one before `at`.
size_t closing(std::string_view text, size_t at) {
    for (int open = 1; at < text.size(); ++at) {
        open += text[at] == '[' ? 1 : text[at] == ']' ? -1 : 0;
        if (open == 0) return at;
    }
    return at;
}

}  // namespace

const Json* find_member(const Scope& scope, std::string_view path) {
    const bool absolute = path.starts_with('/');
    const Json* at = absolute ? &scope.document : &scope.item;
    if (path == ".") return at;
    for (const std::string& key : split(path.substr(absolute ? 1 : 0), '/')) {
        if (at->is_object()) {
            const auto found = at->find(key);
            if (found == at->end()) return nullptr;
            at = &*found;
            continue;
        }
        const auto index = parse_int(key);
        if (!at->is_array() || !index || *index < 0 || static_cast<size_t>(*index) >= at->size()) return nullptr;
        at = &(*at)[static_cast<size_t>(*index)];
    }
    return at;
}

double number_at(const Scope& scope, std::string_view path) {
    const Json* value = find_member(scope, path);
    return value ? number_of(*value) : std::numeric_limits<double>::quiet_NaN();
}

bool has_something(const Json& value) {
    if (value.is_string()) return !value.get_ref<const std::string&>().empty();
    if (value.is_boolean()) return value.get<bool>();
    return value.is_number() ? !std::isnan(number_of(value)) : !value.empty();
}

std::optional<std::string> filled(std::string_view text, const Scope& scope) {
    std::string out;
    for (size_t at = 0; at < text.size();) {
        const size_t special = std::min(text.find_first_of("{[", at), text.size());
        out += text.substr(at, special - at);
        if ((at = special) == text.size()) break;
        const bool open = text[at] == '[';
        const size_t end = open ? closing(text, at + 1) : std::min(text.find('}', at), text.size());
        const std::string_view inner = text.substr(at + 1, end - at - 1);
        const Shown part = open ? filled(inner, scope) : hole(inner, scope);
        if (!part && !open) return std::nullopt;
        out += part.value_or("");
        at = std::min(end + 1, text.size());
    }
    return out;
}

}  // namespace quern
