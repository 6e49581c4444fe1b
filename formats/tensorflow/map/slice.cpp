// Operators that cut out and frame.
#include <algorithm>
#include <array>
#include <limits>

#include "formats/shared/cuts.h"
#include "formats/tensorflow/map/map.h"
#include "formats/tensorflow/map/operands.h"
#include "libcore/passes/decompose/index.h"

namespace quern::tensorflow_format {
namespace {

constexpr int64_t furthest = std::numeric_limits<int64_t>::max();

// A size of -1 is all there is.
bool slice(Site& site) {
    const auto starts = site.ints(1), sizes = site.ints(2);
    const ValueId from = as_i64(site, 1);
    if (starts && sizes) {
        if (starts->size() != sizes->size()) throw bad_input("has {} starts and {} sizes", starts->size(), sizes->size());
        Ints ends;
        for (size_t i = 0; i < sizes->size(); ++i) {
            const int64_t start = (*starts)[i], size = (*sizes)[i];
            if (start < 0 || size < -1) throw bad_input("starts are {}, sizes {}", to_string(*starts), to_string(*sizes));
            ends.push_back(size < 0 || size > furthest - start ? furthest : start + size);
        }
        return give(site, site.add(ops::Slice, {site.in(0), from, site.integers(ends)}));
    }
    const ValueId size = as_i64(site, 2), sum = site.add(ops::Add, {from, size});
    const ValueId open = site.add(ops::Less, {size, site.scalar(int64_t{0}, DType::i64)});
    return give(site, site.add(ops::Slice, {site.in(0), from, site.add(ops::Where, {open, site.scalar(furthest, DType::i64), sum})}));
}

// ---- StridedSlice ----

// A bound of a cut: a number, or a value of rank 1 with one element.
struct Place {
    std::optional<int64_t> known;
    ValueId value = ValueId::none;
};

// Operand `i` entry by entry.
class Bounds {
   public:
    Bounds(Site& site, size_t i) : site_(site), known_(site.ints(i)), operand_(i) {}
    Place at(size_t entry) {
        if (known_) return {known_->at(entry)};
        if (whole_ == ValueId::none) whole_ = as_i64(site_, operand_);
        const auto from = static_cast<int64_t>(entry);
        return {std::nullopt, cut(site_, whole_, from, from + 1, 0)};
    }

   private:
    Site& site_;
    std::optional<Ints> known_;
    size_t operand_;
    ValueId whole_ = ValueId::none;
};

ValueId together(Site& site, const std::vector<Place>& places) {
    Ints known;
    Values parts;
    for (const Place& place : places)
        if (place.known) known.push_back(*place.known);
    if (known.size() == places.size()) return site.integers(known);
    for (const Place& place : places) parts.push_back(place.known ? site.integers({*place.known}) : place.value);
    return joined(site, parts);
}

// Behind the one element at `begin`.
Place next_of(Site& site, const Place& begin) {
    if (begin.known) return {*begin.known == -1 || *begin.known == furthest ? furthest : *begin.known + 1};
    const ValueId last = site.add(ops::Equal, {begin.value, site.integers({-1})});
    const ValueId next = site.add(ops::Add, {begin.value, site.integers({1})});
    return {std::nullopt, site.add(ops::Where, {last, site.integers({furthest}), next})};
}

ValueId cut_by(Site& site, const SliceSpec& spec, const Ints& strides) {
    Bounds begins(site, 1), ends(site, 2);
    std::vector<Place> starts, stops;
    Ints axes, steps;
    for (const SliceSpec::Cut& own : spec.cuts) {
        const int64_t step = own.one ? 1 : strides[own.entry];
        if (step == 0) throw bad_input("has a stride of 0");
        const Place start = own.from_first ? Place{step > 0 ? 0 : furthest} : begins.at(own.entry);
        const Place stop = own.one ? next_of(site, start) : own.to_last ? Place{step > 0 ? furthest : -furthest} : ends.at(own.entry);
        if (step == 1 && start.known == 0 && stop.known == furthest) continue;
        starts.push_back(start);
        stops.push_back(stop);
        axes.push_back(own.axis);
        steps.push_back(step);
    }
    if (axes.empty()) return site.in(0);
    Values in{site.in(0), together(site, starts), together(site, stops), site.integers(axes)};
    if (std::ranges::any_of(steps, [](int64_t step) { return step != 1; })) in.push_back(site.integers(steps));
    return site.add(ops::Slice, in);
}

SliceMasks masks_of(const Site& site) {
    const auto mask = [&](std::string_view name) { return site.integer(name, 0); };
    return {mask("begin_mask"), mask("end_mask"), mask("ellipsis_mask"), mask("new_axis_mask"), mask("shrink_axis_mask")};
}

bool strided_slice(Site& site) {
    const auto strides = site.ints(3);
    if (!strides || !site.ranked(0)) return false;
    const size_t count = strides->size();
    for (size_t i = 1; i < 3; ++i)
        if (site.dim(i, 0) != static_cast<int64_t>(count)) throw bad_input("has {} strides and {} bounds", count, site.dim(i, 0));
    const SliceSpec spec = slice_spec(masks_of(site), count, static_cast<int64_t>(site.rank(0)));
    ValueId x = cut_by(site, spec, *strides);
    if (!spec.dropped.empty()) x = squeezed(site, x, spec.dropped);
    if (!spec.made.empty()) x = unsqueezed(site, x, spec.made);
    return give(site, x);
}

// ---- frames ----

// [dims, 2] as all that comes before, then all after.
ValueId pads_of(Site& site) {
    if (const auto pairs = site.ints(1)) {
        Ints pads(pairs->size());
        for (size_t i = 0; i < pairs->size(); ++i) pads[i / 2 + (i % 2) * (pairs->size() / 2)] = (*pairs)[i];
        return site.integers(pads);
    }
    return site.reshape(site.transpose(as_i64(site, 1), {1, 0}), {-1});
}

bool pad(Site& site) {
    Values in{site.in(0), pads_of(site)};
    if (site.inputs() > 2) in.push_back(site.in(2));
    return give(site, site.add(ops::Pad, in));
}

// Symmetric padding repeats the border, which ONNX has no mode for: elements are taken by their places.
bool symmetric_pad(Site& site) {
    const auto pairs = site.ints(1);
    if (!pairs || pairs->size() != 2 * site.rank(0)) return false;
    const auto framed = [&](size_t d) { return (*pairs)[2 * d] != 0 || (*pairs)[2 * d + 1] != 0; };
    for (size_t d = 0; d < site.rank(0); ++d)
        if (const int64_t length = site.dim(0, static_cast<int64_t>(d)); framed(d) && (length < 0 || length > mirror_limit)) return false;
    ValueId x = site.in(0);
    for (size_t d = 0; d < site.rank(0); ++d) {
        const auto axis = static_cast<int64_t>(d);
        if (!framed(d)) continue;
        const Ints places = mirrored_places(site.dim(0, axis), (*pairs)[2 * d], (*pairs)[2 * d + 1]);
        x = site.add(ops::Gather, {x, site.integers(places)}, {{"axis", axis}});
    }
    return give(site, x);
}

bool mirror_pad(Site& site) {
    if (site.word("mode", "REFLECT") == "SYMMETRIC") return symmetric_pad(site);
    return give(site, site.add(ops::Pad, {site.in(0), pads_of(site)}, {{"mode", std::string("reflect")}}));
}

// ---- order ----

// Of one that says for each dim whether.
std::optional<Ints> flagged(Site& site) {
    const auto flags = site.known(1);
    if (!flags) return std::nullopt;
    Ints axes;
    const std::vector<int64_t> chosen = to_ints(*flags);
    for (size_t i = 0; i < chosen.size(); ++i)
        if (chosen[i] != 0) axes.push_back(static_cast<int64_t>(i));
    return axes;
}

template <bool by_flags>
bool reverse(Site& site) {
    const auto axes = by_flags ? flagged(site) : site.axes(1, site.rank(0));
    if (!axes) return false;
    return give(site, axes->empty() ? site.in(0) : decompose::reversed({&site, site.in(0)}, *axes).id);
}

bool roll(Site& site) {
    const auto shifts = site.ints(1), axes = site.axes(2, site.rank(0));
    if (!shifts || !axes || shifts->size() != axes->size()) return false;
    for (const int64_t axis : *axes)
        if (site.dim(0, axis) < 0) return false;
    ValueId x = site.in(0);
    for (size_t i = 0; i < axes->size(); ++i) {
        const int64_t axis = (*axes)[i], length = site.dim(0, axis);
        const int64_t shift = length == 0 ? 0 : ((*shifts)[i] % length + length) % length;
        if (shift != 0) x = joined(site, {cut(site, x, length - shift, furthest, axis), cut(site, x, 0, length - shift, axis)}, axis);
    }
    return give(site, x);
}

// Ours wants the batch and the time as the first two dims.
bool reverse_sequence(Site& site) {
    const size_t rank = site.rank(0);
    const auto time = static_cast<int64_t>(normal_axis(site.integer("seq_dim", 1), rank)),
               batch = static_cast<int64_t>(normal_axis(site.integer("batch_dim", 0), rank));
    if (time == batch) throw bad_input("seq_dim and batch_dim are {}", time);
    Ints order{batch, time};
    for (int64_t i = 0; i < static_cast<int64_t>(rank); ++i)
        if (i != time && i != batch) order.push_back(i);
    Ints back(rank);
    for (size_t i = 0; i < rank; ++i) back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
    const bool moved = !std::ranges::is_sorted(order);
    const ValueId x = moved ? site.transpose(site.in(0), order) : site.in(0);
    const ValueId turned = site.add(ops::ReverseSequence, {x, as_i64(site, 1)}, {{"time_axis", int64_t{1}}, {"batch_axis", int64_t{0}}});
    return give(site, moved ? site.transpose(turned, back) : turned);
}

constexpr std::array slice_table{
    MapRow{"MirrorPad", "Pad Gather", mirror_pad},
    MapRow{"Pad PadV2", "Pad", pad},
    MapRow{"Reverse", "Slice", reverse<true>},
    MapRow{"ReverseSequence", "ReverseSequence Transpose", reverse_sequence},
    MapRow{"ReverseV2", "Slice", reverse<false>},
    MapRow{"Roll", "Slice Concat", roll},
    MapRow{"Slice", "Slice", slice},
    MapRow{"StridedSlice", "Slice Squeeze Unsqueeze", strided_slice},
};

}  // namespace

std::span<const MapRow> slice_rows() { return slice_table; }

}  // namespace quern::tensorflow_format
