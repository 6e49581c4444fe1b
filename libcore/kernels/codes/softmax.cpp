// Softmax along the last axis: float32 numbers, exponentials that are the same on every machine (ops/portable/exp_log.h), and their sum
// in the order of the line.
#include <algorithm>
#include <array>
#include <cmath>

#include "libcore/graph/op_ids.h"
#include "libcore/kernels/codes/line_loops.h"
#include "libcore/kernels/codes/real_lines.h"
#include "libcore/kernels/codes/rows.h"
#include "libcore/ops/shared/norm.h"

namespace quern::codes {
namespace {

class SoftmaxKernel : public RealLines {
   public:
    using RealLines::RealLines;
    std::string name() const override { return "codes softmax"; }

   private:
    int64_t length_of(const Dims& dims) const override { return dims.back(); }
    void compute(float* lines, int64_t count, int64_t length) const override {
        int64_t i = 0;
#if defined(QUERN_VECTORS)
        if (has_vectors())
            for (; i + together <= count; i += together) soften_together(lines + i * length, length);
#endif
        for (; i < count; ++i) softmax_line(lines + i * length, lines + i * length, 1, static_cast<size_t>(length));
    }
};

std::unique_ptr<Kernel> make(const Site& site, std::string& refusal) {
    refusal = real_lines_obstacle(site);
    const Shape& x = site.value(site.first().in[0]).type.shape;
    if (refusal.empty() && normal_axis(NodeView(site.first()).integer("axis"), x.rank()) + 1 != x.rank())
        refusal = "is not along the last axis";
    return refusal.empty() ? std::make_unique<SoftmaxKernel>(site) : nullptr;
}

constexpr std::array rows{KernelRow{.name = "codes", .op = ops::Softmax, .make = make}};

}  // namespace

std::span<const KernelRow> softmax_rows() { return rows; }

}  // namespace quern::codes
