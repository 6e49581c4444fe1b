// Files of encodings. AIMET's, as QNN's converters read them, too: versions 0.4.0 to 0.6.1 (maps), 1.0.0 (lists) and 2.0.0 (ONNX's
// fields). Those of others have rows in encodings_form.h.
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
#include "libcore/quant/types/overrides.h"

namespace quern {

// Finds the form by content. Scales of LPBQ entries are products of both levels (two_level.h); before 2.0.0, which does not say the axis
// of blocks, they stay apart as Override::channels. Throws Exit::bad_input naming the place, Exit::unsupported for VECTOR entries, for
// integers of a width that is no storage type, and for what encodings_form.h says of others.
Overrides parse_encodings(std::string_view json);

// Is it such a file rather than a model? By its first letters.
bool is_encodings(std::string_view text);

// AIMET's versions and the names of other forms.
inline constexpr std::array<std::string_view, 6> encodings_versions{"0.6.1", "1.0.0", "2.0.0", "ort", "tensorrt", "qnn"};
// Throws Exit::usage for others.
void check_encodings_version(std::string_view version);

// The encodings of a graph (encoding_entries), sorted by key. Constants are params. Throws Exit::unsupported naming a value whose
// encoding the version cannot say.
std::string write_encodings(const Graph& graph, std::string_view version);
// The same into a file: of weights in blocks of a format, whose scales are taken from their blocks, one is in memory. `allow_missing`:
// values whose encoding the version cannot say are left out. All that is left out is named in notices: those, what
// readers of the form find by themselves, dynamic encodings, which have no scale, and second encodings of one value.
void write_encodings(const Graph& graph, std::string_view version, const std::string& path, bool allow_missing);

}  // namespace quern
