// Values of metadata as JSON, and back without a bit lost: numbers that are not finite are their bits ("0x7fc00000"), strings that are not
// UTF-8 are {"hex": "ff00"}.
#pragma once

#include "formats/gguf/file/metadata.h"
#include "libcore/base/json.h"

namespace quern::gguf {

Json value_json(const MetaValue& value, uint64_t most = ~uint64_t{0});  // the first `most` elements of an array

Json number_json(const MetaValue& value, uint64_t i);  // element `i`, which is no string

// `type` as MetaValue::type_name() has it. Throws Exit::bad_input, naming the place.
MetaValue value_of_json(std::string_view type, const JsonView& json);

}  // namespace quern::gguf
