#include "libcore/place/problem.h"

#include <algorithm>

namespace quern::place {

Ticks price(const Problem& problem, const Labels& labels) {
    Ticks sum = 0;
    for (size_t i = 0; i < problem.items.size(); ++i) sum += problem.items[i].cost[labels[i]];
    std::vector<size_t> seen(problem.devices, 0);
    size_t stamp = 0;
    for (const Net& net : problem.nets) {
        ++stamp;
        const size_t row = net.from < 0 ? 0 : labels[static_cast<size_t>(net.from)] * problem.devices;
        for (const int reader : net.to) {
            const size_t device = labels[static_cast<size_t>(reader)];
            if (seen[device] == stamp) continue;
            seen[device] = stamp;
            sum += net.cost[row + device];
        }
    }
    return sum;
}

Labels cheapest(const Problem& problem) {
    Labels labels;
    for (const Item& item : problem.items) {
        size_t best = problem.devices;
        for (size_t d = 0; d < problem.devices; ++d)
            if (item.allowed[d] && (best == problem.devices || item.cost[d] < item.cost[best])) best = d;
        labels.push_back(best);
    }
    return labels;
}

std::vector<size_t> used_devices(const Problem& problem) {
    std::vector<size_t> used;
    for (size_t d = 0; d < problem.devices; ++d)
        if (std::any_of(problem.items.begin(), problem.items.end(), [&](const Item& item) { return item.allowed[d]; })) used.push_back(d);
    return used;
}

}  // namespace quern::place
