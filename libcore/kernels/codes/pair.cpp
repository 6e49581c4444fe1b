// Sums and products of two values of one shape; or the second one repeats along the last dims of the first.
#include <array>
#include <cstring>

#include "libcore/graph/op_ids.h"
#include "libcore/kernels/codes/packed_codes.h"
#include "libcore/kernels/codes/pairs.h"
#include "libcore/kernels/codes/rows.h"
#include "libcore/kernels/codes/site.h"
#include "libcore/ops/integer/profile.h"

namespace quern::codes {
namespace {

template <class Parameters>
Parameters numbers_of(const Site& site) {
    const NodeView view(site.first());
    const std::vector<int32_t> items =
        site.arithmetic->text.numbers({view, &encoding_at(site, 0), &encoding_at(site, 1), &*site.result, {}, {}});
    Parameters parameters;
    if (items.size() * sizeof(int32_t) != sizeof parameters) throw bug("a kernel of pairs has {} numbers", items.size());
    std::memcpy(&parameters, items.data(), sizeof parameters);
    return parameters;
}

// What the arithmetic of the site is; nothing if it is none of these.
std::optional<PairParameters> parameters_of(const Site& site) {
    const Encoding &x = encoding_at(site, 0), &y = encoding_at(site, 1), &out = *site.result;
    if (computes_as_onnx(site)) {
        if (site.first().is(ops::Add)) return PairParameters(RealSum(x, y, out), out);
        return site.first().is(ops::Mul) ? std::optional(PairParameters(RealProduct(x, y, out), out)) : std::nullopt;
    }
    if (!site.arithmetic || !site.arithmetic->links.empty()) return std::nullopt;
    if (site.arithmetic->text.kernel == "sum_codes") return PairParameters(numbers_of<sum_t>(site), out);
    if (site.arithmetic->text.kernel == "multiply_codes") return PairParameters(numbers_of<multiply_t>(site), out);
    return std::nullopt;
}

class PairKernel : public Kernel {
   public:
    PairKernel(const Site& site, const PairParameters& parameters)
        : parameters_(parameters), storage_(site.result->storage), name_(fmt::format("codes {}", site.first().op->name)) {}

    std::string name() const override { return name_; }

    void run(KernelCtx& ctx) override {
        const bool moved = (is_moved(ctx, 0) || is_moved(ctx, 1)) && dims_of(ctx, 0) == dims_of(ctx, 1);
        const CodesIn a = codes_in(ctx, 0, moved), b = codes_in(ctx, 1, moved);
        if (!is_end_of(b.dims, a.dims)) throw bad_input("operands are {} and {}", to_string(a.dims), to_string(b.dims));
        const auto count = static_cast<size_t>(count_of(a.dims)), period = static_cast<size_t>(count_of(b.dims));
        const Buffer out = ctx.memory().take(count);
        auto* y = reinterpret_cast<uint8_t*>(out.data.get());
        for_repeated(ctx.pool(), count, period, [&](size_t begin, size_t end, size_t offset) {
            compute_pairs(parameters_, a.data + begin, b.data + offset, y + begin, end - begin);
        });
        give_codes(ctx, a.dims, storage_, moved, out);
    }

   private:
    static Dims dims_of(KernelCtx& ctx, size_t i) { return ctx.packed(i) ? ctx.packed(i)->dims() : ctx.in(i)->dims; }

    PairParameters parameters_;
    DType storage_;
    std::string name_;
};

std::string_view obstacle(const Site& site) {
    const auto fits = [&](size_t i) {
        const auto& e = site.value(site.in[i]).enc;
        return is_byte_codes(e) && e->storage == site.result->storage;
    };
    if (site.in.size() != 2 || !has_8_bits(site) || !fits(0) || !fits(1))
        return "its operands and result are not in 8-bit codes of one type";
    const Shape &a = site.value(site.in[0]).type.shape, &b = site.value(site.in[1]).type.shape;
    const auto a_dims = a.concrete(), b_dims = b.concrete();
    if (!same_shape(a, b) && !(a_dims && b_dims && a_dims->size() < 4 && is_end_of(*b_dims, *a_dims)))
        return "its operands have other shapes";
    return "";
}

std::unique_ptr<Kernel> make(const Site& site, std::string& refusal) {
    refusal = obstacle(site);
    if (!refusal.empty()) return nullptr;
    const auto parameters = parameters_of(site);
    if (!parameters)
        refusal = "has other arithmetic than sums and products";
    else if (!parameters->is_finite())
        refusal = "has factors that are not finite";
    return refusal.empty() ? std::make_unique<PairKernel>(site, *parameters) : nullptr;
}

constexpr KernelRow row(OpId op) { return {.name = "codes", .op = op, .make = make}; }
constexpr std::array rows{row(ops::Add), row(ops::Sub), row(ops::Mul)};

}  // namespace

std::span<const KernelRow> pair_rows() { return rows; }

}  // namespace quern::codes
