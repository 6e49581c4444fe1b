// Normalization.
#include <array>

#include "formats/tensorflow/map/map.h"
#include "formats/tensorflow/map/operands.h"

namespace quern::tensorflow_format {
namespace {

// By the statistics of this batch; what a training step would keep of them is not made.
bool batch_statistics(Site& site) {
    const size_t rank = site.rank(0);
    const DType dtype = site.dtype(0);
    Ints axes;
    for (size_t i = 0; i < rank; ++i)
        if (i != (channels_last(site) ? rank - 1 : 1)) axes.push_back(static_cast<int64_t>(i));
    if (site.outputs() > 1) throw unsupported("batch normalization that is trained (is_training)");
    const ValueId x = site.in(0), mean = reduced(site, ops::ReduceMean, x, axes, true), centred = site.add(ops::Sub, {x, mean});
    const ValueId variance = reduced(site, ops::ReduceMean, site.add(ops::Mul, {centred, centred}), axes, true);
    const ValueId deviation = site.add(ops::Sqrt, {site.add(ops::Add, {variance, site.scalar(site.real("epsilon", 1e-4), dtype)})});
    const ValueId scaled = site.add(ops::Mul, {site.add(ops::Div, {centred, deviation}), beside(site, site.in(1), rank)});
    return give(site, site.add(ops::Add, {scaled, beside(site, site.in(2), rank)}));
}

bool fused_batch_norm(Site& site) {
    if (site.flag("is_training", true)) return batch_statistics(site);
    Attrs attrs{{"epsilon", static_cast<float>(site.real("epsilon", 1e-4))}};
    if (channels_last(site)) attrs["layout"] = std::string("NHWC");
    site.out(0, site.add(ops::BatchNormalization, {site.in(0), site.in(1), site.in(2), site.in(3), site.in(4)}, attrs));
    for (size_t k = 1; k < 5; ++k) site.out(k, site.in(k % 2 ? 3 : 4));
    return true;
}

// t, mean, variance, beta, gamma
bool old_batch_norm(Site& site) {
    ValueId gamma = site.in(4);
    if (!site.flag("scale_after_normalization", false)) gamma = filled(site, site.scalar(1, site.dtype(4)), shape_of(site, gamma));
    return give(site, site.add(ops::BatchNormalization, {site.in(0), gamma, site.in(3), site.in(1), site.in(2)},
                               {{"epsilon", static_cast<float>(site.real("variance_epsilon", 1e-4))}, {"layout", std::string("NHWC")}}));
}

// Of a window of channels the sum is scaled, not the mean.
bool local_response(Site& site) {
    const int64_t radius = site.integer("depth_radius", 5), size = 2 * radius + 1;
    if (radius < 0 || radius > 1 << 20) throw bad_input("has a depth_radius of {}", radius);
    return give(site, site.add(ops::LRN, {site.in(0)},
                               {{"layout", std::string("NHWC")},
                                {"size", size},
                                {"alpha", static_cast<float>(site.real("alpha", 1)) * static_cast<float>(size)},
                                {"beta", static_cast<float>(site.real("beta", 0.5))},
                                {"bias", static_cast<float>(site.real("bias", 1))}}));
}

constexpr std::array normal_table{
    MapRow{"BatchNormWithGlobalNormalization", "BatchNormalization", old_batch_norm},
    MapRow{"FusedBatchNorm FusedBatchNormV2", "BatchNormalization", fused_batch_norm,
           "y batch_mean batch_variance reserve_space_1 reserve_space_2"},
    MapRow{"FusedBatchNormV3", "BatchNormalization", fused_batch_norm,
           "y batch_mean batch_variance reserve_space_1 reserve_space_2 reserve_space_3"},
    MapRow{"LRN", "LRN", local_response},
};

}  // namespace

std::span<const MapRow> normal_rows() { return normal_table; }

}  // namespace quern::tensorflow_format
