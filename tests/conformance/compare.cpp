#include "tests/conformance/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace conformance {
namespace {

using quern::DType;
using quern::Tensor;

struct Tolerance {
    double relative, absolute;
};

// float32 and float64 as the standard's runner has them; the small floats one unit in the last place of numbers near 1.
Tolerance tolerance_of(DType dtype) {
    switch (dtype) {
        case DType::f16: return {1e-3, 1e-3};
        case DType::bf16: return {8e-3, 8e-3};
        case DType::f32:
        case DType::f64: return {1e-3, 1e-7};
        default: return {0, 0};
    }
}

std::optional<std::string> differing_text(const Tensor& got, const Tensor& want) {
    for (size_t i = 0; i < static_cast<size_t>(want.count()); ++i)
        if (string_at(got, i) != string_at(want, i))
            return fmt::format("element {} is \"{}\", need \"{}\"", i, string_at(got, i), string_at(want, i));
    return std::nullopt;
}

std::optional<std::string> differing_numbers(const Tensor& got, const Tensor& want, double slack) {
    const auto a = to_doubles(got), b = to_doubles(want);
    Tolerance limit = tolerance_of(want.dtype);
    limit.absolute = std::max(limit.absolute, slack);
    size_t count = 0, first = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        const bool same = a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i])) ||
                          (std::isfinite(b[i]) && std::fabs(a[i] - b[i]) <= limit.absolute + limit.relative * std::fabs(b[i]));
        if (!same && count++ == 0) first = i;
    }
    if (count == 0) return std::nullopt;
    return fmt::format("{} of {} elements differ, first element {} is {}, need {}", count, a.size(), first, a[first], b[first]);
}

std::optional<std::string> differing_integers(const Tensor& got, const Tensor& want, int64_t steps) {
    const auto a = to_ints(got), b = to_ints(want);
    size_t count = 0, first = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        const bool near = a[i] > b[i] ? static_cast<uint64_t>(a[i]) - static_cast<uint64_t>(b[i]) <= static_cast<uint64_t>(steps)
                                      : static_cast<uint64_t>(b[i]) - static_cast<uint64_t>(a[i]) <= static_cast<uint64_t>(steps);
        if (!near && count++ == 0) first = i;
    }
    if (count == 0) return std::nullopt;
    return fmt::format("{} of {} elements differ, first element {} is {}, need {}", count, a.size(), first, a[first], b[first]);
}

}  // namespace

std::optional<std::string> difference(const Tensor& got, const Tensor& want, bool values, Slack slack) {
    if (got.dtype != want.dtype) return fmt::format("is {}, need {}", name_of(got.dtype), name_of(want.dtype));
    if (got.dims != want.dims) return fmt::format("is {}, need {}", quern::to_string(got.dims), quern::to_string(want.dims));
    if (!values) return std::nullopt;
    if (want.dtype == DType::string) return differing_text(got, want);
    if (kind_of(want.dtype) == quern::NumberKind::complex)
        return identical(got, want) ? std::nullopt : std::optional<std::string>("complex numbers differ");
    return is_float(want.dtype) ? differing_numbers(got, want, slack.absolute) : differing_integers(got, want, slack.steps);
}

}  // namespace conformance
