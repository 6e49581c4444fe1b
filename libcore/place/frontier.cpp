#include "libcore/place/frontier.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>

namespace quern::place {
namespace {

constexpr size_t none = ~size_t{0};
constexpr size_t max_devices = 8;        // of which a byte holds a set
constexpr size_t max_items_sorted = 64;  // free items whose order is searched for; more are taken in the order of the program

// A net as one item meets it.
struct Meeting {
    const Net* net = nullptr;
    size_t mask = 0;           // slot: the devices that have the value
    bool opens = false;        // the item is the first of the net's
    uint8_t before = 0;        // then: devices of its fixed readers
    size_t maker = none;       // slot of the maker's label; none: it is fixed, there is none, or it comes later
    std::optional<size_t> at;  // where a fixed maker is; 0 where there is none
};

struct Step {
    size_t item = 0;
    size_t label = none;  // slot of its device, if it is needed later
    std::vector<Meeting> makes, reads;
    std::vector<size_t> freed;  // slots
    Ticks rest = 0;             // what later items take at least
};

// The order of the items, and where a state holds what.
class Course {
   public:
    Course(const Problem& problem, const std::vector<size_t>& devices) : problem_(problem), devices_(devices) {
        fix();
        count_ends();
        for (size_t taken = 0; taken < free_.size(); ++taken) take(next());
        Ticks rest = 0;
        for (size_t s = steps.size(); s-- > 0;) {
            steps[s].rest = rest;
            rest += min(problem_.items[steps[s].item]);
        }
    }

    std::vector<Step> steps;
    size_t width = 0;    // slots
    Ticks constant = 0;  // of fixed items and between them
    Labels labels;       // of fixed items
    std::vector<bool> fixed;

   private:
    Ticks min(const Item& item) const {
        Ticks best = std::numeric_limits<Ticks>::max();
        for (size_t d = 0; d < problem_.devices; ++d)
            if (item.allowed[d]) best = std::min(best, item.cost[d]);
        return best;
    }

    void fix() {
        labels.assign(problem_.items.size(), 0);
        fixed.assign(problem_.items.size(), false);
        for (size_t i = 0; i < problem_.items.size(); ++i) {
            const Item& item = problem_.items[i];
            fixed[i] = std::count(item.allowed.begin(), item.allowed.end(), true) == 1;
            if (!fixed[i]) {
                free_.push_back(i);
                continue;
            }
            labels[i] = static_cast<size_t>(std::find(item.allowed.begin(), item.allowed.end(), true) - item.allowed.begin());
            constant += item.cost[labels[i]];
        }
    }

    uint8_t bit(size_t device) const {
        return static_cast<uint8_t>(1u << (std::find(devices_.begin(), devices_.end(), device) - devices_.begin()));
    }

    // Free ends of each net, its slots, and what its fixed ends cost.
    void count_ends() {
        nets_.resize(problem_.nets.size());
        of_.resize(problem_.items.size());
        for (size_t n = 0; n < nets_.size(); ++n) {
            const Net& net = problem_.nets[n];
            Ends& ends = nets_[n];
            std::vector<size_t> members;
            if (net.from >= 0 && !fixed[static_cast<size_t>(net.from)]) members.push_back(static_cast<size_t>(net.from));
            for (const int reader : net.to) {
                const auto r = static_cast<size_t>(reader);
                if (fixed[r])
                    ends.before |= bit(labels[r]);
                else
                    members.push_back(r);
            }
            std::sort(members.begin(), members.end());
            members.erase(std::unique(members.begin(), members.end()), members.end());
            ends.open = members.size();
            for (const size_t item : members) of_[item].push_back(n);
            if (net.from < 0) ends.at = 0;
            if (net.from >= 0 && fixed[static_cast<size_t>(net.from)]) ends.at = labels[static_cast<size_t>(net.from)];
            if (!ends.at) continue;
            for (const size_t d : devices_)
                if (ends.before & bit(d)) constant += net.cost[*ends.at * problem_.devices + d];
        }
        taken_.assign(problem_.items.size(), false);
        label_slot_.assign(problem_.items.size(), none);
    }

    // The item after which the fewest values are open; of equals the first.
    size_t next() {
        while (taken_[free_[first_]]) ++first_;
        if (free_.size() > max_items_sorted) return free_[first_];
        size_t best = none;
        int fewest = 0;
        for (const size_t item : free_) {
            if (taken_[item]) continue;
            int opened = 0;
            for (const size_t n : of_[item]) opened += !nets_[n].started - (nets_[n].open == 1);
            if (best == none || opened < fewest) {
                best = item;
                fewest = opened;
            }
        }
        return best;
    }

    size_t new_slot() {
        if (unused_.empty()) return width++;
        const size_t slot = unused_.back();
        unused_.pop_back();
        return slot;
    }

    void take(size_t item) {
        Step step;
        step.item = item;
        taken_[item] = true;
        std::vector<size_t> closed;
        for (const size_t n : of_[item]) {
            const Net& net = problem_.nets[n];
            Ends& ends = nets_[n];
            const bool opens = !ends.started;
            if (opens) ends.slot = new_slot();
            ends.started = true;
            const bool makes = net.from == static_cast<int>(item);
            Meeting meeting{&net, ends.slot, opens, ends.before, none, ends.at};
            if (!makes && net.from >= 0) meeting.maker = label_slot_[static_cast<size_t>(net.from)];
            (makes ? step.makes : step.reads).push_back(meeting);
            if (makes && ends.open > 1 && step.label == none) step.label = label_slot_[item] = new_slot();
            if (--ends.open == 0) closed.push_back(n);
        }
        for (const size_t n : closed) {
            step.freed.push_back(nets_[n].slot);
            const int from = problem_.nets[n].from;
            if (from < 0 || label_slot_[static_cast<size_t>(from)] == none || is_read_later(static_cast<size_t>(from))) continue;
            step.freed.push_back(label_slot_[static_cast<size_t>(from)]);
            label_slot_[static_cast<size_t>(from)] = none;
        }
        unused_.insert(unused_.end(), step.freed.begin(), step.freed.end());
        steps.push_back(std::move(step));
    }

    bool is_read_later(size_t item) const {
        return std::any_of(of_[item].begin(), of_[item].end(),
                           [&](size_t n) { return problem_.nets[n].from == static_cast<int>(item) && nets_[n].open > 0; });
    }

    struct Ends {
        size_t open = 0;  // free items that are not taken yet
        size_t slot = 0;
        bool started = false;
        uint8_t before = 0;        // devices of fixed readers
        std::optional<size_t> at;  // where the maker is, if that is known from the start
    };

    const Problem& problem_;
    const std::vector<size_t>& devices_;
    std::vector<size_t> free_, unused_, label_slot_;
    std::vector<Ends> nets_;
    std::vector<std::vector<size_t>> of_;  // nets of each item
    std::vector<bool> taken_;
    size_t first_ = 0;
};

class Search {
   public:
    Search(const Problem& problem, const std::vector<size_t>& devices, Ticks known, size_t max_work)
        : problem_(problem), devices_(devices), course_(problem, devices), known_(known), max_work_(max_work) {}

    Frontier run() {
        layers_.push_back({{std::string(course_.width, '\0'), course_.constant, 0, 0}});
        for (const Step& step : course_.steps) {
            std::vector<State> next;
            std::unordered_map<std::string, size_t> at;
            for (size_t s = 0; s < layers_.back().size(); ++s) {
                out_.work += devices_.size();
                if (out_.work > max_work_) return out_;
                extend(step, s, next, at);
            }
            for (State& state : layers_.back()) state.key = {};
            layers_.push_back(std::move(next));
        }
        out_.proven = true;
        if (!layers_.back().empty() && layers_.back()[0].price < known_) trace();
        return std::move(out_);
    }

   private:
    struct State {
        std::string key;
        Ticks price = 0;
        size_t parent = 0;  // in the layer before
        size_t device = 0;  // of the item, among devices_
    };

    void extend(const Step& step, size_t parent, std::vector<State>& next, std::unordered_map<std::string, size_t>& at) {
        const Item& item = problem_.items[step.item];
        for (size_t d = 0; d < devices_.size(); ++d) {
            if (!item.allowed[devices_[d]]) continue;
            State state = layers_.back()[parent];
            state.price += item.cost[devices_[d]];
            for (const Meeting& meeting : step.makes) make(meeting, d, state);
            for (const Meeting& meeting : step.reads) read(meeting, d, state);
            if (state.price + step.rest >= known_) continue;
            if (step.label != none) state.key[step.label] = static_cast<char>(d);
            for (const size_t slot : step.freed) state.key[slot] = 0;
            state.parent = parent;
            state.device = d;
            const auto [found, fresh] = at.try_emplace(state.key, next.size());
            if (fresh)
                next.push_back(std::move(state));
            else if (state.price < next[found->second].price)
                next[found->second] = std::move(state);
        }
    }

    Ticks cost(const Net& net, size_t from, size_t to) const {
        return net.cost[(net.from < 0 ? 0 : from * problem_.devices) + devices_[to]];
    }

    // The devices that have the value so far; those to which it comes for nothing have it from the start.
    uint8_t had(const Meeting& meeting, const State& state) const {
        return meeting.opens ? meeting.before : static_cast<uint8_t>(state.key[meeting.mask]);
    }
    uint8_t for_nothing(const Net& net, size_t from) const {
        uint8_t mask = 0;
        for (size_t d = 0; d < devices_.size(); ++d)
            if (cost(net, from, d) == 0) mask |= static_cast<uint8_t>(1u << d);
        return mask;
    }

    void make(const Meeting& meeting, size_t device, State& state) const {
        const uint8_t mask = had(meeting, state);
        const size_t from = devices_[device];
        for (size_t d = 0; d < devices_.size(); ++d)
            if (mask & (1u << d)) state.price += cost(*meeting.net, from, d);
        state.key[meeting.mask] = static_cast<char>(mask | for_nothing(*meeting.net, from));
    }

    void read(const Meeting& meeting, size_t device, State& state) const {
        std::optional<size_t> from = meeting.at;
        if (meeting.maker != none) from = devices_[static_cast<size_t>(state.key[meeting.maker])];
        uint8_t mask = had(meeting, state);
        if (meeting.opens && from) mask |= for_nothing(*meeting.net, *from);
        const auto bit = static_cast<uint8_t>(1u << device);
        if (from && !(mask & bit)) state.price += cost(*meeting.net, *from, device);
        state.key[meeting.mask] = static_cast<char>(mask | bit);
    }

    void trace() {
        out_.labels = course_.labels;
        size_t at = 0;
        for (size_t s = course_.steps.size(); s-- > 0;) {
            const State& state = layers_[s + 1][at];
            out_.labels[course_.steps[s].item] = devices_[state.device];
            at = state.parent;
        }
    }

    const Problem& problem_;
    const std::vector<size_t>& devices_;
    Course course_;
    Ticks known_;
    size_t max_work_;
    std::vector<std::vector<State>> layers_;
    Frontier out_;
};

}  // namespace

Frontier search_frontier(const Problem& problem, Ticks known, size_t max_work) {
    const std::vector<size_t> devices = used_devices(problem);
    if (devices.size() > max_devices) return {};
    return Search(problem, devices, known, max_work).run();
}

}  // namespace quern::place
