#include "libcore/base/html.h"

#include <fmt/format.h>

#include <array>

#include "libcore/base/text.h"

namespace quern {
namespace {

constexpr const char* common_style = R"(
:root{color-scheme:light dark;--ink:#1d2733;--soft:#5b6b7c;--line:#d9e0e7;--page:#fff;--bad:#b42318;--bar:#4a7fb5;--cut:#c8553d;--band:#dfeaf5}
@media(prefers-color-scheme:dark){:root{--ink:#dce4ec;--soft:#95a6b8;--line:#33414f;--page:#151b22;--bad:#ff8f80;--bar:#6aa3dd;--cut:#ec8068;--band:#263a4e}}
body{font:14px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--page);max-width:80rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.4rem;overflow-wrap:anywhere}h2{font-size:1.1rem;margin-top:2rem}.soft{color:var(--soft)}.bad{color:var(--bad)}
.cards{display:flex;gap:1rem 2rem;flex-wrap:wrap}.cards b{display:block;font-size:1.4rem;line-height:1.3}
table{border-collapse:collapse;width:100%}th{text-align:left;color:var(--soft);font-weight:500}th.n{text-align:right}
td,th{padding:.25rem .6rem;border-bottom:1px solid var(--line);vertical-align:top}td.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
pre{font:12px/1.5 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere;background:var(--band);padding:.5rem;border-radius:4px;margin:.3rem 0;user-select:all}
code{font:12px ui-monospace,monospace;overflow-wrap:anywhere}summary{cursor:pointer}
@media(max-width:640px){body{margin:1rem auto}table{display:block;overflow-x:auto}td:not(.n){min-width:7rem}}
)";

}  // namespace

std::string html_text(std::string_view raw) {
    std::string out;
    std::string text;
    for (const std::string& line : split(raw, '\n')) text += (text.empty() ? "" : "\n") + printable(line);
    for (const char c : text) out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
    return out;
}

std::string human_bytes(double bytes) {
    constexpr std::array units{"B", "KB", "MB", "GB", "TB"};
    size_t unit = 0;
    for (; bytes >= 1024 && unit + 1 < units.size(); ++unit) bytes /= 1024;
    return unit ? fmt::format("{:.1f} {}", bytes, units[unit]) : fmt::format("{:.0f} B", bytes);
}

std::string html_card(std::string_view figure, std::string_view text) { return fmt::format("<div><b>{}</b>{}</div>", figure, text); }

std::string html_page(std::string_view title, std::string_view style, std::string_view body) {
    return fmt::format(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/><meta name=\"viewport\" "
        "content=\"width=device-width,initial-scale=1\"/><title>{}</title><style>{}{}</style></head>\n<body>\n{}</body></html>\n",
        html_text(title), common_style, style, body);
}

}  // namespace quern
