// Transposed convolutions of codes of two spatial dims, as the profiles of TensorFlow Lite take them: a product for each phase of the
// stride (phases.h), with weights of its own.
#include <array>
#include <cstring>

#include "libcore/graph/op_ids.h"
#include "libcore/kernels/codes/layouts.h"
#include "libcore/kernels/codes/packed_codes.h"
#include "libcore/kernels/codes/phases.h"
#include "libcore/kernels/codes/product_site.h"
#include "libcore/kernels/codes/rows.h"
#include "libcore/kernels/codes/rows_product.h"
#include "libcore/ops/shared/integer_product.h"
#include "libcore/ops/shared/spatial.h"

namespace quern::codes {
namespace {

// How the filter lies, [C, M, kernel...] or [C, kernel..., M], and which of its taps a phase reads.
struct Filter {
    Dims dims;  // [C, M, kernel...]
    bool last;
    std::array<Spread, 2> spread;  // of no data yet

    explicit Filter(const Site& site) {
        const ConvSite conv = conv_alone(site);
        dims = conv.filter;
        last = conv.last;
        const Dims strides = window_numbers(conv.view, "strides", 2, 1, 1), pads = window_numbers(conv.view, "pads", 4, 0, 0);
        for (size_t i = 0; i < 2; ++i) spread[i] = {0, 0, dims[i + 2], strides[i], pads[i]};
    }

    WeightLayout layout(int64_t row_phase, int64_t column_phase) const {
        const int64_t taps = spread[0].taps(row_phase) * spread[1].taps(column_phase);
        return {1, dims[1], taps, dims[0], 1, dims[0] * dims[1], dims[1]};
    }

    // The codes of a phase, as its layout has them.
    MutableBytes codes(const Tensor& all, int64_t row_phase, int64_t column_phase) const {
        const auto width = static_cast<size_t>(bits_of(all.dtype)) / 8;
        const int64_t rows = spread[0].taps(row_phase), columns = spread[1].taps(column_phase);
        MutableBytes own(static_cast<size_t>(rows * columns * dims[0] * dims[1]) * width);
        std::byte* to = own.data();
        for (int64_t r = rows - 1; r >= 0; --r)
            for (int64_t c = columns - 1; c >= 0; --c) {
                const int64_t tap = (row_phase + r * spread[0].stride) * dims[3] + column_phase + c * spread[1].stride;
                for (int64_t i = 0; i < dims[0] * dims[1]; ++i, to += width)
                    std::memcpy(to, all.data.data() + static_cast<size_t>(place(i / dims[1], i % dims[1], tap)) * width, width);
            }
        return own;
    }

   private:
    int64_t place(int64_t channel, int64_t filter, int64_t tap) const {
        const int64_t taps = dims[2] * dims[3];
        return last ? (channel * taps + tap) * dims[1] + filter : (channel * dims[1] + filter) * taps + tap;
    }
};

// One item for each phase that reads taps, those of the columns innermost.
std::vector<ProductConstants> constants_of(const Site& site, const Filter& filter) {
    const int64_t columns = filter.spread[1].phases(), count = filter.spread[0].phases() * columns;
    const size_t states = site.state.size() / static_cast<size_t>(count);
    if (site.state.size() % static_cast<size_t>(count) != 0) throw bad_input("its state does not fit");
    const auto all = site.state.empty() ? site.graph.constant(site.first().in[1]) : std::nullopt;
    std::vector<ProductConstants> items;
    for (int64_t i = 0; i < count; ++i) {
        const WeightLayout layout = filter.layout(i / columns, i % columns);
        const Bytes own = all ? filter.codes(*all, i / columns, i % columns).freeze() : Bytes();
        Site part = site;
        part.state = site.state.subspan(static_cast<size_t>(i) * states, states);
        items.emplace_back(part, layout, own.data());
    }
    return items;
}

class TransposedConvKernel : public Kernel {
   public:
    explicit TransposedConvKernel(const Site& site) : conv_(conv_alone(site)), filter_(site), phases_(constants_of(site, filter_)) {}

    std::string name() const override { return "codes transposed conv"; }

    void run(KernelCtx& ctx) override {
        const CodesIn x = codes_in(ctx, 0, !conv_.last);
        const Dims given = conv_.last ? to_channels_first(x.dims) : x.dims;
        if (given.size() != 4 || given[1] != filter_.dims[0])
            throw bad_input("input 0 is {}, need {} channels", to_string(x.dims), filter_.dims[0]);
        const Dims space = transposed_space(conv_.view, {given[2], given[3]}, {filter_.dims[2], filter_.dims[3]});
        const Dims made{given[0], filter_.dims[1], space[0], space[1]};
        const DType storage = phases_[0].storage();
        const Buffer out = take_codes(ctx, made, storage);
        std::array<Spread, 2> spread = filter_.spread;
        for (size_t i = 0; i < 2; ++i) spread[i].in = given[i + 2], spread[i].out = space[i];
        const DataParts data{x.data, count_of(x.dims)};
        for (int64_t r = 0; r < std::min(spread[0].stride, space[0]); ++r)
            for (int64_t c = 0; c < std::min(spread[1].stride, space[1]); ++c) {
                const PhasePlace at{spread, {Phase(spread[0], r), Phase(spread[1], c)}};
                run_phase(at, given[0], data, reinterpret_cast<uint8_t*>(out.data.get()), count_of(made), ctx.pool());
            }
        give_codes(ctx, conv_.as_graph(made), storage, !conv_.last, out);
    }

    std::vector<Bytes> state() const override {
        std::vector<Bytes> all;
        for (const ProductConstants& phase : phases_)
            for (Bytes& bytes : phase.state()) all.push_back(std::move(bytes));
        return all;
    }
    std::vector<ValueId> held() const override { return phases_[0].held(); }

   private:
    void run_phase(const PhasePlace& at, int64_t batches, const DataParts& x, uint8_t* out, int64_t next_out, ThreadPool& pool) const {
        const int64_t item = at.is_empty() ? 0 : at.phase[0].number * filter_.spread[1].phases() + at.phase[1].number;
        const ProductConstants& constants = phases_[static_cast<size_t>(item)];
        const Geometry geometry = at.geometry(batches);
        if (geometry.places() == 0) return;
        const PhaseSink sink(constants.finish(), at, out, filter_.dims[1], next_out);
        RowsProduct(geometry, constants.parts()).run(x, sink, pool);
    }

    ConvSite conv_;
    Filter filter_;
    std::vector<ProductConstants> phases_;
};

std::string_view obstacle(const Site& site) {
    if (const auto common = product_obstacle(site); !common.empty()) return common;
    const auto filter = site.value(site.first().in[1]).type.shape.concrete();
    if (!filter || count_of(*filter) <= 0) return "has no weights";
    return depth_obstacle(site, count_of(*filter) / conv_alone(site).filter[1]);
}

std::unique_ptr<Kernel> make(const Site& site, std::string& refusal) {
    refusal = obstacle(site);
    return refusal.empty() ? std::make_unique<TransposedConvKernel>(site) : nullptr;
}

constexpr std::array rows{KernelRow{.name = "codes", .op = ops::ConvTranspose, .make = make}};

}  // namespace

std::span<const KernelRow> transposed_conv_rows() { return rows; }

}  // namespace quern::codes
