// What pages of HTML share: text made safe, sizes, and the frame with its style, light or dark as the reader's system is. Pages ask for
// nothing from outside.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace quern {

std::string html_text(std::string_view text);  // escaped for HTML and SVG, control characters made visible

std::string human_bytes(double bytes);  // "1.5 MB", in steps of 1024

std::string human_seconds(double seconds);  // "12.34 us"

// Fills that are told apart by colour-blind eyes, too (M. Okabe, K. Ito, 2008), and the colour of text on them; the first, a grey, is for
// what is not in question, the others come again.
std::string_view html_fill(size_t number);
std::string_view html_ink(size_t number);

// A figure and what it is, for a row of the class cards. `text` is HTML.
std::string html_card(std::string_view figure, std::string_view text);

std::string html_number(std::string_view text);  // a cell; `text` is HTML

std::string html_prose(std::string_view text);  // a cell of words that is wide enough for them in narrow windows, too; `text` is HTML

std::string html_time(double seconds);  // human_seconds() with "µs"; "0" of nothing
std::string html_share(double part);    // a cell with a bar for a part of 1, and its percentage

// A table of which the first `listed` rows are there; `more` says where the others are.
struct HtmlTable {
    std::string id = {};  // "": it has none
    std::string head;  // <th>s: of the class n over numbers; data-by="x" sorts by data-x of the rows, by their text if x is n, data-down:
                       // the greatest first
    std::vector<std::string> rows;  // <tr>s
    size_t listed = 500;
    std::string more = {};
};
std::string html_table(const HtmlTable& table);
// What searches a table, for readers with scripts. A select named x picks rows by their data-x, one named order sorts.
std::string html_search(std::string_view table, std::string_view hint, std::string_view selects = {});
std::string html_select(std::string_view name, std::string_view all, const std::vector<std::pair<std::string, std::string>>& options);
std::string html_select_of(std::string_view name, std::string_view all, const std::set<std::string>& names);

// The whole page, well-formed XML behind its first line if `body` is. `style`: CSS of this page, behind the common one (html_assets.h),
// which has the colours --ink --soft --line --page --bad --bar --cut --band, rows of figures (.cards), keys of colours (.key), tables (.n:
// numbers) and the rules for narrow windows and paper. `script`: of this page, behind the one that sorts tables.
std::string html_page(std::string_view title, std::string_view style, std::string_view body, std::string_view script = {});

}  // namespace quern
