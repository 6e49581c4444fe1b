#include "libcore/place/min_cut.h"

#include <algorithm>
#include <map>
#include <set>

#include "libcore/place/frontier.h"
#include "libcore/place/max_flow.h"

namespace quern::place {
namespace {

// A cut whose vertices are the items of a problem, each on side 0 or 1, and terms that charge for sides.
class SideChoice {
   public:
    explicit SideChoice(size_t items) : flow_(items + 2), source_(items), sink_(items + 1) {}

    // The item pays on[0] on side 0 and on[1] on side 1; they may be negative.
    void add_item(size_t item, Ticks on0, Ticks on1) {
        const Ticks min = std::min(on0, on1);
        constant_ += min;
        flow_.add_edge(item, sink_, on0 - min);
        flow_.add_edge(source_, item, on1 - min);
    }
    void fix(size_t item, int side) {
        if (side == 0)
            flow_.add_edge(source_, item, MaxFlow::unbounded);
        else
            flow_.add_edge(item, sink_, MaxFlow::unbounded);
    }
    // A vertex that must be on `side` as soon as one of `items` is.
    template <class Items>
    size_t any(const Items& items, int side) {
        const size_t vertex = flow_.add_vertex();
        for (const int item : items) {
            const auto i = static_cast<size_t>(item);
            if (side == 0)
                flow_.add_edge(i, vertex, MaxFlow::unbounded);
            else
                flow_.add_edge(vertex, i, MaxFlow::unbounded);
        }
        return vertex;
    }
    // Charges if `a` is on side 0 and `b` on side 1.
    void charge(size_t a, size_t b, Ticks amount) { flow_.add_edge(a, b, amount); }
    void charge_on(size_t vertex, int side, Ticks amount) {
        if (side == 0)
            flow_.add_edge(vertex, sink_, amount);
        else
            flow_.add_edge(source_, vertex, amount);
    }

    Ticks solve() { return constant_ + flow_.run(source_, sink_); }
    std::vector<bool> on_side_1() const { return flow_.sink_side(); }

   private:
    MaxFlow flow_;
    size_t source_, sink_;
    Ticks constant_ = 0;
};

// ---- two devices ------------------------------------------------------------------------------------------------------

void add_two_way_net(const Problem& problem, const Net& net, size_t a, size_t b, SideChoice& cut) {
    if (net.from < 0) {
        if (net.cost[a]) cut.charge_on(cut.any(net.to, 0), 0, net.cost[a]);
        if (net.cost[b]) cut.charge_on(cut.any(net.to, 1), 1, net.cost[b]);
        return;
    }
    const auto from = static_cast<size_t>(net.from);
    const Ticks out = net.cost[a * problem.devices + b], back = net.cost[b * problem.devices + a];
    if (out) cut.charge(from, cut.any(net.to, 1), out);
    if (back) cut.charge(cut.any(net.to, 0), from, back);
}

Solution two_way(const Problem& problem, size_t a, size_t b) {
    SideChoice cut(problem.items.size());
    for (size_t i = 0; i < problem.items.size(); ++i) {
        const Item& item = problem.items[i];
        if (!item.allowed[a]) cut.fix(i, 1);
        if (!item.allowed[b]) cut.fix(i, 0);
        cut.add_item(i, item.allowed[a] ? item.cost[a] : 0, item.allowed[b] ? item.cost[b] : 0);
    }
    for (const Net& net : problem.nets) add_two_way_net(problem, net, a, b, cut);
    cut.solve();
    const std::vector<bool> side = cut.on_side_1();
    Solution out;
    for (size_t i = 0; i < problem.items.size(); ++i) out.labels.push_back(side[i] ? b : a);
    out.price = out.bound = price(problem, out.labels);
    out.exact = true;
    return out;
}

// ---- more devices -----------------------------------------------------------------------------------------------------

std::map<size_t, std::vector<int>> by_device(const Net& net, const Labels& labels) {
    std::map<size_t, std::vector<int>> out;
    for (const int reader : net.to) out[labels[static_cast<size_t>(reader)]].push_back(reader);
    return out;
}

// One step of alpha-expansion: side 0 keeps its device, side 1 goes to `alpha`.
class Expansion {
   public:
    Expansion(const Problem& problem, const Labels& labels, size_t alpha)
        : problem_(problem), labels_(labels), alpha_(alpha), cut_(problem.items.size()) {}

    Labels run() {
        for (size_t i = 0; i < problem_.items.size(); ++i) {
            const Item& item = problem_.items[i];
            if (labels_[i] == alpha_)
                cut_.fix(i, 1);
            else if (!item.allowed[alpha_])
                cut_.fix(i, 0);
            cut_.add_item(i, item.cost[labels_[i]], item.allowed[alpha_] ? item.cost[alpha_] : 0);
        }
        for (const Net& net : problem_.nets) net.from < 0 ? add_readers(net) : add_net(net);
        cut_.solve();
        const std::vector<bool> side = cut_.on_side_1();
        Labels out = labels_;
        for (size_t i = 0; i < out.size(); ++i)
            if (side[i]) out[i] = alpha_;
        return out;
    }

   private:
    void add_readers(const Net& net) {
        if (net.cost[alpha_]) cut_.charge_on(cut_.any(net.to, 1), 1, net.cost[alpha_]);
        for (const auto& [device, readers] : by_device(net, labels_))
            if (device != alpha_ && net.cost[device]) cut_.charge_on(cut_.any(readers, 0), 0, net.cost[device]);
    }

    void add_net(const Net& net) {
        const auto from = static_cast<size_t>(net.from);
        const size_t at = labels_[from];
        const auto cost = [&](size_t f, size_t d) { return net.cost[f * problem_.devices + d]; };
        if (at != alpha_ && cost(at, alpha_)) cut_.charge(from, cut_.any(net.to, 1), cost(at, alpha_));
        for (const auto& [device, readers] : by_device(net, labels_)) {
            if (device == alpha_) continue;
            const Ticks kept = cost(at, device), moved = std::max(cost(alpha_, device), kept);  // max: the upper bound
            if (!moved) continue;
            const size_t stays = cut_.any(readers, 0);
            if (kept) cut_.charge_on(stays, 0, kept);
            cut_.charge(stays, from, moved - kept);
        }
    }

    const Problem& problem_;
    const Labels& labels_;
    size_t alpha_;
    SideChoice cut_;
};

// One alpha-beta swap: the items on devices a and b are shared out anew between these two, all others stay. Exact.
class Swap {
   public:
    Swap(const Problem& problem, const Labels& labels, size_t a, size_t b)
        : problem_(problem), labels_(labels), a_(a), b_(b), cut_(problem.items.size()) {}

    Labels run() {
        for (size_t i = 0; i < problem_.items.size(); ++i) {
            const Item& item = problem_.items[i];
            if (!moves(i)) continue;
            if (!item.allowed[a_]) cut_.fix(i, 1);
            if (!item.allowed[b_]) cut_.fix(i, 0);
            cut_.add_item(i, item.allowed[a_] ? item.cost[a_] : 0, item.allowed[b_] ? item.cost[b_] : 0);
        }
        for (const Net& net : problem_.nets) add_net(net);
        cut_.solve();
        const std::vector<bool> side = cut_.on_side_1();
        Labels out = labels_;
        for (size_t i = 0; i < out.size(); ++i)
            if (moves(i)) out[i] = side[i] ? b_ : a_;
        return out;
    }

   private:
    bool moves(size_t item) const { return labels_[item] == a_ || labels_[item] == b_; }

    void add_net(const Net& net) {
        std::vector<int> moving;
        std::set<size_t> elsewhere;
        for (const int reader : net.to)
            if (const auto r = static_cast<size_t>(reader); moves(r))
                moving.push_back(reader);
            else
                elsewhere.insert(labels_[r]);
        const auto cost = [&](size_t f, size_t d) { return net.cost[f * problem_.devices + d]; };
        if (net.from >= 0 && moves(static_cast<size_t>(net.from))) {
            const auto from = static_cast<size_t>(net.from);
            for (const size_t d : elsewhere) cut_.add_item(from, cost(a_, d), cost(b_, d));
            if (moving.empty()) return;
            if (cost(a_, b_)) cut_.charge(from, cut_.any(moving, 1), cost(a_, b_));
            if (cost(b_, a_)) cut_.charge(cut_.any(moving, 0), from, cost(b_, a_));
        } else if (!moving.empty()) {
            const size_t at = net.from < 0 ? 0 : labels_[static_cast<size_t>(net.from)];
            if (cost(at, a_)) cut_.charge_on(cut_.any(moving, 0), 0, cost(at, a_));
            if (cost(at, b_)) cut_.charge_on(cut_.any(moving, 1), 1, cost(at, b_));
        }
    }

    const Problem& problem_;
    const Labels& labels_;
    size_t a_, b_;
    SideChoice cut_;
};

// Expansions and swaps in turn until none helps.
Labels improve(const Problem& problem, const std::vector<size_t>& devices, Labels labels) {
    constexpr int max_rounds = 20;
    Ticks best = price(problem, labels);
    const auto offer = [&](Labels next) {
        const Ticks now = price(problem, next);
        if (now >= best) return false;
        best = now;
        labels = std::move(next);
        return true;
    };
    bool better = true;
    for (int round = 0; round < max_rounds && better; ++round) {
        better = false;
        for (const size_t alpha : devices) better |= offer(Expansion(problem, labels, alpha).run());
        for (size_t i = 0; i < devices.size(); ++i)
            for (size_t j = i + 1; j < devices.size(); ++j) better |= offer(Swap(problem, labels, devices[i], devices[j]).run());
    }
    return labels;
}

// Lower bounds of a net's cost as a part paid for leaving a device and a part for arriving at one.
struct Ends {
    std::vector<Ticks> leave, arrive;
};

Ends ends_of(const Problem& problem, const Net& net, const std::vector<size_t>& devices) {
    const size_t n = problem.devices, hub = devices.front();
    const auto cost = [&](size_t f, size_t d) { return net.cost[f * n + d]; };
    Ends star{std::vector<Ticks>(n, 0), std::vector<Ticks>(n, 0)}, half = star;
    bool star_holds = true;
    for (const size_t f : devices) {
        star.leave[f] = cost(f, hub);
        star.arrive[f] = cost(hub, f);
        half.leave[f] = half.arrive[f] = MaxFlow::unbounded;
        for (const size_t d : devices) {
            if (d == f) continue;
            half.leave[f] = std::min(half.leave[f], cost(f, d) / 2);
            half.arrive[f] = std::min(half.arrive[f], cost(d, f) / 2);
            star_holds = star_holds && cost(f, hub) + cost(hub, d) <= cost(f, d);
        }
    }
    return star_holds ? star : half;
}

// The bound, for prices of items: each device decides by itself which items it takes, item i being worth price[i] to it.
class Bound {
   public:
    Bound(const Problem& problem, const std::vector<size_t>& devices) : problem_(problem), devices_(devices) {
        for (const Net& net : problem.nets) ends_.push_back(net.from < 0 ? Ends{} : ends_of(problem, net, devices));
        for (const Item& item : problem.items) {
            Ticks min = MaxFlow::unbounded;
            for (const size_t d : devices)
                if (item.allowed[d]) min = std::min(min, item.cost[d]);
            prices_.push_back(min);
        }
    }

    Ticks best(Ticks reached) {
        constexpr int max_steps = 40;
        constexpr size_t max_work = 400'000;  // items and nets over all steps
        const size_t work = devices_.size() * (problem_.items.size() + problem_.nets.size()) + 1;
        const int steps = static_cast<int>(std::clamp<size_t>(max_work / work, 1, max_steps));
        Ticks best = 0;
        for (int step = 0; step < steps && best < reached; ++step) {
            std::vector<int> takers(problem_.items.size(), 0);
            const Ticks now = at_prices(takers);
            best = std::max(best, now);
            if (!adjust(takers, reached - now, step)) break;
        }
        return std::min(best, reached);
    }

   private:
    Ticks at_prices(std::vector<int>& takers) const {
        Ticks sum = 0;
        for (const Ticks p : prices_) sum += p;
        for (const size_t d : devices_) sum += alone(d, takers);
        return sum;
    }

    Ticks alone(size_t device, std::vector<int>& takers) const {
        SideChoice cut(problem_.items.size());
        for (size_t i = 0; i < problem_.items.size(); ++i) {
            const Item& item = problem_.items[i];
            const auto choices = std::count_if(devices_.begin(), devices_.end(), [&](size_t d) { return item.allowed[d]; });
            if (!item.allowed[device])
                cut.fix(i, 0);
            else if (choices == 1)
                cut.fix(i, 1);
            if (item.allowed[device]) cut.add_item(i, 0, item.cost[device] - prices_[i]);
        }
        for (size_t n = 0; n < problem_.nets.size(); ++n) {
            const Net& net = problem_.nets[n];
            if (net.from < 0) {
                if (net.cost[device]) cut.charge_on(cut.any(net.to, 1), 1, net.cost[device]);
                continue;
            }
            const auto from = static_cast<size_t>(net.from);
            if (ends_[n].arrive[device]) cut.charge(from, cut.any(net.to, 1), ends_[n].arrive[device]);
            if (ends_[n].leave[device]) cut.charge(cut.any(net.to, 0), from, ends_[n].leave[device]);
        }
        const Ticks value = cut.solve();
        const std::vector<bool> side = cut.on_side_1();
        for (size_t i = 0; i < takers.size(); ++i) takers[i] += side[i];
        return value;
    }

    // A subgradient step of Polyak's length: what nobody takes is worth more, what several take is worth less.
    bool adjust(const std::vector<int>& takers, Ticks missing, int step) {
        int64_t norm = 0;
        for (const int t : takers) norm += int64_t{t - 1} * (t - 1);
        if (norm == 0 || missing <= 0) return false;
        const int shorter = 1 + step / 10;
        const double length = static_cast<double>(missing) / static_cast<double>(norm) / shorter;
        for (size_t i = 0; i < prices_.size(); ++i) prices_[i] += static_cast<Ticks>(length * (1 - takers[i]));
        return true;
    }

    const Problem& problem_;
    const std::vector<size_t>& devices_;
    std::vector<Ends> ends_;
    std::vector<Ticks> prices_;
};

Solution many_way(const Problem& problem, const std::vector<size_t>& devices, std::span<const Labels> starts) {
    Solution out;
    const auto offer = [&](const Labels& start) {
        Labels labels = improve(problem, devices, start);
        const Ticks now = price(problem, labels);
        if (!out.labels.empty() && now >= out.price) return;
        out.price = now;
        out.labels = std::move(labels);
    };
    const Labels alone = cheapest(problem);
    Labels together = alone;  // all on the first device, as far as it goes
    for (size_t i = 0; i < together.size(); ++i)
        if (problem.items[i].allowed[devices[0]]) together[i] = devices[0];
    offer(alone);
    offer(together);
    const auto best = std::min_element(starts.begin(), starts.end(),
                                       [&](const Labels& a, const Labels& b) { return price(problem, a) < price(problem, b); });
    if (best != starts.end()) offer(*best);
    Frontier frontier = search_frontier(problem, out.price);
    out.exact = frontier.proven;
    if (!frontier.labels.empty()) {
        out.labels = std::move(frontier.labels);
        out.price = price(problem, out.labels);
    }
    out.bound = out.exact ? out.price : Bound(problem, devices).best(out.price);
    return out;
}

}  // namespace

Solution cheapest_placement(const Problem& problem, std::span<const Labels> starts) {
    if (problem.items.empty()) return {{}, 0, 0, true};
    const std::vector<size_t> devices = used_devices(problem);
    if (devices.size() == 1) {
        Solution out{Labels(problem.items.size(), devices[0]), 0, 0, true};
        out.price = out.bound = price(problem, out.labels);
        return out;
    }
    return devices.size() == 2 ? two_way(problem, devices[0], devices[1]) : many_way(problem, devices, starts);
}

}  // namespace quern::place
