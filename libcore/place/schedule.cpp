#include "libcore/place/schedule.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "libcore/base/text.h"
#include "libcore/place/cost.h"

namespace quern::place {
namespace {

// Seconds from the begin of each task to the end of what waits for it.
std::vector<double> ways_to_the_end(std::span<const Task> tasks) {
    std::vector<double> ways(tasks.size(), 0);
    for (size_t t = tasks.size(); t-- > 0;) {
        ways[t] += tasks[t].seconds;
        for (const size_t before : tasks[t].after) ways[before] = std::max(ways[before], ways[t]);
    }
    return ways;
}

// The tasks of a placement, in an order in which none waits for a later one.
class Tasks {
   public:
    Tasks(const Graph& graph, const Target& target, const Placement& placement)
        : graph_(graph), target_(target), parts_(placement.partitions.parts), on_(placement.devices) {
        part_of_.assign(graph.node_count(), -1);
        for (const Partition& part : parts_)
            for (const NodeId id : part.nodes) part_of_[index_of(id)] = part.id;
        find_splits(placement.partitions.memory_splits);
        count_nodes(placement);
        for (const Partition& part : parts_) add(part);
        for (const ValueId id : graph.outputs)
            if (const int maker = maker_of(id); maker >= 0) (void)arrived(id, maker, cpu_device);
    }

    const std::vector<Task>& all() const { return tasks_; }
    size_t of_part(size_t part) const { return of_part_[part]; }

    // What is at work longest, and how long.
    std::pair<std::string, double> busiest() const {
        std::vector<double> busy(on_.size(), 0);
        for (const Task& task : tasks_) busy[task.on] += task.seconds;
        const auto max = std::max_element(busy.begin(), busy.end());
        return {on_[static_cast<size_t>(max - busy.begin())], *max};
    }

   private:
    using Ready = std::vector<size_t>;  // the task after which a value is there; none: it is from the start

    void find_splits(const std::vector<MemorySplit>& splits) {
        split_of_.assign(parts_.size(), -1);
        for (size_t s = 0; s < splits.size(); ++s) std::fill_n(split_of_.begin() + splits[s].first, splits[s].parts, static_cast<int>(s));
    }

    // What nodes take where they are, by node; and what a device takes to decode each value, by the first partition that reads it.
    void count_nodes(const Placement& placement) {
        seconds_.assign(parts_.size(), 0);
        for (const Decision& d : placement.decisions) {
            const auto device = static_cast<size_t>(std::ranges::find(placement.devices, d.device) - placement.devices.begin());
            const int part = part_of_[index_of(d.node)];
            if (!d.choices.empty() && part >= 0) seconds_[static_cast<size_t>(part)] += d.choices[device].counted;
        }
        std::set<std::pair<std::string, ValueId>> decoded;
        for (const Partition& part : parts_)
            for (const NodeId id : part.nodes)
                if (works_at_the_edge(graph_, graph_.node(id)))
                    for (const ValueId value : support::values_read(graph_.node(id)))
                        if (decoded.emplace(part.device, value).second) seconds_[static_cast<size_t>(part.id)] += decoding(part, value);
    }

    double decoding(const Partition& part, ValueId id) const {
        const Value& value = graph_.value(id);
        return value.enc && !value.constant() ? recode_seconds(*find_device(target_, part.device), value) : 0;
    }

    int maker_of(ValueId id) const {
        const NodeId maker = graph_.value(id).producer;
        return maker == NodeId::none ? -1 : part_of_[index_of(maker)];
    }

    void add(const Partition& part) {
        Task task{number_of(part.device), seconds_[static_cast<size_t>(part.id)], {}};
        for (const ValueId id : part.inputs)
            for (const size_t before : arrives(id, part)) task.after.push_back(before);
        of_part_.push_back(tasks_.size());
        tasks_.push_back(std::move(task));
    }

    Ready arrives(ValueId id, const Partition& at) {
        const int maker = maker_of(id), reader = split_of_[static_cast<size_t>(at.id)];
        const bool waits = maker >= 0 && reader >= 0 && split_of_[static_cast<size_t>(maker)] == reader && at.device != cpu_device;
        return waits ? hop(id, cpu_device, at.device, arrived(id, maker, cpu_device)) : arrived(id, maker, at.device);
    }

    // On `to`, by the way of cpu where there is no link; a value goes once to each device.
    Ready arrived(ValueId id, int maker, std::string_view to) {
        const std::string_view from = maker < 0 ? cpu_device : std::string_view(parts_[static_cast<size_t>(maker)].device);
        const Ready made = maker < 0 ? Ready{} : Ready{of_part_[static_cast<size_t>(maker)]};
        if (from == to) return made;
        if (const auto found = sent_.find({id, std::string(to)}); found != sent_.end()) return found->second;
        const bool direct = from == cpu_device || to == cpu_device || find_link(target_, from, to);
        const Ready there = direct ? hop(id, from, to, made) : hop(id, cpu_device, to, arrived(id, maker, cpu_device));
        sent_[{id, std::string(to)}] = there;
        return there;
    }

    Ready hop(ValueId id, std::string_view from, std::string_view to, Ready ready) {
        const double seconds = transfer_seconds(target_, from, to, graph_.value(id));
        if (seconds == 0) return ready;
        tasks_.push_back({number_of(fmt::format("{} to {}", from, to)), seconds, std::move(ready)});
        return {tasks_.size() - 1};
    }

    size_t number_of(std::string_view name) {
        const auto found = std::find(on_.begin(), on_.end(), name);
        if (found != on_.end()) return static_cast<size_t>(found - on_.begin());
        on_.emplace_back(name);
        return on_.size() - 1;
    }

    const Graph& graph_;
    const Target& target_;
    const std::vector<Partition>& parts_;
    std::vector<std::string> on_;  // devices, then links
    std::vector<int> part_of_, split_of_;
    std::vector<double> seconds_;  // by partition
    std::vector<size_t> of_part_;  // its task
    std::map<std::pair<ValueId, std::string>, Ready> sent_;
    std::vector<Task> tasks_;
};

}  // namespace

std::vector<Span> list_schedule(std::span<const Task> tasks) {
    const std::vector<double> ways = ways_to_the_end(tasks);
    std::vector<std::vector<size_t>> next(tasks.size());
    std::vector<size_t> waits(tasks.size()), open;
    std::vector<double> free, there(tasks.size(), 0);
    for (size_t t = 0; t < tasks.size(); ++t) {
        free.resize(std::max(free.size(), tasks[t].on + 1), 0);
        for (const size_t before : tasks[t].after) next[before].push_back(t);
        waits[t] = tasks[t].after.size();
        if (waits[t] == 0) open.push_back(t);
    }
    std::vector<Span> spans(tasks.size());
    const auto start = [&](size_t t) { return std::max(there[t], free[tasks[t].on]); };
    while (!open.empty()) {
        const auto best = std::ranges::min_element(open, {}, [&](size_t t) { return std::tuple(start(t), -ways[t], t); });
        const size_t t = *best;
        open.erase(best);
        spans[t] = {start(t), start(t) + tasks[t].seconds};
        free[tasks[t].on] = spans[t].end;
        for (const size_t after : next[t]) {
            there[after] = std::max(there[after], spans[t].end);
            if (--waits[after] == 0) open.push_back(after);
        }
    }
    return spans;
}

Schedule schedule_of(const Graph& graph, const Target& target, const Placement& placement) {
    const Tasks tasks(graph, target, placement);
    const std::vector<Span> spans = list_schedule(tasks.all());
    Schedule out;
    for (size_t p = 0; p < placement.partitions.parts.size(); ++p) out.parts.push_back(spans[tasks.of_part(p)]);
    for (const Span& span : spans) out.makespan = std::max(out.makespan, span.end);
    std::tie(out.busiest, out.busiest_seconds) = tasks.busiest();
    return out;
}

}  // namespace quern::place
