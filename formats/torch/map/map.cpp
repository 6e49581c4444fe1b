#include "formats/torch/map/map.h"

#include <map>

#include "libcore/base/text.h"

namespace quern::torch_format {
namespace {

using Rows = std::map<std::string, const MapRow*, std::less<>>;

const Rows& rows_by_name() {
    static const Rows rows = [] {
        Rows all;
        for (const MapRow* row : map_rows())
            for (const std::string& name : split(row->names, ' ')) all[name] = row;
        return all;
    }();
    return rows;
}

const MapRow* found(std::string_view name) {
    const auto at = rows_by_name().find(name);
    return at == rows_by_name().end() ? nullptr : at->second;
}

// "aten.add_.Tensor" -> "aten.add_", ".Tensor"
std::pair<std::string, std::string> apart(std::string_view target) {
    const size_t first = target.find('.'), second = first == std::string_view::npos ? first : target.find('.', first + 1);
    if (second == std::string_view::npos) return {std::string(target), ""};
    return {std::string(target.substr(0, second)), std::string(target.substr(second))};
}

}  // namespace

std::vector<const MapRow*> map_rows() {
    std::vector<const MapRow*> all;
    for (const auto part : {elementwise_rows(), activation_rows(), view_rows(), movement_rows(), product_rows(), spatial_rows(),
                            pool_rows(), resize_rows(), reduce_rows(), normal_rows(), create_rows(), index_rows(), scalar_rows(),
                            attention_rows(), recurrent_rows(), control_rows(), quantized_rows(), composed_rows(), counting_rows()})
        for (const MapRow& row : part) all.push_back(&row);
    return all;
}

Mapped map_row(std::string_view target) {
    auto [name, overload] = apart(target);
    if (const MapRow* row = found(target)) return {row};
    if (const MapRow* row = found(name)) return {row};
    if (name.ends_with("_copy")) name.resize(name.size() - 5);
    const bool in_place = name.ends_with('_') && !name.ends_with("__");
    if (in_place) name.pop_back();
    if (const MapRow* row = found(name + overload)) return {row, in_place};
    return {found(name), in_place};
}

}  // namespace quern::torch_format
