// Sums and products of two values, broadcast to each other.
#include <algorithm>
#include <array>
#include <cstring>

#include "libcore/graph/op_ids.h"
#include "libcore/kernels/codes/packed_codes.h"
#include "libcore/kernels/codes/pair_rows.h"
#include "libcore/kernels/codes/pairs.h"
#include "libcore/kernels/codes/rows.h"
#include "libcore/kernels/codes/site.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/ops/shared/spatial.h"

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

// Of real numbers. What depends on one value alone is left to tables (exec/lookup.h).
std::optional<PairParameters> decoded_parameters(const Site& site) {
    const Encoding &x = encoding_at(site, 0), &y = encoding_at(site, 1), &out = *site.result;
    const auto is_number = [&](ValueId id) { return site.value(id).constant() && count_of(*site.value(id).type.shape.concrete()) == 1; };
    if (x.real != DType::f32 || y.real != DType::f32 || out.real != DType::f32) return std::nullopt;
    if (site.in[0] == site.in[1] || is_number(site.in[0]) || is_number(site.in[1])) return std::nullopt;
    if (site.first().is(ops::Add)) return PairParameters(Decoded<RealPair::sum>(x, y, out), out);
    if (site.first().is(ops::Sub)) return PairParameters(Decoded<RealPair::difference>(x, y, out), out);
    return PairParameters(Decoded<RealPair::product>(x, y, out), out);
}

// What the arithmetic of the site is; nothing if it is not one of these.
std::optional<PairParameters> parameters_of(const Site& site) {
    const Encoding &x = encoding_at(site, 0), &y = encoding_at(site, 1), &out = *site.result;
    if (computes_as_onnx(site)) {
        if (site.first().is(ops::Add)) return PairParameters(RealSum(x, y, out), out);
        return site.first().is(ops::Mul) ? std::optional(PairParameters(RealProduct(x, y, out), out)) : std::nullopt;
    }
    if (!site.arithmetic) return decoded_parameters(site);
    if (!site.arithmetic->links.empty()) return std::nullopt;
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
        const bool moved = (is_moved(ctx, 0) || is_moved(ctx, 1)) && dims_of(ctx, 0).size() == dims_of(ctx, 1).size();
        const CodesIn a = codes_in(ctx, 0, moved), b = codes_in(ctx, 1, moved);
        const PairRows rows(moved ? to_channels_last(a.dims) : a.dims, moved ? to_channels_last(b.dims) : b.dims);
        const Buffer out = take_codes(ctx, rows.dims(), storage_);
        const CodesAt<const uint8_t> u{a.data, static_cast<size_t>(count_of(a.dims))}, v{b.data, static_cast<size_t>(count_of(b.dims))};
        const CodesAt<uint8_t> y{reinterpret_cast<uint8_t*>(out.data.get()), static_cast<size_t>(count_of(rows.dims()))};
        if (rows.count() == 1 && !rows.a_is_one() && !rows.b_is_one())
            ctx.pool().run_ranges(rows.length(), grain, [&](size_t begin, size_t end) {
                compute_pairs(parameters_, u + begin, v + begin, y + begin, end - begin);
            });
        else if (rows.length() > 0)
            ctx.pool().run_ranges(rows.count(), grain / rows.length() + 1,
                                  [&](size_t begin, size_t end) { compute_rows(rows, u, v, y, begin, end); });
        give_codes(ctx, moved ? to_channels_first(rows.dims()) : rows.dims(), storage_, moved, out);
    }

   private:
    static constexpr size_t grain = 1 << 15;  // elements worth a task

    void compute_rows(const PairRows& rows, CodesAt<const uint8_t> a, CodesAt<const uint8_t> b, CodesAt<uint8_t> y, size_t begin,
                      size_t end) const {
        const size_t length = rows.length();
        std::vector<uint8_t> one(rows.a_is_one() || rows.b_is_one() ? 2 * length : 0);  // an element, repeated
        const CodesAt<const uint8_t> repeated{one.data(), length};
        for (size_t row = begin; row < end; ++row) {
            const PairRows::Start at = rows.start(row);
            const CodesAt<const uint8_t> x = a + at.a, z = b + at.b;
            if (!one.empty()) repeat(rows.a_is_one() ? x : z, one);
            compute_pairs(parameters_, rows.a_is_one() ? repeated : x, rows.b_is_one() ? repeated : z, y + row * length, length);
        }
    }

    // Low bytes, then high ones.
    void repeat(CodesAt<const uint8_t> element, std::vector<uint8_t>& to) const {
        const auto middle = to.begin() + std::ssize(to) / 2;
        std::fill(to.begin(), middle, element.first[0]);
        if (parameters_.wide) std::fill(middle, to.end(), element.first[element.next]);
    }

    PairParameters parameters_;
    DType storage_;
    std::string name_;
};

std::string_view obstacle(const Site& site) {
    const auto fits = [&](size_t i) {
        const auto& e = site.value(site.in[i]).enc;
        return code_bits(e) > 0 && e->storage == site.result->storage;
    };
    if (site.in.size() != 2 || code_bits(site.result) == 0 || !fits(0) || !fits(1))
        return "its operands and result are not in codes of one type, of 8 or 16 bits with one scale each";
    return "";
}

std::unique_ptr<Kernel> make(const Site& site, std::string& refusal) {
    refusal = obstacle(site);
    if (!refusal.empty()) return nullptr;
    const auto parameters = parameters_of(site);
    if (!parameters)
        refusal = "has other arithmetic than sums and products of two values";
    else if (!parameters->is_finite())
        refusal = "has factors that are not finite";
    return refusal.empty() ? std::make_unique<PairKernel>(site, *parameters) : nullptr;
}

constexpr KernelRow row(OpId op) { return {.name = "codes", .op = op, .make = make}; }
constexpr std::array rows{row(ops::Add), row(ops::Sub), row(ops::Mul)};

}  // namespace

std::span<const KernelRow> pair_rows() { return rows; }

}  // namespace quern::codes
