// Gathering and scattering.
#include <algorithm>
#include <array>

#include "formats/tensorflow/map/map.h"
#include "formats/tensorflow/map/operands.h"
#include "libcore/ops/shared/indices.h"
#include "libcore/passes/decompose/index.h"
#include "libcore/passes/decompose/row.h"

namespace quern::tensorflow_format {
namespace {

using decompose::term;

bool gather(Site& site) {
    const auto axis_in = site.inputs() > 2 ? site.integer_in(2) : std::optional<int64_t>(0);
    if (!axis_in) return false;
    int64_t batch = site.integer("batch_dims", 0);
    const bool plain = batch == 0;
    if (plain && *axis_in >= 0)
        return give(site, site.add(ops::Gather, {site.in(0), site.in(1)}, {{"axis", *axis_in}, {negative_outside_key, int64_t{1}}}));
    if (batch < 0) batch += static_cast<int64_t>(site.rank(1));
    const auto axis = static_cast<int64_t>(normal_axis(*axis_in, site.rank(0)));
    if (plain) return give(site, site.add(ops::Gather, {site.in(0), site.in(1)}, {{"axis", axis}, {negative_outside_key, int64_t{1}}}));
    if (batch < 0 || batch > axis || batch > static_cast<int64_t>(site.rank(1)))
        throw bad_input("axis is {} of rank {}, batch dims {}", axis, site.rank(0), batch);
    const auto rank = static_cast<int64_t>(site.rank(0)), places_rank = static_cast<int64_t>(site.rank(1));
    return give(site, decompose::gather_in_batches(term(site), rank, {&site, site.as_i64(1)}, places_rank, axis, batch));
}

bool gather_nd(Site& site) {
    return give(site, site.add(ops::GatherND, {site.in(0), site.as_i64(1)}, {{negative_outside_key, int64_t{1}}}));
}

// Updates at the same place are added up.
bool scatter_nd(Site& site) { return give(site, decompose::scatter_nd({&site, site.as_i64(0)}, term(site, 1), {&site, site.as_i64(2)})); }

bool scattered(Site& site, ValueId updates, const Attrs& attrs) {
    return give(site, site.add(ops::ScatterND, {site.in(0), site.as_i64(1), updates}, attrs));
}
bool tensor_update(Site& site) { return scattered(site, site.in(2), {}); }
bool tensor_sub(Site& site) { return scattered(site, site.add(ops::Neg, {site.in(2)}), {{"reduction", std::string("add")}}); }

constexpr std::string_view add = "add", max = "max", min = "min";

template <const std::string_view& reduction>
bool tensor_scatter(Site& site) {
    return scattered(site, site.in(2), {{"reduction", std::string(reduction)}});
}

// In the order in which they come.
template <bool has_axis, bool counts>
bool unique(Site& site) {
    Attrs attrs{{"sorted", int64_t{0}}};
    if (has_axis) {
        const auto axes = site.ints(1);
        if (!axes || axes->size() > 1) return false;
        if (axes->size() == 1)
            attrs["axis"] = (*axes)[0];
        else if (site.rank(0) != 1)
            return false;
    }
    const Values made = site.add_several(ops::Unique, {site.in(0)}, 4, attrs);
    const DType places = site.type("out_idx", DType::i32);
    site.out(0, made[0]);
    site.out(1, site.cast(made[2], places));
    if (counts) site.out(2, site.cast(made[3], places));
    return true;
}

bool invert_permutation(Site& site) {
    const ValueId order = site.as_i64(0), places = counted(site, length_of(site, order, 0));
    return give(site, site.cast(site.add(ops::ScatterElements, {places, order, places}, {{"axis", int64_t{0}}}), site.dtype(0)));
}

// ---- parts ----

// The rows of each part, which a number says of each row.
bool dynamic_partition(Site& site) {
    const int64_t count = site.integer("num_partitions", 0);
    const size_t rank = site.rank(1);
    if (count < 1 || count > 4096) throw bad_input("num_partitions is {}", count);
    ValueId x = site.in(0), part = site.in(1);
    if (rank == 0) return false;
    if (rank > 1) {
        Ints shape{-1};
        for (size_t i = rank; i < site.rank(0); ++i) shape.push_back(site.dim(0, static_cast<int64_t>(i)));
        if (std::ranges::count(shape, -1) > 1) return false;
        x = site.reshape(x, shape);
        part = site.reshape(part, {-1});
    }
    for (int64_t i = 0; i < count; ++i) {
        const ValueId own = site.add(ops::Equal, {part, site.scalar(static_cast<double>(i), DType::i32)});
        site.out(static_cast<size_t>(i), site.add(ops::Compress, {x, own}, {{"axis", int64_t{0}}}));
    }
    return true;
}

// Rows at the places that are named; of several at one place the last stays.
bool dynamic_stitch(Site& site) {
    const size_t count = site.inputs() / 2;
    if (count == 0) return false;
    if (site.rank(count) < site.rank(0)) throw bad_input("data of rank {} for places of rank {}", site.rank(count), site.rank(0));
    const size_t inner = site.rank(count) - site.rank(0);
    Values places, data;
    for (size_t i = 0; i < count; ++i) {
        Ints shape{-1};
        if (site.rank(count + i) != site.rank(i) + inner) throw bad_input("data {} has another rank than data 0", i);
        for (size_t d = 0; d < inner; ++d) shape.push_back(site.dim(count + i, static_cast<int64_t>(site.rank(i) + d)));
        if (std::ranges::count(shape, -1) > 1) return false;
        places.push_back(site.reshape(site.as_i64(i), {-1}));
        data.push_back(site.rank(i) == 1 ? site.in(count + i) : site.reshape(site.in(count + i), shape));
    }
    const ValueId all = joined(site, places), rows = joined(site, data);
    const ValueId length = site.add(ops::Add, {reduced(site, ops::ReduceMax, all, {0}, true), site.integers({1})});
    Values dims{length};
    for (size_t d = 1; d <= inner; ++d) dims.push_back(length_of(site, rows, static_cast<int64_t>(d)));
    const ValueId zeros = filled(site, site.scalar(0, site.dtype(count)), joined(site, dims));
    return give(site, site.add(ops::ScatterND, {zeros, unsqueezed(site, all, {1}), rows}));
}

// ---- boxes ----

ValueId vector_of_one(Site& site, size_t i, DType dtype) { return site.reshape(site.cast(site.in(i), dtype), {1}); }

bool nms(Site& site) {
    const ValueId boxes = unsqueezed(site, site.cast(site.in(0), DType::f32), {0}),
                  scores = unsqueezed(site, site.cast(site.in(1), DType::f32), {0, 1});
    Values in{boxes, scores, vector_of_one(site, 2, DType::i64)};
    if (site.inputs() > 3)
        in.push_back(vector_of_one(site, 3, DType::f32));
    else
        in.push_back(site.constant(from_doubles(DType::f32, {1}, std::array{site.real("iou_threshold", 0.5)})));
    if (site.inputs() > 4) in.push_back(vector_of_one(site, 4, DType::f32));
    const ValueId chosen = site.add(ops::NonMaxSuppression, in);
    return give(site, site.cast(squeezed(site, cut(site, chosen, 2, 3, 1), {1}), DType::i32));
}

// As many places as are wanted, and how many of them are valid; without padding only those.
template <bool scored>
bool soft_nms(Site& site) {
    const Values made = site.add_several(ops::own::SoftNonMaxSuppression, site.ins(), 3);
    const bool padded = site.flag("pad_to_max_output_size", false);
    const ValueId valid = site.reshape(site.cast(made[2], DType::i64), {1});
    const auto shown = [&](ValueId all) {
        return padded ? all : site.add(ops::Slice, {all, site.integers({0}), valid, site.integers({0})});
    };
    site.out(0, shown(made[0]));
    if (scored) site.out(1, shown(made[1]));
    site.out(scored ? 2 : 1, made[2]);
    return true;
}

constexpr std::array index_table{
    MapRow{"DynamicPartition", "Equal Compress", dynamic_partition, "outputs*"},
    MapRow{"DynamicStitch ParallelDynamicStitch", "Expand ScatterND", dynamic_stitch},
    MapRow{"Gather GatherV2", "Gather GatherND Transpose", gather},
    MapRow{"GatherNd", "GatherND", gather_nd},
    MapRow{"InvertPermutation", "Range ScatterElements", invert_permutation},
    MapRow{"NonMaxSuppression NonMaxSuppressionV2 NonMaxSuppressionV3", "NonMaxSuppression Slice", nms},
    MapRow{"NonMaxSuppressionV4", "SoftNonMaxSuppression", soft_nms<false>, "selected_indices valid_outputs"},
    MapRow{"NonMaxSuppressionV5", "SoftNonMaxSuppression", soft_nms<true>, "selected_indices selected_scores valid_outputs"},
    MapRow{"ScatterNd", "Expand ScatterND", scatter_nd},
    MapRow{"TensorScatterAdd", "ScatterND", tensor_scatter<add>},
    MapRow{"TensorScatterMax", "ScatterND", tensor_scatter<max>},
    MapRow{"TensorScatterMin", "ScatterND", tensor_scatter<min>},
    MapRow{"TensorScatterSub", "Neg ScatterND", tensor_sub},
    MapRow{"TensorScatterUpdate", "ScatterND", tensor_update},
    MapRow{"Unique", "Unique", unique<false, false>, "y idx"},
    MapRow{"UniqueV2", "Unique", unique<true, false>, "y idx"},
    MapRow{"UniqueWithCounts", "Unique", unique<false, true>, "y idx count"},
    MapRow{"UniqueWithCountsV2", "Unique", unique<true, true>, "y idx count"},
    MapRow{"Where", "NonZero Transpose", decompose::composed<decompose::places_of>},
};

}  // namespace

std::span<const MapRow> index_rows() { return index_table; }

}  // namespace quern::tensorflow_format
