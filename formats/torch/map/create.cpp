// Operators that make tensors of numbers.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "formats/torch/map/map.h"
#include "libcore/ops/shared/portable_math.h"

namespace quern::torch_format {
namespace {

void filled(Site& site, ValueId item) {
    const Argument* size = site.arg("size");
    site.result(ops::Expand, {item, size ? site.sizes(*size) : site.add(ops::Shape, {site.in("self")})});
}

bool zeros(Site& site) {
    filled(site, site.scalar(int64_t{0}, site.out_meta().dtype, "zero"));
    return true;
}
bool ones(Site& site) {
    filled(site, site.scalar(int64_t{1}, site.out_meta().dtype, "one"));
    return true;
}
bool full(Site& site) {
    filled(site, site.in_as("fill_value", site.out_meta().dtype));
    return true;
}
bool scalar_tensor(Site& site) {
    site.bind(site.in_as("s", site.out_meta().dtype));
    return true;
}

// From one number to another; bounds that are no integers are computed in the result's type.
bool arange(Site& site) {
    const DType dtype = site.out_meta().dtype;
    const ValueId start = site.has("start") ? site.in_as("start", dtype) : site.scalar(int64_t{0}, dtype, "start");
    const ValueId step = site.has("step") ? site.in_as("step", dtype) : site.scalar(int64_t{1}, dtype, "step");
    site.result(ops::Range, {start, site.in_as("end", dtype), step});
    return true;
}

// Both halves are computed from their own end.
bool linspace(Site& site) {
    const int64_t steps = site.integer("steps");
    const double start = site.real("start", 0), end = site.real("end", 0);
    if (steps < 0 || steps > (1 << 20)) return false;
    std::vector<double> items;
    const double step = steps > 1 ? (end - start) / static_cast<double>(steps - 1) : 0;
    for (int64_t i = 0; i < steps; ++i)
        items.push_back(i < steps / 2 || steps == 1 ? start + step * static_cast<double>(i)
                                                    : end - step * static_cast<double>(steps - 1 - i));
    site.bind(site.constant(from_doubles(site.out_meta().dtype, {steps}, items), "linspace"));
    return true;
}

bool logspace(Site& site) {
    const int64_t steps = site.integer("steps");
    const double start = site.real("start", 0), end = site.real("end", 0), base = site.real("base", 10);
    if (steps < 0 || steps > (1 << 20)) return false;
    std::vector<double> items;
    for (int64_t i = 0; i < steps; ++i)
        items.push_back(
            portable::pow(base, steps > 1 ? start + (end - start) * static_cast<double>(i) / static_cast<double>(steps - 1) : start));
    site.bind(site.constant(from_doubles(site.out_meta().dtype, {steps}, items), "logspace"));
    return true;
}

// A raised cosine: periodic unless said otherwise.
template <bool hamming>
bool window(Site& site) {
    const int64_t length = site.integer("window_length");
    const double alpha = hamming ? site.real("alpha", 0.54) : 0.5, beta = hamming ? site.real("beta", 0.46) : 0.5;
    if (length < 0 || length > (1 << 20)) return false;
    const double period = static_cast<double>(site.flag("periodic", true) ? length : length - 1);
    std::vector<double> items;
    for (int64_t i = 0; i < length; ++i)
        items.push_back(length == 1 ? 1 : alpha - beta * portable::cos(2 * std::numbers::pi * static_cast<double>(i) / period));
    site.bind(site.constant(from_doubles(site.out_meta().dtype, {length}, items), "window"));
    return true;
}

// Other numbers in each run.
template <const OpId& op, const OpId& like>
bool random(Site& site) {
    const DType dtype = site.out_meta().dtype;
    if (!site.has("size")) {
        site.result(like, {site.in("self")}, {{"dtype", onnx_type(dtype)}});
        return true;
    }
    const auto size = site.ints("size");
    if (!size) return false;
    site.result(op, {}, {{"shape", *size}, {"dtype", onnx_type(dtype)}});
    return true;
}

bool eye(Site& site) {
    const DType dtype = site.out_meta().dtype;
    const int64_t rows = site.integer("n"), columns = site.integer("m", rows);
    if (rows < 0 || columns < 0 || rows > 4096 || columns > 4096) return false;
    std::vector<int64_t> items(static_cast<size_t>(rows * columns), 0);
    for (int64_t i = 0; i < std::min(rows, columns); ++i) items[static_cast<size_t>(i * columns + i)] = 1;
    const std::vector<double> reals(items.begin(), items.end());
    site.bind(
        site.constant(is_real(dtype) ? from_doubles(dtype, {rows, columns}, reals) : from_ints(dtype, {rows, columns}, items), "eye"));
    return true;
}

// Places of a triangle's elements, rows and then columns.
template <bool lower>
bool triangle_places(Site& site) {
    const int64_t rows = site.integer("row"), columns = site.integer("col"), offset = site.integer("offset", 0);
    if (rows < 0 || columns < 0 || rows > 4096 || columns > 4096) return false;
    std::vector<int64_t> r, c;
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j)
            if (lower ? j - i <= offset : j - i >= offset) {
                r.push_back(i);
                c.push_back(j);
            }
    const auto count = static_cast<int64_t>(r.size());
    r.insert(r.end(), c.begin(), c.end());
    site.bind(site.constant(from_ints(site.out_meta().dtype, {2, count}, r), "places"));
    return true;
}

constexpr std::array create_table{
    MapRow{"aten.zeros aten.zeros_like aten.new_zeros aten.empty aten.empty_like aten.new_empty aten.empty_strided aten.new_empty_strided "
           "aten.empty_permuted",
           "Expand", zeros},
    MapRow{"aten.ones aten.ones_like aten.new_ones", "Expand", ones},
    MapRow{"aten.full aten.full_like aten.new_full", "Expand", full},
    MapRow{"aten.scalar_tensor prims.scalar_tensor", "a constant", scalar_tensor},
    MapRow{"aten.arange", "Range", arange},
    MapRow{.names = "aten.linspace", .ops = "a constant", .rewrite = linspace, .limits = "more than 2^20 steps"},
    MapRow{.names = "aten.logspace", .ops = "a constant", .rewrite = logspace, .limits = "more than 2^20 steps"},
    MapRow{"aten.hann_window", "a constant", window<false>},
    MapRow{"aten.hamming_window", "a constant", window<true>},
    MapRow{.names = "aten.rand aten.rand_like",
           .ops = "RandomUniform",
           .rewrite = random<ops::RandomUniform, ops::RandomUniformLike>,
           .limits = "sizes that are computed"},
    MapRow{.names = "aten.randn aten.randn_like",
           .ops = "RandomNormal",
           .rewrite = random<ops::RandomNormal, ops::RandomNormalLike>,
           .limits = "sizes that are computed"},
    MapRow{"aten.eye", "a constant", eye},
    MapRow{"aten.tril_indices", "a constant", triangle_places<true>},
    MapRow{"aten.triu_indices", "a constant", triangle_places<false>},
};

}  // namespace

std::span<const MapRow> create_rows() { return create_table; }

}  // namespace quern::torch_format
