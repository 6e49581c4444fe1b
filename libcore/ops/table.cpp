#include <vector>

#include "libcore/ops/families.h"

namespace quern {

std::span<const Op* const> all_ops() {
    static const auto table = [] {
        std::vector<const Op*> rows;
        for (const std::span<const Op> family : {unary_ops(), binary_ops()})
            for (const Op& op : family) rows.push_back(&op);
        return rows;
    }();
    return table;
}

}  // namespace quern
