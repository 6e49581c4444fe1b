// Plan: which nodes of a graph are quantized, which values lie inside their integer units, and what that is decided from.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "libcore/quant/ranges/ranges.h"
#include "libcore/quant/types/work.h"
#include "libcore/support/operands.h"

namespace quern {

struct NodePlan {
    const Scheme* scheme = nullptr;  // nullptr: stays as it is
    SearchOptions search;
    const Method* weight_method = nullptr;  // nullptr: by that of `search`
    std::string rule, reason;               // reason: why it stays float, or computes in float beside weights of codes
    bool counts = false;                    // an operator on float numbers
    bool demanded = false;                  // a rule names this node or operator
    bool sensitive = false;                 // an operator on float32 that no integer type is given
    bool apart = false;                     // what it makes is stored as float32, too
    const Scheme* only_weights = nullptr;   // the type asked for where only the weights may be codes
    bool real_result = false;               // what it makes is not stored as codes, though it is quantized
    double input_offset = 0;                // of what a weight is multiplied with: weight_encoding()
    void leave_float(std::string why) {
        scheme = nullptr;
        reason = std::move(why);
    }
    bool takes_codes() const { return scheme && scheme->full() && scheme->taken_as().is_codes(); }
    bool makes_codes() const { return scheme && scheme->full() && scheme->made_as().is_codes() && !real_result; }
};

struct Moments {
    double mean = 0, variance = 0;
};

struct GraphPlan {
    std::map<NodeId, NodePlan> nodes;
    std::vector<bool> inner;                       // by value: inside an integer unit, never stored
    std::vector<std::string> amplified;            // sentences: products behind whose results rounding is amplified
    std::vector<std::string> uneven;               // sentences: nodes whose operands one grid cannot hold
    std::map<const Scheme*, Scheme> only_weights;  // of types that ask for more: what they leave to nodes beside float data
    bool quantized(NodeId id) const {
        const auto found = nodes.find(id);
        return found != nodes.end() && found->second.scheme;
    }
};

inline constexpr std::string_view unmeasured_reason = "no ranges say what it reads and makes";
inline constexpr std::string_view never_ran_reason = "no sample ran the body that it is in";

// What the plan asks of the statistics.
struct Insight {
    // Estimated signal to noise on a grid, in dB; infinity where nothing is known.
    std::function<double(ValueId, const GridSpec&, const SearchOptions&)> sqnr_db;
    // Does the value hold numbers that stand for "nothing here", as attention masks do (-1e9 among small numbers)?
    std::function<bool(ValueId)> mask;
    // What curve(value) keeps of what varies in it when the value is rounded to its grid, in dB; nothing where nothing is known.
    std::function<std::optional<double>(ValueId, const GridSpec&, const SearchOptions&, double (*curve)(double))> response_db;
    // Of one number: mean squared error on a grid, mean and variance; 0 where nothing is known.
    std::function<double(ValueId, const GridSpec&, const SearchOptions&)> noise;
    std::function<Moments(ValueId)> moments;
    // The numbers of a value, and its grid; nothing where nothing is known.
    std::function<std::vector<Mass>(ValueId)> masses;
    std::function<std::optional<Grid>(ValueId, const GridSpec&, const SearchOptions&)> grid;
    bool measured = true;    // are there ranges?
    bool never_ran = false;  // is the graph a body that no sample ran?
    // What was seen of an LSTM's cells; nullptr: nothing.
    std::function<const ValueRange*(const Node&)> cells;
};

}  // namespace quern
