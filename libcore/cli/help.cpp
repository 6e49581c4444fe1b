// --help and the generated parts of the man pages (command_line.h): usage, options in two columns, examples.
#include <sys/ioctl.h>

#include <algorithm>
#include <cstdlib>

#include "libcore/base/text.h"
#include "libcore/cli/command_line.h"
#include "libcore/os/standard_output.h"

namespace quern {
namespace {

constexpr size_t doc_column = 30, usual_width = 100, min_width = 60, max_width = 160;

// $COLUMNS, else the terminal's, else the usual one.
size_t help_width() {
    const char* columns = std::getenv("COLUMNS");
    std::optional<long long> wanted = parse_int(columns ? columns : "");
    struct winsize window = {};
    if (!wanted && ::ioctl(standard_output(), TIOCGWINSZ, &window) == 0 && window.ws_col > 0) wanted = window.ws_col;
    if (!wanted || *wanted <= 0) return usual_width;
    return std::clamp(static_cast<size_t>(*wanted), min_width, max_width);
}

// `text` broken at spaces so that lines end before help_width(); continuation lines start at `doc_column`.
std::string wrapped(std::string_view text) {
    static const size_t width = help_width();
    std::string out;
    size_t column = doc_column;
    for (const std::string& word : split(text, ' ')) {
        if (column > doc_column && column + 1 + word.size() > width) {
            out += '\n' + std::string(doc_column, ' ');
            column = doc_column;
        } else if (column > doc_column) {
            out += ' ';
            ++column;
        }
        out += word;
        column += word.size();
    }
    return out;
}

std::string usage_of(const HelpRow& row) {
    std::string name = row.names;
    if (row.repeats) name += " ...";
    return row.required ? name : "[" + name + "]";
}

std::string left_side(const HelpRow& row) {
    std::string names = join(split(row.names, ','), ", ");
    if (!row.positional() && names.rfind("--", 0) == 0) names = "    " + names;
    return row.value.empty() ? names : names + " " + row.value;
}

std::string row_text(const HelpRow& row) {
    std::string left = "  " + left_side(row);
    if (left.size() + 2 > doc_column)
        left += '\n' + std::string(doc_column, ' ');
    else
        left.resize(doc_column, ' ');
    return left + wrapped(row.doc) + "\n";
}

std::vector<std::string> groups_of(const CommandLine& line) {
    std::vector<std::string> groups;
    for (const HelpRow& row : line.rows)
        if (!row.positional() && std::find(groups.begin(), groups.end(), row.group) == groups.end()) groups.push_back(row.group);
    return groups;
}

}  // namespace

std::string help_text(const Tool& tool, const CommandLine& line) {
    std::string usage, arguments, options;
    for (const HelpRow& row : line.rows)
        if (row.positional()) {
            usage += " " + usage_of(row);
            arguments += row_text(row);
        }
    for (const std::string& group : groups_of(line)) {
        options += "\n" + group + ":\n";
        for (const HelpRow& row : line.rows)
            if (!row.positional() && row.group == group) options += row_text(row);
    }
    std::string examples;
    for (const std::string_view example : tool.examples()) examples += fmt::format("  {}\n", example);
    return fmt::format("usage: {} [OPTION ...]{}\n{}\n{}{}{}{}{}", tool.command(), usage, tool.summary(),
                       arguments.empty() ? "" : "\nArguments:\n", arguments, options, examples.empty() ? "" : "\nExamples:\n", examples);
}

std::string completion_words(const CommandLine& line, const std::string& option) {
    std::string out;
    for (const HelpRow& row : line.rows) {
        if (row.positional()) continue;
        const std::vector<std::string> names = split(row.names, ',');
        if (option.empty()) out += join(names, "\n") + "\n";
        if (std::ranges::find(names, option) == names.end() || row.value.find('|') == std::string::npos) continue;
        out += join(split(row.value, '|'), "\n") + "\n";
    }
    return out;
}

std::string man_examples(const Tool& tool) {
    std::string out;
    for (const std::string_view example : tool.examples()) out += fmt::format("$ {}\n", example);
    return out;
}

std::string man_options(const CommandLine& line) {
    std::string out = ".Bl -tag -width Ds\n";
    for (const HelpRow& row : line.rows) {
        if (row.positional()) {
            out += ".It Ar " + row.names + "\n";
        } else {
            std::vector<std::string> flags;
            for (const std::string& name : split(row.names, ',')) flags.push_back("Fl " + name.substr(1));
            out += ".It " + join(flags, " , ") + (row.value.empty() ? "" : " Ar " + row.value) + "\n";
        }
        std::string doc = row.doc;
        for (size_t at = 0; (at = doc.find('\\', at)) != std::string::npos; at += 2) doc.insert(at, 1, '\\');
        out += (doc.rfind('.', 0) == 0 || doc.rfind('\'', 0) == 0 ? "\\&" : "") + doc + "\n";
    }
    return out + ".El\n";
}

}  // namespace quern
