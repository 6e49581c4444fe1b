#include "libcore/kernels/codes/real_lines.h"

#include <algorithm>
#include <cstring>

#include "libcore/graph/quantize.h"
#include "libcore/kernels/codes/site.h"

namespace quern::codes {
namespace {

constexpr int64_t grain = 1 << 13;  // numbers that are worth a task

// Elements [begin, end) of all.
Tensor part_of(const Tensor& tensor, int64_t begin, int64_t end) {
    const auto width = static_cast<size_t>(bits_of(tensor.dtype)) / 8;
    return {tensor.dtype, {end - begin}, tensor.data.slice(static_cast<size_t>(begin) * width, static_cast<size_t>(end - begin) * width)};
}

}  // namespace

void RealLines::run(KernelCtx& ctx) {
    const Tensor x = *ctx.in(0);
    const int64_t length = length_of(x.dims), count = length > 0 ? x.count() / length : 0;
    const DType type = y_ ? y_->storage : DType::f32;
    const size_t width = static_cast<size_t>(bits_of(type)) / 8;
    const Buffer out = ctx.memory().take(static_cast<size_t>(x.count()) * width);
    ctx.pool().run_ranges(static_cast<size_t>(count), static_cast<size_t>(grain / std::max<int64_t>(length, 1) + 1),
                          [&](size_t first, size_t last) {
                              const int64_t begin = static_cast<int64_t>(first) * length, end = static_cast<int64_t>(last) * length;
                              const Tensor part = part_of(x, begin, end), real = x_ ? dequantize(part, *x_) : part;
                              MutableBytes lines(real.data.size());
                              std::memcpy(lines.data(), real.data.data(), real.data.size());
                              compute(reinterpret_cast<float*>(lines.data()), static_cast<int64_t>(last - first), length);
                              const Tensor computed{DType::f32, {end - begin}, std::move(lines).freeze()};
                              const Tensor done = y_ ? quantize(computed, *y_) : computed;
                              std::memcpy(out.data.get() + static_cast<size_t>(begin) * width, done.data.data(), done.data.size());
                          });
    Tensor y{type, x.dims, out.freeze()};
    y_ ? ctx.give_codes(std::move(y)) : ctx.give(std::move(y));
}

std::string_view real_lines_obstacle(const Site& site) {
    const Value& x = site.value(site.first().in[0]);
    if (site.arithmetic) return "is computed on codes";
    const auto is_real = [](const std::optional<Encoding>& e) { return !e || (code_bits(e) > 0 && e->real == DType::f32); };
    if (x.type.dtype != DType::f32 || !is_real(x.enc) || !is_real(site.result)) return "its codes are not of 8 or 16 bits with one scale";
    if (!x.enc && !site.result) return "has no codes";
    if (!x.type.shape.ranked || x.type.shape.rank() == 0) return "its rank is unknown or 0";
    return "";
}

}  // namespace quern::codes
