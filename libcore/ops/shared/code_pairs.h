// Functions of one or two codes over tensors.
#pragma once

#include "libcore/ops/shared/elementwise.h"
#include "libcore/ops/shared/factors.h"

namespace quern {

// Output 0 = fn(code of `x`), as elements of `to`; fn takes and gives int32_t. Bytes that occur are computed once, others never: fn may
// refuse a code.
template <class Fn>
void map_each_code(EvalCtx& ctx, const Tensor& x, DType to, const Fn& fn) {
    const auto codes = centered(x, std::array<int64_t, 1>{0});
    NumbersOut<int64_t> out(ctx, 0, to, x.dims);
    if (codes.size() < 256 || (x.dtype != DType::u8 && x.dtype != DType::i8)) return apply(codes.data(), out.span().data(), out.size(), fn);
    std::array<bool, 256> occurs{};
    for (const auto code : codes) occurs[static_cast<size_t>(code & 255)] = true;
    std::array<int64_t, 256> table{};
    for (int32_t code = 0; code < 256; ++code)
        if (occurs[static_cast<size_t>(code)])
            table[static_cast<size_t>(code)] = fn(x.dtype == DType::i8 && code > 127 ? code - 256 : code);
    apply(codes.data(), out.span().data(), out.size(), [&](int32_t code) { return table[static_cast<size_t>(code & 255)]; });
}

// fn of all pairs of bytes: where there are more elements than pairs, each is computed once.
template <class To, class Fn>
std::vector<To> table_of_pairs(bool with_sign, const Fn& fn) {
    const auto code = [with_sign](size_t i) { return static_cast<int32_t>(i) - (with_sign && i > 127 ? 256 : 0); };
    std::vector<To> table(65536);
    for (size_t i = 0; i < table.size(); ++i) table[i] = static_cast<To>(fn(code(i / 256), code(i % 256)));
    return table;
}

// Output 0 = fn(code of `a`, code of `b`), broadcast, as elements of `to`; fn takes and gives int32_t.
template <class Fn>
void zip_codes(EvalCtx& ctx, const Tensor& a, const Tensor& b, DType to, const Fn& fn) {
    const Dims dims = broadcast(a.dims, b.dims);
    const auto count = static_cast<size_t>(count_of(dims));
    const auto x = centered(a, std::array<int64_t, 1>{0}), y = centered(b, std::array<int64_t, 1>{0});
    const auto zip = [&](auto* out, const auto& each) {
        if (count > 0) zip_spans(x.data(), a.dims, y.data(), b.dims, out, dims, each);
    };
    if (bits_of(to) != 8 && to != DType::boolean) {
        NumbersOut<int64_t> out(ctx, 0, to, dims);
        return zip(out.span().data(), fn);
    }
    auto* bytes = reinterpret_cast<uint8_t*>(ctx.out(0, to, dims));
    if (count < 131072 || a.dtype != b.dtype || (a.dtype != DType::u8 && a.dtype != DType::i8)) return zip(bytes, fn);
    const auto table = table_of_pairs<uint8_t>(a.dtype == DType::i8, fn);
    zip(bytes, [&](int32_t u, int32_t v) { return table[static_cast<size_t>(u & 255) * 256 + static_cast<size_t>(v & 255)]; });
}

}  // namespace quern
