// Quantized programs (PT2E and its QAT): numbers on grids, as QuantizeLinear and DequantizeLinear say them.
#include <algorithm>
#include <array>
#include <cmath>

#include "formats/torch/map/map.h"
#include "libcore/graph/quantize.h"

namespace quern::torch_format {
namespace {

struct Grid {
    ValueId scale, zero;
    DType codes;
    int64_t axis = 0;
    bool channels = false;
};

struct CodeRange {
    DType dtype;
    int64_t least, most;
};
constexpr std::array ranges{CodeRange{DType::i8, -128, 127}, CodeRange{DType::u8, 0, 255}, CodeRange{DType::i16, -32768, 32767},
                            CodeRange{DType::u16, 0, 65535}, CodeRange{DType::i32, INT32_MIN, INT32_MAX}};

const CodeRange& range_of(DType dtype) {
    for (const CodeRange& range : ranges)
        if (range.dtype == dtype) return range;
    throw unsupported("codes of {}", name_of(dtype));
}

// Both as tensors of rank 0, or of rank 1 along `axis`.
Grid grid_of(Site& site, DType codes, bool channels) {
    const std::string_view scale = site.has("scales") ? "scales" : "scale", zero = site.has("zero_points") ? "zero_points" : "zero_point";
    Grid grid{.scale = site.in_as(scale, DType::f32), .zero = ValueId::none, .codes = codes, .channels = channels};
    if (channels) grid.axis = site.axis("axis", site.has("input") ? site.rank("input") : site.rank("self"), 0);
    if (site.has(zero)) grid.zero = site.in_as(zero, codes);
    for (const auto& [name, value] : {std::pair{scale, &grid.scale}, std::pair{zero, &grid.zero}})
        if (!channels && site.is_tensor(name) && site.rank(name) != 0) *value = site.reshape(*value, {});
    return grid;
}

Attrs attrs_of(const Grid& grid) { return grid.channels ? Attrs{{"axis", grid.axis}} : Attrs{}; }

// Codes are kept within what the program says, which may be narrower than their type.
ValueId quantized(Site& site, ValueId x, const Grid& grid) {
    Attrs attrs = attrs_of(grid);
    if (grid.zero == ValueId::none) attrs["output_dtype"] = onnx_type(grid.codes);
    Values in{x, grid.scale};
    if (grid.zero != ValueId::none) in.push_back(grid.zero);
    const ValueId codes = site.add(ops::QuantizeLinear, in, attrs);
    const CodeRange& range = range_of(grid.codes);
    const int64_t least = site.integer("quant_min", range.least), most = site.integer("quant_max", range.most);
    if (least <= range.least && most >= range.most) return codes;
    return site.add(ops::Clip, {codes, site.scalar(least, grid.codes, "quant_min"), site.scalar(most, grid.codes, "quant_max")});
}

ValueId dequantized(Site& site, ValueId codes, const Grid& grid) {
    Values in{codes, grid.scale};
    if (grid.zero != ValueId::none) in.push_back(grid.zero);
    return site.add(ops::DequantizeLinear, in, attrs_of(grid));
}

template <bool channels>
bool quantize(Site& site) {
    const DType codes = site.out_meta().dtype;
    site.bind(quantized(site, site.in_as("input", DType::f32), grid_of(site, codes, channels)));
    return true;
}
template <bool channels>
bool dequantize(Site& site) {
    const DType codes = site.dtype("input");
    site.result_as(dequantized(site, site.in("input"), grid_of(site, codes, channels)), DType::f32);
    return true;
}

// Of the range that the codes have by type, or else the narrowest that holds them.
DType codes_for(int64_t least, int64_t most) {
    for (const CodeRange& range : ranges)
        if (least >= range.least && most <= range.most) return range.dtype;
    throw unsupported("codes from {} to {}", least, most);
}

// An unconverted net of QAT: to codes and back at once.
template <bool channels>
bool fake_quantize(Site& site) {
    const DType dtype = site.dtype("self");
    const Grid grid = grid_of(site, codes_for(site.integer("quant_min"), site.integer("quant_max")), channels);
    const ValueId codes = quantized(site, site.in_as("self", DType::f32), grid);
    site.result_as(dequantized(site, codes, grid), DType::f32);
    return dtype == DType::f32 || is_real(dtype);
}

// (scale, zero point) of the numbers of this run: scale in float64, zero point int64.
template <bool symmetric>
bool choose_qparams(Site& site) {
    const int64_t least = site.integer("quant_min"), most = site.integer("quant_max");
    if (least < INT32_MIN || most > INT32_MAX || least >= most) return false;
    const double eps = site.real("eps", 1.1920929e-07);
    const ValueId x = site.in("input"), zero = site.scalar(0.0, DType::f32, "zero");
    const Attrs whole{{"keepdims", int64_t{0}}};
    const ValueId low = site.add(ops::Min, {site.add(ops::ReduceMin, {x}, whole), zero}),
                  high = site.add(ops::Max, {site.add(ops::ReduceMax, {x}, whole), zero});
    const auto steps = static_cast<double>(most - least);
    const ValueId span = symmetric ? site.add(ops::Max, {site.add(ops::Neg, {low}), high}) : site.add(ops::Sub, {high, low});
    ValueId scale = site.add(ops::Div, {span, site.scalar(symmetric ? steps / 2 : steps, DType::f32, "steps")});
    scale = site.add(ops::Max, {scale, site.scalar(eps, DType::f32, "eps")});
    site.result_as(scale, DType::f32, 0);
    if (symmetric) {
        site.bind(site.scalar(int64_t{0}, site.out_meta(1).dtype, "zero_point"), 1);
        return true;
    }
    const ValueId place =
        site.add(ops::Sub, {site.scalar(least, DType::f32, "quant_min"), site.add(ops::Round, {site.add(ops::Div, {low, scale})})});
    const ValueId inside = site.add(ops::Clip, {place, site.scalar(least, DType::f32, "least"), site.scalar(most, DType::f32, "most")});
    site.result_as(inside, DType::f32, 1);
    return true;
}

constexpr std::array quantized_table{
    MapRow{"quantized_decomposed.quantize_per_tensor", "QuantizeLinear Clip", quantize<false>},
    MapRow{"quantized_decomposed.quantize_per_channel", "QuantizeLinear Clip", quantize<true>},
    MapRow{"quantized_decomposed.dequantize_per_tensor", "DequantizeLinear", dequantize<false>},
    MapRow{"quantized_decomposed.dequantize_per_channel", "DequantizeLinear", dequantize<true>},
    MapRow{"quantized_decomposed.choose_qparams", "ReduceMin ReduceMax Div Round Clip", choose_qparams<false>},
    MapRow{"quantized_decomposed.choose_qparams_symmetric", "ReduceMin ReduceMax Neg Max Div", choose_qparams<true>},
    MapRow{"aten.fake_quantize_per_tensor_affine aten.fake_quantize_per_tensor_affine_cachemask "
           "aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams",
           "QuantizeLinear Clip DequantizeLinear", fake_quantize<false>},
    MapRow{"aten.fake_quantize_per_channel_affine aten.fake_quantize_per_channel_affine_cachemask", "QuantizeLinear Clip DequantizeLinear",
           fake_quantize<true>},
};

}  // namespace

std::span<const MapRow> quantized_rows() { return quantized_table; }

}  // namespace quern::torch_format
