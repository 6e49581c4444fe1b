// SVDF on codes, for the interpreter, for kernels, which have its first product, and for generated code.
#pragma once

#include <functional>

#include "libcore/graph/op.h"
#include "libcore/integer/recurrent.h"
#include "libcore/ops/integer/fixed_point.h"
#include "libcore/ops/shared/svdf.h"

namespace quern {

// Brings the sums over the input to the state's scale.
FixedFactor svdf_feature_factor(const Encoding& x, const Encoding& filters, const Encoding& state);

struct SvdfEncodings {
    const Encoding *x, *filters, *times, *state, *result;
};
svdf_t svdf_parameters(const SvdfSizes& sizes, const SvdfEncodings& encodings);

// Checks the operands, has `features` compute what each filter makes of each row, [batch, filters], and gives the results.
void compute_svdf(EvalCtx& ctx, const std::function<void(int16_t* fresh, const svdf_t& t)>& features);

}  // namespace quern
