// Add and Mul of two values of one shape, by profile onnx; or the second one repeats along the last dims of the first.
#include <array>
#include <cmath>

#include "libcore/graph/op_ids.h"
#include "libcore/kernels/codes/packed_codes.h"
#include "libcore/kernels/codes/pairs.h"
#include "libcore/kernels/codes/rows.h"
#include "libcore/kernels/codes/site.h"

namespace quern::codes {
namespace {

// Is `last` the end of `dims`, or `dims` behind ones?
bool repeats(const Dims& last, const Dims& dims) {
    return last.size() <= dims.size() && std::equal(last.rbegin(), last.rend(), dims.rbegin());
}

class PairKernel : public Kernel {
   public:
    explicit PairKernel(const Site& site)
        : parameters_(site.first().is(ops::Mul), encoding_at(site, 0), encoding_at(site, 1), *site.result), storage_(site.result->storage) {}

    bool is_finite() const {
        return std::isfinite(parameters_.a) && std::isfinite(parameters_.b) && std::isfinite(parameters_.ratio) && std::isfinite(parameters_.fixed);
    }
    std::string name() const override { return parameters_.product ? "codes mul" : "codes add"; }

    void run(KernelCtx& ctx) override {
        const bool moved = is_moved(ctx, 0) || is_moved(ctx, 1);
        const CodesIn a = codes_in(ctx, 0, moved), b = codes_in(ctx, 1, moved);
        if (moved ? a.dims != b.dims : !repeats(b.dims, a.dims)) throw bad_input("operands are {} and {}", to_string(a.dims), to_string(b.dims));
        const auto count = static_cast<size_t>(count_of(a.dims)), period = static_cast<size_t>(count_of(b.dims));
        const Buffer out = ctx.memory().take(count);
        auto* y = reinterpret_cast<uint8_t*>(out.data.get());
        if (period == count)
            ctx.pool().run_ranges(count, grain, [&](size_t begin, size_t end) {
                compute_pairs(parameters_, a.data + begin, b.data + begin, y + begin, end - begin);
            });
        else if (count > 0)
            ctx.pool().run_ranges(count / period, grain / period + 1, [&](size_t begin, size_t end) {
                for (size_t i = begin; i < end; ++i) compute_pairs(parameters_, a.data + i * period, b.data, y + i * period, period);
            });
        give_codes(ctx, a.dims, storage_, moved, out);
    }

   private:
    static constexpr size_t grain = 1 << 15;  // elements worth a task
    static bool is_moved(KernelCtx& ctx, size_t i) {
        const auto packed = std::dynamic_pointer_cast<const PackedCodes>(ctx.packed(i));
        return packed && packed->moved();
    }

    PairParameters parameters_;
    DType storage_;
};

std::string_view obstacle(const Site& site) {
    if (!computes_as_onnx(site) || !has_8_bits(site)) return "has other arithmetic than profile onnx";
    if (site.in.size() != 2) return "has not two operands";
    const Shape &a = site.value(site.in[0]).type.shape, &b = site.value(site.in[1]).type.shape;
    const auto a_dims = a.concrete(), b_dims = b.concrete();
    const bool fits = same_shape(a, b) || (a_dims && b_dims && a_dims->size() < 4 && repeats(*b_dims, *a_dims));
    return fits ? "" : "its operands have other shapes";
}

std::unique_ptr<Kernel> make(const Site& site, std::string& refusal) {
    refusal = obstacle(site);
    if (!refusal.empty()) return nullptr;
    auto kernel = std::make_unique<PairKernel>(site);
    if (!kernel->is_finite()) refusal = "has factors that are not finite";
    return refusal.empty() ? std::move(kernel) : nullptr;
}

constexpr std::array rows{KernelRow{.name = "codes", .op = ops::Add, .make = make}, KernelRow{.name = "codes", .op = ops::Mul, .make = make}};

}  // namespace

std::span<const KernelRow> pair_rows() { return rows; }

}  // namespace quern::codes
