// AIMET encodings files, as QNN's converters read them, too: versions 0.4.0 to 0.6.1 (maps), 1.0.0 (lists) and 2.0.0 (ONNX's fields).
//
// Offsets: before 2.0.0 codes count from 0 and offset = -zero; a symmetric entry means signed codes, which count from -2^(bits-1),
// so that zero = -offset - 2^(bits-1), all others unsigned ones. Signed codes with another zero point are therefore written as the
// unsigned codes of the same grid. Since 2.0.0 y_zero_point is zero itself. Axes are known to 2.0.0 alone; before, scales of a
// channel or block lie in the row-major order of the tensor.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "libcore/graph/graph.h"
#include "libcore/quant/quantize.h"

namespace quern {

// Finds the version by content. Throws Exit::bad_input naming the place, Exit::unsupported for LPBQ and VECTOR entries and for
// integers of a width that is no storage type.
Overrides parse_encodings(std::string_view json);

inline constexpr std::array<std::string_view, 3> encodings_versions{"0.6.1", "1.0.0", "2.0.0"};

// The fixed encodings of all values of a graph and its bodies, by key ("node/body/name"), sorted; dynamic ones have no scale and are
// left out. What a Recode makes of a value without an encoding is said of that value; second encodings of one value are left out.
// Constants are params. Throws Exit::unsupported naming a value whose encoding the version cannot say.
std::string write_encodings(const Graph& graph, std::string_view version);

}  // namespace quern
