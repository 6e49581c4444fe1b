#include "formats/tensorflow/map/map.h"

#include <map>

#include "libcore/base/text.h"

namespace quern::tensorflow_format {

std::vector<const MapRow*> map_rows() {
    std::vector<const MapRow*> all;
    for (const auto part : {elementwise_rows(), activation_rows(), product_rows(), fused_rows(),  spatial_rows(), block_rows(),
                            pool_rows(),        normal_rows(),     reduce_rows(),  shape_rows(),  slice_rows(),   index_rows(),
                            counting_rows(),    diagonal_rows(),   create_rows(),  resize_rows(), patch_rows(),   quantize_rows(),
                            control_rows(),     flow_rows(),       state_rows(),   list_rows()})
        for (const MapRow& row : part) all.push_back(&row);
    return all;
}

const MapRow* map_row(std::string_view op) {
    static const auto rows = [] {
        std::map<std::string, const MapRow*, std::less<>> all;
        for (const MapRow* row : map_rows())
            for (const std::string& name : split(row->names, ' ')) all[name] = row;
        return all;
    }();
    const auto found = rows.find(op);
    return found == rows.end() ? nullptr : found->second;
}

}  // namespace quern::tensorflow_format
