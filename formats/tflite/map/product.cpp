// Matrix products and lookups.
#include <algorithm>
#include <array>

#include "formats/tflite/map/map.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/passes/decompose/index.h"
#include "libcore/passes/decompose/row.h"

namespace quern::tflite_format {
namespace {

using decompose::Term, decompose::term;

// Of data [..., K] with sizes that no Reshape could compute: a product that keeps its dims.
bool product_of_open_dims(Site& site, int64_t units) {
    const Values in = site.with_bias({site.in(0), site.permuted(1, {1, 0})}, units);
    Attrs attrs;
    if (site.flag(asymmetric_key)) attrs[asymmetric_key] = int64_t{1};
    if (in.size() < 3)
        site.result(ops::MatMul, in, attrs);
    else
        site.result(ops::Add, {site.add(ops::MatMul, {in[0], in[1]}, attrs), in[2]});
    return true;
}

// Data of any rank is taken as rows of what the weights [units, K] take.
bool fully_connected(Site& site) {
    if (site.rank(1) != 2) throw bad_input("weights are {}, need rank 2", to_string(site.tensor(1).shape));
    if (site.word("weights_format", "DEFAULT") != "DEFAULT") return false;
    const int64_t units = site.dim(1, 0), k = site.dim(1, 1);
    const size_t rank = site.rank(0);
    if (units < 0 || k < 0) return false;
    Ints wanted;  // the shape of the result, where it is not [rows, units]
    if (site.flag("keep_num_dims") && rank != 2) {
        for (size_t i = 0; i + 1 < rank; ++i) wanted.push_back(site.dim(0, i));
        wanted.push_back(units);
        if (rank == 0) return false;
        if (std::ranges::count(wanted, -1) > 1) return product_of_open_dims(site, units);
    }
    Values in{site.in(0), site.in(1)};
    if (rank != 2 || site.dim(0, 1) != k) in[0] = site.add(ops::Reshape, {in[0], site.integers({-1, k}, "rows")});
    in = site.with_bias(std::move(in), units);
    Attrs attrs{{"transB", int64_t{1}}};
    if (site.flag(asymmetric_key)) attrs[asymmetric_key] = int64_t{1};
    if (wanted.empty())
        site.result(ops::Gemm, in, attrs);
    else {
        const ValueId rows = site.before_movement(ops::Gemm, in, attrs);
        site.put(ops::Reshape, {rows, site.integers(wanted, "shape")}, {site.out_value(0)});
    }
    return true;
}

bool batch_matmul(Site& site) {
    Values in = site.ins();
    const std::array adjoint{site.flag("adj_x"), site.flag("adj_y")};
    for (size_t i = 0; i < 2; ++i) {
        if (!adjoint[i]) continue;
        if (site.rank(i) < 2) throw bad_input("input {} has rank {}", i, site.rank(i));
        in[i] = site.permuted(i, decompose::last_two_swapped(site.rank(i)));
    }
    Attrs attrs;
    if (site.flag(asymmetric_key)) attrs[asymmetric_key] = int64_t{1};
    site.result(ops::MatMul, in, attrs);
    return true;
}

// As many batch dims as dims before the axis is what GatherND takes; more has no operator of ours.
bool gather(Site& site) {
    const auto rank = static_cast<int64_t>(site.rank(0));
    int64_t axis = site.integer("axis"), batch = site.integer("batch_dims");
    if (batch < 0) batch += static_cast<int64_t>(site.rank(1));
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= std::max<int64_t>(rank, 1) || batch < 0 || batch > axis)
        throw bad_input("axis is {} of rank {}, batch dims {}", axis, rank, batch);
    if (batch != 0 && batch != axis) return false;
    if (batch != 0) {
        const Term x = term(site), places{&site, site.as_i64(1)};
        return bind_result(site, decompose::gather_in_batches(x, rank, places, static_cast<int64_t>(site.rank(1)), axis, batch));
    }
    site.result(ops::Gather, site.ins(), {{"axis", axis}});
    return true;
}

bool gather_nd(Site& site) {
    site.result(ops::GatherND, {site.in(0), site.as_i64(1)});
    return true;
}

bool embedding_lookup(Site& site) {
    site.result(ops::Gather, {site.in(1), site.in(0)}, {{"axis", int64_t{0}}});
    return true;
}

bool scatter_nd(Site& site) {
    return bind_result(site, decompose::scatter_nd({&site, site.as_i64(0)}, term(site, 1), {&site, site.as_i64(2)}));
}

constexpr std::array product_table{
    MapRow{Code::BATCH_MATMUL, "MatMul Transpose", batch_matmul},
    MapRow{Code::EMBEDDING_LOOKUP, "Gather", embedding_lookup},
    MapRow{Code::FULLY_CONNECTED, "Gemm Reshape", fully_connected, "shuffled weights"},
    MapRow{Code::GATHER, "Gather GatherND", gather, "fewer batch dims than dims before the axis"},
    MapRow{Code::GATHER_ND, "GatherND", gather_nd},
    MapRow{Code::SCATTER_ND, "Expand ScatterND", scatter_nd},
};

}  // namespace

std::span<const MapRow> product_rows() { return product_table; }

}  // namespace quern::tflite_format
