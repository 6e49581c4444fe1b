#include "libcore/place/heuristics.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace quern::place {
namespace {

constexpr std::array<std::string_view, 5> names = {"QualifyingOps", "FasterOps", "FasterOpsWSU", "MuchFasterOpsWSU", "min-cut"};

bool same_word(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

// Each item's fastest accelerator; 0: it has none.
std::vector<size_t> candidates(const Problem& problem) {
    std::vector<size_t> out;
    for (const Item& item : problem.items) {
        size_t best = 0;
        for (size_t d = 1; d < problem.devices; ++d)
            if (item.allowed[d] && (best == 0 || item.cost[d] < item.cost[best])) best = d;
        out.push_back(best);
    }
    return out;
}

struct Factors {
    double faster, clearly_accelerator, clearly_cpu;
};

class Sweeps {
   public:
    Sweeps(const Problem& problem, Factors factors)
        : problem_(problem),
          factors_(factors),
          candidate_(candidates(problem)),
          labels_(problem.items.size(), undecided),
          makes_(problem.items.size()),
          reads_(problem.items.size()) {
        for (size_t i = 0; i < labels_.size(); ++i) {
            if (candidate_[i] == 0) labels_[i] = 0;
            if (!problem.items[i].allowed[0]) labels_[i] = candidate_[i];
        }
        for (const Net& net : problem.nets) {
            if (net.from >= 0) makes_[static_cast<size_t>(net.from)].push_back(&net);
            for (const int reader : net.to) reads_[static_cast<size_t>(reader)].push_back(&net);
        }
    }

    Labels run() {
        constexpr int last = 4;
        for (int sweep = 0; sweep <= last; ++sweep) {
            bool changed = false;
            for (size_t i = 0; i < labels_.size(); ++i) {
                if (labels_[i] != undecided) continue;
                labels_[i] = verdict(i, sweep == 0);
                if (sweep == last && labels_[i] == undecided) labels_[i] = 0;
                changed = changed || labels_[i] != undecided;
            }
            if (!changed && sweep < last - 1) sweep = last - 1;
        }
        return labels_;
    }

   private:
    static constexpr size_t undecided = ~size_t{0};

    size_t verdict(size_t i, bool first) const {
        const Item& item = problem_.items[i];
        const auto there = static_cast<double>(item.cost[candidate_[i]]), here = static_cast<double>(item.cost[0]);
        const bool wins = (there + static_cast<double>(delta(i))) * factors_.faster <= here;
        if (!first) return wins ? candidate_[i] : undecided;
        if (wins && there * factors_.clearly_accelerator <= here) return candidate_[i];
        return !wins && here * factors_.clearly_cpu <= there ? 0 : undecided;
    }

    bool counts(size_t item) const { return !problem_.items[item].neutral && labels_[item] != undecided; }
    Ticks cost(const Net& net, size_t from, size_t to) const { return net.cost[from * problem_.devices + to]; }

    // What the transfers around item i cost more with it on its candidate than on the CPU.
    Ticks delta(size_t i) const {
        Ticks sum = 0;
        const size_t there = candidate_[i];
        for (const Net* net : makes_[i]) {
            std::vector<bool> seen(problem_.devices, false);
            for (const int r : net->to) {
                const auto reader = static_cast<size_t>(r);
                if (reader == i || !counts(reader) || seen[labels_[reader]]) continue;
                seen[labels_[reader]] = true;
                sum += cost(*net, there, labels_[reader]) - cost(*net, 0, labels_[reader]);
            }
        }
        for (const Net* net : reads_[i]) {
            if (net->from < 0) {
                sum += net->cost[there] - net->cost[0];
                continue;
            }
            const auto from = static_cast<size_t>(net->from);
            if (from == i || !counts(from)) continue;
            const bool there_already = std::any_of(net->to.begin(), net->to.end(), [&](int r) {
                return static_cast<size_t>(r) != i && labels_[static_cast<size_t>(r)] == there;
            });
            sum += (there_already ? 0 : cost(*net, labels_[from], there)) - cost(*net, labels_[from], 0);
        }
        return sum;
    }

    const Problem& problem_;
    Factors factors_;
    std::vector<size_t> candidate_;
    Labels labels_;
    std::vector<std::vector<const Net*>> makes_, reads_;
};

}  // namespace

std::span<const std::string_view> heuristic_names() { return names; }

std::optional<Heuristic> find_heuristic(std::string_view name) {
    for (size_t i = 0; i < names.size(); ++i)
        if (same_word(names[i], name)) return static_cast<Heuristic>(i);
    return std::nullopt;
}

std::string_view name_of(Heuristic heuristic) { return names[static_cast<size_t>(heuristic)]; }

Labels place_greedily(const Problem& problem, Heuristic heuristic) {
    if (heuristic == Heuristic::faster_ops_wsu) return Sweeps(problem, {1.1, 3, 2}).run();
    if (heuristic == Heuristic::much_faster_ops_wsu) return Sweeps(problem, {3, 8, 2}).run();
    Labels labels = candidates(problem);
    for (size_t i = 0; i < labels.size(); ++i) {
        const Item& item = problem.items[i];
        if (heuristic == Heuristic::faster_ops && item.allowed[0] && item.cost[labels[i]] >= item.cost[0]) labels[i] = 0;
    }
    return labels;
}

}  // namespace quern::place
