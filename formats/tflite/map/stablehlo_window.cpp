// StableHLO's operators over windows and by indices.
#include <algorithm>
#include <array>
#include <numeric>

#include "formats/tflite/map/stablehlo.h"
#include "libcore/base/text.h"

namespace quern::tflite_format {
namespace {

// Tuples of indices in the last dim of `starts`, entry i for dim map[i] of a tensor of `rank` dims, as tuples for all dims: 0 for others.
ValueId full_tuples(Site& site, ValueId starts, size_t start_rank, const Ints& map, size_t rank) {
    Ints pads(2 * start_rank, 0), columns(rank, static_cast<int64_t>(map.size()));
    pads.back() = 1;
    for (size_t i = 0; i < map.size(); ++i) columns[normal_axis(map[i], rank)] = static_cast<int64_t>(i);
    const ValueId wide = site.add(ops::Pad, {starts, site.integers(pads, "zero_column")});
    return site.add(ops::Gather, {wide, site.integers(columns, "columns")}, {{"axis", int64_t{-1}}});
}

// Input i with its dim `at` last; behind the last: a new one.
ValueId index_tuples(Site& site, size_t i, int64_t at, size_t& rank) {
    rank = site.rank(i);
    const ValueId numbers = site.as_i64(i);
    if (at == static_cast<int64_t>(rank)) {
        ++rank;
        return site.add(ops::Unsqueeze, {numbers, site.integers({-1}, "tuple")});
    }
    if (at < 0 || at > static_cast<int64_t>(rank)) throw bad_input("index vectors are in dim {} of {}", at, rank);
    if (at + 1 == static_cast<int64_t>(rank)) return numbers;
    Ints order(rank);
    std::iota(order.begin(), order.end(), 0);
    order.erase(order.begin() + at);
    order.push_back(at);
    return site.add(ops::Transpose, {numbers}, {{"perm", order}});
}

ValueId clamped(Site& site, ValueId starts, const Ints& dims, const Ints& sizes) {
    Ints last(dims.size());
    for (size_t d = 0; d < dims.size(); ++d) {
        if (sizes[d] < 0 || sizes[d] > dims[d]) throw bad_input("windows {} of {}", to_string(sizes), to_string(dims));
        last[d] = dims[d] - sizes[d];
    }
    return site.add(ops::Max, {site.add(ops::Min, {starts, site.integers(last, "last")}), site.integers({0}, "least")});
}

// [batch..., rank] -> [batch..., window..., rank]
ValueId with_window(Site& site, ValueId starts, size_t batch_rank, size_t window_rank, const Tensor& places) {
    if (window_rank > 0) {
        Ints axes(window_rank);
        std::iota(axes.begin(), axes.end(), static_cast<int64_t>(batch_rank));
        starts = site.add(ops::Unsqueeze, {starts, site.integers(axes, "window_axes")});
    }
    return site.add(ops::Add, {starts, site.constant(places, "places")});
}

// Dims that `taken` does not name, of `rank`.
Ints others(const Ints& taken, size_t rank) {
    Ints rest;
    for (int64_t d = 0; d < static_cast<int64_t>(rank); ++d)
        if (std::find(taken.begin(), taken.end(), d) == taken.end()) rest.push_back(d);
    return rest;
}

bool gather(Site& site) {
    const auto dims = fixed_dims(site, 0);
    const Ints offsets = site.list("offset_dims").value_or(Ints()), collapsed = site.list("collapsed_slice_dims").value_or(Ints()),
               map = site.list("start_index_map").value_or(Ints()), sizes = site.list("slice_sizes").value_or(Ints());
    if (!dims) return false;
    const Ints kept = others(collapsed, dims->size());
    if (sizes.size() != dims->size() || kept.size() != offsets.size() || map.size() > dims->size())
        throw bad_input("{} slice sizes and {} offset dims for {}", sizes.size(), offsets.size(), to_string(*dims));
    Ints window;
    for (const int64_t d : kept) window.push_back(sizes[static_cast<size_t>(d)]);
    const auto places = window_places(window, kept, dims->size());
    if (!places) return false;
    size_t rank = 0;
    const ValueId tuples = index_tuples(site, 1, site.integer("index_vector_dim"), rank);
    const ValueId starts = clamped(site, full_tuples(site, tuples, rank, map, dims->size()), *dims, sizes);
    const size_t batch = rank - 1;
    const ValueId all = with_window(site, starts, batch, window.size(), *places);
    // The result of GatherND is [batch..., window...]; window dim i is dim offsets[i].
    Ints order(batch + window.size(), -1);
    for (size_t i = 0; i < offsets.size(); ++i) order[normal_axis(offsets[i], order.size())] = static_cast<int64_t>(batch + i);
    int64_t next = 0;
    for (int64_t& place : order)
        if (place < 0) place = next++;
    site.result(ops::Transpose, {site.add(ops::GatherND, {site.in(0), all})}, {{"perm", order}});
    return true;
}

struct Reduction {
    OpId op, along;         // of two numbers, of all along axes
    std::string_view word;  // of what is scattered
};
constexpr std::array reductions{Reduction{ops::Add, ops::ReduceSum, "add"}, Reduction{ops::Mul, ops::ReduceProd, "mul"},
                                Reduction{ops::Max, ops::ReduceMax, "max"}, Reduction{ops::Min, ops::ReduceMin, "min"}};

// What a body reduces by; nullptr: it is no reduction.
const Reduction* reduction_of(Site& site, std::string_view option) {
    const auto found = std::find_if(reductions.begin(), reductions.end(),
                                    [what = body_operation(site, option)](const Reduction& row) { return what == row.op; });
    return found == reductions.end() ? nullptr : &*found;
}

// Indices outside are an error of the run, where StableHLO leaves the update out.
bool scatter(Site& site) {
    const auto dims = fixed_dims(site, 0), updates = fixed_dims(site, 2);
    const std::string_view body = "update_computation_subgraph_index";
    const Reduction* reduction = reduction_of(site, body);
    const Ints window_dims = site.list("update_window_dims").value_or(Ints()),
               inserted = site.list("inserted_window_dims").value_or(Ints()),
               map = site.list("scatter_dims_to_operand_dims").value_or(Ints());
    if (!dims || !updates || (!reduction && !hands_second_on(site, body))) return false;
    const Ints kept = others(inserted, dims->size()), batch_dims = others(window_dims, updates->size());
    if (kept.size() != window_dims.size() || map.size() > dims->size())
        throw bad_input("{} window dims for {}", window_dims.size(), kept.size());
    Ints window;
    for (const int64_t d : window_dims) window.push_back((*updates)[normal_axis(d, updates->size())]);
    const auto places = window_places(window, kept, dims->size());
    if (!places) return false;
    size_t rank = 0;
    const ValueId tuples = index_tuples(site, 1, site.integer("index_vector_dim"), rank);
    const ValueId starts = full_tuples(site, tuples, rank, map, dims->size());
    Ints order = batch_dims;
    order.insert(order.end(), window_dims.begin(), window_dims.end());
    const ValueId moved = site.add(ops::Transpose, {site.in(2)}, {{"perm", order}});
    const std::string word(reduction ? reduction->word : "none");
    site.result(ops::ScatterND, {site.in(0), with_window(site, starts, rank - 1, window.size(), *places), moved}, {{"reduction", word}});
    return true;
}

// One start a dim, each a scalar: as one vector.
ValueId joined_starts(Site& site, size_t first) {
    if (site.in_count() == first + 1 && site.rank(first) == 1) return site.as_i64(first);
    const ValueId axes = site.integers({0}, "start_axes");
    Values parts;
    for (size_t i = first; i < site.in_count(); ++i) parts.push_back(site.add(ops::Unsqueeze, {site.as_i64(i), axes}));
    return parts.empty() ? site.integers({}, "starts") : site.add(ops::Concat, parts, {{"axis", int64_t{0}}});
}

bool dynamic_slice(Site& site) {
    const auto dims = fixed_dims(site, 0);
    const Ints sizes = site.list("slice_sizes").value_or(Ints());
    if (!dims || sizes.size() != dims->size() || dims->empty()) return false;
    const ValueId starts = clamped(site, joined_starts(site, 1), *dims, sizes);
    site.result(ops::Slice, {site.in(0), starts, site.add(ops::Add, {starts, site.integers(sizes, "sizes")})});
    return true;
}

bool dynamic_update_slice(Site& site) {
    const auto dims = fixed_dims(site, 0), sizes = fixed_dims(site, 1);
    if (!dims || !sizes || sizes->size() != dims->size() || dims->empty()) return false;
    Ints all(dims->size());
    std::iota(all.begin(), all.end(), 0);
    const auto places = window_places(*sizes, all, dims->size());
    if (!places) return false;
    const ValueId starts = clamped(site, joined_starts(site, 2), *dims, *sizes);
    site.result(ops::ScatterND, {site.in(0), with_window(site, starts, 0, sizes->size(), *places), site.in(1)});
    return true;
}

// Of one operand, which begins with input 1.
bool reduce(Site& site) {
    const Reduction* reduction = reduction_of(site, "body_subgraph_index");
    if (site.in_count() != 2 || !reduction) return false;
    const ValueId axes = site.integers(site.list("dimensions").value_or(Ints()), "axes");
    const ValueId all = site.add(reduction->along, {site.in(0), axes}, {{"keepdims", int64_t{0}}, {"noop_with_empty_axes", int64_t{1}}});
    site.result(reduction->op, {all, site.in(1)});
    return true;
}

struct Windows {
    Ints lengths, strides, dilations, pads;  // pads: all before, all after
};

// A filter of ones sums float numbers, MaxPool finds the greatest; the frame is filled with the number that it begins with, which is then
// not taken again where it is one that does nothing.
bool over_windows(Site& site, const Windows& w, std::optional<OpId> what, ValueId first) {
    const auto dims = fixed_dims(site, 0);
    const DType dtype = site.dtype(0);
    if (!dims || dims->size() != w.lengths.size() || dims->empty() || !is_float(dtype)) return false;
    if (what != ops::Add && what != ops::Max && what != ops::Min) return false;
    for (size_t d = 0; d < dims->size(); ++d)
        if (w.lengths[d] < 1 || w.strides[d] < 1 || w.dilations[d] < 1) throw bad_input("windows of {}", to_string(w.lengths));
    const ValueId minus = what == ops::Min ? site.add(ops::Neg, {first}) : first;
    ValueId x = what == ops::Min ? site.add(ops::Neg, {site.in(0)}) : site.in(0);
    x = site.add(ops::Pad, {x, site.integers(w.pads, "pads"), minus});
    x = site.add(ops::Unsqueeze, {x, site.integers({0, 1}, "image")});
    Attrs attrs{{"kernel_shape", w.lengths}, {"strides", w.strides}, {"dilations", w.dilations}};
    if (what == ops::Add) {
        Ints ones{1, 1};
        ones.insert(ones.end(), w.lengths.begin(), w.lengths.end());
        const ValueId filter = site.add(ops::Expand, {site.scalar(1, dtype, "one"), site.integers(ones, "filter")});
        x = site.add(ops::Conv, {x, filter}, attrs);
    } else {
        x = site.add(ops::MaxPool, {x}, attrs);
        if (what == ops::Min) x = site.add(ops::Neg, {x});
    }
    site.result(*what, {site.add(ops::Squeeze, {x, site.integers({0, 1}, "image_axes")}), first});
    return true;
}

bool all_one(const Ints& items) {
    return std::all_of(items.begin(), items.end(), [](int64_t item) { return item == 1; });
}

bool reduce_window(Site& site) {
    const size_t rank = site.rank(0);
    Windows w{site.list("window_dimensions").value_or(Ints()), site.list("window_strides").value_or(Ints(rank, 1)),
              site.list("window_dilations").value_or(Ints(rank, 1)), Ints(2 * rank, 0)};
    const Ints base = site.list("base_dilations").value_or(Ints()), pads = site.list("padding").value_or(Ints());
    if (w.strides.empty()) w.strides.assign(rank, 1);
    if (w.dilations.empty()) w.dilations.assign(rank, 1);
    if (w.lengths.size() != rank || w.strides.size() != rank || w.dilations.size() != rank || (!pads.empty() && pads.size() != 2 * rank))
        throw bad_input("windows of {} dims over {}", w.lengths.size(), rank);
    if (!all_one(base) || site.in_count() != 2) return false;
    for (size_t i = 0; i < pads.size(); ++i) w.pads[i / 2 + (i % 2) * rank] = pads[i];
    return over_windows(site, w, body_operation(site, "body_subgraph_index"), site.in(1));
}

// TFLite's own: lengths, strides and dilations are operands, nothing is put around.
bool reduce_window_by_operands(Site& site) {
    const size_t rank = site.rank(0);
    if (site.in_count() != 5) return false;
    const auto lengths = site.ints(2), strides = site.ints(3), dilations = site.ints(4);
    if (!lengths || !strides || !dilations || lengths->size() != rank || strides->size() != rank || dilations->size() != rank) return false;
    const std::string function = site.word("reduce_function", "UNSUPPORTED");
    std::optional<OpId> what;
    if (function == "ADD") what = ops::Add;
    if (function == "MAXIMUM") what = ops::Max;
    if (function == "MINIMUM") what = ops::Min;
    return over_windows(site, {*lengths, *strides, *dilations, Ints(2 * rank, 0)}, what, site.in(1));
}

// [batch..., rows..., sums...] x [batch..., columns..., sums...] as one product of matrices.
bool dot_general(Site& site) {
    const auto a = fixed_dims(site, 0), b = fixed_dims(site, 1);
    const Ints a_batch = site.list("lhs_batching_dimensions").value_or(Ints()),
               b_batch = site.list("rhs_batching_dimensions").value_or(Ints()),
               a_sum = site.list("lhs_contracting_dimensions").value_or(Ints()),
               b_sum = site.list("rhs_contracting_dimensions").value_or(Ints());
    if (!a || !b) return false;
    if (a_batch.size() != b_batch.size() || a_sum.size() != b_sum.size())
        throw bad_input("{} and {} dims are summed", a_sum.size(), b_sum.size());
    const auto part = [&](size_t operand, const Ints& dims, const Ints& batch, const Ints& sum, bool sums_last) {
        Ints taken = batch;
        taken.insert(taken.end(), sum.begin(), sum.end());
        const Ints rest = others(taken, dims.size());
        if (rest.size() + taken.size() != dims.size()) throw bad_input("dims {} of {}", to_string(taken), to_string(dims));
        const auto size = [&](const Ints& list) {
            int64_t count = 1;
            for (const int64_t d : list) count *= dims.at(static_cast<size_t>(d));
            return count;
        };
        Ints order = batch;
        order.insert(order.end(), (sums_last ? rest : sum).begin(), (sums_last ? rest : sum).end());
        order.insert(order.end(), (sums_last ? sum : rest).begin(), (sums_last ? sum : rest).end());
        const Ints matrix{size(batch), size(sums_last ? rest : sum), size(sums_last ? sum : rest)};
        const ValueId moved = site.add(ops::Transpose, {site.in(operand)}, {{"perm", order}});
        return site.add(ops::Reshape, {moved, site.integers(matrix, "matrix")}, {{"allowzero", int64_t{1}}});
    };
    const ValueId left = part(0, *a, a_batch, a_sum, true), right = part(1, *b, b_batch, b_sum, false);
    site.result(ops::Reshape, {site.add(ops::MatMul, {left, right}), site.integers(site.out_tensor().shape, "shape")},
                {{"allowzero", int64_t{1}}});
    return true;
}

constexpr std::array stablehlo_window_table{
    MapRow{Code::DYNAMIC_UPDATE_SLICE, "ScatterND", dynamic_update_slice, "shapes that are not fixed, large updates"},
    MapRow{Code::STABLEHLO_DOT_GENERAL, "Transpose Reshape MatMul", dot_general, "shapes that are not fixed"},
    MapRow{Code::STABLEHLO_DYNAMIC_SLICE, "Slice", dynamic_slice, "shapes that are not fixed"},
    MapRow{Code::STABLEHLO_DYNAMIC_UPDATE_SLICE, "ScatterND", dynamic_update_slice, "shapes that are not fixed, large updates"},
    MapRow{Code::STABLEHLO_GATHER, "GatherND Transpose", gather, "shapes that are not fixed, large slices"},
    MapRow{Code::STABLEHLO_REDUCE, "ReduceSum ReduceProd ReduceMax ReduceMin", reduce,
           "bodies of more than one operator, several operands"},
    MapRow{Code::STABLEHLO_REDUCE_WINDOW, "Pad Conv MaxPool", reduce_window, "bodies other than sum, greatest, least; base dilations"},
    MapRow{Code::STABLEHLO_SCATTER, "ScatterND", scatter, "bodies of more than one operator, large updates"},
    MapRow{Code::REDUCE_WINDOW, "Conv MaxPool", reduce_window_by_operands, "products, truths, integers"},
};

}  // namespace

std::span<const MapRow> stablehlo_window_rows() { return stablehlo_window_table; }

}  // namespace quern::tflite_format
