// Normalizations.
#include <array>
#include <limits>

#include "formats/torch/map/map.h"

namespace quern::torch_format {
namespace {

// Numbers for each channel where the layer has none of its own.
ValueId or_all(Site& site, std::string_view name, double item, int64_t channels, DType dtype) {
    if (site.has(name)) return site.in(name);
    if (channels < 0 || channels > (1 << 24)) throw unsupported("channels whose count is not fixed");
    return site.constant(from_floats(dtype, {channels}, std::vector<float>(static_cast<size_t>(channels), static_cast<float>(item))), name);
}

bool batch_norm(Site& site) {
    if (site.flag("training") || !site.has("running_mean") || !site.has("running_var")) return false;
    const DType dtype = site.dtype("running_mean");
    const int64_t channels = site.dim("running_mean", 0);
    site.result(ops::BatchNormalization,
                {site.in("input"), or_all(site, "weight", 1, channels, dtype), or_all(site, "bias", 0, channels, dtype),
                 site.in("running_mean"), site.in("running_var")},
                {{"epsilon", static_cast<float>(site.real("eps", 1e-5))}});
    return true;
}

Ints last_shape(const Site& site) {
    const auto shape = site.ints("normalized_shape");
    if (!shape || shape->empty()) throw unsupported("a normalized shape that is computed");
    return *shape;
}

ValueId ones(Site& site, const Ints& shape, DType dtype) {
    return site.constant(from_floats(dtype, shape, std::vector<float>(static_cast<size_t>(count_of(shape)), 1.0f)), "ones");
}

bool layer_norm(Site& site) {
    const Ints shape = last_shape(site);
    if (count_of(shape) > (1 << 26)) return false;
    const DType dtype = site.dtype("input");
    Values in{site.in("input"), site.has("weight") ? site.in("weight") : ones(site, shape, dtype)};
    if (site.has("bias")) in.push_back(site.in("bias"));
    const Attrs attrs{{"axis", -static_cast<int64_t>(shape.size())}, {"epsilon", static_cast<float>(site.real("eps", 1e-5))}};
    if (site.out_count() == 1) {
        site.result(ops::LayerNormalization, in, attrs);
        return true;
    }
    Values out;
    for (size_t i = 0; i < 3; ++i) out.push_back(site.out_value(i));
    site.put(ops::LayerNormalization, in, out, attrs);
    return true;
}

bool rms_norm(Site& site) {
    const Ints shape = last_shape(site);
    if (count_of(shape) > (1 << 26)) return false;
    const DType dtype = site.dtype("input");
    const double least =
        dtype == DType::f64 ? std::numeric_limits<double>::epsilon() : static_cast<double>(std::numeric_limits<float>::epsilon());
    site.result(ops::RMSNormalization, {site.in("input"), site.has("weight") ? site.in("weight") : ones(site, shape, dtype)},
                {{"axis", -static_cast<int64_t>(shape.size())}, {"epsilon", static_cast<float>(site.real("eps", least))}});
    return true;
}

// Ours has spatial dims.
bool group_norm(Site& site) {
    const int64_t groups = site.integer(site.has("group") ? "group" : "num_groups"), channels = site.dim("input", 1);
    const DType dtype = site.dtype("input");
    const size_t rank = site.rank("input");
    const ValueId x = rank == 2 ? site.add(ops::Unsqueeze, {site.in("input"), site.integers({2}, "axis")}) : site.in("input");
    const Values in{x, or_all(site, "weight", 1, channels, dtype), or_all(site, "bias", 0, channels, dtype)};
    const Attrs attrs{{"num_groups", groups}, {"epsilon", static_cast<float>(site.real("eps", 1e-5))}};
    if (rank == 2)
        site.result(ops::Squeeze, {site.add(ops::GroupNormalization, in, attrs), site.integers({2}, "axis")});
    else
        site.result(ops::GroupNormalization, in, attrs);
    return true;
}

bool instance_norm(Site& site) {
    const int64_t channels = site.dim("input", 1);
    const DType dtype = site.dtype("input");
    const ValueId weight = or_all(site, "weight", 1, channels, dtype), bias = or_all(site, "bias", 0, channels, dtype);
    const Attrs attrs{{"epsilon", static_cast<float>(site.real("eps", 1e-5))}};
    if (site.flag("use_input_stats", true))
        site.result(ops::InstanceNormalization, {site.in("input"), weight, bias}, attrs);
    else
        site.result(ops::BatchNormalization, {site.in("input"), weight, bias, site.in("running_mean"), site.in("running_var")}, attrs);
    return true;
}

// Statistics of the batch itself: of one sample those of an instance.
bool batch_statistics(Site& site) {
    if (site.dim("input", 0) != 1) return false;
    const int64_t channels = site.dim("input", 1);
    const DType dtype = site.dtype("input");
    site.result(ops::InstanceNormalization,
                {site.in("input"), or_all(site, "weight", 1, channels, dtype), or_all(site, "bias", 0, channels, dtype)},
                {{"epsilon", static_cast<float>(site.real("eps", 1e-5))}});
    return true;
}

// The weight v of the length g, along all dims but one.
bool weight_norm(Site& site) {
    const int64_t axis = site.axis("dim", site.rank("v"), 0);
    Ints axes;
    for (int64_t i = 0; i < static_cast<int64_t>(site.rank("v")); ++i)
        if (i != axis) axes.push_back(i);
    const ValueId v = site.in("v"), length = site.add(ops::ReduceL2, {v, site.integers(axes, "axes")}, {{"keepdims", int64_t{1}}});
    site.result(ops::Mul, {v, site.add(ops::Div, {site.in("g"), length})});
    return true;
}

constexpr std::array normal_table{
    MapRow{.names = "aten.batch_norm aten._native_batch_norm_legit_no_training aten.cudnn_batch_norm aten._batch_norm_no_update",
           .ops = "BatchNormalization",
           .rewrite = batch_norm,
           .limits = "training"},
    MapRow{.names = "aten._native_batch_norm_legit.no_stats",
           .ops = "InstanceNormalization",
           .rewrite = batch_statistics,
           .limits = "of more than one sample"},
    MapRow{"aten.layer_norm aten.native_layer_norm", "LayerNormalization", layer_norm},
    MapRow{"aten.rms_norm aten._fused_rms_norm", "RMSNormalization", rms_norm},
    MapRow{"aten.group_norm aten.native_group_norm", "GroupNormalization", group_norm},
    MapRow{"aten.instance_norm", "InstanceNormalization BatchNormalization", instance_norm},
    MapRow{"aten._weight_norm", "ReduceL2 Div Mul", weight_norm},
};

}  // namespace

std::span<const MapRow> normal_rows() { return normal_table; }

}  // namespace quern::torch_format
