#include "libcore/base/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>

#include "libcore/base/shortened.h"

namespace quern {
namespace {

// The length of the UTF-8 sequence that starts at text[i], or 0 if it is malformed, overlong or a surrogate.
size_t utf8_length(std::string_view text, size_t i) {
    const auto byte = [&](size_t k) { return static_cast<unsigned char>(text[k]); };
    const unsigned lead = byte(i);
    if (lead < 0x80) return 1;
    const size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || i + length > text.size()) return 0;
    for (size_t k = 1; k < length; ++k)
        if ((byte(i + k) & 0xc0) != 0x80) return 0;
    const unsigned second = byte(i + 1);
    if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f)) return 0;
    if ((lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f)) return 0;
    return length;
}

size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), size_t{0});
    for (size_t i = 1; i <= a.size(); ++i) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b.size(); ++j) {
            const size_t replace = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = std::min({replace, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row.back();
}

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
    Number value{};
    if (text.starts_with('+')) text.remove_prefix(1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
    return value;
}

}  // namespace

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    if (text.empty()) return parts;
    for (;;) {
        const size_t end = text.find(separator);
        parts.emplace_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
    return fmt::format("{}", fmt::join(parts.begin(), parts.end(), separator));
}

std::string_view trim(std::string_view text) {
    constexpr std::string_view blank = " \t\r\n";
    const size_t first = text.find_first_not_of(blank);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

bool is_utf8(std::string_view text) {
    for (size_t i = 0; i < text.size();) {
        const size_t length = utf8_length(text, i);
        if (length == 0) return false;
        i += length;
    }
    return true;
}

namespace {

// What moves the cursor, turns the direction of text or cannot be seen: controls of C1 and Unicode's format characters.
struct CodePoints {
    char32_t first, last;
};
constexpr std::array unseen{
    CodePoints{0x80, 0x9f},     CodePoints{0xad, 0xad},       CodePoints{0x61c, 0x61c},   CodePoints{0x180e, 0x180e},
    CodePoints{0x200b, 0x200f}, CodePoints{0x2028, 0x202e},   CodePoints{0x2060, 0x206f}, CodePoints{0xfeff, 0xfeff},
    CodePoints{0xfff9, 0xfffb}, CodePoints{0xe0000, 0xe007f},
};

char32_t code_point(std::string_view bytes) {
    if (bytes.size() == 1) return static_cast<unsigned char>(bytes[0]);
    auto code = static_cast<char32_t>(static_cast<unsigned char>(bytes[0]) & (0x7f >> bytes.size()));
    for (const char c : bytes.substr(1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3f);
    return code;
}

bool is_unseen(char32_t code) {
    return std::ranges::any_of(unseen, [&](const CodePoints& range) { return code >= range.first && code <= range.last; });
}

std::string escaped(std::string_view text, bool quotes) {
    std::string out;
    for (size_t i = 0; i < text.size();) {
        const char c = text[i];
        const size_t length = utf8_length(text, i);
        if (quotes && (c == '"' || c == '\\')) {
            out += '\\';
            out += c;
        } else if (c == '\n') {
            out += "\\n";
        } else if (c == '\t') {
            out += "\\t";
        } else if (length == 0 || static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
            out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        } else if (const char32_t code = code_point(text.substr(i, length)); length > 1 && is_unseen(code)) {
            out += code > 0xffff ? fmt::format("\\U{:08x}", static_cast<uint32_t>(code))
                                 : fmt::format("\\u{:04x}", static_cast<uint32_t>(code));
        } else {
            out += text.substr(i, length);
        }
        i += std::max<size_t>(length, 1);
    }
    return out;
}

}  // namespace

std::string printable(std::string_view text) { return escaped(text, false); }

std::string escape_whole(std::string_view text) { return escaped(text, true); }

std::string escape(std::string_view text) {
    constexpr size_t longest = 200;
    return escape_whole(shortened(text, longest));
}

bool is_plain(std::string_view text) {
    return is_utf8(text) &&
           std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '"' || c == '\\'; });
}

std::string percent_escape(std::string_view name) {
    std::string out;
    for (const char c : name) {
        const bool plain = std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || (c == '.' && !out.empty());
        out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return out.empty() ? "%" : out;
}

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
    constexpr size_t longest = 200;  // what is longer is not a slip of the keyboard, and would take long
    if (word.size() > longest) return std::nullopt;
    const size_t limit = std::max<size_t>(1, word.size() / 3);
    const std::string* best = nullptr;
    size_t best_distance = limit + 1;
    for (const std::string& candidate : candidates) {
        if (candidate.size() > word.size() + limit || candidate.size() + limit < word.size()) continue;
        const size_t distance = edit_distance(word, candidate);
        if (distance < best_distance) {
            best = &candidate;
            best_distance = distance;
        }
    }
    return best ? std::optional(*best) : std::nullopt;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
    const auto found = nearest(word, candidates);
    return found ? fmt::format(" (did you mean \"{}\"?)", escape(*found)) : std::string();
}

std::optional<long long> parse_int(std::string_view text) { return parse_number<long long>(text); }
std::optional<double> parse_double(std::string_view text) { return parse_number<double>(text); }

std::string shortest(float value) { return fmt::format("{}", value); }
std::string shortest(double value) { return fmt::format("{}", value); }

}  // namespace quern
