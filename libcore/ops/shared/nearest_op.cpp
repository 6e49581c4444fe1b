#include "libcore/ops/shared/nearest_op.h"

#include "libcore/base/text.h"

namespace quern {

std::string did_you_mean_op(const Op& op) {
    if (op.known()) return {};
    const auto full_name = [](const Op& row) { return fmt::format("{}{}{}", row.domain, row.domain.empty() ? "" : ".", row.name); };
    std::vector<std::string> names;
    for (const Op* row : all_ops()) {
        if (!row->eval) continue;
        if (row->name == op.name && row->domain != op.domain) return fmt::format(" (did you mean \"{}\"?)", full_name(*row));
        if (row->domain == op.domain) names.emplace_back(row->name);
    }
    const auto found = nearest(op.name, names);
    const Op* row = found ? find_op(*found, op.domain) : nullptr;
    return row ? fmt::format(" (did you mean \"{}\"?)", full_name(*row)) : std::string();
}

}  // namespace quern
