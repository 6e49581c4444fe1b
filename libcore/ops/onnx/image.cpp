// Resize GridSample AffineGrid RoiAlign NonMaxSuppression Col2Im: the rows; Col2Im's functions are here, the others have their files.
#include "libcore/ops/shared/image.h"

#include <algorithm>
#include <array>

#include "libcore/ops/shared/families.h"
#include "libcore/ops/shared/quant_rules.h"
#include "libcore/ops/shared/shared.h"
#include "libcore/ops/shared/window.h"

namespace quern {
namespace {

// Blocks of the windows of an image, summed back into it.
Window block_window(const NodeView& view, std::span<const int64_t> image, std::span<const int64_t> block) {
    if (image.size() != block.size() || image.empty())
        throw bad_input("image_shape has {} numbers and block_shape {}, need as many", image.size(), block.size());
    return window_of(view, Shape::of(image).dims, block);
}

void infer_col2im(InferCtx& ctx) {
    const Tensor *image = ctx.constant(1), *block = ctx.constant(2);
    const Shape& x = ctx.shape(0);
    if (x.ranked && x.rank() != 3) throw bad_input("input 0 is {}, need rank 3", to_string(x));
    if (!image) return ctx.set(0, Type::tensor(ctx.dtype(0)));
    const Dims lengths = to_ints(*image);
    count_of(lengths);
    Shape out = Shape::of_rank(2 + lengths.size());
    if (x.ranked) out.dims[0] = x.dims[0];
    if (x.ranked && block && x.dims[1].known()) {
        const int64_t cells = count_of(to_ints(*block));
        if (cells < 1 || x.dims[1].value % cells != 0) throw bad_input("{} rows do not divide into blocks of {}", x.dims[1].value, cells);
        out.dims[1] = Dim::of(x.dims[1].value / cells);
    }
    for (size_t i = 0; i < lengths.size(); ++i) out.dims[2 + i] = Dim::of(lengths[i]);
    ctx.set(0, Type::tensor(ctx.dtype(0), std::move(out)));
}

// The image position that each (cell of the block, window) pair adds to; -1: padding.
std::vector<int64_t> image_positions(const Window& window, const Dims& image, const Dims& counts) {
    const auto strides = strides_of(image), cell_strides = strides_of(window.kernel), count_strides = strides_of(counts);
    const int64_t cells = count_of(window.kernel), windows = count_of(counts);
    std::vector<int64_t> at(static_cast<size_t>(count_of(Dims{cells, windows})), 0);
    for (int64_t k = 0; k < cells; ++k)
        for (int64_t l = 0; l < windows; ++l) {
            int64_t& position = at[static_cast<size_t>(k * windows + l)];
            for (size_t i = 0; i < image.size() && position >= 0; ++i) {
                const int64_t where = l / count_strides[i] % counts[i] * window.stride[i] +
                                      k / cell_strides[i] % window.kernel[i] * window.dilation[i] - window.before[i];
                position = where < 0 || where >= image[i] ? -1 : position + where * strides[i];
            }
        }
    return at;
}

void eval_col2im(EvalCtx& ctx) {
    const Tensor& x = ctx.need(0);
    if (x.dims.size() != 3) throw bad_input("input 0 is {}, need rank 3", to_string(x.dims));
    const Dims image = to_ints(ctx.need(1)), block = to_ints(ctx.need(2));
    count_of(image);
    const Window window = block_window(ctx, image, block);
    Dims counts;
    for (size_t i = 0; i < image.size(); ++i) counts.push_back(window_count(window, i, Dim::of(image[i])).value);
    const int64_t cells = count_of(block), windows = count_of(counts);
    if (x.dims[1] % cells != 0 || x.dims[2] != windows)
        throw bad_input("input 0 is {}, need a multiple of {} rows of {}", to_string(x.dims), cells, windows);
    Dims dims{x.dims[0], x.dims[1] / cells};
    dims.insert(dims.end(), image.begin(), image.end());
    const auto pixels = static_cast<size_t>(count_of(image));
    const auto at = image_positions(window, image, counts);
    with_arithmetic(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        const Numbers<T> in(x);
        NumbersOut<T> out(ctx, 0, x.dtype, dims);
        std::ranges::fill(out.span(), T{0});
        for (size_t plane = 0; plane < static_cast<size_t>(dims[0] * dims[1]); ++plane)
            for (size_t i = 0; i < at.size(); ++i)
                if (at[i] >= 0) out[plane * pixels + static_cast<size_t>(at[i])] += in[plane * at.size() + i];
    });
}

constexpr std::array resize_attrs{
    AttrDef{"antialias", AttrKind::integer, "0"},
    AttrDef{"axes", AttrKind::integers},
    AttrDef{"coordinate_transformation_mode", AttrKind::text, "half_pixel"},
    AttrDef{"cubic_coeff_a", AttrKind::real, "-0.75"},
    AttrDef{"exclude_outside", AttrKind::integer, "0"},
    AttrDef{"extrapolation_value", AttrKind::real, "0"},
    AttrDef{"keep_aspect_ratio_policy", AttrKind::text, "stretch"},
    AttrDef{"mode", AttrKind::text, "nearest"},
    AttrDef{"nearest_mode", AttrKind::text, "round_prefer_floor"},
};
constexpr std::array grid_attrs{
    AttrDef{"align_corners", AttrKind::integer, "0"},
    AttrDef{"mode", AttrKind::text, "linear"},
    AttrDef{"padding_mode", AttrKind::text, "zeros"},
};
constexpr std::array affine_attrs{AttrDef{"align_corners", AttrKind::integer, "0"}};
constexpr std::array roi_attrs{
    AttrDef{"coordinate_transformation_mode", AttrKind::text, "half_pixel"},
    AttrDef{"mode", AttrKind::text, "avg"},
    AttrDef{"output_height", AttrKind::integer, "1"},
    AttrDef{"output_width", AttrKind::integer, "1"},
    AttrDef{"sampling_ratio", AttrKind::integer, "0"},
    AttrDef{"spatial_scale", AttrKind::real, "1"},
};
constexpr std::array nms_attrs{AttrDef{"center_point_box", AttrKind::integer, "0"}};
constexpr std::array col2im_attrs{AttrDef{"dilations", AttrKind::integers}, AttrDef{"pads", AttrKind::integers},
                                  AttrDef{"strides", AttrKind::integers}};

constexpr Op image(std::string_view name, Arity in, std::span<const AttrDef> attrs, DTypes types, void (*infer)(InferCtx&),
                   void (*eval)(EvalCtx&), std::string_view doc, QuantRule quant = {}) {
    return {.name = name,
            .in = in,
            .attrs = attrs,
            .types = types,
            .infer = infer,
            .eval = eval,
            .quant = quant,
            .cost = cost_elementwise,
            .doc = doc};
}

constexpr std::array image_table{
    image("Resize", {1, 4}, resize_attrs, dtypes::floats | DType::i8 | DType::u8 | DType::i16 | DType::u16 | DType::i32, infer_resize,
          eval_resize, "nearest, linear or cubic scaling",
          rules::same.with(rules::friendly).with_places(0b1110).with_runtimes(rules::together)),
    image("GridSample", {2, 2}, grid_attrs, dtypes::floats, infer_grid_sample, eval_grid_sample,
          "samples an image at the points of a grid"),
    image("AffineGrid", {2, 2}, affine_attrs, dtypes::floats, infer_affine_grid, eval_affine_grid,
          "the grid of an affine transform, for GridSample", rules::none.with_places(0b10)),
    image("RoiAlign", {3, 3}, roi_attrs, dtypes::floats, infer_roi_align, eval_roi_align, "pooled samples of regions of an image"),
    image("NonMaxSuppression", {2, 5}, nms_attrs, DType::f32, infer_non_max_suppression, eval_non_max_suppression,
          "best boxes that do not overlap"),
    plain("Col2Im", {3, 3}, col2im_attrs, dtypes::numbers, infer_col2im, eval_col2im, "sums blocks of windows back into an image",
          cost_reading),
};

}  // namespace

std::span<const Op> image_ops() { return image_table; }

}  // namespace quern
