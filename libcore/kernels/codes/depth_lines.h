// Depthwise convolutions of codes where an instruction set makes a line of results at once (dot.h).
#pragma once

#include "libcore/kernels/codes/geometry.h"
#include "libcore/kernels/codes/tile_sink.h"
#include "libcore/kernels/codes/weights.h"
#include "libcore/os/threads.h"

namespace quern::codes {

inline constexpr int64_t min_depth_work = 200'000;  // multiplications of channels by themselves that are worth a task

// Whether the windows of `geometry` are made by lines here.
bool has_depth_lines(const Geometry& geometry);

// The same sums as DepthProduct::run.
void run_depth_lines(const Geometry& geometry, const ProductParts& parts, const DataParts& x, const TileSink& sink, ThreadPool& pool);

}  // namespace quern::codes
