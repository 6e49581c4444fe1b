// Softmax of 8-bit codes along the last axis by the profiles of TensorFlow Lite (libcore/integer/softmax.h): exponentials depend on
// the difference of two codes alone, so they are a table.
#include <algorithm>
#include <array>

#include "libcore/graph/op_ids.h"
#include "libcore/integer/functions.h"
#include "libcore/integer/rounding.h"
#include "libcore/integer/softmax.h"
#include "libcore/kernels/codes/finish.h"
#include "libcore/kernels/codes/packed_codes.h"
#include "libcore/kernels/codes/rows.h"
#include "libcore/kernels/codes/site.h"
#include "libcore/ops/integer/parameters.h"
#include "libcore/ops/integer/profile.h"

namespace quern::codes {
namespace {

constexpr int64_t grain = 1 << 13;  // codes that are worth a task

class ShareSoftmaxKernel : public Kernel {
   public:
    explicit ShareSoftmaxKernel(const Site& site)
        : t_(softmax_parameters(encoding_at(site, 0), *site.result, 1)), storage_(site.result->storage) {
        for (int32_t below = 0; below < 256; ++below) {
            const auto at = static_cast<size_t>(below);
            const auto scaled = static_cast<int32_t>(static_cast<uint32_t>(-below) << t_.shift);
            powers_[at] = exp_of_negative(high_product(scaled, t_.factor));
            parts_[at] = below > t_.reach ? 0 : static_cast<uint32_t>(rounded_shift(powers_[at], 12));
        }
    }
    std::string name() const override { return "codes softmax"; }

    void run(KernelCtx& ctx) override {
        const CodesIn x = codes_in(ctx, 0, false);
        const int64_t length = x.dims.back(), count = length > 0 ? count_of(x.dims) / length : 0;
        const Buffer out = take_codes(ctx, x.dims, storage_);
        auto* y = reinterpret_cast<uint8_t*>(out.data.get());
        ctx.pool().run_ranges(static_cast<size_t>(count), static_cast<size_t>(grain / std::max<int64_t>(length, 1) + 1),
                              [&](size_t begin, size_t end) {
                                  for (auto line = static_cast<int64_t>(begin); line < static_cast<int64_t>(end); ++line)
                                      soften(x.data + line * length, y + line * length, length);
                              });
        give_codes(ctx, x.dims, storage_, false, out);
    }

   private:
    void soften(const uint8_t* x, uint8_t* y, int64_t length) const {
        const uint8_t top = *std::max_element(x, x + length);
        uint32_t sum = 0;
        for (int64_t i = 0; i < length; ++i) sum += parts_[static_cast<size_t>(top - x[i])];
        const int32_t headroom = leading_zeros(sum);
        const int32_t reciprocal = reciprocal_of_one_plus(static_cast<int32_t>((sum << headroom) - 0x80000000u));
        const int32_t bits = t_.bits - headroom, bias = bias_of(storage_);
        const auto share = [&](size_t below) {
            int64_t code = t_.low;
            if (static_cast<int32_t>(below) <= t_.reach) code += rounded_shift(high_product(reciprocal, powers_[below]), bits);
            return static_cast<uint8_t>(clip(code, t_.low, t_.high) + bias);
        };
        if (length <= 256) {
            std::transform(x, x + length, y, [&](uint8_t code) { return share(static_cast<size_t>(top - code)); });
            return;
        }
        std::array<uint8_t, 256> shares;
        for (size_t below = 0; below < shares.size(); ++below) shares[below] = share(below);
        std::transform(x, x + length, y, [&](uint8_t code) { return shares[static_cast<size_t>(top - code)]; });
    }

    softmax_t t_;
    DType storage_;
    std::array<int32_t, 256> powers_;  // of minus the difference, as fractions of 2^31
    std::array<uint32_t, 256> parts_;  // what they add to a sum
};

std::string_view obstacle(const Site& site) {
    const auto rows = tflite_softmax_rows();
    const auto is_own = [&](const ProfileRow& row) { return row.eval == site.arithmetic->eval; };
    if (!site.arithmetic || !site.arithmetic->links.empty() || std::ranges::none_of(rows, is_own))
        return "has other arithmetic than Softmax of TensorFlow Lite";
    return has_8_bits(site) ? "" : "its data and result are not in 8-bit codes with one scale each";
}

std::unique_ptr<Kernel> make(const Site& site, std::string& refusal) {
    refusal = obstacle(site);
    return refusal.empty() ? std::make_unique<ShareSoftmaxKernel>(site) : nullptr;
}

constexpr std::array rows{KernelRow{.name = "codes", .op = ops::Softmax, .make = make}};

}  // namespace

std::span<const KernelRow> share_softmax_rows() { return rows; }

}  // namespace quern::codes
