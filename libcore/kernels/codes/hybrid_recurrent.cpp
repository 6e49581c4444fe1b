// LSTM, RNN and SVDF of real numbers with int8 weights by the tflite profile (ops/recurrent/tflite_hybrid_recurrent.h).
#include <algorithm>
#include <array>
#include <vector>

#include "libcore/graph/op_ids.h"
#include "libcore/kernels/codes/eval_ctx.h"
#include "libcore/kernels/codes/gate_product.h"
#include "libcore/kernels/codes/rounded_product.h"
#include "libcore/kernels/codes/rows.h"
#include "libcore/kernels/codes/site.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/ops/recurrent/recurrent.h"
#include "libcore/ops/recurrent/tflite_hybrid_recurrent.h"

namespace quern::codes {
namespace {

using recurrent_operands::weights_at, recurrent_operands::recurrence_at;

// Adds real numbers to what is there.
class AddingSink : public TileSink {
   public:
    AddingSink(const RealsParameters& parameters, std::span<const Slice> slices, const HybridRows& rows)
        : parameters_(parameters), slices_(slices), rows_(rows) {}
    void take(const SumsTile& tile) const override {
        for (int done = 0; done < tile.rows; done += max_rows) {
            float made[max_rows * block_columns];
            const int64_t row = tile.row + done;
            const int count = std::min(max_rows, tile.rows - done);
            make_reals(parameters_,
                       {tile.sums + done * block_columns, tile.place, count, tile.columns, slices_.data() + row, 1, made, block_columns});
            for (int r = 0; r < count; ++r) {
                float* const to = rows_.sums + (row + r) * rows_.next + tile.column;
                for (int c = 0; c < tile.columns; ++c) to[c] += made[r * block_columns + c];
            }
        }
    }

   private:
    const RealsParameters& parameters_;
    std::span<const Slice> slices_;
    HybridRows rows_;
};

// Rows of weights in codes.
class CodedRows {
   public:
    CodedRows(const Site& site, size_t i, std::span<const Bytes> state) : weights_(packed(site, i, state)) {
        const std::vector<float> scales = row_scales(encoding_at(site, i), weights_.layout().columns);
        parameters_.column_sums = weights_.bias();
        parameters_.scales = weights_.layout().filled(std::span(scales));
    }
    const Weights& weights() const { return weights_; }

    void add(const HybridRows& rows, bool symmetric, KernelCtx& ctx) const {
        const int64_t depth = weights_.layout().channels;
        if (rows.count == 0) return;
        const RoundedData x = rounded_slices(rows.x, rows.count * depth, rows.count, symmetric, ctx.memory(), ctx.pool());
        RowsProduct(rows_geometry(rows.count), {weights_, 0}).run({x.data}, AddingSink(parameters_, x.slices, rows), ctx.pool());
    }

   private:
    static Weights packed(const Site& site, size_t i, std::span<const Bytes> state) {
        const WeightLayout layout = row_layout(*site.value(site.first().in[i]).type.shape.concrete());
        if (!state.empty()) return {layout, state};
        const Tensor codes = *site.graph.constant(site.first().in[i]);
        return {layout, PlainWeights{codes.data.data(), true, {0}}};
    }

    Weights weights_;
    RealsParameters parameters_;
};

bool has_state(const Site& site) { return !site.first().is(ops::own::SVDF); }

class HybridRecurrentKernel : public Kernel {
   public:
    explicit HybridRecurrentKernel(const Site& site)
        : site_(has_state(site) ? EvalSite(site, {weights_at, recurrence_at}) : EvalSite(site, {weights_at})),
          has_state_(has_state(site)),
          symmetric_(!site.first().attrs.contains(asymmetric_key)) {
        const size_t count = has_state(site) ? 2 : 1, each = Weights::states;
        if (!site.state.empty() && site.state.size() != count * each) throw bad_input("its state does not fit");
        for (size_t i = 0; i < count; ++i)
            rows_.emplace_back(site, weights_at + i, site.state.empty() ? site.state : site.state.subspan(i * each, each));
    }
    std::string name() const override {
        return site_.node.is(ops::LSTM) ? "codes hybrid lstm" : has_state_ ? "codes hybrid rnn" : "codes hybrid svdf";
    }

    void run(KernelCtx& ctx) override {
        KernelEval eval(site_, ctx);
        compute_hybrid(eval, Products(*this, ctx));
        eval.finish();
    }

    std::vector<Bytes> state() const override {
        std::vector<Bytes> all;
        for (const CodedRows& rows : rows_)
            for (const Bytes& bytes : rows.weights().state()) all.push_back(bytes);
        return all;
    }
    std::vector<ValueId> held() const override { return site_.held_ids(); }

   private:
    class Products : public HybridProducts {
       public:
        Products(const HybridRecurrentKernel& kernel, KernelCtx& ctx) : kernel_(kernel), ctx_(ctx) {}
        void add(Which which, const HybridRows& rows) const override {
            kernel_.rows_[which == Which::input ? 0 : 1].add(rows, kernel_.symmetric_, ctx_);
        }

       private:
        const HybridRecurrentKernel& kernel_;
        KernelCtx& ctx_;
    };

    EvalSite site_;
    bool has_state_, symmetric_;
    std::vector<CodedRows> rows_;  // operands 1 and, where there are states, 2
};

std::string_view obstacle(const Site& site) {
    static const auto own = tflite_hybrid_recurrent_rows();
    const auto is_own = [&](const ProfileRow& row) { return row.eval == site.arithmetic->eval; };
    if (!site.arithmetic || std::ranges::none_of(own, is_own)) return "has other arithmetic than real numbers beside int8 weights";
    for (const size_t i : {weights_at, has_state(site) ? recurrence_at : weights_at})
        if (const auto why = row_weights_obstacle(site, i); !why.empty()) return why;
    return "";
}

std::unique_ptr<Kernel> make(const Site& site, std::string& refusal) {
    refusal = obstacle(site);
    return refusal.empty() ? std::make_unique<HybridRecurrentKernel>(site) : nullptr;
}

constexpr std::array rows{KernelRow{.name = "codes", .op = ops::LSTM, .make = make, .max_outputs = 3},
                          KernelRow{.name = "codes", .op = ops::RNN, .make = make, .max_outputs = 2},
                          KernelRow{.name = "codes", .op = ops::own::SVDF, .make = make, .max_outputs = 2}};

}  // namespace

std::span<const KernelRow> hybrid_recurrent_rows() { return rows; }

}  // namespace quern::codes
