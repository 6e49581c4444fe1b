#include "libcore/support/quantities.h"

#include "libcore/support/observe.h"

namespace quern::support {

std::span<const Quantity> quantities() {
    static const std::vector<Quantity> rows = [] {
        std::vector<Quantity> all;
        for (const auto family : {data_quantities(), window_quantities(), weight_quantities(), form_quantities(), unit_quantities()})
            all.insert(all.end(), family.begin(), family.end());
        return all;
    }();
    return rows;
}

const Quantity* find_quantity(std::string_view name) {
    for (const Quantity& row : quantities())
        if (row.name == name) return &row;
    return nullptr;
}

}  // namespace quern::support
