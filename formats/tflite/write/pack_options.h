// Options of operators as the tables of the schema, through its reflection tables: the way back from options.h.
#pragma once

#include <flatbuffers/flatbuffers.h>

#include "formats/tflite/file/file.h"

namespace quern::tflite_format {

// The name of the table that holds the options of an operator code ("Conv2DOptions"); whether there is one, the schema says.
std::string options_name(Code code);

struct PackedOptions {
    uint8_t member = 0;  // of the union; 0: the code has no options there
    flatbuffers::Offset<void> table;
};
// Throws Exit::unsupported if the table has no field of an attribute's name and kind.
PackedOptions pack_options(flatbuffers::FlatBufferBuilder& builder, Code code, const Attrs& options, const flatbuffers::TypeTable* members);

}  // namespace quern::tflite_format
