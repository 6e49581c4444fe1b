// Bilinear resizing of 8-bit images as kernels that stem from TensorFlow Lite compute it (ops/integer/tflite_resize.h): each code of its
// four neighbours, by the same sums in the same order as in libcore/integer/resize.h.
#include <algorithm>
#include <array>

#include "libcore/base/wide.h"
#include "libcore/graph/op_ids.h"
#include "libcore/kernels/codes/finish.h"
#include "libcore/kernels/codes/packed_codes.h"
#include "libcore/kernels/codes/rows.h"
#include "libcore/kernels/codes/site.h"
#include "libcore/ops/integer/tflite_resize.h"
#include "libcore/ops/shared/spatial.h"

namespace quern::codes {
namespace {

constexpr int64_t grain = 1 << 14;  // codes that are worth a task

// ---- inner loops: of one row or one place -------------------------------------------------------------------------------------

// |mixed| < 2^19: parts are from -512 to 1536 of 1024.
QUERN_WIDE void mix_rows(const uint8_t* above, const uint8_t* below, int32_t h, int32_t* mixed, int64_t count) {
    for (int64_t i = 0; i < count; ++i) mixed[i] = (above[i] - 128) * (1024 - h) + (below[i] - 128) * h;
}
// Ties away from zero: what is below it has 1 less before the shift rounds down.
QUERN_WIDE void mix_columns(const int32_t* left, const int32_t* right, int32_t w, uint8_t* y, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
        const int32_t sum = left[i] * 1024 + (right[i] - left[i]) * w;
        y[i] = static_cast<uint8_t>((sum + (sum >> 31) + (128 << 20) + (1 << 19)) >> 20);
    }
}

struct Neighbours {
    const uint8_t *above_left, *above_right, *below_left, *below_right;
};
QUERN_WIDE void mix_unsigned(Neighbours x, float h, float w, uint8_t* y, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
        const float sum = static_cast<float>(x.above_left[i]) * (1 - h) * (1 - w) + static_cast<float>(x.below_left[i]) * h * (1 - w) +
                          static_cast<float>(x.above_right[i]) * (1 - h) * w + static_cast<float>(x.below_right[i]) * h * w;
        y[i] = static_cast<uint8_t>(static_cast<int32_t>(sum + 0.5f));  // NOLINT(bugprone-incorrect-roundings)
    }
}
QUERN_WIDE void mix_unsigned_cut(Neighbours x, float h, float w, uint8_t* y, int64_t count) {
    const float a = (1 - h) * (1 - w), b = (1 - h) * w, c = h * (1 - w), d = h * w;
    for (int64_t i = 0; i < count; ++i) {
        const float sum = static_cast<float>(x.above_left[i]) * a + static_cast<float>(x.above_right[i]) * b +
                          static_cast<float>(x.below_left[i]) * c + static_cast<float>(x.below_right[i]) * d;
        y[i] = static_cast<uint8_t>(static_cast<int32_t>(sum));
    }
}

// ---- one row of the result after the other -------------------------------------------------------------------------------------

// Signed codes, which have 128 added: rows are mixed once for all columns, which is the same in whole numbers.
class SignedMixer {
   public:
    using Part = int32_t;
    void begin(const uint8_t* above, const uint8_t* below, int32_t h, int64_t count) {
        mixed_.resize(static_cast<size_t>(count));
        mix_rows(above, below, h, mixed_.data(), count);
    }
    void give(int64_t left, int64_t right, int32_t w, uint8_t* y, int64_t count) const {
        mix_columns(mixed_.data() + left, mixed_.data() + right, w, y, count);
    }

   private:
    std::vector<int32_t> mixed_;
};

template <auto mix>
class UnsignedMixer {
   public:
    using Part = float;
    void begin(const uint8_t* above, const uint8_t* below, float h, int64_t) { above_ = above, below_ = below, h_ = h; }
    void give(int64_t left, int64_t right, float w, uint8_t* y, int64_t count) const {
        mix({above_ + left, above_ + right, below_ + left, below_ + right}, h_, w, y, count);
    }

   private:
    const uint8_t *above_ = nullptr, *below_ = nullptr;
    float h_ = 0;
};

template <class Mixer>
class BilinearKernel : public Kernel {
   public:
    BilinearKernel(const Site& site, bool next_is_upper)
        : view_(site.first()), inputs_(site.first().in.size()), storage_(site.result->storage), next_is_upper_(next_is_upper) {}
    std::string name() const override { return "codes bilinear"; }

    void run(KernelCtx& ctx) override {
        const Dims given = dims_of(ctx, 0);
        const Tensor *scales = inputs_ > 2 ? ctx.in(2) : nullptr, *sizes = inputs_ > 3 ? ctx.in(3) : nullptr;
        const Dims made = resized_dims(view_, given, scales, sizes);
        if (count_of(given) == 0 && count_of(made) != 0) throw bad_input("{} is resized to {}", to_string(given), to_string(made));
        const bool last = has_channels_last(view_, given, made);
        const CodesIn x = codes_in(ctx, 0, !last);
        const Buffer out = take_codes(ctx, made, storage_);
        if (count_of(made) > 0)
            compute(x.data, last ? given : to_channels_last(given), last ? made : to_channels_last(made),
                    reinterpret_cast<uint8_t*>(out.data.get()), ctx.pool());
        give_codes(ctx, made, storage_, !last, out);
    }

   private:
    // From images [N, H, W, C] to such.
    void compute(const uint8_t* x, const Dims& in, const Dims& out, uint8_t* y, ThreadPool& pool) const {
        const AxisTaps<typename Mixer::Part> rows(in[1], out[1], corners_of(view_), next_is_upper_),
            columns(in[2], out[2], corners_of(view_), next_is_upper_);
        const int64_t channels = in[3], line = in[2] * channels, made = out[2] * channels;
        pool.run_ranges(static_cast<size_t>(out[0] * out[1]), static_cast<size_t>(grain / made + 1), [&](size_t begin, size_t end) {
            Mixer mixer;
            for (size_t r = begin; r < end; ++r) {
                const size_t i = r % static_cast<size_t>(out[1]);
                const uint8_t* image = x + static_cast<int64_t>(r) / out[1] * in[1] * line;
                mixer.begin(image + rows.places[2 * i] * line, image + rows.places[2 * i + 1] * line, rows.parts[i], line);
                uint8_t* to = y + static_cast<int64_t>(r) * made;
                for (size_t j = 0; j < columns.parts.size(); ++j, to += channels)
                    mixer.give(columns.places[2 * j] * channels, columns.places[2 * j + 1] * channels, columns.parts[j], to, channels);
            }
        });
    }

    NodeView view_;
    size_t inputs_;
    DType storage_;
    bool next_is_upper_;
};

bool is_row_of(std::span<const ProfileRow> rows, const Site& site) {
    return std::ranges::any_of(rows, [&](const ProfileRow& row) { return site.arithmetic && row.eval == site.arithmetic->eval; });
}

std::unique_ptr<Kernel> make(const Site& site, std::string& refusal) {
    const bool cut = is_row_of(one_rows(), site);
    if (!cut && !is_row_of(tflite_spatial_rows(), site))
        refusal = "has other arithmetic than bilinear resizing of codes";
    else if (!has_8_bits(site))
        refusal = "its codes do not have 8 bits";
    if (!refusal.empty()) return nullptr;
    if (site.result->storage == DType::i8) return std::make_unique<BilinearKernel<SignedMixer>>(site, cut);
    if (cut) return std::make_unique<BilinearKernel<UnsignedMixer<mix_unsigned_cut>>>(site, cut);
    return std::make_unique<BilinearKernel<UnsignedMixer<mix_unsigned>>>(site, cut);
}

constexpr std::array rows{KernelRow{.name = "codes", .op = ops::Resize, .make = make}};

}  // namespace

std::span<const KernelRow> bilinear_rows() { return rows; }

}  // namespace quern::codes
