// Recode of real numbers to dynamic codes: the scale and the zero point follow from the numbers at hand.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "libcore/graph/op_ids.h"
#include "libcore/graph/quantize.h"
#include "libcore/kernels/codes/finish.h"
#include "libcore/kernels/codes/packed_codes.h"
#include "libcore/kernels/codes/rounding.h"
#include "libcore/kernels/codes/rows.h"

namespace quern::codes {
namespace {

class RecodeKernel : public Kernel {
   public:
    explicit RecodeKernel(const Encoding& wanted) : wanted_(wanted) {}

    std::string name() const override { return "codes dynamic"; }

    void run(KernelCtx& ctx) override {
        const Tensor& x = *ctx.in(0);
        const std::span numbers = x.view<float>();
        const NumberRange range = range_of(numbers, int_range(wanted_.storage).min < 0, ctx.pool());
        const Encoding grid = dynamic_encoding(Tensor::vector<float>(std::array{range.low, range.high}), wanted_);
        const int32_t added = bias_of(grid.storage);
        const ByteGrid bytes{to_floats(grid.scale)[0], static_cast<int32_t>(grid.zero_at()) + added,
                             static_cast<int32_t>(grid.qmin) + added, static_cast<int32_t>(grid.qmax) + added};
        const Buffer out = ctx.memory().take(numbers.size());
        auto* to = reinterpret_cast<uint8_t*>(out.data.get());
        ctx.pool().run_ranges(numbers.size(), grain,
                              [&](size_t begin, size_t end) { rounding().codes(bytes, numbers.data() + begin, end - begin, to + begin); });
        ctx.set_encoding(grid);
        give_codes(ctx, x.dims, grid.storage, false, out);
    }

   private:
    static constexpr size_t grain = 1 << 15;  // elements worth a task

    // A number that dynamic_encoding() refuses makes the range infinite.
    static NumberRange range_of(std::span<const float> numbers, bool only_finite, ThreadPool& pool) {
        const size_t parts = numbers.size() / grain + 1;
        std::vector<NumberRange> ranges(parts);
        pool.run(parts, [&](size_t i) {
            const size_t begin = i * grain;
            const std::span part = numbers.subspan(begin, std::min(grain, numbers.size() - begin));
            ranges[i] = rounding().range(part.data(), part.size());
            const auto finite = [](float x) { return std::isfinite(x); };
            if (only_finite && !std::ranges::all_of(part, finite)) ranges[i].low = -std::numeric_limits<float>::infinity();
        });
        NumberRange all;
        for (const NumberRange& part : ranges) all = {std::min(all.low, part.low), std::max(all.high, part.high)};
        return all;
    }

    Encoding wanted_;
};

std::unique_ptr<Kernel> make(const Site& site, std::string& refusal) {
    const Value& x = site.value(site.first().in[0]);
    const auto& out = site.result;
    const bool fits = !site.arithmetic && !x.enc && x.type.dtype == DType::f32 && out && out->is_dynamic() && out->block == 0 &&
                      (out->storage == DType::u8 || out->storage == DType::i8);
    if (!fits) refusal = "is not float32 to dynamic 8-bit codes";
    return fits ? std::make_unique<RecodeKernel>(*out) : nullptr;
}

constexpr std::array rows{KernelRow{.name = "codes", .op = ops::own::Recode, .make = make}};

}  // namespace

std::span<const KernelRow> recode_rows() { return rows; }

}  // namespace quern::codes
