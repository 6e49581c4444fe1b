// Placement files: which device is asked for which nodes.
//
// The flat form is onnx-mlir's of 2025: {"device_placement": [{"device", "node_type", "onnx_node_name"}]}, one record for each node in
// program order when written. The newer one is {"nnpa_ops_config": [{"pattern": {"match": {...}, "rewrite": {"device", "quantize"}}}]},
// whose matches may ask for rank, type and dims of inputs and outputs. Unknown keys are ignored. Both are read, only the flat one
// is written. (ONE's .part files: libcore/place/part_file.h.)
//
// Records are tried in order; the first whose expressions match the whole type and name of a node (regex.h) decides its device, and the
// first of those that say "quantize" decides that. A device of "" leaves the node to the tool.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/place/nodes.h"
#include "libcore/place/regex.h"

namespace quern::place {

// "N", "==N", "!=N", "<N", "<=N", ">N", ">=N", "%N==R".
struct NumberTest {
    enum class Kind { equal, unequal, less, at_most, more, at_least, remainder };
    Kind kind = Kind::equal;
    int64_t number = 0, remainder = 0;
    bool holds(int64_t value) const;
};
std::optional<NumberTest> parse_number_test(std::string_view text);  // nullopt: not of the grammar

// What a record asks of one input or output. Negative indices count from the end; unknown dims are -1.
struct OperandTest {
    int64_t index = 0;
    std::optional<NumberTest> rank;
    std::string type;  // "f32"; "": any
    std::vector<std::pair<int64_t, NumberTest>> dims;
};

struct PlacementRule {
    std::string place;  // "device_placement[2]", for messages
    std::optional<std::string> device;
    std::optional<bool> quantize;
    std::optional<Pattern> type, name;  // absent: any
    std::vector<OperandTest> inputs, outputs;
    std::function<bool(const Graph&, const Node&)> accepts;  // more that it asks; empty: nothing
    bool rest = false;                                       // for what no other rule sets: it need not set anything
};

struct PlacementFile {
    std::vector<PlacementRule> rules;
    std::vector<std::string> remarks;  // what was passed over, in words
};

// Throws Exit::bad_input naming record and key; devices must be the target's.
PlacementFile parse_placement(std::string_view json, const Target& target);
// A device's name of a file as the target spells it; throws Exit::bad_input, with a suggestion.
std::string known_device(std::string_view name, const Target& target, std::string_view place);

struct Applied {
    std::vector<std::pair<std::string, std::string>> sources;  // key of a node and the place of the rule that set its device
    std::vector<std::string> dead;                             // rules that set nothing, and why, a line each
};
// Sets Node::device, and the names of nodes that must stay float or be quantized (keep_float_key, to_quantize_key). Throws Exit::bad_input
// if matching would take too long.
Applied apply_placement(Graph& graph, const PlacementFile& file);

// The flat form of devices, and of what is decided about quantizing, with names escaped so that each matches itself and nothing else.
std::string write_placement(Graph& graph);

}  // namespace quern::place
