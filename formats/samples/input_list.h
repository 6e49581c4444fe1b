// Input lists: one inference a line; tokens are paths in input order, or name:=path, or NAME=FILE:u8[...] (rows of a blob: a line
// gives as many samples as it has rows). Leading lines "#layer ..." and "%tensor ..." select outputs; blank lines, and lines that begin
// with "# " or a "#" after the first sample, are comments. A token may be quoted ("my file.raw").
#pragma once

#include <map>
#include <string>
#include <vector>

#include "formats/tensors/fit.h"
#include "libcore/graph/graph.h"

namespace quern {

struct ListToken {
    std::string name;  // "": by position
    std::string text;  // path or rows
};
struct ListLine {
    size_t number = 0;  // from 1
    std::vector<ListToken> tokens;
};
struct InputList {
    std::vector<std::string> layers, tensors;  // of the leading # and % lines
    std::vector<ListLine> lines;
};

// Errors: Exit::bad_input naming the line. `path` "-" reads standard input.
InputList read_input_list(const std::string& path, const std::vector<InputSpec>& specs);

// NAME:=FILE, or NAME=FILE for the name of an input; else a bare path.
ListToken parse_token(const std::string& text, const std::vector<InputSpec>& specs);

// The path of a token as it is from here: relative ones from the working folder, or if there is none, from the list's folder.
std::string resolve_path(const std::string& text, const std::string& list);

// The outputs that an input list asks for: "#layer ..." by node or value name, "%tensor ..." by value name; {} if none.
// `nodes`: names of what further nodes make, for graphs that do not have them.
std::vector<std::string> listed_outputs(const std::string& list, const Graph& graph,
                                        const std::map<std::string, std::vector<std::string>>& nodes = {});
// Makes the named values the graph's outputs.
void select_outputs(Graph& graph, const std::vector<std::string>& names);

}  // namespace quern
