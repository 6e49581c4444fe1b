// Text and figures as pages have them.
#pragma once

#include <string>
#include <string_view>

namespace quern {

std::string html_text(std::string_view text);  // escaped for HTML and SVG, control characters made visible

std::string human_bytes(double bytes);  // "1.5 MB", in steps of 1024

std::string human_seconds(double seconds);  // "12.34 us"

// Fills that are told apart by colour-blind eyes, too (M. Okabe, K. Ito, 2008), and the colour of text on them; the first, a grey, is for
// what is not in question, the others come again.
std::string_view html_fill(size_t number);
std::string_view html_ink(size_t number);

std::string html_time(double seconds);  // human_seconds() with "µs"; "0" of nothing

}  // namespace quern
