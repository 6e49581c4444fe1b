// From an exported program to a Graph: its nodes are rewritten by the rows of map/map.h.
#pragma once

#include "formats/shared/format.h"
#include "formats/torch/file/package.h"
#include "formats/torch/file/program.h"

namespace quern::torch_format {

Model import_program(const Package& package, const Program& program, size_t file_size);

}  // namespace quern::torch_format
