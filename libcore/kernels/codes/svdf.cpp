// SVDF on codes by the tflite profile (ops/integer/tflite_svdf.h).
#include <array>

#include "libcore/graph/op_ids.h"
#include "libcore/kernels/codes/eval_ctx.h"
#include "libcore/kernels/codes/gate_product.h"
#include "libcore/kernels/codes/packed_codes.h"
#include "libcore/kernels/codes/rows.h"
#include "libcore/kernels/codes/site.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/ops/integer/tflite_svdf.h"
#include "libcore/ops/shared/svdf.h"

namespace quern::codes {
namespace {

using namespace svdf_operands;

class SvdfKernel : public Kernel {
   public:
    explicit SvdfKernel(const Site& site)
        : site_(site, {filters_at}),
          features_(site, filters_at, {}, encoding_at(site, 0).zero_at(),
                    std::array{svdf_feature_factor(encoding_at(site, 0), encoding_at(site, filters_at), encoding_at(site, state_at))},
                    site.state) {}
    std::string name() const override { return "codes svdf"; }

    void run(KernelCtx& ctx) override {
        KernelEval eval(site_, ctx);
        const CodesIn x = codes_in(ctx, 0, false);
        compute_svdf(eval, [&](int16_t* fresh, const svdf_t& t) { features_.run(x.data, t.batch, fresh, t.filters, false, ctx.pool()); });
        eval.finish();
    }

    std::vector<Bytes> state() const override { return features_.weights().state(); }
    std::vector<ValueId> held() const override { return site_.held_ids(); }

   private:
    EvalSite site_;
    GateProduct features_;
};

std::string_view obstacle(const Site& site) {
    static const auto own = tflite_svdf_rows();
    if (!site.arithmetic || site.arithmetic->eval != own[0].eval) return "has other arithmetic than SVDF on codes";
    return row_weights_obstacle(site, filters_at);
}

std::unique_ptr<Kernel> make(const Site& site, std::string& refusal) {
    refusal = obstacle(site);
    return refusal.empty() ? std::make_unique<SvdfKernel>(site) : nullptr;
}

constexpr std::array rows{KernelRow{.name = "codes", .op = ops::own::SVDF, .make = make, .max_outputs = 2}};

}  // namespace

std::span<const KernelRow> svdf_rows() { return rows; }

}  // namespace quern::codes
