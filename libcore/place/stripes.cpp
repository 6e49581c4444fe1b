#include "libcore/place/stripes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include "libcore/base/text.h"
#include "libcore/memory/plan.h"
#include "libcore/place/cost.h"
#include "libcore/report/html.h"
#include "libcore/support/operands.h"

namespace quern::place {
namespace {

int64_t parts_of(int64_t all, int64_t each) { return all / each + (all % each != 0); }

uint64_t share_of(uint64_t bytes, int64_t part, int64_t all) {
    return static_cast<uint64_t>(
        std::ceil(static_cast<double>(bytes) * static_cast<double>(part) / static_cast<double>(std::max<int64_t>(all, 1))));
}

// Output channels of the unit's product with a constant weight; 1: it has none.
int64_t channels_of(const Graph& graph, std::span<const NodeId> unit) {
    for (const NodeId id : unit) {
        const Node& node = graph.node(id);
        const int weight = weight_input(graph, node);
        if (weight < 0) continue;
        const Dims dims = assumed_dims(graph.value(node.in[static_cast<size_t>(weight)]).type.shape);
        const int axis = weight_axis_of(node, dims.size());
        if (axis >= 0) return std::max<int64_t>(dims[static_cast<size_t>(axis)], 1);
    }
    return 1;
}

// What the unit reads of others, and makes for them: a unit that goes by channels alone needs it whole.
std::vector<ValueId> data_of(const Partition& unit) {
    std::vector<ValueId> out = unit.inputs;
    out.insert(out.end(), unit.outputs.begin(), unit.outputs.end());
    return out;
}

class Search {
   public:
    Search(const Graph& graph, const Partition& unit, uint64_t weight_bytes, const Device& device, const Room& room)
        : rows_(graph, unit.nodes),
          by_rows_(device.stripes_rows && rows_.refusal().empty()),
          channels_(device.stripes_channels ? channels_of(graph, unit.nodes) : 1),
          weight_bytes_(weight_bytes),
          room_(room),
          values_(by_rows_ ? rows_.values() : data_of(unit)) {
        for (const ValueId id : values_) bytes_.push_back(whole_bytes(graph.value(id)));
        refusal_ = device.stripes_rows ? rows_.refusal()
                                       : fmt::format("{} has no weights to bring in by groups", graph.node(unit.nodes.back()).op->name);
    }

    Striping run() {
        Striping out;
        if (!by_rows_ && channels_ == 1) {
            out.refusal = refusal_;
            return out;
        }
        for (int64_t groups = 1;; groups = std::min(2 * groups, channels_)) {
            const std::optional<Stripes> now = with_groups(groups);
            if (now && (!out.stripes || now->read_again < out.stripes->read_again)) out.stripes = now;
            if (groups == channels_) break;
        }
        if (!out.stripes) out.smallest = in_groups(of_rows(fewest_rows()), channels_);
        return out;
    }

   private:
    int64_t fewest_rows() const {
        return by_rows_ ? std::max<int64_t>(parts_of(rows_.length(), max_stripes), 1) : std::max<int64_t>(rows_.length(), 1);
    }

    // The most rows that fit, found by halving.
    std::optional<Stripes> with_groups(int64_t groups) {
        Stripes good = in_groups(of_rows(fewest_rows()), groups);
        if (!fits(good)) return std::nullopt;
        int64_t bad = std::max<int64_t>(rows_.length(), 1) + 1;
        while (bad - good.rows > 1) {
            Stripes middle = in_groups(of_rows(good.rows + (bad - good.rows) / 2), groups);
            fits(middle) ? void(good = std::move(middle)) : void(bad = middle.rows);
        }
        return good;
    }

    bool fits(const Stripes& stripes) const { return room_.holds(stripes.arena_bytes, stripes.weight_bytes); }

    Stripes in_groups(Stripes stripes, int64_t groups) const {
        stripes.groups = groups;
        stripes.weight_bytes = share_of(weight_bytes_, parts_of(channels_, groups), channels_);
        if (groups > 1) stripes.read_again += static_cast<uint64_t>(stripes.count - 1) * weight_bytes_;
        return stripes;
    }

    // Stripes of `rows` rows, all weights at once.
    const Stripes& of_rows(int64_t rows) {
        const auto [at, fresh] = asked_.try_emplace(rows);
        if (fresh) at->second = walk(rows);
        return at->second;
    }

    Stripes walk(int64_t rows) const {
        Stripes out;
        out.of = std::max<int64_t>(rows_.length(), 1), out.rows = rows;
        out.count = parts_of(out.of, rows);
        std::vector<Rows> before;
        for (int64_t first = 0; first < out.of; first += rows) {
            std::vector<Rows> now = needed(first, std::min(first + rows, out.of));
            take(now, out);
            for (size_t i = 0; i < before.size() && i + 1 < now.size(); ++i) out.read_again += again(before[i], now[i], bytes_[i]);
            before = std::move(now);
        }
        return out;
    }

    std::vector<Rows> needed(int64_t first, int64_t end) const {
        return by_rows_ ? rows_.needed(first, end) : std::vector<Rows>(values_.size(), Rows{0, 1, 1, true});
    }

    // Bytes of what the stripe before has read, too; what all need stays in memory.
    static uint64_t again(const Rows& before, const Rows& now, uint64_t bytes) {
        if (now.whole) return 0;
        const int64_t first = std::max(before.first, now.first), end = std::min(before.end, now.end);
        return first < end ? share_of(bytes, end - first, now.of) : 0;
    }

    // The stripe that needs most.
    void take(const std::vector<Rows>& needed, Stripes& to) const {
        const auto part = [&](size_t i) { return share_of(bytes_[i], needed[i].end - needed[i].first, needed[i].of); };
        bool larger = to.values.empty();
        for (size_t i = 0; i < to.values.size(); ++i) larger = larger || part(i) > to.values[i].second;
        if (!larger) return;
        std::vector<Lifetime> lifetimes;
        for (size_t i = 0; i < needed.size(); ++i) lifetimes.push_back({static_cast<size_t>(part(i)), 0, 1});
        const uint64_t arena = plan_memory(lifetimes).bytes;
        if (arena <= to.arena_bytes && !to.values.empty()) return;
        to.arena_bytes = arena;
        to.values.clear();
        for (size_t i = 0; i < needed.size(); ++i) to.values.emplace_back(values_[i], lifetimes[i].size);
    }

    const UnitRows rows_;
    const bool by_rows_;
    const int64_t channels_;
    const uint64_t weight_bytes_;
    const Room room_;
    const std::vector<ValueId> values_;  // of the unit, last its result
    std::vector<uint64_t> bytes_;        // of each
    std::string refusal_;                // of what goes neither by rows nor by channels
    std::map<int64_t, Stripes> asked_;   // by rows
};

}  // namespace

std::string to_string(const Stripes& s) {
    std::string text = fmt::format("in {} stripe{} of {} row{}", s.count, s.count == 1 ? "" : "s", s.rows, s.rows == 1 ? "" : "s");
    if (s.groups > 1) text += fmt::format(", weights in {} groups of channels", s.groups);
    if (s.read_again == 0) return text + "; nothing is read again";
    return fmt::format("{}; {} are read again in {}", text, human_bytes(static_cast<double>(s.read_again)), human_seconds(s.seconds));
}

bool Room::holds(uint64_t arena, uint64_t weight_bytes) const {
    const uint64_t here = arena + (shared ? weight_bytes : 0);
    return (values == 0 || here <= values) && (shared || weights == 0 || weight_bytes <= weights);
}

Striping in_stripes(const Graph& graph, const Partition& unit, uint64_t weight_bytes, const Device& device, const Room& room) {
    return Search(graph, unit, weight_bytes, device, room).run();
}

double reading_rate(const Target& target, const Device& device) {
    double slowest = 0;
    const auto take = [&](double rate) {
        if (rate > 0 && (slowest == 0 || rate < slowest)) slowest = rate;
    };
    if (const Device* host = find_device(target, cpu_device))
        if (const Memory* memory = find_memory(target, host->memory)) take(memory->bytes_per_second);
    if (const Memory* memory = find_memory(target, device.memory)) take(memory->bytes_per_second);
    if (const Link* link = find_link(target, cpu_device, device.name)) take(link->bytes_per_second);
    return slowest;
}

}  // namespace quern::place
