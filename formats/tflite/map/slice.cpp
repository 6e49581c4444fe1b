// Operators that cut out and frame.
#include <array>

#include "formats/tflite/map/map.h"
#include "libcore/passes/decompose/row.h"

namespace quern::tflite_format {
namespace {

using decompose::bind_result, decompose::numbers, decompose::term;

bool slice(Site& site) { return bind_result(site, decompose::slice_of_sizes(term(site), numbers(site, 1), numbers(site, 2))); }

bool strided_slice(Site& site) {
    const decompose::Numbers begin = numbers(site, 1), end = numbers(site, 2);
    const auto strides = site.ints(3);
    if (!begin.known || !end.known || !strides) return false;
    const bool lengths = site.flag("offset");
    return bind_result(site,
                       decompose::strided_slice(term(site), site.rank(0), decompose::slice_masks(site), begin, end, *strides, lengths));
}

ValueId pads_in(Site& site) { return decompose::pads_of(site, numbers(site, 1)); }

bool pad(Site& site) {
    Values in{site.in(0), pads_in(site)};
    if (site.has(2)) in.push_back(site.in(2));
    site.result(ops::Pad, in);
    return true;
}

bool mirror_pad(Site& site) {
    if (site.word("mode", "REFLECT") != "SYMMETRIC") {
        site.result(ops::Pad, {site.in(0), pads_in(site)}, {{"mode", std::string("reflect")}});
        return true;
    }
    const auto pairs = site.ints(1);
    return pairs && bind_result(site, decompose::mirrored(term(site), site.dims(0), *pairs));
}

bool reverse(Site& site) {
    const auto axes = site.axes(1, site.rank(0));
    return axes && bind_result(site, decompose::reversed(term(site), *axes));
}

bool reverse_sequence(Site& site) {
    const int64_t time = site.integer("seq_dim"), batch = site.integer("batch_dim");
    if (time + batch != 1 || time * batch != 0) return false;
    return bind_result(site, decompose::reverse_sequence(term(site), site.rank(0), {&site, site.as_i64(1)}, time, batch));
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
