// Numbers on grids. Fake quantization of weights is codes, that of data is spelled out as TensorFlow computes it, which fold_fake_quant
// makes an encoding of; older graphs that compute on codes are refused.
#include <algorithm>
#include <array>
#include <cmath>

#include "formats/tensorflow/map/map.h"
#include "formats/tensorflow/map/operands.h"
#include "libcore/passes/decompose/fake_quant.h"

namespace quern::tensorflow_format {
namespace {

using decompose::nudged_range, decompose::NudgedRange;

struct Grid {
    std::vector<NudgedRange> ranges;  // one, or one for each of the last dim
    int bits;
    bool narrow;
};

Grid grid_of(Site& site, std::span<const float> low, std::span<const float> high) {
    Grid grid{.ranges = {}, .bits = static_cast<int>(site.integer("num_bits", 8)), .narrow = site.flag("narrow_range", false)};
    if (grid.bits < 2 || grid.bits > 16) throw bad_input("num_bits is {}", grid.bits);
    if (low.size() != high.size()) throw bad_input("has {} minima and {} maxima", low.size(), high.size());
    for (size_t i = 0; i < low.size(); ++i) {
        if (!(low[i] <= high[i]) || !std::isfinite(low[i]) || !std::isfinite(high[i]))
            throw bad_input("a range from {} to {}", low[i], high[i]);
        const bool none = low[i] == high[i];  // all is 0 then
        grid.ranges.push_back(none ? NudgedRange{0, 0, 1} : nudged_range(low[i], high[i], grid.bits, grid.narrow));
    }
    return grid;
}

bool spell(Site& site, const Grid& grid, bool channels) {
    return give(site, decompose::fake_quantized({&site, site.in(0)}, grid.ranges, channels));
}

bool fake_args(Site& site) {
    const std::array low{static_cast<float>(site.real("min", -6))}, high{static_cast<float>(site.real("max", 6))};
    return spell(site, grid_of(site, low, high), false);
}

// Codes of a constant, with one scale or one for each of the last dim.
bool constant_codes(Site& site, const Tensor& real, const Grid& grid, bool channels) {
    const size_t count = grid.ranges.size();
    const int64_t most = (int64_t{1} << (grid.bits - 1)) - 1, least = -most - (grid.narrow ? 0 : 1);
    const std::vector<float> items = to_floats(real);
    std::vector<int64_t> codes(items.size()), zeros;
    std::vector<float> scales;
    for (const NudgedRange& range : grid.ranges) {
        scales.push_back(range.scale);
        zeros.push_back(least + static_cast<int64_t>(std::round(-range.bottom / range.scale)));
    }
    for (size_t i = 0; i < items.size(); ++i) {
        const NudgedRange& range = grid.ranges[i % count];
        const float clipped = std::min(std::max(items[i], range.bottom), range.top);
        codes[i] = static_cast<int64_t>(std::floor((clipped - range.bottom) * (1.0f / range.scale) + 0.5f)) + least;
    }
    const DType storage = grid.bits > 8 ? DType::i16 : DType::i8;
    const Dims one = channels ? Dims{static_cast<int64_t>(count)} : Dims{};
    const Values in{site.constant(from_ints(storage, real.dims, codes)), site.constant(from_floats(DType::f32, one, scales)),
                    site.constant(from_ints(storage, one, zeros))};
    Attrs attrs;
    if (channels) attrs["axis"] = static_cast<int64_t>(real.dims.size()) - 1;
    return give(site, site.add(ops::DequantizeLinear, in, attrs));
}

template <bool channels>
bool fake_vars(Site& site) {
    const auto low = site.known(1), high = site.known(2);
    if (!low || !high) return false;
    const Grid grid = grid_of(site, to_floats(*low), to_floats(*high));
    const int64_t wanted = channels ? site.dim(0, -1) : 1;
    if (wanted != static_cast<int64_t>(grid.ranges.size())) throw bad_input("{} ranges for {} channels", grid.ranges.size(), wanted);
    if (const auto real = site.graph().constant(site.in(0))) return constant_codes(site, *real, grid, channels);
    return spell(site, grid, channels);
}

bool refuse(Site& site) { throw unsupported("{} computes on codes: export the float graph, with fake quantization", site.of().op); }

constexpr std::array quantized_table{
    MapRow{"FakeQuantWithMinMaxArgs", "Clip Floor Mul Add", fake_args},
    MapRow{"FakeQuantWithMinMaxVars", "Clip Floor Mul Add DequantizeLinear", fake_vars<false>},
    MapRow{"FakeQuantWithMinMaxVarsPerChannel", "Clip Floor Mul Add DequantizeLinear", fake_vars<true>},
    MapRow{"Dequantize QuantizeV2 QuantizedAdd QuantizedAvgPool QuantizedBiasAdd QuantizedConcat QuantizedConv2D QuantizedMatMul "
           "QuantizedMaxPool QuantizedMul QuantizedRelu QuantizedRelu6 QuantizedReshape Requantize RequantizationRange",
           "refused", refuse},
};

}  // namespace

std::span<const MapRow> quantize_rows() { return quantized_table; }

}  // namespace quern::tensorflow_format
