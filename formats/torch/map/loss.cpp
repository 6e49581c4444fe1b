// Losses, of nets that are exported with theirs.
#include <array>

#include "formats/torch/map/map.h"
#include "libcore/passes/decompose/math.h"

namespace quern::torch_format {
namespace {

// The mean of all elements, their sum or each.
bool reduced(Site& site, ValueId each) {
    const int64_t kind = site.integer("reduction", 1);
    if (kind == 0)
        site.bind(each);
    else
        site.result(kind == 1 ? ops::ReduceMean : ops::ReduceSum, {each}, {{"keepdims", int64_t{0}}});
    return true;
}

ValueId difference(Site& site, DType dtype) { return site.add(ops::Sub, {site.in_as("self", dtype), site.in_as("target", dtype)}); }

bool squares(Site& site) { return reduced(site, decompose::square({&site, difference(site, site.out_meta().dtype)})); }

bool sizes(Site& site) { return reduced(site, site.add(ops::Abs, {difference(site, site.out_meta().dtype)})); }

// Squares below a bound, sizes above it; divided by the bound where it is "beta".
template <bool smooth>
bool both(Site& site) {
    const double bound = site.real(smooth ? "beta" : "delta", 1);
    if (bound <= 0) return false;
    const DType dtype = site.out_meta().dtype;
    const ValueId size = site.add(ops::Abs, {difference(site, dtype)}), limit = site.scalar(bound, dtype, "bound"),
                  half = site.scalar(0.5, dtype, "half");
    const double scale = smooth ? 1 / bound : 1;
    const ValueId near = site.add(ops::Mul, {site.add(ops::Mul, {size, size}), site.scalar(0.5 * scale, dtype, "near")});
    const ValueId far =
        site.add(ops::Mul, {site.add(ops::Sub, {size, site.add(ops::Mul, {limit, half})}), site.scalar(bound * scale, dtype, "far")});
    return reduced(site, site.add(ops::Where, {site.add(ops::Less, {size, limit}), near, far}));
}

constexpr std::array loss_table{
    MapRow{"aten.mse_loss", "Sub Mul ReduceMean ReduceSum", squares},
    MapRow{"aten.l1_loss", "Sub Abs ReduceMean ReduceSum", sizes},
    MapRow{"aten.smooth_l1_loss", "Sub Abs Mul Less Where ReduceMean ReduceSum", both<true>},
    MapRow{"aten.huber_loss", "Sub Abs Mul Less Where ReduceMean ReduceSum", both<false>},
};

}  // namespace

std::span<const MapRow> loss_rows() { return loss_table; }

}  // namespace quern::torch_format
