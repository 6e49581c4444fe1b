// The parameters of the output stage (finish.h), from the sums' factors and the result's encoding.
#include <cmath>

#include "libcore/kernels/codes/dot.h"
#include "libcore/kernels/codes/finish.h"

namespace quern::codes {

int32_t bias_of(DType storage) { return storage == DType::i8 ? 128 : storage == DType::i16 ? 32768 : 0; }

std::string_view FinishParameters::obstacle(const SumCodes& codes) {
    for (const float factor : codes.floats)
        if (!std::isfinite(factor)) return "has a factor that is not finite";
    for (const double factor : codes.doubles)
        if (!std::isfinite(factor)) return "has a factor that is not finite";
    for (const FixedFactor& fixed : codes.fixed)
        if (fixed.factor < 0 || fixed.shift < -31 || fixed.shift > 31) return "has a factor beyond 32 bits";
    return "";
}

FinishParameters::FinishParameters(const SumCodes& codes, const Encoding& out, size_t columns)
    : by(codes.by), floats(codes.floats), doubles(codes.doubles), out_parts(bits_of(out.storage) / 8), wide(codes.wide) {
    for (const FixedFactor& fixed : codes.fixed) factors.push_back(fixed.factor), shifts.push_back(fixed.shift);
    const size_t whole = (columns + block_columns - 1) / block_columns * block_columns;
    for (auto* items : {&factors, &shifts}) items->resize(whole);
    floats.resize(whole);
    doubles.resize(whole);
    const int32_t added = bias_of(out.storage);
    zero = static_cast<int32_t>(out.zero_at()) + added;
    low = static_cast<int32_t>(out.qmin) + added;
    high = static_cast<int32_t>(out.qmax) + added;
}

}  // namespace quern::codes
