#include "libcore/place/calibrate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "libcore/base/few.h"
#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "libcore/place/cost.h"
#include "libcore/place/fit.h"
#include "libcore/place/nodes.h"

namespace quern::place {
namespace {

constexpr double nanosecond = 1e-9;  // a machine has no smaller figure

double inverse(double rate) { return rate > 0 ? 1 / rate : 0; }

Figures figures_of(const CostRow& row) { return {row.seconds, inverse(row.macs_per_second), inverse(row.bytes_per_second)}; }

// To 4 digits, within what a target may say.
double rate_of(double seconds) {
    if (seconds <= 0) return 0;
    return std::clamp(parse_double(fmt::format("{:.3e}", 1 / seconds)).value(), 1.0, 1e30);
}

// As it can stand in a file: whole nanoseconds a call.
CostRow row_of(CostRow row, const Figures& figures) {
    row.seconds = std::round(figures.call / nanosecond) / 1e9;
    row.macs_per_second = rate_of(figures.mac);
    row.bytes_per_second = rate_of(figures.byte);
    return row;
}

std::string name_of(const CostRow& row) { return fmt::format("{} {}", row.op, row.precision); }

// Operators that a kernel took along: those of "onednn conv+BatchNormalization+Relu".
std::vector<std::string> taken_along(const std::string& kernel) {
    std::vector<std::string> words = split(kernel, '+');
    if (!words.empty()) words.erase(words.begin());
    return words;
}

// Which nodes each time is of.
class Owners {
   public:
    Owners(Graph& graph, const Target& target) : graph_(graph), target_(target) {
        for (const NodeRef& ref : placed_nodes(graph)) {
            keys_.push_back(ref.key);
            refs_.emplace(ref.key, ref);
        }
    }

    // The node; nullptr: there is none, and `why` says so.
    const NodeRef* find(const NodeTime& time, std::string& why) const {
        const NodeRef* ref = named(time.node);
        if (!ref) {
            why = fmt::format("{}: the model has no node \"{}\"{}", time.place, escape(time.node), did_you_mean(time.node, keys_));
            return nullptr;
        }
        const std::string_view op = ref->node().op->name;
        if (time.op.empty() || time.op == op || !target_.format.empty()) return ref;
        why = fmt::format("{}: node \"{}\" is a {} there, a {} in the model", time.place, escape(time.node), escape(time.op), op);
        return nullptr;
    }

    const Device& device_of(const NodeTime& time, const NodeRef& ref) const {
        const std::string name = !time.device.empty()        ? time.device
                                 : ref.node().device.empty() ? std::string(cpu_device)
                                                             : ref.node().device;
        if (const Device* device = find_device(target_, name)) return *device;
        throw bad_input("{}.device: target {} has no device \"{}\"{}", time.place, target_.name, escape(name),
                        did_you_mean(name, device_names(target_)));
    }

    void take(const NodeRef& ref) { owned_[ref.graph].insert(ref.id); }

    // What was computed with the node and has no time of its own; it has none for another from now on.
    std::vector<NodeId> along(const NodeRef& ref, const NodeTime& time) {
        std::vector<NodeId> out{ref.id};
        const Units& units = units_in(*ref.graph);
        for (const NodeId id : units.members[units.of[index_of(ref.id)]]) join(*ref.graph, id, out);
        NodeId last = ref.id;
        for (const std::string& op : taken_along(time.kernel)) {
            const std::vector<ValueId>& made = ref.graph->node(last).out;
            const NodeId next = made.empty() || made[0] == ValueId::none ? NodeId::none : ref.graph->only_reader(made[0]);
            if (next == NodeId::none || ref.graph->node(next).op->name != op) break;
            join(*ref.graph, next, out);
            last = next;
        }
        return out;
    }

    size_t without_time() const {
        return static_cast<size_t>(std::count_if(refs_.begin(), refs_.end(), [&](const auto& item) {
            const auto owned = owned_.find(item.second.graph);
            return owned == owned_.end() || !owned->second.contains(item.second.id);
        }));
    }

   private:
    // By its key, in a body by its path, too.
    const NodeRef* named(const std::string& name) const {
        const auto found = refs_.find(name);
        if (found != refs_.end()) return &found->second;
        for (size_t slash = name.find('/'); slash != std::string::npos; slash = name.find('/', slash + 1))
            if (const auto inner = refs_.find(name.substr(slash + 1)); inner != refs_.end() && inner->second.graph != &graph_)
                return &inner->second;
        return nullptr;
    }

    void join(const Graph& graph, NodeId id, std::vector<NodeId>& to) {
        if (owned_[&graph].insert(id).second) to.push_back(id);
    }

    const Units& units_in(const Graph& graph) {
        const auto [at, fresh] = units_.try_emplace(&graph);
        if (fresh) at->second = units_of(graph);
        return at->second;
    }

    Graph& graph_;
    const Target& target_;
    std::vector<std::string> keys_;
    std::map<std::string, NodeRef> refs_;
    std::map<const Graph*, std::set<NodeId>> owned_;
    std::map<const Graph*, Units> units_;
};

class Calibrator {
   public:
    Calibrator(Graph& graph, const Target& target, const std::vector<NodeTime>& times) : owners_(graph, target) {
        for (const Device& device : target.devices) {
            for (const CostRow& row : device.costs) numbers_.emplace(&row, rows_.size()), rows_.push_back({&device, &row, figures_of(row)});
        }
        out_.all_rows = rows_.size();
        find_nodes(times);
        for (const auto& [time, ref] : found_) add_sample(time, *ref);
        out_.without_time = owners_.without_time();
    }

    Calibration run() {
        for (const Sample& sample : samples_) ++rows_[sample.parts.front().row].times;
        fit_all();
        for (size_t r = 0; r < rows_.size(); ++r)
            if (rows_[r].times > 0) out_.rows.push_back(told(r));
        out_.times = samples_.size();
        return std::move(out_);
    }

   private:
    struct Part {
        size_t row;
        NodeWork work;
    };
    struct Sample {
        double seconds = 0, encoding = 0;
        std::vector<Part> parts;  // the first is of the node that the time names
    };
    struct Row {
        const Device* device;
        const CostRow* cost;
        Figures now;
        size_t times = 0;
    };

    void find_nodes(const std::vector<NodeTime>& times) {
        std::map<std::pair<std::string, std::string>, size_t> places;
        for (const NodeTime& time : times) {
            std::string why;
            const NodeRef* ref = owners_.find(time, why);
            if (!ref) {
                out_.unknown.push_back(why);
                continue;
            }
            const auto [at, fresh] = places.try_emplace({ref->key, time.device}, found_.size());
            if (fresh)
                found_.emplace_back(time, ref);
            else
                found_[at->second].first.seconds += time.seconds;  // one operator of the target's format for both
            owners_.take(*ref);
        }
        if (2 * out_.unknown.size() <= times.size()) return;
        const std::string first = out_.unknown.front();
        out_.unknown.erase(out_.unknown.begin());
        throw bad_input("{}", first)
            .with_details(few_of(std::move(out_.unknown)))
            .with_hint("most times are of no node: the profile is of another model");
    }

    void add_sample(const NodeTime& time, const NodeRef& ref) {
        const Device& device = owners_.device_of(time, ref);
        const auto unused = [&](std::string_view why) {
            out_.unused.push_back(
                fmt::format("{}: \"{}\" ({}) is not used: {}", time.place, escape(time.node), escape(ref.node().op->name), why));
        };
        if (!ref.node().bodies.empty()) return unused("it holds bodies, whose nodes have costs");
        if (time.seconds < nanosecond) return unused("it is below 1 ns");
        if (!cost_row(device, *ref.graph, ref.node())) return unused(fmt::format("{} has no row of costs for it", device.name));
        const bool ours = !time.kernel.empty();
        if (ours && device.backend.empty() && device.name != cpu_device) out_.simulated.insert(device.name);
        Sample sample{time.seconds, 0, {}};
        for (const NodeId id : owners_.along(ref, time)) {
            const Node& node = ref.graph->node(id);
            sample.encoding += encoding_seconds(device, *ref.graph, node);
            const CostRow* row = cost_row(device, *ref.graph, node);
            if (!row || !node.bodies.empty()) continue;
            const Cost work = work_of(*ref.graph, node, device.tile);
            sample.parts.push_back({numbers_.at(row), {work.macs, work.bytes}});
        }
        samples_.push_back(std::move(sample));
    }

    // Row by row, the others as they are by then, until nothing changes any more.
    void fit_all() {
        constexpr int max_rounds = 20;
        bool changed = true;
        for (int round = 0; changed && round < max_rounds; ++round) {
            changed = false;
            for (size_t r = 0; r < rows_.size(); ++r) {
                if (rows_[r].times < min_times) continue;
                const Figures now = figures_of(row_of(*rows_[r].cost, fit_figures(times_of(r), figures_of(*rows_[r].cost))));
                const Figures& was = rows_[r].now;
                changed = changed || now.call != was.call || now.mac != was.mac || now.byte != was.byte;
                rows_[r].now = now;
            }
        }
    }

    std::vector<Measured> times_of(size_t row) const {
        std::vector<Measured> out;
        for (const Sample& sample : samples_) {
            Measured time{sample.seconds, sample.encoding, {}};
            for (const Part& part : sample.parts) {
                if (part.row == row)
                    time.nodes.push_back(part.work);
                else
                    time.others += modelled(rows_[part.row].now, {0, 0, {part.work}});
            }
            if (!time.nodes.empty()) out.push_back(std::move(time));
        }
        return out;
    }

    RowFit told(size_t r) const {
        const Row& row = rows_[r];
        RowFit out;
        out.device = row.device->name;
        out.row = static_cast<size_t>(row.cost - row.device->costs.data());
        out.times = row.times;
        out.cost = row_of(*row.cost, row.now);
        out.before = ratios(r, [](const Row& of) { return figures_of(*of.cost); });
        out.after = ratios(r, [](const Row& of) { return of.now; });
        return out;
    }

    template <class Of>
    Ratios ratios(size_t row, const Of& figures) const {
        std::vector<double> all;
        Ratios out;
        double farthest = 0;
        for (const Sample& sample : samples_) {
            if (sample.parts.front().row != row) continue;
            double sum = sample.encoding;
            for (const Part& part : sample.parts) sum += modelled(figures(rows_[part.row]), {0, 0, {part.work}});
            all.push_back(std::max(sum, nanosecond) / sample.seconds);
            const double factor = std::max(all.back(), 1 / all.back());  // too slow or too fast
            if (factor <= farthest) continue;
            farthest = factor;
            out.worst = all.back();
        }
        out.median = median_of(std::move(all));
        return out;
    }

    Owners owners_;
    std::vector<Row> rows_;
    std::map<const CostRow*, size_t> numbers_;
    std::vector<std::pair<NodeTime, const NodeRef*>> found_;
    std::vector<Sample> samples_;
    Calibration out_;
};

std::string basis_of(const Calibration& calibration, const Target& target, const std::string& model) {
    if (!measured(target) && target.links.empty() && calibration.fitted() == calibration.all_rows)
        return fmt::format("measured: costs fitted to times of {}", model);
    return fmt::format("{}; {} of {} rows of costs fitted to times of {}", target.basis.empty() ? "estimate" : target.basis,
                       calibration.fitted(), calibration.all_rows, model);
}

void set_or_erase(Json& row, const char* key, double value) {
    if (value > 0)
        row[key] = value;
    else
        row.erase(key);
}

std::string row_line(const RowFit& row, const std::string& name) {
    std::string text =
        fmt::format("\n  {:<12}{:<32}{:>6}{:>10.3g}{:>10.3g}", row.device, name, row.times, row.before.median, row.before.worst);
    return text + (row.fitted() ? fmt::format("{:>10.3g}{:>10.3g}", row.after.median, row.after.worst)
                                : fmt::format("  stays as it is: fewer than {}", min_times));
}

}  // namespace

size_t Calibration::fitted() const { return static_cast<size_t>(std::ranges::count_if(rows, &RowFit::fitted)); }

std::vector<NodeTime> read_times(const Json& document) {
    std::map<std::pair<std::string, std::string>, size_t> seen;
    std::vector<NodeTime> out;
    std::vector<double> totals, calls;
    const JsonView list = JsonView(document)["profile"];
    for (size_t i = 0; i < list.size(); ++i) {
        const JsonView item = list.at(i);
        const auto word = [&](std::string_view key) { return item.has(key) ? item[key].text() : std::string(); };
        NodeTime time{item["node"].text(), word("op"), word("kernel"), word("device"), item.place(), 0};
        const double seconds = item["seconds"].real(), count = item.has("calls") ? static_cast<double>(item["calls"].natural()) : 1;
        if (!(seconds >= 0) || !std::isfinite(seconds)) item["seconds"].fail(fmt::format("is {}, need a time of at least 0", seconds));
        const auto [at, fresh] = seen.try_emplace({time.node, time.device}, out.size());
        if (fresh) out.push_back(std::move(time)), totals.push_back(0), calls.push_back(0);
        totals[at->second] += seconds;
        calls[at->second] += count;
    }
    for (size_t i = 0; i < out.size(); ++i) out[i].seconds = calls[i] > 0 ? totals[i] / calls[i] : 0;
    if (out.empty()) list.fail("is empty, need times of nodes, as run --profile --json prints them");
    return out;
}

Calibration calibrate(Graph& graph, const Target& target, const std::vector<NodeTime>& times) {
    return Calibrator(graph, target, times).run();
}

std::string to_text(const Calibration& calibration, const Target& target) {
    std::string text =
        fmt::format("{} times; what costs say over what was measured, before and after:\n  {:<12}{:<32}{:>6}{:>10}{:>10}{:>10}{:>10}",
                    calibration.times, "device", "costs", "times", "median", "worst", "median", "worst");
    for (const RowFit& row : calibration.rows) text += row_line(row, name_of(find_device(target, row.device)->costs[row.row]));
    const auto count = [&](size_t number, std::string_view one, std::string_view many) {
        if (number > 0) text += fmt::format("\n  {} {}", number, number == 1 ? one : many);
    };
    count(calibration.all_rows - calibration.rows.size(), "row without a time stays as it is", "rows without a time stay as they are");
    count(calibration.without_time, "node has no time", "nodes have no time");
    return text;
}

void write_costs(Json& document, const Calibration& calibration, const Target& target, const std::string& model) {
    document["basis"] = basis_of(calibration, target, model);
    for (const RowFit& row : calibration.rows) {
        if (!row.fitted()) continue;
        for (Json& device : document["devices"]) {
            if (!equal_in_any_case(device["name"].get<std::string>(), row.device)) continue;
            Json& cost = device["costs"][row.row];
            set_or_erase(cost, "seconds", row.cost.seconds);
            set_or_erase(cost, "macs_per_second", row.cost.macs_per_second);
            set_or_erase(cost, "bytes_per_second", row.cost.bytes_per_second);
        }
    }
}

}  // namespace quern::place
