// The texts of products as sums of whole numbers of 32 bits, in 64 bits: what the reference is compared with.
#pragma once

#include "libcore/integer/shapes.h"

#define PARAMETERS
#define SOURCE conv_source
#define FILTER_AT (channel * s->w_m)
#define START 0
#define TERM (SUM{u} * v)
#define FINISH sum
#define X int32_t
#define W int32_t
#define Y int64_t
#define SUM int64_t
#include "libcore/integer/conv.h"
#include "libcore/integer/conv_volume.h"
#include "libcore/integer/matmul.h"
#undef SOURCE
#undef FILTER_AT
#define SOURCE conv_transpose_source
#define FILTER_AT (g * s->in_channels * s->w_c + m * s->w_m)
#define conv conv_transposed
#include "libcore/integer/conv.h"
#undef conv
#undef PARAMETERS
#undef SOURCE
#undef FILTER_AT
#undef START
#undef FINISH
#undef X
#undef W
#undef Y
#undef SUM
#undef TERM
