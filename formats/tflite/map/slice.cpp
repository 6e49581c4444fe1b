// Operators that cut out and frame.
#include <algorithm>
#include <array>
#include <limits>

#include "formats/shared/cuts.h"
#include "formats/tflite/map/map.h"
#include "libcore/passes/decompose/index.h"

namespace quern::tflite_format {
namespace {

constexpr int64_t furthest = std::numeric_limits<int64_t>::max();

// A size of -1 is all there is.
bool slice(Site& site) {
    const auto starts = site.ints(1), sizes = site.ints(2);
    if (!starts || !sizes) {  // what is computed has to be given as sizes
        const ValueId from = site.as_i64(1);
        const bool all = sizes && std::all_of(sizes->begin(), sizes->end(), [](int64_t size) { return size < 0; });
        if (all) return site.result(ops::Slice, {site.in(0), from, site.integers(Ints(sizes->size(), furthest), "ends")}), true;
        const ValueId size = site.as_i64(2);
        ValueId ends = site.add(ops::Add, {from, size});
        const bool counted = sizes && std::all_of(sizes->begin(), sizes->end(), [](int64_t n) { return n >= 0; });
        if (!counted)
            ends = site.add(ops::Where,
                            {site.add(ops::Less, {size, site.integers({0}, "none")}), site.integers({furthest}, "furthest"), ends});
        site.result(ops::Slice, {site.in(0), from, ends});
        return true;
    }
    if (starts->size() != sizes->size()) throw bad_input("has {} starts and {} sizes", starts->size(), sizes->size());
    Ints ends;
    for (size_t i = 0; i < sizes->size(); ++i) ends.push_back((*sizes)[i] < 0 ? furthest : (*starts)[i] + (*sizes)[i]);
    site.result(ops::Slice, {site.in(0), site.integers(*starts, "starts"), site.integers(ends, "ends")});
    return true;
}

// Cuts with bounds that are known; nullopt: they are computed.
struct Cuts {
    Ints starts, ends, axes, steps;
};

struct Bounds {
    int64_t start, stop, step;
    bool whole() const { return start == 0 && stop == furthest && step == 1; }
};

// Of one dim; `last` counts from `first` on if `by_length` says so.
Bounds bounds_of(const SliceSpec::Cut& own, int64_t first, int64_t last, int64_t stride, bool by_length) {
    const int64_t step = own.one ? 1 : stride;
    const int64_t start = !own.from_first ? first : step > 0 ? 0 : furthest;
    if (own.one) return {start, start == -1 ? furthest : start + 1, step};
    if (own.to_last) return {start, step > 0 ? furthest : -furthest, step};
    return {start, by_length ? first + last : last, step};
}

std::optional<Cuts> cuts_of(Site& site, const SliceSpec& spec) {
    const auto begin = site.ints(1), end = site.ints(2), steps = site.ints(3);
    if (!begin || !end || !steps) return std::nullopt;
    const size_t count = begin->size();
    if (end->size() != count || steps->size() != count)
        throw bad_input("has {} begins, {} ends, {} strides", count, end->size(), steps->size());
    Cuts cuts;
    for (const SliceSpec::Cut& own : spec.cuts) {
        if ((*steps)[own.entry] == 0) throw bad_input("has a stride of 0");
        const Bounds bounds = bounds_of(own, (*begin)[own.entry], (*end)[own.entry], (*steps)[own.entry], site.flag("offset"));
        if (bounds.whole()) continue;
        cuts.axes.push_back(own.axis);
        cuts.starts.push_back(bounds.start);
        cuts.ends.push_back(bounds.stop);
        cuts.steps.push_back(bounds.step);
    }
    return cuts;
}

bool strided_slice(Site& site) {
    const auto begin = site.ints(1);
    if (!begin) return false;
    const SliceMasks masks{site.integer("begin_mask"), site.integer("end_mask"), site.integer("ellipsis_mask"),
                           site.integer("new_axis_mask"), site.integer("shrink_axis_mask")};
    const SliceSpec spec = slice_spec(masks, begin->size(), static_cast<int64_t>(site.rank(0)));
    const auto cuts = cuts_of(site, spec);
    if (!cuts) return false;
    const bool cut = !cuts->axes.empty(), drops = !spec.dropped.empty(), makes = !spec.made.empty();
    Values in{site.in(0)};
    if (cut) {
        in.insert(in.end(), {site.integers(cuts->starts, "starts"), site.integers(cuts->ends, "ends"), site.integers(cuts->axes, "axes")});
        if (std::any_of(cuts->steps.begin(), cuts->steps.end(), [](int64_t step) { return step != 1; }))
            in.push_back(site.integers(cuts->steps, "steps"));
        if (!drops && !makes) return site.result(ops::Slice, in), true;
        in = {site.add(ops::Slice, in)};
    }
    if (drops) {
        in.push_back(site.integers(spec.dropped, "dropped"));
        if (!makes) return site.result(ops::Squeeze, in), true;
        in = {site.add(ops::Squeeze, in)};
    }
    if (makes)
        site.result(ops::Unsqueeze, {in[0], site.integers(spec.made, "made")});
    else
        site.result(ops::Identity, in);
    return true;
}

// [dims, 2] as all that comes before, then all after.
ValueId pads_of(Site& site) {
    if (const auto pairs = site.ints(1)) {
        Ints pads(pairs->size());
        for (size_t i = 0; i < pairs->size(); ++i) pads[i / 2 + (i % 2) * (pairs->size() / 2)] = (*pairs)[i];
        return site.integers(pads, "pads");
    }
    const ValueId columns = site.add(ops::Transpose, {site.as_i64(1)}, {{"perm", Ints{1, 0}}});
    return site.add(ops::Reshape, {columns, site.integers({-1}, "all")});
}

bool pad(Site& site) {
    Values in{site.in(0), pads_of(site)};
    if (site.has(2)) in.push_back(site.in(2));
    site.result(ops::Pad, in);
    return true;
}

// Symmetric padding repeats the border, which ONNX has no mode for: elements are taken by their places.
bool symmetric_pad(Site& site) {
    const auto pairs = site.ints(1);
    const size_t rank = site.rank(0);
    if (!pairs) return false;
    if (pairs->size() != 2 * rank) throw bad_input("{} pads for rank {}", pairs->size(), rank);
    std::vector<std::pair<int64_t, Ints>> takes;
    for (size_t d = 0; d < rank; ++d) {
        const int64_t before = (*pairs)[2 * d], after = (*pairs)[2 * d + 1], length = site.dim(0, d);
        if (before == 0 && after == 0) continue;
        if (length < 0 || length > mirror_limit) return false;
        takes.emplace_back(static_cast<int64_t>(d), mirrored_places(length, before, after));
    }
    ValueId x = site.in(0);
    for (const auto& [axis, places] : takes) x = site.add(ops::Gather, {x, site.integers(places, "places")}, {{"axis", axis}});
    site.put(ops::Identity, {x}, {site.out_value(0)});
    return true;
}

bool mirror_pad(Site& site) {
    if (site.word("mode", "REFLECT") == "SYMMETRIC") return symmetric_pad(site);
    const Values in{site.in(0), pads_of(site)};
    site.result(ops::Pad, in, {{"mode", std::string("reflect")}});
    return true;
}

bool reverse(Site& site) {
    const auto axes = site.axes(1, site.rank(0));
    if (!axes) return false;
    site.result(ops::Slice, decompose::reversal(site, site.in(0), *axes));
    return true;
}

bool reverse_sequence(Site& site) {
    const int64_t time = site.integer("seq_dim"), batch = site.integer("batch_dim");
    if (time + batch != 1 || time * batch != 0) return false;
    site.result(ops::ReverseSequence, {site.in(0), site.as_i64(1)}, {{"time_axis", time}, {"batch_axis", batch}});
    return true;
}

constexpr std::array slice_table{
    MapRow{Code::MIRROR_PAD, "Pad Gather", mirror_pad, "symmetric padding of shapes that are not fixed or very long"},
    MapRow{Code::PAD, "Pad", pad},
    MapRow{Code::PADV2, "Pad", pad},
    MapRow{Code::REVERSE_SEQUENCE, "ReverseSequence", reverse_sequence, "dimensions other than the first two"},
    MapRow{Code::REVERSE_V2, "Slice", reverse, "axes that are computed"},
    MapRow{Code::SLICE, "Slice", slice},
    MapRow{Code::STRIDED_SLICE, "Slice Squeeze Unsqueeze", strided_slice, "bounds that are computed"},
};

}  // namespace

std::span<const MapRow> slice_rows() { return slice_table; }

}  // namespace quern::tflite_format
