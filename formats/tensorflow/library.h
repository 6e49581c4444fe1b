// The graphs of a file, with what they say of each other by name turned into places.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "formats/tensorflow/file/node_graph.h"

namespace quern::tensorflow_format {

// The graphs of a file; functions are read when they are first asked for.
class Library {
   public:
    explicit Library(GraphDef def);
    const NodeGraph& main() const { return main_; }
    bool has(std::string_view function) const { return def_.functions.contains(function); }
    const NodeGraph& function(std::string_view name);  // throws Exit::bad_input if there is none
    const Function& signature(std::string_view name) const;
    size_t node_count() const;  // of the file

   private:
    friend class Linker;
    bool has_effect(const Node& node, int depth);

    GraphDef def_;
    NodeGraph main_;
    std::map<std::string, NodeGraph, std::less<>> functions_;
    std::map<std::string, bool, std::less<>> effects_;
};

}  // namespace quern::tensorflow_format
