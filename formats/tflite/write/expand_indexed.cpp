// Operators that read and write elements by their indices.
#include <algorithm>
#include <array>
#include <numeric>
#include <span>

#include "formats/tflite/write/expand.h"
#include "libcore/ops/shared/indices.h"

namespace quern::tflite_format {
namespace {

using decompose::Term;

// ---- GatherElements ------------------------------------------------------------------------------------------------------------------

// Numbers of each place of `dims` along one of them.
Tensor places_along(const Dims& dims, size_t axis) {
    std::vector<int64_t> items(static_cast<size_t>(count_of(dims)));
    int64_t inner = 1;
    for (size_t i = axis + 1; i < dims.size(); ++i) inner *= dims[i];
    for (size_t i = 0; i < items.size(); ++i) items[i] = static_cast<int64_t>(i) / inner % dims[axis];
    Dims column = dims;
    column.push_back(1);
    return from_ints(DType::i64, column, items);
}

// The places in full.
bool gather_elements(Spelling& at) {
    const auto data = at.dims(0), dims = at.dims(1);
    constexpr int64_t most = 1 << 22;
    if (!data || !dims || dims->empty() || count_of(*dims) < 1 || count_of(*dims) > most) return false;
    const size_t axis = normal_axis(at.view.integer("axis"), dims->size());
    Term chosen{&at, at.cast(at.in(1), DType::i64)};
    chosen = where(chosen < 0.0, chosen + static_cast<double>((*data)[axis]), chosen);
    const ValueId column = at.add(ops::Unsqueeze, {chosen, at.integers({-1}, "axes")});
    Builder::Values all;
    for (size_t i = 0; i < dims->size(); ++i) all.push_back(i == axis ? column : at.constant(places_along(*dims, i), "places"));
    const ValueId places = all.size() == 1 ? column : at.add(ops::Concat, all, {{"axis", int64_t{-1}}});
    return at.end(at.moved(ops::GatherND, {at.in(0), places}));
}

// ---- ScatterND, ScatterElements -------------------------------------------------------------------------------------------------------

constexpr int64_t most_scattered = 1 << 20;

// A place along the first of `dims`, counted in rows; none: outside.
std::optional<int64_t> row_of(const Dims& dims, std::span<const int64_t> place) {
    int64_t row = 0;
    for (size_t i = 0; i < place.size(); ++i) {
        const int64_t index = place[i] < 0 ? place[i] + dims[i] : place[i];
        if (index < 0 || index >= dims[i]) return std::nullopt;
        row = row * dims[i] + index;
    }
    return row;
}

// Rows of the data and then of the updates, of which each place takes its own or that which was written there last.
bool scattered(Spelling& at, const Dims& written, int64_t rows) {
    const Dims dims = *at.dims();
    const auto count = static_cast<int64_t>(written.size());
    if (rows < 1 || count < 1 || rows + count > most_scattered) return false;
    Dims chosen(static_cast<size_t>(rows));
    std::iota(chosen.begin(), chosen.end(), 0);
    for (size_t i = 0; i < written.size(); ++i) chosen[static_cast<size_t>(written[i])] = rows + static_cast<int64_t>(i);
    const int64_t width = count_of(dims) / rows;
    const ValueId result = at.node.out[0];
    const ValueId data = at.shaped(at.recoded(at.in(0), result), {rows, width});
    const ValueId updates = at.shaped(at.recoded(at.in(2), result), {count, width});
    const ValueId both = at.moved(ops::Concat, {data, updates}, {{"axis", int64_t{0}}});
    return at.end(at.shaped(at.gathered(both, 0, chosen), dims));
}

// What SPARSE_TO_DENSE says: single numbers among others that are all the same.
bool is_sparse(Spelling& at, size_t depth) {
    const auto data = at.plain(0);
    if (!data || depth != at.rank() || (data->dtype != DType::f32 && data->dtype != DType::i32)) return false;
    const auto numbers = to_floats(*data);
    return std::ranges::all_of(numbers, [&](float x) { return x == numbers[0]; });
}

bool scatter_nd(Spelling& at) {
    const auto dims = at.dims(), tuples = at.dims(1), places = at.ints(1);
    if (at.view.text("reduction") != "none" || !dims || !tuples || !places || tuples->empty() || !at.dims(2)) return false;
    const auto depth = static_cast<size_t>(tuples->back());
    if (depth < 1 || depth > dims->size() || count_of(*dims) < 1 || is_sparse(at, depth)) return false;
    Dims written;
    for (size_t i = 0; i + depth <= places->size(); i += depth) {
        const auto row = row_of(*dims, std::span(*places).subspan(i, depth));
        if (!row) return false;
        written.push_back(*row);
    }
    return scattered(at, written, count_of({dims->begin(), dims->begin() + static_cast<std::ptrdiff_t>(depth)}));
}

bool scatter_elements(Spelling& at) {
    const auto dims = at.dims(), shape = at.dims(1), places = at.ints(1);
    if (at.view.text("reduction") != "none" || !dims || !shape || !places || dims->empty() || count_of(*dims) < 1) return false;
    if (count_of(*shape) > most_scattered) return false;
    const size_t axis = normal_axis(at.view.integer("axis"), dims->size());
    Dims written, place(dims->size(), 0);
    for (const int64_t index : *places) {
        Dims target = place;
        target[axis] = index;
        const auto row = row_of(*dims, target);
        if (!row) return false;
        written.push_back(*row);
        for (size_t i = place.size(); i-- > 0 && ++place[i] == (*shape)[i];) place[i] = 0;
    }
    return scattered(at, written, count_of(*dims));
}

// ---- Trilu, Hardmax, ConstantOfShape --------------------------------------------------------------------------------------------------

// A constant shape has a constant triangle.
bool trilu(Spelling& at) {
    const auto dims = at.dims();
    const auto shift = at.has(1) ? at.ints(1) : std::optional(Dims{0});
    if (!dims || dims->size() < 2 || !shift || shift->size() != 1) return false;
    const int64_t rows = (*dims)[dims->size() - 2], columns = dims->back();
    if (rows < 1 || columns < 1 || rows * columns > most_scattered) return false;
    const bool upper = at.view.integer("upper") != 0;
    std::vector<int64_t> kept(static_cast<size_t>(rows * columns));
    for (int64_t i = 0; i < rows * columns; ++i) {
        const int64_t right = i % columns - i / columns - (*shift)[0];  // of the diagonal
        kept[static_cast<size_t>(i)] = upper ? right >= 0 : right <= 0;
    }
    const ValueId triangle = at.constant(from_ints(DType::boolean, {rows, columns}, kept), "triangle");
    return at.end(at.add(ops::Where, {triangle, at.in(0), at.zero()}));
}

bool hardmax(Spelling& at) {
    const auto& shape = at.type_of(at.in(0)).shape;
    if (!shape.ranked || shape.rank() == 0) return false;
    const size_t axis = normal_axis(at.view.integer("axis"), shape.rank());
    if (!shape.dims[axis].known()) return false;
    const auto along = static_cast<int64_t>(axis);
    const ValueId greatest = at.add(ops::ArgMax, {at.in(0)}, {{"axis", along}, {"keepdims", int64_t{0}}});
    const ValueId values = at.constant(from_floats(at.dtype_of(at.in(0)), {2}, std::vector<float>{0, 1}), "values");
    const ValueId places = at.cast(greatest, DType::i32), depth = at.integers({at.type_of(at.in(0)).shape.dims[axis].value}, "depth");
    return at.end(at.add(ops::OneHot, {places, depth, values}, {{"axis", along}, {negative_outside_key, int64_t{1}}}));
}

// What is filled by a shape that is computed.
bool constant_of_shape(Spelling& at) {
    const Tensor* value = at.view.tensor("value");
    const ValueId number = value ? at.constant({value->dtype, {}, value->data}, "number") : at.number(DType::f32, 0);
    return at.end(at.add(ops::Expand, {number, at.in(0)}));
}

constexpr std::array table{
    ExpandRow{ops::ConstantOfShape, constant_of_shape}, ExpandRow{ops::GatherElements, gather_elements}, ExpandRow{ops::Hardmax, hardmax},
    ExpandRow{ops::ScatterElements, scatter_elements},  ExpandRow{ops::ScatterND, scatter_nd},           ExpandRow{ops::Trilu, trilu},
};

}  // namespace

std::span<const ExpandRow> expand_indexed_rows() { return table; }

}  // namespace quern::tflite_format
