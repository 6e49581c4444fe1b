// Stripes: how a device runs a unit that its memory does not hold whole. Values lie in the host's memory; of each stripe of rows of the
// result the device reads the rows that it needs (unit_rows.h), those of a halo again, and writes the result back. Weights that do not fit
// beside are brought in by groups of output channels, all of them again for each stripe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libcore/place/partition.h"
#include "libcore/place/target.h"
#include "libcore/place/unit_rows.h"

namespace quern::place {

inline constexpr int64_t max_stripes = 1024;

struct Stripes {
    int64_t count = 1, rows = 1, of = 1;               // of the result's `of` rows each stripe but perhaps the last makes `rows`
    int64_t groups = 1;                                // in which weights are brought in
    uint64_t read_again = 0;                           // bytes, of rows and weights
    double seconds = 0;                                // that this takes
    std::vector<std::pair<ValueId, uint64_t>> values;  // bytes of each in the largest stripe
    uint64_t arena_bytes = 0;                          // that hold these
    uint64_t weight_bytes = 0;                         // at once
};
std::string to_string(const Stripes& stripes);  // "in 5 stripes of 24 rows, 12.0 KB are read again in 3.00 us"

// Of a device's memory; 0: as much as is needed.
struct Room {
    uint64_t values = 0, weights = 0;
    bool shared = false;  // `values` holds weights, too
    bool holds(uint64_t arena, uint64_t weight_bytes) const;
};

struct Striping {
    std::optional<Stripes> stripes;  // none: the unit does not fit so, either
    Stripes smallest;                // what needs least, if it goes by rows or groups at all
    std::string refusal;             // why it does not
};

// The stripes that read least again, of these those in the fewest groups, then the fewest stripes; `weight_bytes`: of all constants.
Striping in_stripes(const Graph& graph, const Partition& unit, uint64_t weight_bytes, const Device& device, const Room& room);

// Bytes a second at which a device reads again: the least that is stated of the host's memory, the link from there and its own memory;
// 0: none is.
double reading_rate(const Target& target, const Device& device);

}  // namespace quern::place
