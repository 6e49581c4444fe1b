#include "libcore/codegen/c/columns.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "libcore/base/text.h"

namespace quern::cgen {
namespace {

constexpr size_t step = 4, deepest_alignment = 70;

size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

// The words of a comment, each line behind `lead`.
void add_words(std::string& out, std::string_view line, std::string_view lead) {
    while (line.size() > columns) {
        const size_t end = line.rfind(' ', columns), first = line.find_first_not_of(' ', std::min(line.size(), lead.size()));
        if (end == line.npos || end <= first) break;
        out.append(line.substr(0, end)) += '\n';
        const std::string rest = std::string(lead) + std::string(line.substr(end + 1));
        return add_words(out, rest, lead);
    }
    out.append(line) += '\n';
}

// A place where a line can end: what stands behind it begins the next one.
struct Break {
    size_t at = 0, depth = 0, indent = 0;
    int rank = 0;  // the smaller the better, of those of one depth
};

// The operator that ends at `at` with a space on both sides; ranks as clang-format's penalties have them.
int rank_of_operator(std::string_view line, size_t at) {
    constexpr std::array<std::string_view, 4> logical{" && ", " || ", " ? ", " : "};
    constexpr std::array<std::string_view, 6> sums{" + ", " - ", " | ", " << ", " < ", " == "};
    constexpr std::array<std::string_view, 2> products{" * ", " / "};
    const auto ends = [&](std::string_view text) {
        return at + 1 >= text.size() && line.substr(at + 1 - text.size(), text.size()) == text;
    };
    if (std::ranges::any_of(logical, ends)) return 1;
    if (std::ranges::any_of(sums, ends)) return 2;
    if (std::ranges::any_of(products, ends)) return 3;
    return ends(" = ") || ends(" += ") ? 4 : 0;
}

// Where the head of a statement ends that another one follows in the line, else npos.
size_t end_of_head(std::string_view line) {
    const size_t start = indent_of(line);
    constexpr std::array<std::string_view, 4> heads{"if (", "for (", "while (", "else if ("};
    const auto head = std::ranges::find_if(heads, [&](std::string_view word) { return line.substr(start).starts_with(word); });
    if (line.substr(start).starts_with("else ") && head == heads.end()) return start + 4;
    if (head == heads.end()) return line.npos;
    int depth = 0;
    for (size_t i = start; i < line.size(); ++i) {
        depth += line[i] == '(';
        if (line[i] == ')' && --depth == 0) return i + 2 < line.size() && line[i + 2] != '{' ? i + 1 : line.npos;
    }
    return line.npos;
}

std::vector<Break> breaks_of(std::string_view line, size_t outside) {
    std::vector<Break> breaks;
    std::vector<size_t> open;  // where what stands in brackets begins
    for (size_t i = 0; i + 1 < line.size(); ++i) {
        if (line[i] == '"') i = std::min(line.find('"', i + 1), line.size() - 1);
        if (line[i] == '(' || line[i] == '[' || line[i] == '{') open.push_back(i + 1);
        if ((line[i] == ')' || line[i] == ']' || line[i] == '}') && !open.empty()) open.pop_back();
        if (line[i] != ' ' || i == 0) continue;
        const bool separates = line[i - 1] == ',' || line[i - 1] == ';';
        const int rank = separates ? 1 : rank_of_operator(line, i) + 1;
        if (!separates && rank == 1) continue;
        const size_t indent = open.empty() ? outside : open.back() <= deepest_alignment ? open.back() : outside;
        breaks.push_back({i + 1, open.size(), indent, rank});
    }
    return breaks;
}

void add_folded(std::string& out, std::string line, bool goes_on);

void add_parts(std::string& out, std::string_view line, size_t at, size_t indent, bool goes_on) {
    std::string_view first = line.substr(0, at);
    while (first.ends_with(' ')) first.remove_suffix(1);
    out.append(first) += '\n';
    add_folded(out, std::string(indent, ' ') + std::string(line.substr(line.find_first_not_of(' ', at))), goes_on);
}

// `goes_on`: the line is in the middle of a statement.
void add_folded(std::string& out, std::string line, bool goes_on) {
    if (line.size() <= columns || line.find_first_not_of(' ') == line.npos) {
        out += line + "\n";
        return;
    }
    const size_t indent = indent_of(line);
    if (const size_t note = line.find(" /*"); note != line.npos && note > indent && line.ends_with("*/")) {
        add_words(out, std::string(indent, ' ') + line.substr(note + 1), std::string(indent + 3, ' '));
        return add_folded(out, line.substr(0, note), goes_on);
    }
    if (const size_t head = goes_on ? line.npos : end_of_head(line); head != line.npos && head <= columns)
        return add_parts(out, line, head, indent + step, false);
    const Break* best = nullptr;
    const auto breaks = breaks_of(line, goes_on ? indent : indent + step);
    for (const Break& one : breaks) {
        if (one.at > columns + 1 || one.at <= indent + step || one.at <= one.indent) continue;
        if (!best || one.depth < best->depth || (one.depth == best->depth && one.rank <= best->rank)) best = &one;
    }
    if (!best) {
        out += line + "\n";
        return;
    }
    add_parts(out, line, best->at, best->indent, true);
}

bool ends_statement(std::string_view line) {
    return line.empty() || line.starts_with("#") || line.ends_with(";") || line.ends_with("{") || line.ends_with("}") ||
           line.ends_with(")") || line.ends_with("*/") || line.ends_with(":") || line.ends_with("\\") || line.ends_with("else");
}

std::string next_line(std::string_view& text) {
    std::string line(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    return line;
}

}  // namespace

std::string in_columns(std::string_view text) {
    std::string out;
    bool comment = false, goes_on = false;
    while (!text.empty()) {
        std::string line = next_line(text);
        if (line.starts_with("static ") || line.starts_with("KERNEL "))  // the head of a function, whose name may be another one now
            while (line.ends_with(",") || line.ends_with("(")) {
                const std::string rest = next_line(text);
                line += (line.ends_with("(") ? "" : " ") + rest.substr(indent_of(rest));
            }
        const size_t indent = indent_of(line);
        const std::string_view inner = std::string_view(line).substr(indent);
        const bool begins = inner.starts_with("/*"), in_comment = comment || begins;
        if (!line.empty() && indent == line.size())  // where a kernel says nothing
            continue;
        if (in_comment)
            add_words(out, line, std::string(indent, ' ') + (begins ? "   " : inner.starts_with("* ") ? "*     " : ""));
        else if (line.starts_with("#") || line.ends_with("\\"))
            out += line + "\n";
        else
            add_folded(out, line, goes_on);
        comment = in_comment && line.find("*/") == line.npos;
        if (!in_comment) goes_on = !ends_statement(line);
    }
    return out;
}

}  // namespace quern::cgen
