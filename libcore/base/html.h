// What pages of HTML share: text made safe, sizes, and the frame with its style, light or dark as the reader's system is. Pages ask for
// nothing from outside.
#pragma once

#include <string>
#include <string_view>

namespace quern {

std::string html_text(std::string_view text);  // escaped for HTML and SVG, control characters made visible

std::string human_bytes(double bytes);  // "1.5 MB", in steps of 1024

// A figure and what it is, for a row of the class cards. `text` is HTML.
std::string html_card(std::string_view figure, std::string_view text);

// The whole page, well-formed XML behind its first line if `body` is. `style`: CSS of this page, behind the common one, which has the
// colours --ink --soft --line --page --bad --bar --cut --band, rows of figures (.cards) and tables (.n: numbers).
std::string html_page(std::string_view title, std::string_view style, std::string_view body);

}  // namespace quern
