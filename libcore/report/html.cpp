#include "libcore/report/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "libcore/base/text.h"
#include "libcore/report/page_assets.h"

namespace quern {
std::string html_text(std::string_view raw) {
    std::string out;
    std::string text;
    for (const std::string& line : split(raw, '\n')) text += (text.empty() ? "" : "\n") + printable(line);
    for (const char c : text) out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
    return out;
}

std::string human_seconds(double seconds) {
    const double size = std::abs(seconds);
    if (size >= 1) return fmt::format("{:.2f} s", seconds);
    if (size >= 1e-3) return fmt::format("{:.2f} ms", seconds * 1e3);
    if (size >= 1e-6) return fmt::format("{:.2f} us", seconds * 1e6);
    return fmt::format("{:.2f} ns", seconds * 1e9);
}

std::string human_bytes(double bytes) {
    constexpr std::array units{"B", "KB", "MB", "GB", "TB"};
    size_t unit = 0;
    for (; bytes >= 1024 && unit + 1 < units.size(); ++unit) bytes /= 1024;
    return unit ? fmt::format("{:.1f} {}", bytes, units[unit]) : fmt::format("{:.0f} B", bytes);
}

namespace {
// Number 0 once, then the others in turn.
std::string_view in_turn(std::span<const std::string_view> list, size_t number) {
    return list[number < list.size() ? number : 1 + (number - 1) % (list.size() - 1)];
}
}  // namespace

std::string_view html_fill(size_t number) {
    constexpr std::array<std::string_view, 8> fills{"#d3dae1", "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442"};
    return in_turn(fills, number);
}

std::string_view html_ink(size_t number) {
    constexpr std::array<std::string_view, 8> inks{"#1d2733", "#ffffff", "#1d2733", "#ffffff", "#1d2733", "#1d2733", "#ffffff", "#1d2733"};
    return in_turn(inks, number);
}

std::string html_card(std::string_view figure, std::string_view text) { return fmt::format("<div><b>{}</b>{}</div>", figure, text); }

std::string html_number(std::string_view text) { return fmt::format("<td class=\"n\">{}</td>", text); }

std::string html_prose(std::string_view text) { return fmt::format("<td class=\"prose\">{}</td>", text); }

std::string html_time(double seconds) {
    if (!(seconds > 0)) return "0";
    std::string text = human_seconds(seconds);
    if (text.ends_with(" us")) text.replace(text.size() - 2, 1, "µ");
    return text;
}

std::string html_share(double part) {
    return fmt::format("<td class=\"share\"><i style=\"width:{:.1f}%\"></i>{:.1f} %</td>", 60 * std::clamp(part, 0.0, 1.0), 100 * part);
}

std::string html_table(const HtmlTable& table) {
    std::string out;
    if (table.rows.size() > table.listed)
        out += fmt::format("<p class=\"soft\">These are the first {} of {}{}.</p>\n", table.listed, table.rows.size(), table.more);
    if (std::min(table.rows.size(), table.listed) > 60) out += "<p class=\"soft paper\">Printed are the first 60 rows.</p>\n";
    out += fmt::format("<table{}><thead><tr>{}</tr></thead><tbody>\n", table.id.empty() ? "" : fmt::format(" id=\"{}\"", table.id),
                       table.head);
    for (size_t i = 0; i < std::min(table.rows.size(), table.listed); ++i) out += table.rows[i] + "\n";
    return out + "</tbody></table>\n";
}

std::string html_search(std::string_view table, std::string_view hint, std::string_view selects) {
    return fmt::format(
        "<form class=\"find\" data-table=\"{}\" hidden=\"\"><input name=\"text\" type=\"search\" placeholder=\"{}\" "
        "aria-label=\"search\"/>{}<output name=\"shown\" class=\"soft\"></output></form>\n",
        table, hint, selects);
}

std::string html_select(std::string_view name, std::string_view all, const std::vector<std::pair<std::string, std::string>>& options) {
    std::string out = fmt::format("<select name=\"{0}\" aria-label=\"{1}\"><option value=\"\">{1}</option>", name, all);
    for (const auto& [value, text] : options) out += fmt::format("<option value=\"{}\">{}</option>", html_text(value), html_text(text));
    return out + "</select>";
}

std::string html_select_of(std::string_view name, std::string_view all, const std::set<std::string>& names) {
    std::vector<std::pair<std::string, std::string>> options;
    options.reserve(names.size());
    for (const std::string& one : names) options.emplace_back(one, one);
    return html_select(name, all, options);
}

std::string html_page(std::string_view title, std::string_view style, std::string_view body, std::string_view script) {
    return fmt::format(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/><meta name=\"viewport\" "
        "content=\"width=device-width,initial-scale=1\"/><title>{}</title><style>{}{}</style></head>\n<body>\n{}<script>//<![CDATA[\n(() "
        "=> {{{}{}}})();\n//]]></script>\n</body></html>\n",
        html_text(title), page_style, style, body, page_script, script);
}

}  // namespace quern
