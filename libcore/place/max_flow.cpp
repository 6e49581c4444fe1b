#include "libcore/place/max_flow.h"

#include <algorithm>

namespace quern::place {

void MaxFlow::add_edge(size_t from, size_t to, int64_t capacity) {
    if (capacity <= 0 || from == to) return;
    edges_.push_back({to, first_[from], capacity});
    first_[from] = static_cast<int>(edges_.size()) - 1;
    edges_.push_back({from, first_[to], 0});
    first_[to] = static_cast<int>(edges_.size()) - 1;
}

// Distances from the source over edges that have capacity left; false if the sink is out of reach.
bool MaxFlow::find_levels() {
    level_.assign(first_.size(), -1);
    std::vector<size_t> queue{source_};
    level_[source_] = 0;
    for (size_t i = 0; i < queue.size(); ++i)
        for (int e = first_[queue[i]]; e >= 0; e = edges_[static_cast<size_t>(e)].next) {
            const Edge& edge = edges_[static_cast<size_t>(e)];
            if (edge.left == 0 || level_[edge.to] >= 0) continue;
            level_[edge.to] = level_[queue[i]] + 1;
            queue.push_back(edge.to);
        }
    return level_[sink_] >= 0;
}

// Sends flow along one path that goes up a level with each edge; 0 if there is none left.
int64_t MaxFlow::augment() {
    std::vector<size_t> path;  // edges
    size_t at = source_;
    while (at != sink_) {
        int& e = current_[at];
        while (e >= 0) {
            const Edge& edge = edges_[static_cast<size_t>(e)];
            if (edge.left > 0 && level_[edge.to] == level_[at] + 1) break;
            e = edge.next;
        }
        if (e >= 0) {
            path.push_back(static_cast<size_t>(e));
            at = edges_[static_cast<size_t>(e)].to;
        } else if (path.empty()) {
            return 0;
        } else {  // a dead end: back one edge, which is not tried again
            at = edges_[path.back() ^ 1].to;
            current_[at] = edges_[path.back()].next;
            path.pop_back();
        }
    }
    int64_t amount = unbounded;
    for (const size_t e : path) amount = std::min(amount, edges_[e].left);
    for (const size_t e : path) {
        edges_[e].left -= amount;
        edges_[e ^ 1].left += amount;
    }
    return amount;
}

int64_t MaxFlow::run(size_t source, size_t sink) {
    source_ = source;
    sink_ = sink;
    int64_t flow = 0;
    while (find_levels()) {
        current_ = first_;
        while (const int64_t amount = augment()) flow += amount;
    }
    return flow;
}

std::vector<bool> MaxFlow::sink_side() const {
    std::vector<bool> side(first_.size(), false);
    std::vector<size_t> queue{sink_};
    side[sink_] = true;
    for (size_t i = 0; i < queue.size(); ++i)
        for (int e = first_[queue[i]]; e >= 0; e = edges_[static_cast<size_t>(e)].next) {
            const size_t from = edges_[static_cast<size_t>(e)].to;
            if (side[from] || edges_[static_cast<size_t>(e) ^ 1].left == 0) continue;
            side[from] = true;
            queue.push_back(from);
        }
    return side;
}

}  // namespace quern::place
