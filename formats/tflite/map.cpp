#include "formats/tflite/map.h"

#include <algorithm>
#include <array>

namespace quern::tflite_format {

std::vector<const MapRow*> map_rows() {
    std::vector<const MapRow*> out;
    for (const auto family :
         {arithmetic_rows(), spatial_rows(), product_rows(), shape_rows(), slice_rows(), reduce_rows(), recurrent_rows(), control_rows()})
        for (const MapRow& row : family) out.push_back(&row);
    std::sort(out.begin(), out.end(), [](const MapRow* a, const MapRow* b) { return a->code < b->code; });
    return out;
}

const MapRow* map_row(Code code) {
    static const std::vector<const MapRow*> rows = map_rows();
    const auto found = std::lower_bound(rows.begin(), rows.end(), code, [](const MapRow* row, Code wanted) { return row->code < wanted; });
    return found != rows.end() && (*found)->code == code ? *found : nullptr;
}

}  // namespace quern::tflite_format
