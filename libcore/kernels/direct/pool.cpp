// Pooling of data with their channels last, as direct convolutions leave them: a run of channels at a time.
#include <algorithm>
#include <array>
#include <limits>

#include "libcore/graph/op_ids.h"
#include "libcore/kernels/channels_last.h"
#include "libcore/kernels/direct/rows.h"
#include "libcore/kernels/direct/split.h"
#include "libcore/kernels/direct/tile.h"
#include "libcore/kernels/pool_site.h"

#if defined(__x86_64__)
#define QUERN_AVX512 __attribute__((target("avx512f")))
#else
#define QUERN_AVX512
#endif

namespace quern::direct {
namespace {

constexpr int64_t max_channels = 64;  // of a run
constexpr int64_t min_taps = 4096;    // runs of channels read, that are worth a task
using Run = std::array<float, max_channels>;

// A NaN wins.
QUERN_AVX512 void take_greater(const float* x, int64_t count, Run& best) {
    for (int64_t c = 0; c < count; ++c) {
        const float so_far = best[static_cast<size_t>(c)];
        best[static_cast<size_t>(c)] = x[c] <= so_far || so_far != so_far ? so_far : x[c];
    }
}

QUERN_AVX512 void add(const float* x, int64_t count, Run& sums) {
    for (int64_t c = 0; c < count; ++c) sums[static_cast<size_t>(c)] += x[c];
}

// The places of a window along one axis that lie inside.
struct Span {
    int64_t begin, end;
    Span(int64_t out, int64_t stride, int64_t before, int64_t kernel, int64_t length)
        : begin(std::max<int64_t>(out * stride - before, 0)), end(std::min(out * stride - before + kernel, length)) {}
    int64_t count() const { return std::max<int64_t>(end - begin, 0); }
};

class PoolKernel : public Kernel {
   public:
    explicit PoolKernel(const Site& site) : pool_(site) {}
    std::string name() const override { return "direct pool"; }

    void run(KernelCtx& ctx) override {
        const LastSource x = channels_last_source(ctx, 0, pool_.last);
        if (x.dims.size() != 4) throw bad_input("input 0 is {}, need rank 4", to_string(x.dims));
        const auto place = pool_.place(x.dims);
        const PoolSite::Place& at = *place;
        const Buffer out = ctx.memory().take(static_cast<size_t>(count_of(at.out)) * sizeof(float));
        auto* y = reinterpret_cast<float*>(out.data.get());
        const int64_t channels = at.x[1], rows = at.out[0] * at.out[2], runs = (channels + max_channels - 1) / max_channels;
        const int64_t taps = at.out[3] * at.window.kernel[0] * at.window.kernel[1];
        for_each(ctx.pool(), rows * runs, taps, min_taps, [&](int64_t i) {
            const int64_t first = i % runs * max_channels;
            run_row(at, x.data + first, std::min(max_channels, channels - first), i / runs, y + first);
        });
        give_channels_last(ctx, at.result, pool_.last, out);
    }

   private:
    // One run of channels of all results of a row.
    void run_row(const PoolSite::Place& at, const float* x, int64_t count, int64_t row, float* y) const {
        const int64_t channels = at.x[1], n = row / at.out[2];
        const Span lines(row % at.out[2], at.window.stride[0], at.window.before[0], at.window.kernel[0], at.x[2]);
        x += n * at.x[2] * at.x[3] * channels;
        y += row * at.out[3] * channels;
        for (int64_t i = 0; i < at.out[3]; ++i, y += channels) {
            const Span columns(i, at.window.stride[1], at.window.before[1], at.window.kernel[1], at.x[3]);
            const Run result = pool_.max ? max_of(at, x, count, lines, columns) : mean(at, x, count, lines, columns);
            std::copy_n(result.begin(), count, y);
        }
    }

    static Run max_of(const PoolSite::Place& at, const float* x, int64_t count, Span lines, Span columns) {
        Run best;
        best.fill(-std::numeric_limits<float>::infinity());
        for (int64_t l = lines.begin; l < lines.end; ++l)
            for (int64_t c = columns.begin; c < columns.end; ++c) take_greater(x + (l * at.x[3] + c) * at.x[1], count, best);
        return best;
    }

    // The sums of lines are added up: less is lost than in one long sum.
    Run mean(const PoolSite::Place& at, const float* x, int64_t count, Span lines, Span columns) const {
        Run sums{};
        for (int64_t l = lines.begin; l < lines.end; ++l) {
            Run line{};
            for (int64_t c = columns.begin; c < columns.end; ++c) add(x + (l * at.x[3] + c) * at.x[1], count, line);
            add(line.data(), count, sums);
        }
        const auto items =
            static_cast<float>(pool_.counts_padding ? at.window.kernel[0] * at.window.kernel[1] : lines.count() * columns.count());
        for (float& sum : sums) sum /= items;
        return sums;
    }

    PoolSite pool_;
};

std::unique_ptr<Kernel> make(const Site& site, std::string& refusal) {
    refusal = pool_obstacle(site);
    if (!refusal.empty()) return nullptr;
    const PoolSite pool(site);
    const bool plane = site.value(site.in[0]).type.shape.rank() == 4 && (pool.global || pool.view.integers("kernel_shape").size() == 2);
    if (!has_tiles())
        refusal = "needs AVX-512";
    else if (!plane)
        refusal = "is not two-dimensional";
    else if (!pool.last && !made_channels_last(site.graph, site.in[0]))
        refusal = "its data come with their channels first";
    return refusal.empty() ? std::make_unique<PoolKernel>(site) : nullptr;
}

constexpr KernelRow row(OpId op) { return {.name = "direct", .op = op, .make = make}; }
constexpr std::array rows{row(ops::MaxPool), row(ops::AveragePool), row(ops::GlobalAveragePool), row(ops::GlobalMaxPool)};

}  // namespace

std::span<const KernelRow> pool_rows() { return rows; }

}  // namespace quern::direct
