// The graphs that a back end is tried on: one operator each, drawn from its row, in float or quantized.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libcore/conformance/grow.h"
#include "libcore/exec/session.h"

namespace quern::conformance {

struct CaseId {
    std::string op;  // by full name; "Conv+Relu": a unit of two
    bool codes = false;
    size_t number = 0;

    // From here on graphs with some ten thousand elements a value, by one type of activations after the other.
    static constexpr size_t large = SIZE_MAX / 2, larges = 2;
    std::string subject() const;  // "Relu float", "Conv int"
    std::string graph() const;    // "2", "large", "large1"
    std::string text() const;     // "Relu float 2", "Conv int large"
    bool is_large() const { return number >= large; }
    static CaseId of(std::string_view text);  // Exit::usage if it is none
    bool operator==(const CaseId&) const = default;
};

using Inputs = std::vector<Stored>;

// A graph, or what a back end takes of one.
struct Part {
    Graph graph;
    std::vector<Inputs> samples;
    CompileOptions options;
};

CompileOptions options_of(bool codes);
// Those of an operator or unit: as many as `cases`, or as its patterns are, in int mode of int8 activations and of others, then large ones.
std::vector<CaseId> cases_of(const std::string& op, bool codes, size_t cases);
// The same graph in every process. Nothing: none of this operator can be drawn, or the quantizer leaves it float.
std::optional<random_graphs::RandomGraph> random_case(const CaseId& id, uint64_t seed);
// Several nodes of operators among `ops`.
std::optional<random_graphs::RandomGraph> random_graph(std::vector<const Op*> ops, bool codes, uint64_t seed);
std::vector<const Op*> ops_to_try();          // public ones, then those of libraries
const Op* op_of(std::string_view full_name);  // nullptr if there is none
bool is_unit(std::string_view name);          // and no operator
// Of what CaseId names; empty if there is none.
std::vector<const Op*> unit_of(std::string_view name);
// Products and sums with an activation behind them, "Conv+Relu": one step where they are quantized.
std::vector<std::string> units_to_try();

// The partitions of the nodes that are taken, in program order, with what goes into them in a run of the sample.
std::vector<Part> parts_of(const random_graphs::RandomGraph& random, const std::vector<bool>& taken, bool codes);

// The same numbers in another order.
Inputs turned_round(const Inputs& inputs);
Inputs rotated(const Inputs& inputs, size_t places);
// Zeros, denormals, large numbers, the ends of codes; with infinities; with NaN, too.
enum class Hostile : uint8_t { finite, infinite, nan };
Inputs hostile(const Inputs& inputs, Hostile how);

// "Conv, Relu".
std::string nodes_text(const Graph& graph);
// "x: float32[2,3], y: int8[4]".
std::string inputs_text(const Graph& graph);

}  // namespace quern::conformance
