// Variables and tables of a file, followed through its program: what a variable holds at this place, what it begins with, what a table
// has been filled with. A first call (CALL_ONCE) sets what both begin with.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "libcore/graph/graph.h"

namespace quern::tflite_format {

struct Contents {
    Tensor data;  // as stored
    std::optional<Encoding> encoding;
};

struct Table {
    Tensor keys, values;
};

struct Resources {
    struct Variable {
        ValueId now = ValueId::none;    // none: not touched yet
        ValueId state = ValueId::none;  // what the run begins with, if it is read
        bool assigned = false;
    };
    std::map<std::string, Variable> variables;  // of the graph that is being read
    std::map<std::string, Contents> first;      // what variables begin with; others begin at 0
    std::map<std::string, Table> tables;
    bool first_call = false;  // a first call is being read
};

}  // namespace quern::tflite_format
