// What Options declares and tool_main parses: CLI11's parser, and the rows that --help and the man pages print.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "libcore/cli/given_options.h"

namespace quern {

class Tool;

struct HelpRow {
    std::string group, names, value, doc;  // "-o,--output", "FILE"; a positional has no dashes
    bool required = false, repeats = false;
    bool positional() const { return names.empty() || names[0] != '-'; }
};

// Files that an option names.
struct NamedFiles {
    std::string option;
    FileRole role;
    std::function<std::vector<std::string>()> paths;  // none where it is not given
};

constexpr std::string_view common_options = "Common options";  // the group of those that every tool has

struct CommandLine {
    CLI::App app;
    std::vector<HelpRow> rows;
    std::string group = "Options";
    std::vector<std::string> op_packages;
    std::string memory_limit, time_limit;
    int verbose = 0;
    bool no_libraries = false, follow_links = false, quiet = false, help = false, version = false, man = false, man_examples = false;

    std::vector<GivenOptions*> given;
    std::vector<std::pair<std::string, std::string>> needs;  // an option, and the one that it is for
    std::vector<NamedFiles> files;

    std::vector<std::string> long_names() const;
    void note_given() const;
    bool is_given(std::string_view option) const;  // by its long name, or the name of a positional
};

// Throws Exit::usage if an output is the file of another output or of an input.
void check_files(const CommandLine& line);

// Option names as CLI11 takes them: `_` and `:` turned into `-`.
std::string spelled_for_parser(std::string names);
// argv as CLI11 wants it: program name dropped, long option names spelled for it.
std::vector<std::string> normal_arguments(int argc, char** argv);

// --help: usage, summary, options by group, examples; as wide as $COLUMNS or the terminal says, within bounds.
std::string help_text(const Tool& tool, const CommandLine& line);
// The OPTIONS section of the man page (mdoc macros), printed by the hidden --man-options.
std::string man_options(const CommandLine& line);
// A line each: what may follow `option` where that is one of a few words; of "" all options (--completion-words).
std::string completion_words(const CommandLine& line, const std::string& option);
// The examples of --help as lines of a literal block (--man-examples).
std::string man_examples(const Tool& tool);

}  // namespace quern
