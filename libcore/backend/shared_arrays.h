// Programs of a context that have weights in common: graphs of one model for several lengths.
#pragma once

#include "formats/context/sections.h"

namespace quern::context_format {

// The same programs (program_blob.h). Those that have large arrays in common stand one after the other with these arrays, each of them
// once, after the last: each program goes on to the end, so that all it has is behind its beginning.
std::vector<Section> with_shared_arrays(const std::vector<Section>& programs);

}  // namespace quern::context_format
