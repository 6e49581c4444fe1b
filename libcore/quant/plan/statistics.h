// Statistics: what is known of each value's numbers, and the grids that follow from it, each searched once.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include "libcore/graph/graph.h"
#include "libcore/quant/ranges/ranges.h"
#include "libcore/quant/search/search.h"

namespace quern {

struct FoundGrid {
    RealRange observed, range;
    Grid grid;
    GridError error;
    bool known = false;  // is there a histogram behind `error`?
    Optimum optimum;
};

class Statistics {
   public:
    explicit Statistics(const Ranges* ranges) : ranges_(ranges) {}

    // Key of a value: its own, or of what it captures from an enclosing graph.
    void name_values(const Graph& graph, const std::string& path);
    const std::string& key(const Graph& graph, ValueId id) const;

    // Of a constant from its numbers. Throws Exit::bad_input if the value was not observed.
    ValueRange of(const Graph& graph, ValueId id) const;
    bool has(const Graph& graph, ValueId id) const;
    // What was observed under a key; nullptr if nothing was.
    const ValueRange* seen(const std::string& key) const;
    const ValueRange* cells(const Graph& graph, const Node& lstm) const;  // of an LSTM over all steps
    // Numbers beyond 5,000 that are 300 times as great as all others, or infinity in a constant.
    bool mask(const Graph& graph, ValueId id) const;
    FoundGrid grid(const Graph& graph, ValueId id, const GridSpec& spec, const SearchOptions& search) const;

   private:
    const Ranges* ranges_;
    std::map<const Graph*, std::map<ValueId, std::string>> keys_;
    using Key = std::tuple<std::string, DType, int64_t, int64_t, float, bool, const Method*, bool, int64_t>;
    mutable std::map<Key, FoundGrid> found_;
    mutable std::mutex mutex_;
};

// Sets found.error, of found.grid, and found.optimum, if `search` asks for it.
void measure(FoundGrid& found, const ValueRange& value, const GridSpec& spec, const SearchOptions& search);

// The grid over given statistics.
FoundGrid find_grid(const ValueRange& value, const GridSpec& spec, const SearchOptions& search);

}  // namespace quern
