// The options of an operator by name, read through the schema's reflection tables.
#pragma once

#include <flatbuffers/flatbuffers.h>

#include "libcore/graph/attrs.h"

namespace quern::tflite_format {

// The fields that the table holds: integers and bools as integer, enumerators by name, floats, texts, lists of them. `table` is
// member `member` of the union that `type` describes, and verified; {} if the schema has no such member.
Attrs options_of(const void* table, uint8_t member, const flatbuffers::TypeTable* type);

}  // namespace quern::tflite_format
