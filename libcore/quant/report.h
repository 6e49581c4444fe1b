// What the quantizer decided and why: the sidecar {"kind": "report", "version": 1, ...}, a page of HTML, and the text of --explain.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/graph/encoding.h"
#include "libcore/quant/grid.h"

namespace quern {

struct ValueReport {
    std::string key, role;                                      // role: activation, constant, weight, bias
    std::string rule;                                           // which rule, --type or operator decided
    std::string method;                                         // how the range was found
    std::string shared_with;                                    // the value whose encoding this one shares
    std::string note;                                           // "weight scale of 3 channels enlarged: the int32 bias would overflow"
    RealRange observed, range;                                  // range: what the grid covers
    double sqnr_db = std::numeric_limits<double>::quiet_NaN();  // estimated from the histogram; NaN: not known, infinite: exact
    double clipped = 0;                                         // share of numbers outside the grid
    Encoding encoding;
    std::vector<Mass> masses;  // of the histogram, for the plot
};

struct NodeReport {
    std::string key, op, rule;
    bool quantized = false;
    int unit = -1;
    std::string reason;  // why it stays float
};

struct QuantReport {
    std::string type, lineage;
    uint64_t samples = 0;
    std::vector<ValueReport> values;  // in graph order
    std::vector<NodeReport> nodes;
    std::vector<std::string> unapplied;  // overrides of values that are not stored as codes
    std::vector<std::string> unvisited;  // bodies that no sample ran, left float

    size_t float_nodes() const;  // operators on float numbers that were not quantized
    const ValueReport* find(std::string_view key) const;
};

std::string report_json(const QuantReport& report);
std::string report_html(const QuantReport& report);
// A few lines on one value or node; throws Exit::bad_input with a suggestion if there is none of that name.
std::string explain(const QuantReport& report, std::string_view name);

}  // namespace quern
