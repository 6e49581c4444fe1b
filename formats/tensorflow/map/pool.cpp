// Pools. The mean never counts what is padded.
#include <array>

#include "formats/tensorflow/map/map.h"
#include "formats/tensorflow/map/operands.h"
#include "formats/tensorflow/map/window.h"

namespace quern::tensorflow_format {
namespace {

std::optional<Attrs> pool_attrs(const Site& site, size_t rank) {
    auto attrs = window_attrs(site, rank);
    const auto kernel = spatial_numbers(site, "ksize", rank);
    if (!attrs || !kernel) return std::nullopt;
    (*attrs)["kernel_shape"] = *kernel;
    return attrs;
}

template <const OpId& op>
bool pool(Site& site) {
    const auto attrs = pool_attrs(site, site.rank(0));
    return attrs && give(site, site.add(op, {site.in(0)}, *attrs));
}

// Window and strides are operands.
bool max_pool_v2(Site& site) {
    const auto kernel = site.ints(1), strides = site.ints(2);
    if (!kernel || !strides || !channels_last(site) || kernel->size() != 4 || strides->size() != 4) return false;
    for (const Ints& items : {*kernel, *strides})
        if (items[0] != 1 || items[3] != 1) return false;
    Attrs attrs{{"layout", std::string("NHWC")},
                {"kernel_shape", Ints{(*kernel)[1], (*kernel)[2]}},
                {"strides", Ints{(*strides)[1], (*strides)[2]}}};
    if (site.word("padding", "VALID") == "SAME") attrs["auto_pad"] = std::string("SAME_UPPER");
    return give(site, site.add(ops::MaxPool, {site.in(0)}, attrs));
}

// Places count through [H, W, C], where ours count through [N, C, H, W].
bool max_pool_places(Site& site) {
    const int64_t h = site.dim(0, 1), w = site.dim(0, 2), c = site.dim(0, 3);
    auto attrs = pool_attrs(site, site.rank(0));
    if (!attrs || h < 1 || w < 1 || c < 1 || site.rank(0) != 4) return false;
    attrs->erase("layout");
    const Values made = site.add_several(ops::MaxPool, {site.transpose(site.in(0), {0, 3, 1, 2})}, 2, *attrs);
    const auto number = [&](int64_t item) { return site.scalar(item, DType::i64); };
    const ValueId plane = number(h * w);
    const ValueId within = site.add(ops::Mod, {made[1], plane}), planes = site.add(ops::Div, {made[1], plane});
    ValueId places = site.add(ops::Add, {site.add(ops::Mul, {within, number(c)}), site.add(ops::Mod, {planes, number(c)})});
    if (site.flag("include_batch_in_index", false)) {
        const ValueId batch = site.add(ops::Div, {planes, number(c)});
        places = site.add(ops::Add, {places, site.add(ops::Mul, {batch, number(h * w * c)})});
    }
    site.out(0, site.transpose(made[0], {0, 2, 3, 1}));
    site.out(1, site.cast(site.transpose(places, {0, 2, 3, 1}), site.type("Targmax", DType::i64)));
    return true;
}

constexpr std::array pool_table{
    MapRow{"AvgPool AvgPool3D", "AveragePool", pool<ops::AveragePool>},
    MapRow{"MaxPool MaxPool3D", "MaxPool", pool<ops::MaxPool>},
    MapRow{"MaxPoolV2", "MaxPool", max_pool_v2},
    MapRow{"MaxPoolWithArgmax", "MaxPool Mod Mul Add", max_pool_places, "output argmax"},
};

}  // namespace

std::span<const MapRow> pool_rows() { return pool_table; }

}  // namespace quern::tensorflow_format
