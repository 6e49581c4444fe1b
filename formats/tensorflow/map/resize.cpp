// Images in other sizes. What samples by weights that only TensorFlow has is a product with the weights.
#include <algorithm>
#include <array>
#include <cmath>

#include "formats/tensorflow/map/map.h"
#include "formats/tensorflow/map/operands.h"
#include "formats/tensorflow/map/weights.h"

namespace quern::tensorflow_format {
namespace {

void need_images(Site& site) {
    if (site.rank(0) != 4) throw bad_input("works on rank {}, need 4", site.rank(0));
}

struct Corners {
    bool align, centres;
};
std::optional<Corners> corners_of(const Site& site) {
    const Corners corners{site.flag("align_corners", false), site.flag("half_pixel_centers", false)};
    return corners.align && corners.centres ? std::nullopt : std::optional(corners);
}

bool resized(Site& site, ValueId x, Attrs attrs) {
    const auto corners = corners_of(site);
    need_images(site);
    if (!corners) return false;
    attrs["axes"] = Ints{1, 2};
    attrs["coordinate_transformation_mode"] = std::string(corners->align     ? "align_corners"
                                                          : corners->centres ? "half_pixel"
                                                                             : "asymmetric");
    return give(site, site.add(ops::Resize, {x, ValueId::none, ValueId::none, site.as_i64(1)}, attrs));
}

bool bilinear(Site& site) { return resized(site, site.cast(site.in(0), DType::f32), {{"mode", std::string("linear")}}); }

bool nearest(Site& site) {
    const bool rounds = site.flag("align_corners", false) || site.flag("half_pixel_centers", false);
    return resized(site, site.in(0),
                   {{"mode", std::string("nearest")}, {"nearest_mode", std::string(rounds ? "round_prefer_ceil" : "floor")}});
}

// Height and width of the data and of the result; nullopt: not all are known.
struct Sizes {
    std::array<int64_t, 2> from, to;
};
std::optional<Sizes> sizes_of(Site& site) {
    const auto wanted = site.ints(1);
    need_images(site);
    if (!wanted || wanted->size() != 2 || site.dim(0, 3) < 1) return std::nullopt;
    const Sizes sizes{{site.dim(0, 1), site.dim(0, 2)}, {(*wanted)[0], (*wanted)[1]}};
    constexpr int64_t most = int64_t{1} << 22;
    for (size_t i = 0; i < 2; ++i)
        if (sizes.from[i] < 1 || sizes.to[i] < 1 || sizes.from[i] > most || sizes.to[i] > most / sizes.from[i]) return std::nullopt;
    return sizes;
}

// Rows, then columns, each a sum of those of the data with its weights.
bool weighted(Site& site, const Sizes& sizes, const std::vector<float>& rows, const std::vector<float>& columns) {
    const auto [height, width] = sizes.from;
    const auto [out_height, out_width] = sizes.to;
    const int64_t channels = site.dim(0, 3);
    const ValueId x = site.reshape(site.cast(site.in(0), DType::f32), {0, height, width * channels});
    const ValueId high = site.add(ops::MatMul, {site.constant(from_floats(DType::f32, {out_height, height}, rows)), x});
    const ValueId lines = site.reshape(high, {-1, width, channels});
    const ValueId wide = site.add(ops::MatMul, {site.constant(from_floats(DType::f32, {out_width, width}, columns)), lines});
    return give(site, site.reshape(wide, {-1, out_height, out_width, channels}));
}

bool bicubic(Site& site) {
    const auto corners = corners_of(site);
    const auto sizes = sizes_of(site);
    if (!corners) return false;
    if (sizes) {
        const auto along = [&](size_t i) { return cubic_weights(sizes->from[i], sizes->to[i], corners->align, corners->centres); };
        return weighted(site, *sizes, along(0), along(1));
    }
    Attrs attrs{{"mode", std::string("cubic")}, {"cubic_coeff_a", corners->centres ? -0.5f : -0.75f}};
    if (corners->centres) attrs["exclude_outside"] = int64_t{1};
    return resized(site, site.cast(site.in(0), DType::f32), attrs);
}

bool area(Site& site) {
    const auto sizes = sizes_of(site);
    if (!sizes) return false;
    const bool align = site.flag("align_corners", false);
    return weighted(site, *sizes, area_weights(sizes->from[0], sizes->to[0], align), area_weights(sizes->from[1], sizes->to[1], align));
}

bool scale_and_translate(Site& site) {
    const auto sizes = sizes_of(site);
    const auto scale = site.known(2), translation = site.known(3);
    const auto kernel = sampling_kernel(site.word("kernel_type", "lanczos3"));
    if (!sizes || !scale || !translation || !kernel) return false;
    const std::vector<float> by = to_floats(*scale), to = to_floats(*translation);
    if (by.size() != 2 || to.size() != 2 || !(by[0] > 0) || !(by[1] > 0))
        throw bad_input("scales and translations are not two numbers each");
    const bool smooth = site.flag("antialias", true);
    const auto along = [&](size_t i) { return kernel_weights(sizes->from[i], sizes->to[i], by[i], to[i], *kernel, smooth); };
    return weighted(site, *sizes, along(0), along(1));
}

// ---- crops ----

// From the first to the second edge of each box in `count` steps: [boxes, count].
ValueId steps_between(Site& site, ValueId first, ValueId second, int64_t count) {
    std::vector<float> parts;
    for (int64_t i = 0; i < count; ++i) parts.push_back(count > 1 ? static_cast<float>(i) / static_cast<float>(count - 1) : 0.5f);
    const ValueId steps = site.add(ops::Mul, {site.add(ops::Sub, {second, first}), site.constant(from_floats(DType::f32, {count}, parts))});
    return site.add(ops::Add, {first, steps});
}

// Images, boxes [y1, x1, y2, x2] in parts of the image, the image of each box, the size of all crops.
bool crop_and_resize(Site& site) {
    const auto size = site.ints(3);
    need_images(site);
    if (!size || size->size() != 2 || site.word("method", "bilinear") != "bilinear") return false;
    const int64_t height = (*size)[0], width = (*size)[1];
    if (height < 1 || width < 1 || height > 4096 || width > 4096) throw bad_input("crop_size is {}", to_string(*size));
    if (site.dim(0, 1) < 2 || site.dim(0, 2) < 2) return false;
    const auto edge = [&](int64_t i) { return cut(site, site.in(1), i, i + 1, 1); };
    const ValueId ys = unsqueezed(site, steps_between(site, edge(0), edge(2), height), {2}),
                  xs = unsqueezed(site, steps_between(site, edge(1), edge(3), width), {1});
    const ValueId zero = site.scalar(0, DType::f32), one = site.scalar(1, DType::f32);
    const auto inside = [&](ValueId at) {
        return site.add(ops::And, {site.add(ops::GreaterOrEqual, {at, zero}), site.add(ops::LessOrEqual, {at, one})});
    };
    const auto widened = [&](ValueId at, const Dims& dims) {
        const std::vector<float> zeros(static_cast<size_t>(count_of(dims)), 0.0f);
        const ValueId whole = site.add(ops::Sub, {site.add(ops::Mul, {at, site.scalar(2, DType::f32)}), one});
        return unsqueezed(site, site.add(ops::Add, {whole, site.constant(from_floats(DType::f32, dims, zeros))}), {3});
    };
    const ValueId grid = joined(site, {widened(xs, {height, 1}), widened(ys, {1, width})}, 3);
    const ValueId images = site.add(ops::Gather, {site.cast(site.in(0), DType::f32), site.in(2)}, {{"axis", int64_t{0}}});
    const ValueId sampled =
        site.add(ops::GridSample, {site.transpose(images, {0, 3, 1, 2}), grid},
                 {{"mode", std::string("linear")}, {"padding_mode", std::string("border")}, {"align_corners", int64_t{1}}});
    const ValueId there = unsqueezed(site, site.add(ops::And, {inside(ys), inside(xs)}), {3});
    const ValueId nowhere = site.scalar(site.real("extrapolation_value", 0), DType::f32);
    return give(site, site.add(ops::Where, {there, site.transpose(sampled, {0, 2, 3, 1}), nowhere}));
}

// Around the mean of each channel.
bool contrast(Site& site) {
    const size_t rank = site.rank(0);
    if (rank < 3) throw bad_input("works on rank {}", rank);
    const auto height = static_cast<int64_t>(rank) - 3;
    const ValueId x = site.in(0), mean = reduced(site, ops::ReduceMean, x, {height, height + 1}, true);
    return give(site,
                site.add(ops::Add, {site.add(ops::Mul, {site.add(ops::Sub, {x, mean}), site.cast(site.in(1), site.dtype(0))}), mean}));
}

constexpr std::array resize_table{
    MapRow{"AdjustContrastv2", "ReduceMean Sub Mul Add", contrast},
    MapRow{"CropAndResize", "GridSample Where", crop_and_resize},
    MapRow{"ResizeArea", "MatMul", area},
    MapRow{"ResizeBicubic", "MatMul Resize", bicubic},
    MapRow{"ResizeBilinear", "Resize", bilinear},
    MapRow{"ResizeNearestNeighbor", "Resize", nearest},
    MapRow{"ScaleAndTranslate", "MatMul", scale_and_translate},
};

}  // namespace

std::span<const MapRow> resize_rows() { return resize_table; }

}  // namespace quern::tensorflow_format
