// Members of PyTorch's archives.
#pragma once

#include "formats/archive/zip.h"

namespace quern::torch_format {

// A member's bytes, under its name in errors; deflated ones up to a bound.
Bytes read_member(const ZipArchive& zip, const ZipArchive::Member& member);

}  // namespace quern::torch_format
