// What the quantizer decided and why: the sidecar {"kind": "report", "version": 1, ...}, a page of HTML, and the text of --explain.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/graph/encoding.h"
#include "libcore/quant/ranges/grid.h"
#include "libcore/quant/report/coverage.h"
#include "libcore/quant/types/scheme.h"

namespace quern {

// The numbers of some neighbouring channels (or blocks) of a weight, and what their grids cover.
struct ChannelRange {
    RealRange observed, range;
};

struct ValueReport {
    std::string key, role;                                      // role: activation, constant, weight, bias
    std::string rule;                                           // which rule, --type or operator decided
    std::string method;                                         // how the range was found
    std::string shared_with;                                    // the value whose encoding this one shares
    std::string note;                                           // "weight scale of 3 channels enlarged: the int32 bias would overflow"
    RealRange observed, range;                                  // range: what the grid covers
    double sqnr_db = std::numeric_limits<double>::quiet_NaN();  // estimated from the histogram; NaN: not known, infinite: exact
    double clipped = 0;                                         // share of numbers outside the grid
    Optimum optimum;                                            // of the same numbers on a grid of this kind
    Encoding encoding;
    std::vector<Mass> masses;            // of the histogram, for the plot
    std::vector<ChannelRange> channels;  // of a weight that was measured: all of them in order, joined to at most most_channel_ranges
    std::string node;                    // the one that makes the value, or that first reads an input or constant; "": not known
    int depth = -1;                      // of that node: how many are on the longest path before it

    int bits() const;  // of a code
};
inline constexpr size_t most_channel_ranges = 64;

struct NodeReport {
    std::string key, op, rule;
    bool quantized = false;
    int unit = -1;
    std::string reason;          // why it stays float, or computes in float on weights that are codes
    int depth = -1;              // see ValueReport
    bool asked = false;          // a rule that names it or its operator has a type for it
    std::string rule_name = {};  // by which rules name it: its own, or that of the node that it is a part of; "": they cannot
};

// What an evaluation over samples gave.
struct EndToEnd {
    struct Output {
        std::string name;
        double sqnr_db = 0;  // infinite: equal
    };
    uint64_t samples = 0;
    std::vector<Output> outputs;             // of numbers
    std::optional<double> agreement;         // percent of samples whose greatest score is of the same class
    std::optional<double> top1, float_top1;  // percent, with labels
    double worst_db() const;
};

// Bytes; nothing where a file is a stream.
struct Sizes {
    uint64_t before = 0, after = 0;  // of constants, as stored
    std::optional<uint64_t> file_before, file_after;
};

// What an algorithm of --algorithms did.
struct LayerGain {
    std::string layer;                                                                                                 // name of its node
    double before_db = std::numeric_limits<double>::quiet_NaN(), after_db = std::numeric_limits<double>::quiet_NaN();  // SQNR
    bool changed = true;
    std::string note;
};
struct AlgorithmReport {
    std::string name, measure;  // measure: of what the SQNR is
    std::vector<LayerGain> layers;
    std::vector<std::string> notes;

    size_t changed() const;
    std::string text() const;  // a line, then one a note and layer
};

struct QuantReport {
    std::string type, lineage;
    std::string model;           // its name
    std::optional<Sizes> sizes;  // before and after
    std::optional<Coverage> coverage;
    std::optional<EndToEnd> end_to_end;  // nothing: not measured
    std::string measure_by;              // the command that does
    std::vector<const Scheme*> finer;    // types that rules may propose, coarser ones first
    uint64_t samples = 0;
    std::vector<ValueReport> values;  // in graph order
    std::vector<NodeReport> nodes;
    std::vector<std::string> unapplied;       // overrides of values that are not stored as codes
    std::vector<std::string> unmatched;       // rules that match nothing, as sentences
    std::vector<std::string> overflowing;     // operators that stay float, with numbers beyond the floats of the recipe's runtime
    std::vector<std::string> amplified;       // products on 8 bits whose squares or sums a logarithm takes, as sentences
    std::vector<std::string> uneven;          // joins of parts that one grid cannot hold, as sentences
    std::vector<std::string> unvisited;       // bodies that no sample ran, left float
    std::vector<AlgorithmReport> algorithms;  // in the order in which they ran

    size_t float_nodes() const;                   // operators on float numbers that were not quantized
    std::vector<std::string> idle_rules() const;  // that have a type for nodes which all stay float, as sentences
    const ValueReport* find(std::string_view key) const;
};

// Rules that a report proposes; it must outlive them.
class ProposedRules {
   public:
    explicit ProposedRules(const QuantReport& report);
    const NodeReport* node_of(const ValueReport& value) const;  // nullptr: not known
    // A file of rules (quern-rules(7)) on one line that gives the nodes of the value's integer unit the next finer of QuantReport::finer,
    // or keeps them float; "" if rules can name none of them.
    std::string for_value(const ValueReport& value) const;

   private:
    const QuantReport& report_;
    std::map<std::string_view, const NodeReport*> nodes_;
    std::map<int, std::vector<const NodeReport*>> units_;
};

// The nodes of values, and depths; of the graph as it is quantized.
void locate(const Graph& graph, QuantReport& report);

Json report_document(const QuantReport& report);
std::string report_json(const QuantReport& report);
// One page that needs nothing from outside and can be read without JavaScript, which sorts and filters; well-formed XML behind its first
// line. Of the noisiest `detailed_values` it has histograms, channels and rules, of `listed_values` it has rows.
std::string report_html(const QuantReport& report);
inline constexpr size_t detailed_values = 1000, listed_values = 4000;
// A few lines on one value or node; throws Exit::bad_input with a suggestion if there is none of that name.
std::string explain(const QuantReport& report, std::string_view name);

}  // namespace quern
