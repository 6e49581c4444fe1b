#include "formats/tflite/map/map.h"

#include <algorithm>
#include <array>

#include "formats/tflite/file/pairs.h"

namespace quern::tflite_format {
namespace {

std::span<const MapRow> paired_rows() {
    static const auto rows = [] {
        std::array<MapRow, pairs.size()> out{};
        std::ranges::transform(pairs, out.begin(), [](const PairRow& pair) { return as_it_is(pair.code, pair.op); });
        return out;
    }();
    return rows;
}

}  // namespace

std::vector<const MapRow*> map_rows() {
    std::vector<const MapRow*> out;
    for (const auto family : {paired_rows(), arithmetic_rows(), spatial_rows(), product_rows(), shape_rows(), slice_rows(), reduce_rows(),
                              recurrent_rows(), control_rows(), rnn_rows(), state_rows(), detection_rows(), stablehlo_rows(),
                              stablehlo_window_rows(), segment_rows(), spectrum_rows()})
        for (const MapRow& row : family) out.push_back(&row);
    std::sort(out.begin(), out.end(), [](const MapRow* a, const MapRow* b) { return a->code < b->code; });
    return out;
}

const MapRow* map_row(const FileOperator& op) {
    static const std::vector<const MapRow*> rows = map_rows();
    const auto first =
        std::lower_bound(rows.begin(), rows.end(), op.code, [](const MapRow* row, Code wanted) { return row->code < wanted; });
    const auto found = std::find_if(
        first, rows.end(), [&](const MapRow* row) { return row->code != op.code || op.code != Code::CUSTOM || row->custom == op.name; });
    return found != rows.end() && (*found)->code == op.code ? *found : nullptr;
}

}  // namespace quern::tflite_format
