// What model-info shows of a container of Qualcomm's (.dlc): a zip archive with QNN's graph, weights and where it comes from.
#pragma once

#include "libcore/base/bytes.h"
#include "libcore/base/error.h"

namespace quern {

bool is_dlc(const Bytes& bytes);
// Its members by size and what it says of its maker. How the graph is stored inside is not public.
Exit show_dlc(const Bytes& bytes, bool json);

}  // namespace quern
