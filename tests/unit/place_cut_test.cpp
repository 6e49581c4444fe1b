// Placement as numbers: the cheapest cut against brute force and against the heuristics, and groups without cycles.
#include <boost/test/unit_test.hpp>
#include <random>
#include <set>

#include "libcore/place/acyclic.h"
#include "libcore/place/frontier.h"
#include "libcore/place/heuristics.h"
#include "libcore/place/max_flow.h"
#include "libcore/place/min_cut.h"

using namespace quern::place;

namespace {

class Random {
   public:
    explicit Random(uint64_t seed) : engine_(seed) {}
    int64_t upto(int64_t n) { return static_cast<int64_t>(engine_() % static_cast<uint64_t>(n + 1)); }
    bool chance(int percent) { return upto(99) < percent; }

   private:
    std::mt19937_64 engine_;
};

// Links are symmetric in nothing: any cost from any device to any other, as long as no detour through a third device is cheaper.
std::vector<Ticks> link_costs(Random& random, size_t devices, int64_t most) {
    std::vector<Ticks> cost(devices * devices, 0);
    for (size_t f = 0; f < devices; ++f)
        for (size_t d = 0; d < devices; ++d)
            if (f != d) cost[f * devices + d] = random.upto(most);
    for (size_t k = 0; k < devices; ++k)
        for (size_t f = 0; f < devices; ++f)
            for (size_t d = 0; d < devices; ++d)
                cost[f * devices + d] = std::min(cost[f * devices + d], cost[f * devices + k] + cost[k * devices + d]);
    return cost;
}

Problem random_problem(uint64_t seed, size_t items, size_t devices) {
    Random random(seed);
    Problem out;
    out.devices = devices;
    for (size_t i = 0; i < items; ++i) {
        Item item;
        for (size_t d = 0; d < devices; ++d) {
            item.cost.push_back(random.upto(1000));
            item.allowed.push_back(d == 0 ? !random.chance(5) : random.chance(80));
        }
        if (std::count(item.allowed.begin(), item.allowed.end(), true) == 0) item.allowed[0] = true;
        item.unknown.assign(devices, false);
        item.neutral = random.chance(10);
        out.items.push_back(std::move(item));
    }
    for (size_t i = 0; i + 1 < items; ++i) {
        Net net{static_cast<int>(i), {}, link_costs(random, devices, 600)};
        for (int64_t n = random.upto(3); n >= 0; --n)
            net.to.push_back(
                static_cast<int>(i + 1 + static_cast<size_t>(random.upto(static_cast<int64_t>(std::min<size_t>(items - i - 2, 8))))));
        if (random.chance(20)) {
            Net decode{-1, net.to, {}};
            for (size_t d = 0; d < devices; ++d) decode.cost.push_back(random.upto(200));
            out.nets.push_back(std::move(decode));
        }
        out.nets.push_back(std::move(net));
    }
    return out;
}

bool legal(const Problem& problem, const Labels& labels) {
    for (size_t i = 0; i < labels.size(); ++i)
        if (!problem.items[i].allowed[labels[i]]) return false;
    return true;
}

// Every placement, priced net by net as the last item of each is placed.
class BruteForce {
   public:
    explicit BruteForce(const Problem& problem) : problem_(problem), labels_(problem.items.size(), 0), ends_(problem.items.size()) {
        for (const Net& net : problem.nets) ends_[static_cast<size_t>(std::max(net.from, std::ranges::max(net.to)))].push_back(&net);
    }
    Ticks run() {
        place(0, 0);
        return best_;
    }

   private:
    void place(size_t item, Ticks sum) {
        if (item == labels_.size()) {
            best_ = std::min(best_, sum);
            return;
        }
        for (size_t d = 0; d < problem_.devices; ++d) {
            if (!problem_.items[item].allowed[d]) continue;
            labels_[item] = d;
            Ticks now = sum + problem_.items[item].cost[d];
            for (const Net* net : ends_[item]) now += cost(*net);
            place(item + 1, now);
        }
    }
    Ticks cost(const Net& net) const {
        Ticks sum = 0;
        unsigned seen = 0;
        for (const int reader : net.to) {
            const size_t d = labels_[static_cast<size_t>(reader)];
            if (seen & (1u << d)) continue;
            seen |= 1u << d;
            sum += net.cost[(net.from < 0 ? 0 : labels_[static_cast<size_t>(net.from)] * problem_.devices) + d];
        }
        return sum;
    }

    const Problem& problem_;
    Labels labels_;
    std::vector<std::vector<const Net*>> ends_;
    Ticks best_ = MaxFlow::unbounded;
};

Ticks by_brute_force(const Problem& problem) { return BruteForce(problem).run(); }

std::vector<Labels> greedy(const Problem& problem) {
    std::vector<Labels> out;
    for (const auto h : {Heuristic::qualifying_ops, Heuristic::faster_ops, Heuristic::faster_ops_wsu, Heuristic::much_faster_ops_wsu})
        out.push_back(place_greedily(problem, h));
    return out;
}

Item costs(Ticks cpu, Ticks npu) { return {{cpu, npu}, {true, true}, false, {false, false}}; }

}  // namespace

BOOST_AUTO_TEST_SUITE(place_cut)

BOOST_AUTO_TEST_CASE(a_flow_takes_the_narrowest_cut) {
    MaxFlow flow(4);
    flow.add_edge(0, 1, 3);
    flow.add_edge(0, 2, 2);
    flow.add_edge(1, 2, 5);
    flow.add_edge(1, 3, 2);
    flow.add_edge(2, 3, 3);
    BOOST_TEST(flow.run(0, 3) == 5);
    BOOST_TEST(flow.sink_side()[3]);
    BOOST_TEST(!flow.sink_side()[0]);
}

BOOST_AUTO_TEST_CASE(two_devices_equal_brute_force_on_1000_graphs) {
    size_t wrong = 0, mixed = 0;
    for (uint64_t seed = 1; seed <= 1000; ++seed) {
        const Problem problem = random_problem(seed, 2 + seed % 10, 2);
        const Solution found = cheapest_placement(problem);
        if (!legal(problem, found.labels) || found.price != by_brute_force(problem) || found.price != price(problem, found.labels)) ++wrong;
        if (std::set<size_t>(found.labels.begin(), found.labels.end()).size() == 2) ++mixed;
        BOOST_TEST(found.exact);
    }
    BOOST_TEST(wrong == 0u);
    BOOST_TEST(mixed > 500u);  // the graphs are no trivial ones
}

BOOST_AUTO_TEST_CASE(a_value_read_twice_on_the_other_device_is_paid_once) {
    Problem problem;
    problem.devices = 2;
    problem.items = {costs(0, 1000), costs(100, 0), costs(100, 0)};
    problem.nets = {{0, {1, 2}, {0, 150, 150, 0}}};  // 150 to bring it over: too dear for one reader, not for two
    const Solution found = cheapest_placement(problem);
    BOOST_TEST(found.price == 150);
    BOOST_TEST((found.labels == Labels{0, 1, 1}));
}

BOOST_AUTO_TEST_CASE(three_and_four_devices_equal_brute_force) {
    size_t wrong = 0, unproven = 0, mixed = 0, max_work = 0;
    const auto compare = [&](uint64_t seed, size_t items, size_t devices) {
        const Problem problem = random_problem(seed, items, devices);
        const Solution found = cheapest_placement(problem, greedy(problem));
        wrong += !legal(problem, found.labels) || found.price != by_brute_force(problem) || found.price != price(problem, found.labels);
        unproven += !found.exact || found.bound != found.price;
        mixed += std::set<size_t>(found.labels.begin(), found.labels.end()).size() > 2;
        const Frontier alone = search_frontier(problem, MaxFlow::unbounded);  // without a placement to begin with
        wrong += !alone.proven || price(problem, alone.labels) != found.price;
        max_work = std::max(max_work, alone.work);
    };
    for (uint64_t seed = 1; seed <= 400; ++seed) compare(seed, 7 + seed % 3, 3 + seed % 2);
    for (uint64_t seed = 401; seed <= 440; ++seed) compare(seed, 10 + seed % 3, 3);
    for (uint64_t seed = 441; seed <= 452; ++seed) compare(seed, 10 + seed % 2, 4);
    for (uint64_t seed = 453; seed <= 454; ++seed) compare(seed, 12, 4);
    BOOST_TEST_MESSAGE("at most " << max_work << " steps of " << frontier_work);
    BOOST_TEST(wrong == 0u);
    BOOST_TEST(unproven == 0u);
    BOOST_TEST(mixed > 200u);
}

// Any order of makers and readers, makers that are bound, values that several bound items read.
BOOST_AUTO_TEST_CASE(the_frontier_needs_no_order_of_items) {
    size_t wrong = 0;
    for (uint64_t seed = 1; seed <= 200; ++seed) {
        Problem problem = random_problem(seed, 8, 3);
        Random random(seed);
        for (Item& item : problem.items)
            if (random.chance(25)) item.allowed = {seed % 3 == 0, seed % 3 == 1, seed % 3 == 2};
        for (Net& net : problem.nets) {
            if (net.from >= 0) net.from = 7 - net.from;
            for (int& reader : net.to) reader = 7 - reader;
        }
        const Frontier found = search_frontier(problem, MaxFlow::unbounded);
        BOOST_REQUIRE(found.proven);
        wrong += !legal(problem, found.labels) || price(problem, found.labels) != by_brute_force(problem);
    }
    BOOST_TEST(wrong == 0u);
}

BOOST_AUTO_TEST_CASE(a_long_chain_is_proven_with_four_devices) {
    const Problem problem = [] {
        Problem chain = random_problem(3, 2000, 4);
        std::erase_if(chain.nets, [](const Net& net) { return net.from < 0; });
        for (Net& net : chain.nets) net.to = {net.from + 1};
        return chain;
    }();
    const Solution found = cheapest_placement(problem);
    BOOST_TEST(found.exact);
    BOOST_TEST(found.bound == found.price);
}

BOOST_AUTO_TEST_CASE(without_the_work_there_is_a_bound) {
    size_t proven = 0;
    for (uint64_t seed = 1; seed <= 3; ++seed) {
        const Problem problem = random_problem(seed, 200, 4);
        const Solution found = cheapest_placement(problem, greedy(problem));
        proven += found.exact;
        BOOST_TEST(found.bound <= found.price);
        BOOST_TEST(!search_frontier(problem, found.price, 1000).proven);
        BOOST_TEST(search_frontier(problem, found.price, 1000).labels.empty());
    }
    BOOST_TEST(proven == 0u);
}

BOOST_AUTO_TEST_CASE(never_dearer_than_a_heuristic) {
    for (const size_t devices : {size_t{2}, size_t{4}})
        for (uint64_t seed = 1; seed <= 5; ++seed) {
            const Problem problem = random_problem(seed, 1000, devices);
            const std::vector<Labels> starts = greedy(problem);
            const Solution found = cheapest_placement(problem, starts);
            BOOST_TEST(legal(problem, found.labels));
            for (const Labels& labels : starts) {
                BOOST_TEST(legal(problem, labels));
                BOOST_TEST(found.price <= price(problem, labels));
            }
            BOOST_TEST(found.bound <= found.price);
            BOOST_TEST(found.bound > 0);
            if (seed == 1) BOOST_TEST_MESSAGE(devices << " devices: gap " << found.gap() * 100 << " %");
            BOOST_TEST((cheapest_placement(problem, starts).labels == found.labels));
        }
}

BOOST_AUTO_TEST_CASE(ties_stay_on_cpu) {
    Problem problem;
    problem.devices = 2;
    problem.items = {costs(5, 5), costs(5, 5)};
    problem.nets = {{0, {1}, {0, 1, 1, 0}}};
    BOOST_TEST((cheapest_placement(problem).labels == Labels{0, 0}));
}

// Accelerator products with cheap elements between them: one that is slower there alone, but not with the transfers that it saves.
BOOST_AUTO_TEST_CASE(a_chain_between_accelerated_nodes_moves_with_them) {
    Problem problem;
    problem.devices = 2;
    const std::vector<Ticks> link{0, 50, 50, 0};
    problem.items = {costs(10000, 100), costs(10, 15), costs(10, 15), costs(10, 15), costs(10000, 100)};
    for (int i = 0; i < 4; ++i) problem.nets.push_back({i, {i + 1}, link});
    const Labels all(5, 1);
    BOOST_TEST((place_greedily(problem, Heuristic::faster_ops) == Labels{1, 0, 0, 0, 1}));
    BOOST_TEST((place_greedily(problem, Heuristic::faster_ops_wsu) == all));
    BOOST_TEST((place_greedily(problem, Heuristic::qualifying_ops) == all));
    BOOST_TEST((cheapest_placement(problem).labels == all));
}

BOOST_AUTO_TEST_CASE(a_lone_cheap_node_stays_on_cpu) {
    Problem problem;
    problem.devices = 2;
    const std::vector<Ticks> link{0, 50, 50, 0};
    problem.items = {costs(10, 10), costs(40, 20), costs(10, 10)};
    problem.items[0].allowed[1] = problem.items[2].allowed[1] = false;
    problem.nets = {{0, {1}, link}, {1, {2}, link}};
    BOOST_TEST((place_greedily(problem, Heuristic::faster_ops) == Labels{0, 1, 0}));
    for (const auto h : {Heuristic::faster_ops_wsu, Heuristic::much_faster_ops_wsu})
        BOOST_TEST((place_greedily(problem, h) == Labels{0, 0, 0}));
    BOOST_TEST((cheapest_placement(problem).labels == Labels{0, 0, 0}));
}

BOOST_AUTO_TEST_CASE(much_faster_asks_for_more_than_faster) {
    Problem problem;
    problem.devices = 2;
    problem.items = {costs(100, 20), costs(100, 10), costs(100, 60)};  // 5, 10 and 1.7 times faster
    BOOST_TEST((place_greedily(problem, Heuristic::faster_ops_wsu) == Labels{1, 1, 1}));
    // Without neighbours 3 times faster is enough from the second sweep on; the first takes 8 times.
    BOOST_TEST((place_greedily(problem, Heuristic::much_faster_ops_wsu) == Labels{1, 1, 0}));
}

BOOST_AUTO_TEST_CASE(names_of_heuristics) {
    for (const std::string_view name : heuristic_names()) BOOST_TEST(name_of(*find_heuristic(name)) == name);
    BOOST_TEST((find_heuristic("fasteropswsu") == Heuristic::faster_ops_wsu));
    BOOST_TEST(!find_heuristic("Fastest").has_value());
}

// ---- groups -----------------------------------------------------------------------------------------------------------

namespace {

using Edge = std::pair<size_t, size_t>;

// Groups have one label, hang together, and are numbered so that all edges go forward.
void check_groups(size_t n, const std::vector<Edge>& edges, const std::vector<size_t>& labels, const Grouping& g) {
    std::vector<std::set<size_t>> seen(g.groups), members(g.groups);
    for (size_t v = 0; v < n; ++v) {
        seen[g.group[v]].insert(labels[v]);
        members[g.group[v]].insert(v);
    }
    for (const auto& labels_seen : seen) BOOST_REQUIRE(labels_seen.size() == 1);
    for (const auto& [a, b] : edges) BOOST_REQUIRE(g.group[a] <= g.group[b]);
    for (const auto& group : members) {
        std::set<size_t> reached{*group.begin()};
        for (size_t before = 0; before != reached.size();) {
            before = reached.size();
            for (const auto& [a, b] : edges)
                if (group.contains(a) && group.contains(b) && (reached.contains(a) || reached.contains(b))) reached.insert({a, b});
        }
        BOOST_REQUIRE(reached.size() == group.size());
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_part_that_waits_for_itself_is_split) {
    const std::vector<Edge> edges{{0, 1}, {1, 2}, {0, 2}};  // 0 and 2 on one device, 1 between them on another
    const std::vector<size_t> labels{0, 1, 0};
    const Grouping g = group_acyclically(3, edges, labels);
    check_groups(3, edges, labels, g);
    BOOST_TEST(g.groups == 3u);
    BOOST_TEST(g.cyclic == 2u);  // both parts wait for each other
    BOOST_TEST(g.splits == 1u);
}

BOOST_AUTO_TEST_CASE(parts_without_cycles_stay_whole) {
    const std::vector<Edge> edges{{0, 1}, {1, 2}, {0, 3}, {3, 4}, {2, 4}};
    const Grouping g = group_acyclically(5, edges, std::vector<size_t>{0, 1, 1, 1, 1});
    BOOST_TEST(g.groups == 2u);
    BOOST_TEST(g.cyclic == 0u);
}

BOOST_AUTO_TEST_CASE(random_groups_have_no_cycles) {
    size_t cyclic = 0;
    for (uint64_t seed = 1; seed <= 300; ++seed) {
        Random random(seed);
        const size_t n = 2 + static_cast<size_t>(random.upto(40));
        std::vector<Edge> edges;
        std::vector<size_t> labels;
        for (size_t v = 0; v < n; ++v) {
            labels.push_back(static_cast<size_t>(random.upto(2)));
            for (int64_t k = random.upto(2); k > 0 && v > 0; --k)
                edges.emplace_back(static_cast<size_t>(random.upto(static_cast<int64_t>(v) - 1)), v);
        }
        const Grouping g = group_acyclically(n, edges, labels);
        check_groups(n, edges, labels, g);
        cyclic += g.cyclic;
    }
    BOOST_TEST_MESSAGE(cyclic << " cyclic parts repaired");
    BOOST_TEST(cyclic > 300u);
}

BOOST_AUTO_TEST_SUITE_END()
