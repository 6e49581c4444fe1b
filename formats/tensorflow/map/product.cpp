// Matrix products.
#include <array>

#include "formats/tensorflow/map/map.h"
#include "formats/tensorflow/map/operands.h"
#include "libcore/passes/decompose/math.h"
#include "libcore/passes/decompose/row.h"

namespace quern::tensorflow_format {
namespace {

// The last two dims exchanged.
ValueId turned(Site& site, size_t i) {
    if (site.rank(i) < 2) throw bad_input("input {} has rank {}", i, site.rank(i));
    return site.transpose(site.in(i), decompose::last_two_swapped(site.rank(i)));
}

}  // namespace

ValueId multiplied(Site& site, std::string_view turn_a, std::string_view turn_b) {
    ValueId a = site.flag(turn_a, false) ? turned(site, 0) : site.in(0), b = site.flag(turn_b, false) ? turned(site, 1) : site.in(1);
    if (const DType wanted = site.type("Tout", DType::none); wanted != DType::none) {
        a = site.cast(a, wanted);
        b = site.cast(b, wanted);
    }
    return site.add(ops::MatMul, {a, b});
}

namespace {

bool matmul(Site& site) { return give(site, multiplied(site, "transpose_a", "transpose_b")); }
bool batch_matmul(Site& site) { return give(site, multiplied(site, "adj_x", "adj_y")); }

bool einsum(Site& site) { return give(site, site.add(ops::Einsum, site.ins(), {{"equation", site.word("equation", "")}})); }

bool cross(Site& site) { return give(site, decompose::cross(decompose::term(site, 0), decompose::term(site, 1), -1)); }

// The matrix without one row and one column.
ValueId minor_of(Site& site, ValueId x, int64_t n, int64_t row, int64_t column) {
    const auto without = [&](ValueId value, int64_t place, int64_t axis) {
        Ints others;
        for (int64_t i = 0; i < n; ++i)
            if (i != place) others.push_back(i);
        return site.add(ops::Gather, {value, site.integers(others)}, {{"axis", axis}});
    };
    return without(without(x, row, -2), column, -1);
}

// Of small matrices by their minors.
bool inverse(Site& site) {
    const int64_t n = site.rank(0) < 2 ? -1 : site.dim(0, -1);
    if (n < 2 || n > 4 || site.dim(0, -2) != n || site.flag("adjoint", false)) return false;
    const ValueId x = site.cast(site.in(0), DType::f64), all = site.add(ops::Det, {x});
    Values lines;
    for (int64_t row = 0; row < n; ++row) {
        Values line;
        for (int64_t column = 0; column < n; ++column) {
            const ValueId part = site.add(ops::Det, {minor_of(site, x, n, column, row)});
            line.push_back(unsqueezed(site, (row + column) % 2 ? site.add(ops::Neg, {part}) : part, {-1, -2}));
        }
        lines.push_back(joined(site, line, -1));
    }
    const ValueId adjugate = joined(site, lines, -2);
    return give(site, site.cast(site.add(ops::Div, {adjugate, unsqueezed(site, all, {-1, -2})}), site.dtype(0)));
}

constexpr std::array product_table{
    MapRow{"BatchMatMul BatchMatMulV2 BatchMatMulV3", "MatMul Transpose", batch_matmul},
    MapRow{"Cross", "Gather Mul Sub", cross},
    MapRow{"Einsum", "Einsum", einsum},
    MapRow{"MatMul", "MatMul Transpose", matmul},
    MapRow{"MatrixDeterminant", "Det", direct<ops::Det>},
    MapRow{"MatrixInverse", "Det Gather Concat Div", inverse},
};

}  // namespace

std::span<const MapRow> product_rows() { return product_table; }

}  // namespace quern::tensorflow_format
