#include <algorithm>

#include "libcore/base/text.h"
#include "libcore/cli/command_line.h"

namespace quern {
namespace {

constexpr size_t doc_column = 30, width = 100;

// `text` broken at spaces so that lines end before `width`; continuation lines start at `doc_column`.
std::string wrapped(std::string_view text) {
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
    return fmt::format("usage: {} [OPTION ...]{}\n{}\n{}{}{}", tool.command(), usage, tool.summary(),
                       arguments.empty() ? "" : "\nArguments:\n", arguments, options);
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
