// The numbers of pairs (pairs.h), from encodings.
#include "libcore/kernels/codes/finish.h"
#include "libcore/kernels/codes/pairs.h"

namespace quern::codes {

static float scale_of(const Encoding& e) { return to_floats(e.scale)[0]; }
static float zero_of(const Encoding& e) { return static_cast<float>(e.zero_at()); }

RealSum::RealSum(const Encoding& x, const Encoding& y, const Encoding& out)
    : a(scale_of(x) / scale_of(out)), b(scale_of(y) / scale_of(out)) {
    fixed = zero_of(out) - (a * zero_of(x) + b * zero_of(y));
}

RealProduct::RealProduct(const Encoding& x, const Encoding& y, const Encoding& out)
    : a(zero_of(x)), b(zero_of(y)), ratio(scale_of(x) * scale_of(y) / scale_of(out)), fixed(zero_of(out)) {}

DecodedScales::DecodedScales(const Encoding& x, const Encoding& y, const Encoding& out)
    : a_scale(scale_of(x)),
      b_scale(scale_of(y)),
      y_scale(scale_of(out)),
      a_zero(static_cast<int32_t>(x.zero_at())),
      b_zero(static_cast<int32_t>(y.zero_at())),
      y_zero(static_cast<int32_t>(out.zero_at())) {}

PairParameters::PairParameters(decltype(by) how, const Encoding& out)
    : by(how),
      wide(bits_of(out.storage) > 8),
      bias(bias_of(out.storage)),
      low(static_cast<int32_t>(out.qmin)),
      high(static_cast<int32_t>(out.qmax)) {}

}  // namespace quern::codes
