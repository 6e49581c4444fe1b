// Products and distances of vectors and matrices.
#include <algorithm>
#include <array>

#include "formats/torch/map/map.h"
#include "libcore/passes/decompose/math.h"

namespace quern::torch_format {
namespace {

constexpr int64_t diagonal_limit = 1 << 20;

bool trace(Site& site) {
    const int64_t rows = site.dim("self", 0), columns = site.dim("self", 1), length = std::min(rows, columns);
    if (length < 1 || length > diagonal_limit || columns > diagonal_limit) return false;
    const DType dtype = site.out_meta().dtype;
    Ints places;
    for (int64_t i = 0; i < length; ++i) places.push_back(i * (columns + 1));
    const ValueId flat = site.reshape(site.in_as("self", dtype), {-1});
    const ValueId diagonal = site.add(ops::Gather, {flat, site.integers(places, "places")}, {{"axis", int64_t{0}}});
    site.result(ops::ReduceSum, {diagonal, site.integers({0}, "axes")}, {{"keepdims", int64_t{0}}});
    return true;
}

// Without a dim, the last or the first of length 3.
std::optional<int64_t> axis_of_cross(const Site& site, bool last) {
    const size_t rank = site.rank("self");
    if (site.has("dim")) return site.axis("dim", rank, 0);
    if (last) return static_cast<int64_t>(rank) - 1;
    for (int64_t i = 0; i < static_cast<int64_t>(rank); ++i)
        if (site.dim("self", i) == 3) return i;
    return std::nullopt;
}

template <bool along_last>
bool cross(Site& site) {
    const auto axis = axis_of_cross(site, along_last);
    if (!axis || site.rank("self") != site.rank("other")) return false;
    const DType dtype = site.out_meta().dtype;
    site.made(decompose::cross({&site, site.in_as("self", dtype)}, {&site, site.in_as("other", dtype)}, *axis));
    return true;
}

// The last dims of both are summed over; a number multiplies.
bool inner(Site& site) {
    const DType dtype = site.out_meta().dtype;
    const size_t left = site.rank("self"), right = site.rank("other");
    const Values in{site.in_as("self", dtype), site.in_as("other", dtype)};
    if (left == 0 || right == 0) {
        site.result(ops::Mul, in);
        return true;
    }
    if (left + right > 26) return false;
    std::string a, b;
    for (size_t i = 1; i < left; ++i) a += static_cast<char>('a' + i);
    for (size_t i = 1; i < right; ++i) b += static_cast<char>('A' + i);
    site.result(ops::Einsum, in, {{"equation", a + "a," + b + "a->" + a + b}});
    return true;
}

bool vecdot(Site& site) {
    const DType dtype = site.out_meta().dtype;
    const auto rank = static_cast<int64_t>(std::max(site.rank("x"), site.rank("y")));
    const int64_t axis = site.axis("dim", static_cast<size_t>(rank), -1) - rank;  // the shorter shape has fewer in front
    site.result(ops::ReduceSum, {site.add(ops::Mul, {site.in_as("x", dtype), site.in_as("y", dtype)}), site.integers({axis}, "axes")},
                {{"keepdims", int64_t{0}}});
    return true;
}

// Of all elements, or along the last dim with eps added to each difference.
bool distance(Site& site) {
    const bool pairs = site.has("x1");
    const double order = site.real("p", 2);
    if (order != 1 && order != 2) return false;
    const DType dtype = site.out_meta().dtype;
    ValueId apart = site.add(ops::Sub, {site.in_as(pairs ? "x1" : "self", dtype), site.in_as(pairs ? "x2" : "other", dtype)});
    if (pairs) apart = site.add(ops::Add, {apart, site.scalar(site.real("eps", 1e-6), dtype, "eps")});
    Values in{apart};
    if (pairs) in.push_back(site.integers({-1}, "axes"));
    site.result(order == 1 ? ops::ReduceL1 : ops::ReduceL2, in, {{"keepdims", int64_t{site.flag("keepdim")}}});
    return true;
}

constexpr std::array matrix_table{
    MapRow{.names = "aten.trace", .ops = "Gather ReduceSum", .rewrite = trace, .limits = "dims that are not fixed"},
    MapRow{.names = "aten.cross", .ops = "Gather Mul Sub", .rewrite = cross<false>, .limits = "operands of different ranks"},
    MapRow{.names = "aten.linalg_cross", .ops = "Gather Mul Sub", .rewrite = cross<true>, .limits = "operands of different ranks"},
    MapRow{"aten.inner", "Einsum", inner},
    MapRow{"aten.linalg_vecdot", "Mul ReduceSum", vecdot},
    MapRow{.names = "aten.pairwise_distance aten.dist",
           .ops = "Sub Add ReduceL1 ReduceL2",
           .rewrite = distance,
           .limits = "p other than 1 and 2"},
};

}  // namespace

std::span<const MapRow> matrix_rows() { return matrix_table; }

}  // namespace quern::torch_format
