// LayerNormalization over the last dims: moments in double, in the order of the line.
#include <array>
#include <cmath>

#include "libcore/graph/op_ids.h"
#include "libcore/kernels/codes/line_loops.h"
#include "libcore/kernels/codes/real_lines.h"
#include "libcore/kernels/codes/rows.h"
#include "libcore/ops/shared/norm.h"

namespace quern::codes {
namespace {

// The arithmetic of ops/onnx/layer_norm.cpp.
class LayerNormKernel : public RealLines {
   public:
    LayerNormKernel(const Site& site, std::vector<float> scale, std::vector<float> bias)
        : RealLines(site), epsilon_(NodeView(site.first()).real("epsilon")), scale_(std::move(scale)), bias_(std::move(bias)) {}
    std::string name() const override { return "codes layer norm"; }

   private:
    int64_t length_of(const Dims&) const override { return std::ssize(scale_); }

    void normalize(float* x, double mean, double variance) const {
        const double inverse = 1 / std::sqrt(variance + epsilon_);
        size_t i = 0;
#if defined(QUERN_VECTORS)
        if (has_vectors()) i = normalize_vectors(x, mean, inverse, scale_, bias_);
#endif
        for (; i < scale_.size(); ++i) x[i] = static_cast<float>((x[i] - mean) * inverse) * scale_[i] + bias_[i];
    }

    void compute(float* lines, int64_t count, int64_t length) const override {
        int64_t r = 0;
#if defined(QUERN_VECTORS)
        if (has_vectors()) {
            Moments moments;
            for (; r + together <= count; r += together) {
                moments_together(lines + r * length, length, moments);
                for (int64_t k = 0; k < together; ++k) normalize(lines + (r + k) * length, moments.means[k], moments.variances[k]);
            }
        }
#endif
        for (; r < count; ++r) {
            const LineMoments moments = moments_of(std::span<const float>(lines + r * length, static_cast<size_t>(length)));
            normalize(lines + r * length, moments.mean, moments.variance);
        }
    }

    double epsilon_;
    std::vector<float> scale_, bias_;
};

// Constant numbers of the lines' dims; nothing if input i is something else.
std::optional<std::vector<float>> numbers_at(const Site& site, size_t i, const Dims& inner) {
    const Value& value = site.value(site.first().in[i]);
    const auto dims = value.type.shape.concrete();
    if (!value.constant() || value.enc || value.type.dtype != DType::f32 || !dims || *dims != inner) return std::nullopt;
    return to_floats(*site.graph.constant(site.first().in[i]));
}

std::unique_ptr<Kernel> make(const Site& site, std::string& refusal) {
    refusal = real_lines_obstacle(site);
    if (!refusal.empty()) return nullptr;
    const Node& node = site.first();
    const Shape& x = site.value(node.in[0]).type.shape;
    Shape inner = x;
    inner.dims.erase(inner.dims.begin(), inner.dims.begin() + static_cast<int64_t>(normal_axis(NodeView(node).integer("axis"), x.rank())));
    const auto dims = inner.concrete();
    const auto scale = dims ? numbers_at(site, 1, *dims) : std::nullopt;
    const bool has_bias = node.in.size() > 2 && node.in[2] != ValueId::none;
    auto bias = scale && has_bias ? numbers_at(site, 2, *dims) : std::nullopt;
    if (scale && !has_bias) bias.emplace(scale->size(), 0.0f);
    if (!scale || !bias || scale->empty()) {
        refusal = "scale and bias are not constant numbers of the lines' dims";
        return nullptr;
    }
    return std::make_unique<LayerNormKernel>(site, *scale, *bias);
}

constexpr std::array rows{KernelRow{.name = "codes", .op = ops::LayerNormalization, .make = make}};

}  // namespace

std::span<const KernelRow> layer_norm_rows() { return rows; }

}  // namespace quern::codes
