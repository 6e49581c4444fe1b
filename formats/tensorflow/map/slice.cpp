// Operators that cut out and frame.
#include <array>

#include "formats/tensorflow/map/map.h"
#include "formats/tensorflow/map/operands.h"
#include "libcore/passes/decompose/row.h"

namespace quern::tensorflow_format {
namespace {

using decompose::bind_result, decompose::numbers, decompose::term;

bool slice(Site& site) { return give(site, decompose::slice_of_sizes(term(site), numbers(site, 1), numbers(site, 2))); }

bool strided_slice(Site& site) {
    const auto strides = site.ints(3);
    if (!strides || !site.ranked(0)) return false;
    for (size_t i = 1; i < 3; ++i)
        if (site.dim(i, 0) != std::ssize(*strides)) throw bad_input("has {} strides and {} bounds", strides->size(), site.dim(i, 0));
    const decompose::Numbers begin = numbers(site, 1), end = numbers(site, 2);
    return give(site, decompose::strided_slice(term(site), site.rank(0), decompose::slice_masks(site), begin, end, *strides));
}

ValueId pads_in(Site& site) { return decompose::pads_of(site, numbers(site, 1)); }

bool pad(Site& site) {
    Values in{site.in(0), pads_in(site)};
    if (site.inputs() > 2) in.push_back(site.in(2));
    return give(site, site.add(ops::Pad, in));
}

bool mirror_pad(Site& site) {
    const bool symmetric = site.word("mode", "REFLECT") == "SYMMETRIC";
    if (!symmetric) return give(site, site.add(ops::Pad, {site.in(0), pads_in(site)}, {{"mode", std::string("reflect")}}));
    const auto pairs = site.ints(1);
    return pairs && bind_result(site, decompose::mirrored(term(site), site.dims(0), *pairs));
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
    return give(site, axes->empty() ? term(site) : decompose::reversed(term(site), *axes));
}

bool roll(Site& site) {
    const auto shifts = site.ints(1), axes = site.axes(2, site.rank(0));
    if (!shifts || !axes || shifts->size() != axes->size()) return false;
    for (const int64_t axis : *axes)
        if (site.dim(0, axis) < 0) return false;
    decompose::Term x = term(site);
    for (size_t i = 0; i < axes->size(); ++i) x = decompose::rolled(x, (*shifts)[i], (*axes)[i], site.dim(0, (*axes)[i]));
    return give(site, x);
}

bool reverse_sequence(Site& site) {
    const size_t rank = site.rank(0);
    const auto time = static_cast<int64_t>(normal_axis(site.integer("seq_dim", 1), rank)),
               batch = static_cast<int64_t>(normal_axis(site.integer("batch_dim", 0), rank));
    return give(site, decompose::reverse_sequence(term(site), rank, {&site, site.as_i64(1)}, time, batch));
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
