// Pools.
#include <algorithm>
#include <array>

#include "formats/torch/map/map.h"

namespace quern::torch_format {
namespace {

constexpr int64_t longest = 1 << 24;  // dim that windows are counted over, and table of what they count

struct Window {
    Ints kernel, stride, pads, dilation;
    bool ceil;
};

// Of dim `i` of those that windows are over.
int64_t length_of(const Site& site, size_t dims, size_t i) {
    return site.dim("self", static_cast<int64_t>(i) - static_cast<int64_t>(dims));
}

Window window_of(const Site& site, size_t dims) {
    Window window;
    window.kernel = site.each("kernel_size", dims, {1}, 1);
    window.stride = site.each("stride", dims, window.kernel, 1);
    window.pads = site.each("padding", dims, {0}, 0);
    window.dilation = site.each("dilation", dims, {1}, 1);
    window.ceil = site.flag("ceil_mode");
    return window;
}

// Windows rounded up must begin inside the input or its pads before it: the pads behind are said so that they do.
Ints pads_of(const Site& site, const Window& window) {
    const size_t dims = window.kernel.size();
    Ints after = window.pads;
    for (size_t i = 0; window.ceil && i < dims; ++i) {
        const int64_t length = length_of(site, dims, i);
        if (length < 0 || length > longest) throw unsupported("windows rounded up over a length that is not fixed");
        const int64_t span = window.dilation[i] * (window.kernel[i] - 1) + 1, room = length + 2 * window.pads[i] - span;
        int64_t count = (room + window.stride[i] - 1) / window.stride[i] + 1;
        if ((count - 1) * window.stride[i] >= length + window.pads[i]) --count;
        after[i] = (count - 1) * window.stride[i] + span - length - window.pads[i];
    }
    Ints pads = window.pads;
    pads.insert(pads.end(), after.begin(), after.end());
    return pads;
}

// Pools of ours have a batch.
ValueId batched(Site& site, size_t dims, bool& single) {
    single = site.rank("self") == dims + 1;
    return single ? site.add(ops::Unsqueeze, {site.in("self"), site.integers({0}, "batch")}) : site.in("self");
}
void unbatched(Site& site, ValueId made, bool single, size_t out = 0) {
    if (single)
        site.result(ops::Squeeze, {made, site.integers({0}, "batch")}, {}, out);
    else
        site.bind(made, out);
}

bool max_pool(Site& site, size_t dims) {
    const Window window = window_of(site, dims);
    Ints pads = pads_of(site, window);
    for (size_t i = 0; i < dims; ++i) pads[dims + i] = std::max<int64_t>(pads[dims + i], 0);
    const Attrs attrs{{"kernel_shape", window.kernel}, {"strides", window.stride}, {"pads", pads}, {"dilations", window.dilation}};
    bool single = false;
    const ValueId x = batched(site, dims, single);
    if (site.out_count() < 2) {
        unbatched(site, site.add(ops::MaxPool, {x}, attrs), single);
        return true;
    }
    // ours number the elements of the whole tensor, theirs those of a channel
    int64_t plane = 1;
    for (size_t i = 0; i < dims; ++i) {
        const int64_t length = length_of(site, dims, i);
        if (length < 1 || length > longest || plane > longest) return false;
        plane *= length;
    }
    const ValueId most = site.value("most"), places = site.value("places");
    site.put(ops::MaxPool, {x}, {most, places}, attrs);
    unbatched(site, most, single);
    unbatched(site, site.add(ops::Mod, {places, site.scalar(plane, DType::i64, "plane")}), single, 1);
    return true;
}

struct Counts {
    Ints shape;
    std::vector<float> values;
};
// How many elements each window counts: not what the pads after the rounded-up end add. nullopt: lengths are open, or there are too many
// windows.
std::optional<Counts> counts_of(const Site& site, const Window& window, const Ints& pads) {
    const size_t dims = window.kernel.size();
    Counts counts{{1, 1}, {1}};
    for (size_t i = 0; i < dims; ++i) {
        const int64_t length = length_of(site, dims, i);
        if (length < 0 || length > longest) return std::nullopt;
        const int64_t windows = (length + pads[i] + pads[dims + i] - window.kernel[i]) / window.stride[i] + 1;
        if (windows < 1 || windows * std::ssize(counts.values) > longest) return std::nullopt;
        std::vector<float> grown;
        grown.reserve(static_cast<size_t>(windows) * counts.values.size());
        for (const float before : counts.values)
            for (int64_t w = 0; w < windows; ++w) {
                const int64_t from = w * window.stride[i] - window.pads[i];
                grown.push_back(before * static_cast<float>(std::min(from + window.kernel[i], length + window.pads[i]) - from));
            }
        counts.values = std::move(grown);
        counts.shape.push_back(windows);
    }
    return counts;
}

// Sums of zeros around, divided by what counts; none: that is not known.
ValueId mean_by_hand(Site& site, ValueId x, Attrs attrs, const Window& window, const Ints& pads, int64_t area) {
    const DType dtype = site.dtype("self");
    const bool given = site.has("divisor_override");
    const auto counts = given ? std::nullopt : counts_of(site, window, pads);
    if (!given && !counts) return ValueId::none;
    attrs["pads"] = pads;
    attrs["count_include_pad"] = int64_t{1};
    const ValueId sums = site.add(ops::Mul, {site.add(ops::AveragePool, {x}, attrs), site.scalar(area, dtype, "area")});
    const ValueId divisor = given ? site.scalar(site.integer("divisor_override"), dtype, "divisor")
                                  : site.constant(from_floats(dtype, counts->shape, counts->values), "counts");
    return site.add(ops::Div, {sums, divisor});
}

ValueId plain_mean(Site& site, ValueId x, Attrs attrs, Ints pads, bool counted) {
    for (size_t i = pads.size() / 2; i < pads.size(); ++i) pads[i] = std::max<int64_t>(pads[i], 0);
    attrs["pads"] = pads;
    attrs["count_include_pad"] = int64_t{counted};
    return site.add(ops::AveragePool, {x}, attrs);
}

// What the pads after the rounded-up end would count is not counted: such windows are divided by hand.
bool avg_pool(Site& site, size_t dims) {
    const Window window = window_of(site, dims);
    const bool counted = site.flag("count_include_pad", true);
    const Ints pads = pads_of(site, window);
    const bool overhang = !std::equal(window.pads.begin(), window.pads.end(), pads.begin() + static_cast<std::ptrdiff_t>(dims),
                                      [](int64_t before, int64_t after) { return after <= before; });
    int64_t area = 1;
    for (const int64_t side : window.kernel)
        if (area > longest || (area *= side) > longest) return false;
    bool single = false;
    const ValueId x = batched(site, dims, single);
    const Attrs attrs{{"kernel_shape", window.kernel}, {"strides", window.stride}};
    const bool by_hand = site.has("divisor_override") || (overhang && counted);
    const ValueId mean = by_hand ? mean_by_hand(site, x, attrs, window, pads, area) : plain_mean(site, x, attrs, pads, counted);
    if (mean == ValueId::none) return false;
    unbatched(site, mean, single);
    return true;
}

// ---- as many cells as asked for ----

struct Cells {
    Ints from, to;  // for each cell
};
Cells cells_of(int64_t length, int64_t count) {
    Cells cells;
    for (int64_t i = 0; i < count; ++i) {
        cells.from.push_back(i * length / count);
        cells.to.push_back(((i + 1) * length + count - 1) / count);
    }
    return cells;
}

// A mean over cells along an axis is a product with a matrix [length, cells].
ValueId mean_along(Site& site, ValueId x, size_t rank, int64_t axis, int64_t length, int64_t count) {
    const Cells cells = cells_of(length, count);
    std::vector<float> matrix(static_cast<size_t>(length * count), 0.0f);
    for (int64_t c = 0; c < count; ++c) {
        const auto at = static_cast<size_t>(c);
        for (int64_t i = cells.from[at]; i < cells.to[at]; ++i)
            matrix[static_cast<size_t>(i * count + c)] = 1.0f / static_cast<float>(cells.to[at] - cells.from[at]);
    }
    const ValueId weights = site.constant(from_floats(site.dtype("self"), {length, count}, matrix), "cells");
    const auto last = static_cast<int64_t>(rank) - 1;
    if (axis == last) return site.add(ops::MatMul, {x, weights});
    Ints order;
    for (int64_t i = 0; i <= last; ++i) order.push_back(i);
    std::swap(order[static_cast<size_t>(axis)], order[static_cast<size_t>(last)]);
    return site.add(ops::Transpose, {site.add(ops::MatMul, {site.add(ops::Transpose, {x}, {{"perm", order}}), weights})},
                    {{"perm", order}});
}

ValueId greatest_along(Site& site, ValueId x, int64_t axis, int64_t length, int64_t count) {
    const Cells cells = cells_of(length, count);
    Values parts;
    for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
        const ValueId part = site.add(
            ops::Slice, {x, site.integers({cells.from[i]}, "from"), site.integers({cells.to[i]}, "to"), site.integers({axis}, "axis")});
        parts.push_back(site.add(ops::ReduceMax, {part, site.integers({axis}, "axis")}, {{"keepdims", int64_t{1}}}));
    }
    return site.add(ops::Concat, parts, {{"axis", axis}});
}

void one_cell(Site& site, size_t dims, bool most) {
    const size_t rank = site.rank("self");
    if (rank == dims + 2) {
        site.result(most ? ops::GlobalMaxPool : ops::GlobalAveragePool, {site.in("self")});
        return;
    }
    Ints axes;
    for (size_t i = rank - dims; i < rank; ++i) axes.push_back(static_cast<int64_t>(i));
    site.result(most ? ops::ReduceMax : ops::ReduceMean, {site.in("self"), site.integers(axes, "axes")}, {{"keepdims", int64_t{1}}});
}

// Along the last dims, as many of both.
struct CellGrid {
    Ints lengths, counts;

    bool is_bounded() const {
        for (size_t i = 0; i < lengths.size(); ++i) {
            if (lengths[i] < 1 || lengths[i] > longest || counts[i] < 1 || counts[i] > 4096) return false;
            if (lengths[i] * counts[i] > longest) return false;
        }
        return true;
    }
    bool is_even() const {
        return std::ranges::equal(lengths, counts, [](int64_t length, int64_t count) { return length % count == 0; });
    }
    Ints cell() const {
        Ints out;
        for (size_t i = 0; i < lengths.size(); ++i) out.push_back(lengths[i] / counts[i]);
        return out;
    }
};
CellGrid cell_grid(const Site& site, size_t dims) {
    const size_t rank = site.rank("self");
    const auto& items = site.need("output_size").items;
    if (rank < dims || (items.size() != 1 && items.size() != dims))
        throw bad_input("output_size has {} numbers for {} of {} dims", items.size(), dims, rank);
    CellGrid grid;
    for (size_t i = 0; i < dims; ++i) {
        grid.lengths.push_back(length_of(site, dims, i));
        const Argument& item = items[items.size() == 1 ? 0 : i];
        grid.counts.push_back(item.kind == Argument::Kind::none ? grid.lengths.back() : site.number(item).known.value_or(-1));
    }
    return grid;
}

bool adaptive(Site& site, size_t dims, bool most) {
    const size_t rank = site.rank("self");
    const CellGrid grid = cell_grid(site, dims);
    if (grid.counts == Ints(dims, 1)) {
        one_cell(site, dims, most);
        return true;
    }
    if (!grid.is_bounded()) return false;
    if (rank == dims + 2 && grid.is_even()) {
        site.result(most ? ops::MaxPool : ops::AveragePool, {site.in("self")}, {{"kernel_shape", grid.cell()}, {"strides", grid.cell()}});
        return true;
    }
    ValueId x = site.in("self");
    for (size_t i = 0; i < dims; ++i) {
        const auto axis = static_cast<int64_t>(rank - dims + i);
        x = most ? greatest_along(site, x, axis, grid.lengths[i], grid.counts[i])
                 : mean_along(site, x, rank, axis, grid.lengths[i], grid.counts[i]);
    }
    site.bind(x);
    return true;
}

template <size_t dims, bool (*over)(Site& site, size_t count)>
bool pool(Site& site) {
    return over(site, dims);
}
template <size_t dims, bool most>
bool adaptive_pool(Site& site) {
    return adaptive(site, dims, most);
}

constexpr MapRow adaptive_row(std::string_view names, std::string_view ops, bool (*rewrite)(Site& site)) {
    return {.names = names,
            .ops = ops,
            .rewrite = rewrite,
            .limits = "the places of the greatest; dims that are not fixed, but for results of one cell"};
}
constexpr std::string_view means = "GlobalAveragePool AveragePool MatMul", extremes = "GlobalMaxPool MaxPool Slice ReduceMax Concat";

constexpr std::array pool_table{
    MapRow{"aten.max_pool1d aten.max_pool1d_with_indices", "MaxPool Mod", pool<1, max_pool>},
    MapRow{"aten.max_pool2d aten.max_pool2d_with_indices", "MaxPool Mod", pool<2, max_pool>},
    MapRow{"aten.max_pool3d aten.max_pool3d_with_indices", "MaxPool Mod", pool<3, max_pool>},
    MapRow{"aten.avg_pool1d", "AveragePool Mul Div", pool<1, avg_pool>},
    MapRow{"aten.avg_pool2d", "AveragePool Mul Div", pool<2, avg_pool>},
    MapRow{"aten.avg_pool3d", "AveragePool Mul Div", pool<3, avg_pool>},
    adaptive_row("aten.adaptive_avg_pool1d", means, adaptive_pool<1, false>),
    adaptive_row("aten.adaptive_avg_pool2d aten._adaptive_avg_pool2d", means, adaptive_pool<2, false>),
    adaptive_row("aten.adaptive_avg_pool3d aten._adaptive_avg_pool3d", means, adaptive_pool<3, false>),
    adaptive_row("aten.adaptive_max_pool1d", extremes, adaptive_pool<1, true>),
    adaptive_row("aten.adaptive_max_pool2d", extremes, adaptive_pool<2, true>),
    adaptive_row("aten.adaptive_max_pool3d", extremes, adaptive_pool<3, true>),
};

}  // namespace

std::span<const MapRow> pool_rows() { return pool_table; }

}  // namespace quern::torch_format
