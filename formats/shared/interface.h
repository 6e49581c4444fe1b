// How the inputs and outputs of a file are stored: the same request for every format that can say it.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "formats/shared/format.h"

namespace quern {

constexpr std::array<std::string_view, 5> interface_types{"float32", "float", "int8", "uint8", "int16"};

// "float32" and "float", which mean the same.
bool is_real(std::string_view type);

// What WriteOptions::io says of each side: one of the types, or "" for as encoded.
struct StoredInterface {
    std::string input, output;
    explicit StoredInterface(const std::string& io);
};

// `both` for inputs and outputs, `input` and `output` for one of them; "": not asked for.
struct InterfaceRequest {
    std::string both, input, output;
    // As WriteOptions::io. Throws Exit::usage, the names of options with `dashes` before them, if a word is none of the types or two
    // contradict each other.
    std::string io(std::string_view dashes) const;
};

// Inputs and outputs get the storage that `wanted` says, by a change of encoding between each and the graph; they keep their names. Throws
// Exit::unsupported for one that has no encoding to be stored in.
void store_interface(Graph& graph, const StoredInterface& wanted);

}  // namespace quern
