// Diagonals and bands of matrices.
#include <algorithm>
#include <array>

#include "formats/tensorflow/map/map.h"
#include "formats/tensorflow/map/operands.h"

namespace quern::tensorflow_format {
namespace {

constexpr int64_t longest = 1 << 14;  // rows and columns

// -1: everything on that side stays.
bool band_part(Site& site) {
    const auto lower = site.integer_in(1), upper = site.integer_in(2);
    if (!lower || !upper) return false;
    ValueId x = site.in(0);
    if (*lower >= 0) x = site.add(ops::Trilu, {x, site.scalar(-*lower, DType::i64)}, {{"upper", int64_t{1}}});
    if (*upper >= 0) x = site.add(ops::Trilu, {x, site.scalar(*upper, DType::i64)}, {{"upper", int64_t{0}}});
    return give(site, x);
}

// Which diagonal an operand names: one of them, or nothing, which is the main one.
std::optional<int64_t> diagonal_in(Site& site, size_t i) {
    const auto k = site.inputs() > i ? site.integer_in(i) : std::optional<int64_t>(0);
    if (k && (*k < -longest || *k > longest)) throw bad_input("diagonal {}", *k);
    return k;
}

int64_t length_of_diagonal(int64_t rows, int64_t columns, int64_t k) {
    return std::min(rows + std::min<int64_t>(k, 0), columns - std::max<int64_t>(k, 0));
}

// [rows, columns], true on diagonal k.
ValueId on_diagonal(Site& site, int64_t rows, int64_t columns, int64_t k) {
    const ValueId down = unsqueezed(site, counted(site, site.integers({rows})), {1});
    const ValueId across = counted(site, site.integers({columns}));
    return site.add(ops::Equal, {k == 0 ? down : site.add(ops::Add, {down, site.scalar(k, DType::i64)}), across});
}

// The elements of diagonal k, each in its column, in all rows.
ValueId in_columns(Site& site, ValueId diagonal, int64_t length, int64_t columns, int64_t k) {
    const int64_t before = std::max<int64_t>(k, 0), after = columns - before - length;
    if (before != 0 || after != 0) {
        Ints pads(2 * site.type_of(diagonal).shape.rank(), 0);
        pads[pads.size() / 2 - 1] = before;
        pads.back() = after;
        diagonal = site.add(ops::Pad, {diagonal, site.integers(pads)});
    }
    return unsqueezed(site, diagonal, {-2});
}

bool too_large(int64_t rows, int64_t columns) { return rows > longest || columns > longest; }

// diagonal, k, rows, columns (-1: as few as it takes; both: of a square), what the rest is
bool diag(Site& site) {
    const auto k = diagonal_in(site, 1), rows_in = site.inputs() > 2 ? site.integer_in(2) : std::optional<int64_t>(-1),
               columns_in = site.inputs() > 3 ? site.integer_in(3) : std::optional<int64_t>(-1);
    if (site.rank(0) < 1) throw bad_input("of a scalar");
    const int64_t length = site.dim(0, -1);
    if (!k || !rows_in || !columns_in || length < 0) return false;
    const int64_t least_rows = length - std::min<int64_t>(*k, 0), least_columns = length + std::max<int64_t>(*k, 0);
    const bool square = *rows_in < 0 && *columns_in < 0;
    const int64_t rows = square         ? std::max(least_rows, least_columns)
                         : *rows_in < 0 ? least_rows
                                        : *rows_in,
                  columns = square            ? rows
                            : *columns_in < 0 ? least_columns
                                              : *columns_in;
    if (too_large(rows, columns) || length_of_diagonal(rows, columns, *k) != length) return false;
    const ValueId rest = site.inputs() > 4 ? site.in(4) : site.scalar(0, site.dtype(0));
    const ValueId row = in_columns(site, site.in(0), length, columns, *k);
    return give(site, site.add(ops::Where, {on_diagonal(site, rows, columns, *k), row, rest}));
}

bool diag_part(Site& site) {
    const auto k = diagonal_in(site, 1);
    const size_t rank = site.rank(0);
    if (rank < 2) throw bad_input("rank is {}", rank);
    const int64_t rows = site.dim(0, -2), columns = site.dim(0, -1);
    if (!k || rows < 0 || columns < 0 || too_large(rows, columns)) return false;
    const int64_t length = length_of_diagonal(rows, columns, *k), first = *k >= 0 ? *k : -*k * columns;
    if (length < 0) throw bad_input("diagonal {} of {} x {}", *k, rows, columns);
    Ints places, flat(rank - 1, 0);  // leading dims stay
    for (int64_t i = 0; i < length; ++i) places.push_back(first + i * (columns + 1));
    flat.back() = rows * columns;
    return give(site, site.add(ops::Gather, {site.reshape(site.in(0), flat), site.integers(places)}, {{"axis", int64_t{-1}}}));
}

bool set_diag(Site& site) {
    const auto k = diagonal_in(site, 2);
    const size_t rank = site.rank(0);
    if (rank < 2) throw bad_input("rank is {}", rank);
    const int64_t rows = site.dim(0, -2), columns = site.dim(0, -1);
    if (!k || rows < 0 || columns < 0 || too_large(rows, columns) || site.rank(1) + 1 != rank) return false;
    const ValueId row = in_columns(site, site.in(1), length_of_diagonal(rows, columns, *k), columns, *k);
    return give(site, site.add(ops::Where, {on_diagonal(site, rows, columns, *k), row, site.in(0)}));
}

constexpr std::array diagonal_table{
    MapRow{"BatchMatrixBandPart MatrixBandPart", "Trilu", band_part},
    MapRow{"BatchMatrixDiag MatrixDiag MatrixDiagV2 MatrixDiagV3", "Range Equal Where", diag},
    MapRow{"BatchMatrixDiagPart MatrixDiagPart MatrixDiagPartV2 MatrixDiagPartV3", "Reshape Gather", diag_part},
    MapRow{"BatchMatrixSetDiag MatrixSetDiag MatrixSetDiagV2 MatrixSetDiagV3", "Range Equal Where", set_diag},
};

}  // namespace

std::span<const MapRow> diagonal_rows() { return diagonal_table; }

}  // namespace quern::tensorflow_format
