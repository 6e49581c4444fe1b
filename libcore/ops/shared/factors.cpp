#include "libcore/ops/shared/factors.h"

#include <algorithm>

#include "libcore/ops/shared/requantization.h"
#include "libcore/ops/shared/shared.h"
#include "libcore/ops/shared/spatial.h"

namespace quern {
namespace {

// Sums are kept in 32 bits for so many products at least.
constexpr int64_t min_block = 32;

template <class Code, class To>
void subtract(std::span<const Code> codes, std::span<const int64_t> zeros, size_t inner, To* out) {
    const Code* from = codes.data();
    const auto line = [&](size_t count, auto zero_of) {
        for (size_t i = 0; i < count; ++i) out[i] = static_cast<To>(static_cast<uint32_t>(from[i]) - zero_of(i));
        from += count, out += count;
    };
    if (zeros.size() == 1) return line(codes.size(), [zero = static_cast<uint32_t>(zeros[0])](size_t) { return zero; });
    std::vector<uint32_t> each;
    for (const int64_t zero : zeros) each.push_back(static_cast<uint32_t>(zero));
    const size_t lines = codes.size() / inner;
    for (size_t i = 0; inner > 1 && i < lines; ++i) line(inner, [zero = each[i % each.size()]](size_t) { return zero; });
    for (size_t i = 0; inner == 1 && i < lines; i += each.size()) line(each.size(), [zero = each.data()](size_t k) { return zero[k]; });
}

// Elements with the same zero point that lie one after the other.
size_t inner_of(const Tensor& codes, std::span<const int64_t> zeros, size_t axis) {
    if (zeros.size() == 1) return 1;
    if (axis >= codes.dims.size() || static_cast<int64_t>(zeros.size()) != codes.dims[axis])
        throw bad_input("{} zero points for {}", zeros.size(), to_string(codes.dims));
    return static_cast<size_t>(strides_of(codes.dims)[axis]);
}

template <class Code>
Factors::Part bytes_less_zeros(const Tensor& codes, std::span<const int64_t> zeros, size_t inner) {
    Factors::Part part{std::vector<int16_t>(static_cast<size_t>(codes.count())), 0};
    using Limits = std::numeric_limits<Code>;
    for (const int64_t zero : zeros) part.reach = std::max({part.reach, zero - Limits::min(), Limits::max() - zero});
    subtract(codes.view<Code>(), zeros, inner, part.items.data());
    return part;
}

struct Range {
    int32_t min = 0, max = 0;
    explicit Range(std::span<const int32_t> numbers) {
        for (const int32_t number : numbers) min = std::min(min, number), max = std::max(max, number);
    }
    bool fits_16() const { return min >= INT16_MIN && max <= INT16_MAX; }
    int64_t reach() const { return std::max(-int64_t{min}, int64_t{max}); }
};

}  // namespace

std::vector<int32_t> centered(const Tensor& codes, std::span<const int64_t> zeros, size_t axis) {
    std::vector<int32_t> out(static_cast<size_t>(codes.count()));
    const size_t inner = inner_of(codes, zeros, axis);
    if (out.empty()) return out;
    switch (codes.dtype) {
        case DType::u8: subtract(codes.view<uint8_t>(), zeros, inner, out.data()); break;
        case DType::i8: subtract(codes.view<int8_t>(), zeros, inner, out.data()); break;
        case DType::u16: subtract(codes.view<uint16_t>(), zeros, inner, out.data()); break;
        case DType::i16: subtract(codes.view<int16_t>(), zeros, inner, out.data()); break;
        default: subtract(std::span<const int64_t>(to_ints(codes)), zeros, inner, out.data());
    }
    return out;
}

Factors::Factors(std::span<const int32_t> numbers) {
    std::vector<int32_t> rest(numbers.begin(), numbers.end());
    for (; !Range(rest).fits_16();) {
        Part low{std::vector<int16_t>(rest.size()), 255};
        for (size_t i = 0; i < rest.size(); ++i) low.items[i] = static_cast<int16_t>(rest[i] & 255), rest[i] >>= 8;
        parts.push_back(std::move(low));
    }
    parts.push_back({{rest.begin(), rest.end()}, Range(rest).reach()});
}

Factors::Factors(const Tensor& codes, std::span<const int64_t> zeros, size_t axis) {
    const bool bytes = (codes.dtype == DType::u8 || codes.dtype == DType::i8) && codes.count() > 0 &&
                       std::ranges::all_of(zeros, [](int64_t zero) { return zero >= INT8_MIN && zero <= UINT8_MAX; });
    if (!bytes) {
        *this = Factors(centered(codes, zeros, axis));
        return;
    }
    const size_t inner = inner_of(codes, zeros, axis);
    parts.push_back(codes.dtype == DType::u8 ? bytes_less_zeros<uint8_t>(codes, zeros, inner)
                                             : bytes_less_zeros<int8_t>(codes, zeros, inner));
}

Factors Factors::halves() const {
    Factors out;
    const std::vector<int16_t>& items = parts[0].items;
    Part low{std::vector<int16_t>(items.size()), 255}, high{std::vector<int16_t>(items.size()), parts[0].reach / 256 + 1};
    for (size_t i = 0; i < items.size(); ++i) {
        low.items[i] = static_cast<int16_t>(items[i] & 255);
        high.items[i] = static_cast<int16_t>(items[i] >> 8);
    }
    out.parts = {std::move(low), std::move(high)};
    return out;
}

Factors Factors::swapped(int64_t count, int64_t rows, int64_t columns) const {
    if (rows == 1 || columns == 1) return *this;
    Factors out;
    for (const Part& part : parts) {
        out.parts.push_back({std::vector<int16_t>(part.items.size()), part.reach});
        swap_axes(part.items.data(), out.parts.back().items.data(), count, rows, columns);
    }
    return out;
}

Factors centered_input(EvalCtx& ctx, size_t i) {
    const Encoding& encoding = *ctx.in_encoding(i);
    return {ctx.need(i), zeros_of(encoding), static_cast<size_t>(std::max(encoding.axis, 0))};
}

bool must_split(const Factors& a, const Factors& b) {
    return a.parts.size() == 1 && b.parts.size() == 1 && a.parts[0].reach * b.parts[0].reach * min_block > INT32_MAX;
}

bool has_narrow_sums(const Factors& a, const Factors& b, int64_t depth) {
    return a.parts.size() == 1 && b.parts.size() == 1 &&
           static_cast<double>(a.parts[0].reach * b.parts[0].reach) * static_cast<double>(depth) <= INT32_MAX;
}

}  // namespace quern
