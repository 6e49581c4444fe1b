// Values on grids: which of them share an encoding, and what it is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libcore/quant/plan/plan.h"
#include "libcore/quant/plan/statistics.h"

namespace quern {

// One value on one kind of grid. Cells that must share an encoding are joined into a group.
struct GridCell {
    ValueId value;
    GridSpec spec;
    SearchOptions search;
    std::string rule;
    const Recipe* recipe;
    std::optional<RealRange> fixed = {};  // the operator fixes the range
    const FixedResult* exact = nullptr;   // the recipe fixes the encoding
    bool whole = false;                   // the recipe wants a whole scale
    size_t group = 0;                     // of the union-find
    std::vector<size_t> members = {};     // at the group's root: its cells, ascending
    size_t lead = 0;                      // at the group's root: whose numbers decide; none: all of them
    std::optional<size_t> follows = {};   // the cell whose numbers decide instead: the result of a Concat that alone reads this one
};

struct GridDecision {
    Encoding encoding;
    FoundGrid found;
    std::string method, shared_with;
};

class GridCells {
   public:
    static constexpr size_t none = static_cast<size_t>(-1);

    GridCells(const Graph& graph, const Statistics& statistics, const QuantWork& work)
        : graph_(graph), statistics_(statistics), work_(work) {}

    size_t size() const { return cells_.size(); }
    GridCell& operator[](size_t i) { return cells_[i]; }
    const GridCell& operator[](size_t i) const { return cells_[i]; }
    // A group of its own.
    size_t add(GridCell cell);
    size_t root(size_t i) const;
    // Values whose overrides differ keep their own encodings.
    void join(size_t a, size_t b, size_t lead);
    // What a recipe fixes for one of the cell's group; nullptr: nothing.
    const FixedResult* exact_of(size_t cell) const;
    // The encoding that an override gives to a cell.
    std::optional<Encoding> pinned(size_t i) const;
    // The encoding of these cells of one group.
    GridDecision decide(const std::vector<size_t>& members) const;

   private:
    const std::string& key(ValueId id) const { return statistics_.key(graph_, id); }
    std::optional<Encoding> pinned_of_group(size_t group) const;
    RealRange with_seen(RealRange range, const std::vector<size_t>& members) const;
    ValueRange statistics_of_all(const std::vector<size_t>& members) const;
    void describe(GridDecision& decision, ValueId id, const GridSpec& spec) const;

    const Graph& graph_;
    const Statistics& statistics_;
    const QuantWork& work_;
    std::vector<GridCell> cells_;
};

}  // namespace quern
