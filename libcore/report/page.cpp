#include "libcore/report/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "libcore/base/json.h"
#include "libcore/report/forms.h"
#include "libcore/report/page_assets.h"

namespace quern {
namespace {

using enum Column::Is;

constexpr size_t printed = 60;  // rows of a table on paper: page_assets.h

// A path as a name of HTML: "on/2" as "on_2", and "-seconds", the greatest first, as "seconds".
std::string name_of(std::string_view path) {
    std::string out(path.starts_with('-') ? path.substr(1) : path);
    std::ranges::replace(out, '/', '_');
    return out;
}

// As text of CSS.
std::string css_text(std::string_view text) {
    std::string out;
    for (const char c : text)
        out += std::isalnum(static_cast<unsigned char>(c)) || c == ' ' ? std::string(1, c)
                                                                       : fmt::format("\\{:x} ", static_cast<unsigned char>(c));
    return out;
}

std::string in_element(std::string_view element, std::string_view kind, const std::string& content) {
    return content.empty() ? "" : fmt::format("<{0} class=\"{1}\">{2}</{0}>\n", element, kind, content);
}

class Writer {
   public:
    Writer(const Page& page, const Json& document) : page_(page), all_{document, document} {}

    std::string run() {
        const std::string title = filled_or_empty(page_.title, all_), head = filled_or_empty(page_.head, all_),
                          body = panels(page_.panels, all_);
        return fmt::format(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/><meta name=\"viewport\" "
            "content=\"width=device-width,initial-scale=1\"/><title>{0}</title><style>{1}{2}@media(max-width:640px){{{3}}}</style></head>\n"
            "<body>\n<h1>{0}</h1>\n{4}{5}<script>//<![CDATA[\n(() => {{{6}{7}}})();\n//]]></script>\n</body></html>\n",
            title, page_style, page_.style, heads_, head, body, page_script, page_.script);
    }

   private:
    std::string panels(const std::vector<Panel>& list, const Scope& around) {
        std::string out;
        for (const Panel& one : list) out += panel(one, around);
        return out;
    }

    std::string panel(const Panel& p, const Scope& around) {
        const Json* from = find_member(around, p.from);
        if (!from || !has_something(*from)) return "";
        const Scope inside{around.document, from->is_array() ? around.item : *from, around.place};
        const std::vector<const Json*> items = sorted(*from, p.order, inside);
        std::string body = filled_or_empty(p.text, inside) + p.drawn + cards(p.cards, inside) + texts(p, items, inside);
        if (!p.each.empty())
            for (const Json* item : items) body += panels(p.each, {around.document, *item});
        if (!p.dots.x.empty()) body += dots_figure(items, p.dots, inside, p.opens);
        if (!p.columns.empty()) body += folded(p, table(p, items, inside), inside);
        if (body.empty()) return "";
        return (p.title.empty() ? "" : fmt::format("<h2>{}</h2>\n", filled_or_empty(p.title, around))) + body +
               filled_or_empty(p.below, inside);
    }

    static std::vector<const Json*> sorted(const Json& list, std::string_view order, const Scope& around) {
        std::vector<const Json*> items;
        if (!list.is_array()) return items;
        for (const Json& item : list) items.push_back(&item);
        const double sign = order.starts_with('-') ? -1 : 1;
        const std::string_view path = order.substr(sign < 0 ? 1 : 0);
        const auto before = [&](const Json* a, const Json* b) {
            const double x = sign * number_at({around.document, *a}, path), y = sign * number_at({around.document, *b}, path);
            return std::isnan(y) ? !std::isnan(x) : x < y;
        };
        if (!order.empty()) std::ranges::stable_sort(items, before);
        return items;
    }

    static std::string cards(const std::vector<Card>& list, const Scope& scope) {
        std::string out;
        for (const Card& card : list) {
            const auto figure = filled(card.figure, scope), text = filled(card.text, scope);
            if (figure && text && !figure->empty()) out += fmt::format("<div><b>{}</b>{}</div>", *figure, *text);
        }
        return in_element("div", "cards", out);
    }

    static std::string texts(const Panel& p, const std::vector<const Json*>& items, const Scope& around) {
        std::string out;
        for (size_t i = 0; i < items.size() && !p.items.empty(); ++i) out += filled_or_empty(p.items, {around.document, *items[i], i});
        return in_element("div", p.around, out);
    }

    static std::string folded(const Panel& p, const std::string& content, const Scope& scope) {
        return p.fold.empty() ? content
                              : fmt::format("<details><summary>{}</summary>{}</details>\n", filled_or_empty(p.fold, scope), content);
    }

    // ---- tables -----------------------------------------------------------------------------------------------------

    // Columns of which no cell has anything are left out.
    std::string table(const Panel& p, const std::vector<const Json*>& items, const Scope& around) {
        const std::string id = fmt::format("t{}", tables_++);
        const size_t shown = std::min(items.size(), p.listed);
        std::vector<const Column*> columns;
        std::vector<std::string> rows(shown);
        for (size_t i = 0; i < shown; ++i) rows[i] = "<tr" + attributes(p, {around.document, *items[i], i}) + ">";
        for (const Column& column : p.columns) {
            std::vector<std::string> cells(shown);
            for (size_t i = 0; i < shown; ++i) cells[i] = cell(column, {around.document, *items[i], i}, i < p.opens);
            if (std::ranges::all_of(cells, [](const std::string& one) { return one.empty(); })) continue;
            columns.push_back(&column);
            const std::string_view begin = column.is == number ? "<td class=\"n\">" : column.is == why ? "<td class=\"why\">" : "<td>";
            for (size_t i = 0; i < shown; ++i) rows[i] += fmt::format("{}{}</td>", begin, cells[i]);
        }
        std::string out;
        if (shown < items.size())
            out += fmt::format("<p class=\"soft\">These are the first {} of {}{}.</p>\n", shown, items.size(),
                               p.others.empty() ? "" : fmt::format("; <code>{}</code> has all", p.others));
        if (shown > printed) out += fmt::format("<p class=\"soft paper\">Printed are the first {} rows.</p>\n", printed);
        if (!p.search.empty()) out += form(p, columns, id, items, around);
        out += fmt::format("<table id=\"{}\"><thead><tr>{}</tr></thead><tbody>\n", id, head(p, columns, id, around));
        for (const std::string& row : rows) out += row + "</tr>\n";
        return out + "</tbody></table>\n";
    }

    std::string head(const Panel& p, const std::vector<const Column*>& columns, const std::string& id, const Scope& around) {
        std::string out;
        for (size_t i = 0; i < columns.size(); ++i) {
            const Column& column = *columns[i];
            const std::string text = filled_or_empty(column.head, around);
            if ((i > 0 || column.is == number) && !text.empty() && column.is != picture)
                heads_ += fmt::format("#{} td:nth-child({})::before{{content:\"{}\"}}", id, i + 1, css_text(text));
            out += fmt::format("<th{}", column.is == number ? " class=\"n\"" : "");
            if (!column.by.empty() && !p.search.empty())
                out += fmt::format(" data-by=\"{}\"{}", name_of(column.by), column.by.starts_with('-') ? " data-down=\"\"" : "");
            if (!column.by.empty() && column.by == p.order)
                out += fmt::format(" aria-sort=\"{}\"", p.order.starts_with('-') ? "descending" : "ascending");
            out += fmt::format(">{}</th>", text);
        }
        return out;
    }

    static std::string cell(const Column& column, const Scope& item, bool opens) {
        if (column.is == picture && !opens) return "";
        std::string text = filled_or_empty(column.cell, item);
        const std::string more = opens && !column.more.empty() ? filled_or_empty(column.more, item) : "";
        return more.empty()
                   ? text
                   : fmt::format("<details><summary>{}</summary><div class=\"more\" id=\"v{}\">{}</div></details>", text, item.place, more);
    }

    // What rows of a table that is searched are sorted and picked by.
    static std::string attributes(const Panel& p, const Scope& item) {
        std::string out;
        std::set<std::string> known{"n"};
        if (p.search.empty()) return out;
        for (const Column& column : p.columns) {
            const std::string name = name_of(column.by);
            if (name.empty() || !known.insert(name).second) continue;
            const double value = number_at(item, std::string_view(column.by).substr(column.by.starts_with('-') ? 1 : 0));
            if (!std::isnan(value))
                out += fmt::format(" data-{}=\"{}\"", name,
                                   std::isinf(value) ? (value > 0 ? "Infinity" : "-Infinity") : fmt::format("{:.7g}", value));
        }
        for (const Filter& filter : p.filters)
            if (const Json* value = find_member(item, filter.by); value && has_something(*value) && known.insert(name_of(filter.by)).second)
                out += fmt::format(" data-{}=\"{}\"", name_of(filter.by), filled_or_empty("{.}", {item.document, *value}));
        return out;
    }

    static std::string form(const Panel& p, const std::vector<const Column*>& columns, const std::string& id,
                            const std::vector<const Json*>& items, const Scope& around) {
        std::string selects, orders = p.order.empty() ? "<option value=\"\">in order</option>" : "";
        for (const Filter& filter : p.filters) {
            std::set<Json> choices;
            for (size_t i = 0; i < std::min(items.size(), p.listed); ++i)
                if (const Json* value = find_member({around.document, *items[i]}, filter.by); value && has_something(*value))
                    choices.insert(*value);
            if (choices.empty()) continue;
            selects +=
                fmt::format("<select name=\"{0}\" aria-label=\"{1}\"><option value=\"\">{1}</option>", name_of(filter.by), filter.all);
            for (const Json& choice : choices)
                selects += fmt::format("<option value=\"{}\">{}</option>", filled_or_empty("{.}", {around.document, choice}),
                                       filled_or_empty(filter.option, {around.document, choice}));
            selects += "</select>";
        }
        for (const Column* column : columns)
            if (!column->by.empty())
                orders += fmt::format("<option value=\"{}\"{}{}>by {}</option>", name_of(column->by),
                                      column->by.starts_with('-') ? " data-down=\"\"" : "", column->by == p.order ? " selected=\"\"" : "",
                                      filled_or_empty(column->head, around));
        return fmt::format(
            "<form class=\"find\" data-table=\"{}\" hidden=\"\"><input name=\"text\" type=\"search\" placeholder=\"{}\" "
            "aria-label=\"search\"/>{}<select name=\"order\" aria-label=\"order\">{}</select><output name=\"shown\" "
            "class=\"soft\"></output></form>\n",
            id, p.search, selects, orders);
    }

    const Page& page_;
    const Scope all_;
    size_t tables_ = 0;
    std::string heads_;  // CSS that says what stands in cells where tables have no head
};

}  // namespace

std::string html_page(const Page& page, const Json& document) { return Writer(page, document).run(); }

}  // namespace quern
