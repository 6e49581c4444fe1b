// Small text helpers shared by every reader, writer and message.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quern {

std::vector<std::string> split(std::string_view text, char separator);  // "" gives {}
std::string join(std::span<const std::string> parts, std::string_view separator);
std::string_view trim(std::string_view text);

bool is_utf8(std::string_view text);

// Control characters as C escapes, invalid UTF-8 as \xNN: one line that a terminal can show.
std::string printable(std::string_view text);
// Control characters, quotes and backslashes as C escapes, invalid UTF-8 as \xNN: safe inside quotes of a message, and of a long text its
// ends alone.
std::string escape(std::string_view text);
// The same, whole: for products.
std::string escape_whole(std::string_view text);
// UTF-8 without control characters, quotes and backslashes, of any length.
bool is_plain(std::string_view text);

// A file name that any file system takes: bytes other than [A-Za-z0-9._-] (and a leading dot) as %XX.
std::string percent_escape(std::string_view name);

// The candidate nearest to `word` in edit distance, if near enough to be a likely slip.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

// " (did you mean "x"?)", or "" if nothing is near.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

// Numbers without locale; the whole text must be consumed.
std::optional<long long> parse_int(std::string_view text);
std::optional<double> parse_double(std::string_view text);

// The shortest decimal text that reads back as the same float / double.
std::string shortest(float value);
std::string shortest(double value);

}  // namespace quern
