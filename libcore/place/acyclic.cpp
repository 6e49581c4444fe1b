#include "libcore/place/acyclic.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <queue>
#include <set>

namespace quern::place {
namespace {

using Edges = std::span<const std::pair<size_t, size_t>>;
using Neighbours = std::vector<std::set<size_t>>;

class Sets {
   public:
    explicit Sets(size_t n) : up_(n) { std::iota(up_.begin(), up_.end(), size_t{0}); }
    size_t find(size_t v) {
        while (up_[v] != v) v = up_[v] = up_[up_[v]];
        return v;
    }
    void join(size_t a, size_t b) {  // the smaller number stands for the set
        a = find(a);
        b = find(b);
        up_[std::max(a, b)] = std::min(a, b);
    }

   private:
    std::vector<size_t> up_;
};

Neighbours quotient(Edges edges, const std::vector<size_t>& group, size_t n) {
    Neighbours next(n);
    for (const auto& [from, to] : edges)
        if (group[from] != group[to]) next[group[from]].insert(group[to]);
    return next;
}

// Strongly connected components, without recursion.
std::vector<size_t> components(const Neighbours& next) {
    constexpr size_t none = ~size_t{0};
    struct Frame {
        size_t vertex;
        std::set<size_t>::const_iterator at;
    };
    std::vector<size_t> index(next.size(), none), low(next.size(), 0), component(next.size(), none), stack;
    size_t counter = 0, found = 0;
    for (size_t root = 0; root < next.size(); ++root) {
        if (index[root] != none) continue;
        std::vector<Frame> frames;
        const auto enter = [&](size_t v) {
            index[v] = low[v] = counter++;
            stack.push_back(v);
            frames.push_back({v, next[v].begin()});
        };
        enter(root);
        while (!frames.empty()) {
            Frame& frame = frames.back();
            const size_t v = frame.vertex;
            if (frame.at != next[v].end()) {
                const size_t w = *frame.at++;
                if (index[w] == none)
                    enter(w);
                else if (component[w] == none)
                    low[v] = std::min(low[v], index[w]);
                continue;
            }
            frames.pop_back();
            if (!frames.empty()) low[frames.back().vertex] = std::min(low[frames.back().vertex], low[v]);
            if (low[v] != index[v]) continue;
            for (size_t w = none; w != v; stack.pop_back()) component[w = stack.back()] = found;
            ++found;
        }
    }
    return component;
}

class Grouper {
   public:
    Grouper(size_t n, Edges edges, std::span<const size_t> labels) : n_(n), edges_(edges), labels_(labels), group_(n) {}

    Grouping run() {
        connect([&](size_t a, size_t b) { return labels_[a] == labels_[b]; });
        Grouping out;
        const std::set<size_t> parts(group_.begin(), group_.end());
        const std::set<size_t> cyclic = cyclic_parts();
        out.cyclic = cyclic.size();
        if (!cyclic.empty()) {
            split(cyclic);
            join_again(cyclic);
        }
        number();
        out.groups = n_ ? *std::max_element(group_.begin(), group_.end()) + 1 : 0;
        out.splits = out.groups - parts.size();
        out.group = std::move(group_);
        return out;
    }

   private:
    // Groups are the sets that edges connect whose ends belong together; each is named by its first vertex.
    template <class Together>
    void connect(const Together& together) {
        Sets sets(n_);
        for (const auto& [from, to] : edges_)
            if (together(from, to)) sets.join(from, to);
        for (size_t v = 0; v < n_; ++v) group_[v] = sets.find(v);
    }

    std::set<size_t> cyclic_parts() const {
        const std::vector<size_t> component = components(quotient(edges_, group_, n_));
        std::map<size_t, std::set<size_t>> members;
        for (size_t v = 0; v < n_; ++v) members[component[group_[v]]].insert(group_[v]);
        std::set<size_t> out;
        for (const auto& [id, groups] : members)
            if (groups.size() > 1) out.insert(groups.begin(), groups.end());
        return out;
    }

    void split(const std::set<size_t>& cyclic) {
        std::vector<size_t> changes(n_, 0);
        std::vector<std::pair<size_t, size_t>> sorted(edges_.begin(), edges_.end());
        std::sort(sorted.begin(), sorted.end());
        for (const auto& [from, to] : sorted) changes[to] = std::max(changes[to], changes[from] + (labels_[from] != labels_[to] ? 1 : 0));
        const std::vector<size_t> before = group_;
        connect([&](size_t a, size_t b) { return before[a] == before[b] && (!cyclic.contains(before[a]) || changes[a] == changes[b]); });
        part_ = before;
    }

    // Two pieces may be one if no path leads from one to the other through a third.
    bool joinable(const Neighbours& next, size_t a, size_t b) {
        std::vector<size_t> queue;
        std::set<size_t> seen;
        const auto visit = [&](size_t v) {
            if (seen.insert(v).second) queue.push_back(v);
        };
        work_ += next[a].size();
        for (const size_t v : next[a])
            if (v != b) visit(v);
        for (size_t i = 0; i < queue.size(); ++i) {
            if (queue[i] == b) return false;
            for (const size_t v : next[queue[i]]) visit(v);
            work_ += next[queue[i]].size();
        }
        return true;
    }

    void join_again(const std::set<size_t>& cyclic) {
        constexpr size_t max_work = 20'000'000;  // a graph made to be hard keeps more pieces than it needs
        for (bool joined = true; joined && work_ < max_work;) {
            joined = false;
            work_ += edges_.size();
            Neighbours next = quotient(edges_, group_, n_);
            for (size_t a = 0; a < n_ && !joined; ++a)
                for (const size_t b : next[a]) {
                    if (part_[a] != part_[b] || !cyclic.contains(part_[a]) || !joinable(next, a, b)) continue;
                    std::replace(group_.begin(), group_.end(), std::max(a, b), std::min(a, b));
                    joined = true;
                    break;
                }
        }
    }

    // Numbers in a topological order; among groups that are ready the one whose first vertex comes first.
    void number() {
        const Neighbours next = quotient(edges_, group_, n_);
        std::vector<size_t> waits(n_, 0), name(n_, 0);
        for (const auto& readers : next)
            for (const size_t g : readers) ++waits[g];
        std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
        for (size_t v = 0; v < n_; ++v)
            if (group_[v] == v && waits[v] == 0) ready.push(v);
        size_t count = 0;
        while (!ready.empty()) {
            const size_t g = ready.top();
            ready.pop();
            name[g] = count++;
            for (const size_t reader : next[g])
                if (--waits[reader] == 0) ready.push(reader);
        }
        for (size_t& g : group_) g = name[g];
    }

    size_t n_;
    Edges edges_;
    std::span<const size_t> labels_;
    std::vector<size_t> group_, part_;
    size_t work_ = 0;
};

}  // namespace

Grouping group_acyclically(size_t vertices, std::span<const std::pair<size_t, size_t>> edges, std::span<const size_t> labels) {
    return Grouper(vertices, edges, labels).run();
}

}  // namespace quern::place
