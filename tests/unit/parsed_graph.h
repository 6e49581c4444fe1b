// Graphs of tests from the text form.
#pragma once

#include <string>

#include "formats/text/text.h"
#include "libcore/graph/op.h"

namespace quern::test {

inline Graph parsed(const std::string& text) {
    Graph graph = parse_text(text).graph;
    infer_types(graph);
    verify(graph);
    return graph;
}

}  // namespace quern::test
