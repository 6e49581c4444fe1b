#include "libcore/quant/assign/grid_cells.h"

#include <algorithm>
#include <iterator>

#include "libcore/base/text.h"

namespace quern {
namespace {

Encoding encoding_of(const GridSpec& spec, const Grid& grid) {
    if (is_float(spec.storage)) return make_encoding(spec.storage, Tensor::scalar(grid.scale), {});
    return make_encoding(spec.storage, Tensor::scalar(grid.scale), from_ints(spec.storage, {}, std::vector<int64_t>{grid.zero}));
}

// Only weights do without the least code: what is quantized at run time clips as QuantizeLinear does.
Encoding with_all_codes(const Encoding& encoding) {
    if (!is_integer(encoding.storage)) return encoding;
    const auto [min, max] = int_range(encoding.storage);
    return encoding.with_limits(min, max);
}

void add_statistics(ValueRange& to, const ValueRange& from) {
    to.min = std::min(to.min, from.min);
    to.max = std::max(to.max, from.max);
    to.count += from.count;
    to.histogram.merge(from.histogram);
    to.runs_left_out += from.runs_left_out;
    for (const auto& [sample, ends] : from.runs) {
        const auto [run, fresh] = to.runs.emplace(sample, ends);
        if (!fresh) run->second = {std::min(run->second.first, ends.first), std::max(run->second.second, ends.second)};
    }
}

}  // namespace

size_t GridCells::add(GridCell cell) {
    cell.group = cell.lead = cells_.size();
    cell.members = {cell.group};
    cells_.push_back(std::move(cell));
    return cells_.size() - 1;
}

size_t GridCells::root(size_t i) const {
    while (cells_[i].group != i) i = cells_[i].group;
    return i;
}

void GridCells::join(size_t a, size_t b, size_t lead) {
    a = root(a);
    b = root(b);
    if (a == b || !(cells_[a].spec == cells_[b].spec)) return;
    const auto first = pinned_of_group(a), second = pinned_of_group(b);
    if (first && second && !(*first == *second)) return;
    GridCell& into = cells_[std::min(a, b)];
    GridCell& from = cells_[std::max(a, b)];
    std::vector<size_t> all;
    std::ranges::merge(into.members, from.members, std::back_inserter(all));
    from.group = std::min(a, b);
    from.members.clear();
    into.members = std::move(all);
    into.lead = lead;
}

const FixedResult* GridCells::exact_of(size_t cell) const {
    for (const size_t i : cells_[root(cell)].members)
        if (cells_[i].exact) return cells_[i].exact;
    return nullptr;
}

std::optional<Encoding> GridCells::pinned(size_t i) const {
    const auto wanted = override_of(work_.overrides, key(cells_[i].value), cells_[i].spec.storage);
    if (!wanted || wanted->scale.empty()) return std::nullopt;
    return with_all_codes(override_encoding(*wanted, {}, -1, key(cells_[i].value)));
}

std::optional<Encoding> GridCells::pinned_of_group(size_t group) const {
    if (!work_.overrides) return std::nullopt;
    for (const size_t i : cells_[group].members)
        if (auto found = pinned(i)) return found;
    return std::nullopt;
}

// A fixed range, widened by what was seen of the members that have none.
RealRange GridCells::with_seen(RealRange range, const std::vector<size_t>& members) const {
    for (const size_t member : members)
        if (!cells_[member].fixed && statistics_.has(graph_, cells_[member].value)) {
            const RealRange seen = search_minmax(statistics_.of(graph_, cells_[member].value));
            range = {std::min(range.lo, seen.lo), std::max(range.hi, seen.hi)};
        }
    return range;
}

ValueRange GridCells::statistics_of_all(const std::vector<size_t>& members) const {
    ValueRange all = statistics_.of(graph_, cells_[members.front()].value);
    for (const size_t member : members)
        if (member != members.front() && statistics_.has(graph_, cells_[member].value))
            add_statistics(all, statistics_.of(graph_, cells_[member].value));
    return all;
}

GridDecision GridCells::decide(const std::vector<size_t>& members) const {
    const GridCell& first = cells_[members.front()];
    GridDecision decision;
    decision.method = first.search.method->name;
    const size_t lead = cells_[root(members.front())].lead;
    const GridCell& base = members.size() == 1 || lead == none ? first : cells_[lead];
    std::vector<size_t> deciding = members;
    if (base.follows) deciding.push_back(*base.follows);
    for (const size_t member : deciding)
        if (const auto wanted = pinned(member)) {
            decision.encoding = *wanted;
            decision.method = "override";
            describe(decision, first.value, first.spec);
            return decision;
        }
    if (const FixedResult* exact = exact_of(members.front())) {
        decision.encoding = encoding_of(first.spec, {exact->scale, exact->zero});
        decision.method = "fixed by the recipe";
        if (members.size() > 1) decision.shared_with = key(first.value);
        describe(decision, first.value, first.spec);
        return decision;
    }
    const auto fixed = std::find_if(members.begin(), members.end(), [&](size_t i) { return cells_[i].fixed.has_value(); });
    if (fixed != members.end()) {
        decision.method = "fixed by the operator";
        decision.encoding = encoding_of(first.spec, grid_of(with_seen(*cells_[*fixed].fixed, members), first.spec));
        describe(decision, first.value, first.spec);
    } else if (members.size() == 1 || lead != none) {
        const GridCell& from = base.follows ? cells_[*base.follows] : base;
        decision.found = statistics_.grid(graph_, from.value, from.spec, from.search);
        if (base.whole) decision.found.grid = Recipe::whole(decision.found.grid);
        decision.encoding = encoding_of(first.spec, decision.found.grid);
        if (base.follows) decision.shared_with = key(from.value);
    } else {
        const ValueRange all = statistics_of_all(members);
        decision.found =
            at_place(fmt::format("value \"{}\"", escape(key(first.value))), [&] { return find_grid(all, first.spec, first.search); });
        decision.encoding = encoding_of(first.spec, decision.found.grid);
    }
    if (members.size() > 1) decision.shared_with = key(first.value);
    return decision;
}

// What a given encoding does to the numbers that were observed, if any were.
void GridCells::describe(GridDecision& decision, ValueId id, const GridSpec& spec) const {
    FoundGrid& found = decision.found;
    found.grid = {to_floats(decision.encoding.scale).at(0), decision.encoding.zero_at()};
    found.range = {found.grid.lowest(spec), found.grid.highest(spec)};
    if (!statistics_.has(graph_, id)) return;
    const ValueRange seen = statistics_.of(graph_, id);
    found.observed = {seen.min, seen.max};
    measure(found, seen, spec, work_.request.search);
}

}  // namespace quern
