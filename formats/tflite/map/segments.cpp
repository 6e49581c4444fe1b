// Operators over segments, diagonals and buckets, and others that have no counterpart but a few of our operators.
#include <array>

#include "formats/tflite/map/stablehlo.h"
#include "libcore/passes/decompose/fake_quant.h"
#include "libcore/passes/decompose/index.h"
#include "libcore/passes/decompose/row.h"

namespace quern::tflite_format {
namespace {

using decompose::Term, decompose::term;

constexpr std::string_view add = "add", mul = "mul", min = "min", max = "max";

template <const std::string_view& reduction>
bool unsorted_segments(Site& site) {
    const auto empty = decompose::nothing(term(site), reduction);
    if (!empty) return false;
    const Term count{&site, site.reshape(site.as_i64(2), {1})};
    return bind_result(site, decompose::segments(term(site), {&site, site.as_i64(1)}, count, *empty, reduction));
}

// Ids rise.
bool segment_sum(Site& site) {
    const Term ids{&site, site.as_i64(1)};
    return bind_result(site, decompose::segments(term(site), ids, decompose::rows_of(ids), *decompose::nothing(term(site), add), add));
}

// Places are one number, a vector of them, or rows of coordinates.
bool sparse_to_dense(Site& site) {
    const size_t rank = site.rank(0);
    if (rank > 2 || !site.has(3)) return false;
    const ValueId shape = site.as_i64(1), dense = site.add(ops::Expand, {site.in(3), shape});
    ValueId places = site.as_i64(0);
    if (rank < 2) places = site.add(ops::Reshape, {places, site.integers({-1, 1}, "tuples")});
    const ValueId count = site.add(ops::Slice, {site.add(ops::Shape, {places}), site.integers({0}, "begin"), site.integers({1}, "end")});
    site.result(ops::ScatterND, {dense, places, site.add(ops::Expand, {site.in(2), count})});
    return true;
}

// The number of boundaries at or below each number.
bool bucketize(Site& site) {
    const auto found = site.op().options.find("boundaries");
    const auto* bounds = found == site.op().options.end() ? nullptr : std::get_if<std::vector<float>>(&found->second);
    if (!bounds || bounds->empty()) throw bad_input("has no boundaries");
    ValueId x = site.in(0);
    if (site.dtype(0) != DType::f32) {
        if (bits_of(site.dtype(0)) > 32) return false;
        x = site.add(ops::Cast, {x}, {{"to", onnx_type(DType::f64)}});
    }
    const DType dtype = site.dtype(0) == DType::f32 ? DType::f32 : DType::f64;
    const Term limits{&site, site.constant(from_floats(dtype, {static_cast<int64_t>(bounds->size())}, *bounds), "boundaries")};
    site.bind(decompose::bucket({&site, x}, limits, ops::GreaterOrEqual, DType::i32));
    return true;
}

// [rows, columns] of bools, true where both are equal.
std::optional<ValueId> diagonal(Site& site, int64_t rows, int64_t columns) {
    if (rows < 0 || columns < 0 || rows > 1024 || columns > 1024) return std::nullopt;
    return decompose::diagonal(site, rows, columns).id;
}

bool matrix_diag(Site& site) {
    if (site.rank(0) < 1) throw bad_input("of a scalar");
    const int64_t n = site.dim(0, site.rank(0) - 1);
    const auto on = diagonal(site, n, n);
    if (!on) return false;
    const ValueId row = site.add(ops::Unsqueeze, {site.in(0), site.integers({-2}, "axes")});
    site.result(ops::Where, {*on, row, site.scalar(0, site.dtype(0), "zero")});
    return true;
}

bool matrix_set_diag(Site& site) {
    const size_t rank = site.rank(0);
    if (rank < 2 || site.rank(1) + 1 != rank) throw bad_input("rank {} with a diagonal of rank {}", rank, site.rank(1));
    const int64_t rows = site.dim(0, rank - 2), columns = site.dim(0, rank - 1);
    const auto on = rows == columns ? diagonal(site, rows, columns) : std::nullopt;
    if (!on) return false;
    site.result(ops::Where, {*on, site.add(ops::Unsqueeze, {site.in(1), site.integers({-2}, "axes")}), site.in(0)});
    return true;
}

bool broadcast_args(Site& site) {
    if (site.rank(0) != 1 || site.rank(1) != 1) throw bad_input("shapes have ranks {} and {}", site.rank(0), site.rank(1));
    const int64_t a = site.dim(0, 0), b = site.dim(1, 0);
    return a >= 0 && b >= 0 && bind_result(site, decompose::broadcast_shapes(term(site, 0), a, term(site, 1), b));
}

bool fake_quant(Site& site) {
    const float low = site.real("min"), high = site.real("max");
    const int64_t bits = site.integer("num_bits", 8);
    if (!(low <= 0 && high >= 0 && low < high) || bits < 2 || bits > 16) return false;
    const std::array range{decompose::nudged_range(low, high, static_cast<int>(bits), site.flag("narrow_range"))};
    return bind_result(site, decompose::fake_quantized(term(site), range));
}

bool bitcast(Site& site) {
    const DType from = site.dtype(0), to = type_of(site.out_tensor()).dtype;
    if (encoding_of(site.tensor(0), site.scope().from) || bits_of(from) != bits_of(to) || bits_of(to) == 0) return false;
    site.result(ops::BitCast, {site.in(0)}, {{"to", onnx_type(to)}});
    return true;
}

// Data is [N, D, H, W, C], the filter [D, H, W, C, M].
bool conv_3d(Site& site) {
    if (site.rank(0) != 5 || site.rank(1) != 5) throw bad_input("ranks are {} and {}, need 5", site.rank(0), site.rank(1));
    if (site.dim(0, 4) < 0 || site.dim(0, 4) != site.dim(1, 3)) return false;
    const Ints strides{site.integer("stride_d"), site.integer("stride_h"), site.integer("stride_w")},
        dilations{site.integer("dilation_d_factor", 1), site.integer("dilation_h_factor", 1), site.integer("dilation_w_factor", 1)};
    for (size_t i = 0; i < 3; ++i)
        if (strides[i] < 1 || dilations[i] < 1) throw bad_input("has strides {} and dilations {}", strides[i], dilations[i]);
    Attrs attrs{{"layout", std::string("NHWC")},
                {"strides", strides},
                {"dilations", dilations},
                {"kernel_shape", Ints{site.dim(1, 0), site.dim(1, 1), site.dim(1, 2)}}};
    if (site.word("padding", "SAME") == "SAME") attrs["auto_pad"] = std::string("SAME_UPPER");
    Values in{site.in(0), site.permuted(1, {4, 0, 1, 2, 3})};
    if (site.has(2)) in.push_back(site.in(2));
    site.result(ops::Conv, in, attrs);
    return true;
}

constexpr std::array segments_table{
    MapRow{Code::BITCAST, "BitCast", bitcast, "types of other widths"},
    MapRow{Code::BROADCAST_ARGS, "Where", broadcast_args, "shapes of unknown length"},
    MapRow{Code::BUCKETIZE, "GreaterOrEqual ReduceSum", bucketize, "64-bit numbers"},
    MapRow{Code::CONV_3D, "Conv", conv_3d, "groups"},
    MapRow{Code::FAKE_QUANT, "Clip Floor Mul Add", fake_quant, "ranges without 0"},
    MapRow{Code::MATRIX_DIAG, "Where", matrix_diag, "shapes that are not fixed, more than 1024 rows"},
    MapRow{Code::MATRIX_SET_DIAG, "Where", matrix_set_diag, "matrices that are not square, as MATRIX_DIAG"},
    MapRow{Code::SEGMENT_SUM, "ScatterND", segment_sum},
    MapRow{Code::SPARSE_TO_DENSE, "Expand ScatterND", sparse_to_dense},
    MapRow{Code::UNSORTED_SEGMENT_MAX, "ScatterND", unsorted_segments<max>, "whole numbers"},
    MapRow{Code::UNSORTED_SEGMENT_MIN, "ScatterND", unsorted_segments<min>, "whole numbers"},
    MapRow{Code::UNSORTED_SEGMENT_PROD, "ScatterND", unsorted_segments<mul>},
    MapRow{Code::UNSORTED_SEGMENT_SUM, "ScatterND", unsorted_segments<add>},
};

}  // namespace

std::span<const MapRow> segment_rows() { return segments_table; }

}  // namespace quern::tflite_format
