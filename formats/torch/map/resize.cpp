// Resizing, and sampling at places.
#include <array>

#include "formats/torch/map/map.h"

namespace quern::torch_format {
namespace {

// The last dims, from sizes or from factors; a factor that is given is the scale that is used.
void resize(Site& site, Attrs attrs) {
    const size_t rank = site.rank("input"), dims = rank - 2;
    if (rank < 3) throw bad_input("resizes a tensor of rank {}", rank);
    Ints axes;
    for (size_t i = 2; i < rank; ++i) axes.push_back(static_cast<int64_t>(i));
    attrs["axes"] = axes;
    ValueId scales = ValueId::none, sizes = ValueId::none;
    if (const Argument* factors = site.arg("scale_factors"); factors) {
        std::vector<float> items;
        for (const Argument& item : factors->items)
            items.push_back(static_cast<float>(item.kind == Argument::Kind::real ? item.real : static_cast<double>(item.integer)));
        scales = site.constant(Tensor::vector<float>(items), "scales");
    } else {
        if (site.need("output_size").items.size() != dims)
            throw bad_input("resizes {} dims to {} sizes", dims, site.need("output_size").items.size());
        sizes = site.sizes(site.need("output_size"));
    }
    Values in{site.in("input"), ValueId::none, scales};
    if (sizes != ValueId::none) in.push_back(sizes);
    site.result(ops::Resize, in, attrs);
}

template <bool exact>
bool nearest(Site& site) {
    resize(site, {{"mode", std::string("nearest")},
                  {"coordinate_transformation_mode", std::string(exact ? "half_pixel" : "asymmetric")},
                  {"nearest_mode", std::string(exact ? "round_prefer_ceil" : "floor")}});
    return true;
}

bool interpolated(Site& site, const std::string& mode, bool smooth) {
    Attrs attrs{{"mode", mode},
                {"coordinate_transformation_mode", std::string(site.flag("align_corners") ? "align_corners" : "half_pixel")}};
    if (smooth) attrs["antialias"] = attrs["exclude_outside"] = int64_t{1};
    if (mode == "cubic") attrs["cubic_coeff_a"] = smooth ? -0.5f : -0.75f;
    resize(site, attrs);
    return true;
}
template <bool smooth>
bool linear(Site& site) {
    return interpolated(site, "linear", smooth);
}
template <bool smooth>
bool cubic(Site& site) {
    return interpolated(site, "cubic", smooth);
}

bool grid_sample(Site& site) {
    constexpr std::array<std::string_view, 3> modes{"linear", "nearest", "cubic"}, paddings{"zeros", "border", "reflection"};
    const auto mode = static_cast<size_t>(site.integer("interpolation_mode", 0)),
               padding = static_cast<size_t>(site.integer("padding_mode", 0));
    if (mode >= modes.size() || padding >= paddings.size()) return false;
    site.result(ops::GridSample, {site.in("input"), site.in("grid")},
                {{"mode", std::string(modes[mode])},
                 {"padding_mode", std::string(paddings[padding])},
                 {"align_corners", int64_t{site.flag("align_corners")}}});
    return true;
}

bool affine_grid(Site& site) {
    site.result(ops::AffineGrid, {site.in("theta"), site.sizes(site.need("size"))},
                {{"align_corners", int64_t{site.flag("align_corners")}}});
    return true;
}

constexpr std::array resize_table{
    MapRow{"aten.upsample_nearest1d aten.upsample_nearest2d aten.upsample_nearest3d", "Resize", nearest<false>},
    MapRow{"aten._upsample_nearest_exact1d aten._upsample_nearest_exact2d aten._upsample_nearest_exact3d", "Resize", nearest<true>},
    MapRow{"aten.upsample_linear1d aten.upsample_bilinear2d aten.upsample_trilinear3d", "Resize", linear<false>},
    MapRow{"aten._upsample_bilinear2d_aa", "Resize", linear<true>},
    MapRow{"aten.upsample_bicubic2d", "Resize", cubic<false>},
    MapRow{"aten._upsample_bicubic2d_aa", "Resize", cubic<true>},
    MapRow{"aten.grid_sampler aten.grid_sampler_2d aten.grid_sampler_3d", "GridSample", grid_sample},
    MapRow{"aten.affine_grid_generator", "AffineGrid", affine_grid},
};

}  // namespace

std::span<const MapRow> resize_rows() { return resize_table; }

}  // namespace quern::torch_format
