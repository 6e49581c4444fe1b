// LSTM on codes by the tflite profile (ops/recurrent/tflite_lstm.h): the input's part of the gates of all steps is one product.
#include <algorithm>
#include <array>

#include "libcore/graph/op_ids.h"
#include "libcore/kernels/codes/eval_ctx.h"
#include "libcore/kernels/codes/gate_product.h"
#include "libcore/kernels/codes/packed_codes.h"
#include "libcore/kernels/codes/rows.h"
#include "libcore/kernels/codes/site.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/ops/recurrent/tflite_lstm.h"

namespace quern::codes {
namespace {

using namespace recurrent_operands;

class LstmKernel : public Kernel {
   public:
    explicit LstmKernel(const Site& site)
        : site_(site, {weights_at, recurrence_at, bias_at}),
          input_(part(site, 0, weights_at, 0)),
          state_(part(site, 1, recurrence_at, hidden_at)) {}
    std::string name() const override { return "codes lstm"; }

    void run(KernelCtx& ctx) override {
        KernelEval eval(site_, ctx);
        compute_lstm(eval, [&](const LstmRun& run) { run_steps(ctx, run); });
        eval.finish();
    }

    std::vector<Bytes> state() const override {
        std::vector<Bytes> all = input_.weights().state();
        for (const Bytes& bytes : state_.weights().state()) all.push_back(bytes);
        return all;
    }
    std::vector<ValueId> held() const override { return site_.held_ids(); }

   private:
    // Of the input (0) or the state (1).
    static GateProduct part(const Site& site, size_t which, size_t weights, size_t data) {
        const Value& r = site.value(site.first().in[recurrence_at]);
        const int64_t hidden = r.type.shape.concrete()->back();
        const LstmFactors all = lstm_factors(
            {&encoding_at(site, 0), &encoding_at(site, weights_at), &encoding_at(site, hidden_at), &encoding_at(site, recurrence_at)},
            hidden);
        const auto rows = static_cast<size_t>(4 * hidden);
        std::vector<FixedFactor> factors;
        for (size_t i = which * rows; i < (which + 1) * rows; ++i) factors.push_back({all.factors[i], all.shifts[i]});
        if (!site.state.empty()) {
            if (site.state.size() != 2 * Weights::states) throw bad_input("its state does not fit");
            return {site,    weights,
                    {},      encoding_at(site, data).zero_at(),
                    factors, site.state.subspan(which * Weights::states, Weights::states)};
        }
        const ValueId id = site.first().in[bias_at];
        const auto codes = id == ValueId::none ? std::nullopt : site.graph.constant(id);
        const std::vector<int32_t> both = lstm_bias(codes ? &*codes : nullptr, hidden);
        const auto first = both.begin() + static_cast<ptrdiff_t>(which * rows);
        const std::vector<int64_t> bias(first, first + static_cast<ptrdiff_t>(rows));
        return {site, weights, bias, encoding_at(site, data).zero_at(), factors, {}};
    }

    void run_steps(KernelCtx& ctx, const LstmRun& run) const {
        const lstm_codes_t& s = run.sizes;
        const CodesIn x = codes_in(ctx, 0, false);
        const int64_t rows = int64_t{s.steps} * s.batch, columns = int64_t{4} * s.hidden, states = int64_t{s.batch} * s.hidden;
        const Buffer memory = ctx.memory().take(static_cast<size_t>(rows * columns) * sizeof(int16_t)),
                     bytes = ctx.memory().take(static_cast<size_t>(states));
        auto* gates_of_all = reinterpret_cast<int16_t*>(memory.data.get());
        auto* h = reinterpret_cast<uint8_t*>(bytes.data.get());
        input_.run(x.data, rows, gates_of_all, columns, false, ctx.pool());
        const int64_t t_step = s.x_t / s.width * columns, b_step = s.x_b / s.width * columns;
        for (int64_t t = 0; t < s.steps; ++t) {
            std::transform(run.h, run.h + states, h, [](int8_t code) { return static_cast<uint8_t>(code ^ 0x80); });
            int16_t* const own = gates_of_all + t * t_step;
            state_.run(h, s.batch, own, b_step, true, ctx.pool());
            for (int64_t b = 0; b < s.batch; ++b) {
                int8_t* const row = run.h + b * s.hidden;
                gates().lstm(own + b * b_step, s, run.c + b * s.hidden, row);
                std::copy_n(row, s.hidden, run.y + t * s.y_t + b * s.y_b);
            }
        }
    }

    EvalSite site_;
    GateProduct input_, state_;
};

std::string_view obstacle(const Site& site) {
    static const auto own = tflite_recurrent_rows();
    if (!site.arithmetic || site.arithmetic->eval != own[0].eval) return "has other arithmetic than LSTM on codes";
    const auto& in = site.first().in;
    if (in[bias_at] != ValueId::none && !site.value(in[bias_at]).constant()) return "the bias is not constant";
    for (const size_t i : {weights_at, recurrence_at})
        if (const auto why = row_weights_obstacle(site, i); !why.empty()) return why;
    const Dims w = *site.value(in[weights_at]).type.shape.concrete(), r = *site.value(in[recurrence_at]).type.shape.concrete();
    return w[w.size() - 2] == 4 * r.back() && r[r.size() - 2] == 4 * r.back() ? "" : "its weights are not those of four gates";
}

std::unique_ptr<Kernel> make(const Site& site, std::string& refusal) {
    refusal = obstacle(site);
    return refusal.empty() ? std::make_unique<LstmKernel>(site) : nullptr;
}

constexpr std::array rows{KernelRow{.name = "codes", .op = ops::LSTM, .make = make, .max_outputs = 3}};

}  // namespace

std::span<const KernelRow> lstm_rows() { return rows; }

}  // namespace quern::codes
