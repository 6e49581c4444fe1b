#include "libcore/support/fixed_results.h"

#include <algorithm>

namespace quern::support {

const FixedResult* fixed_result(std::span<const FixedResult> rows, std::string_view op, DType storage) {
    const auto found = std::ranges::find_if(rows, [&](const FixedResult& row) { return row.op == op && row.storage == storage; });
    return found == rows.end() ? nullptr : &*found;
}

}  // namespace quern::support
