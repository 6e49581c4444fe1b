// Edits of whole graphs: fixing input shapes, cutting out a part, constants of bodies.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/graph/graph.h"

namespace quern {

// The input of that name. Throws Exit::usage that begins with `option`.
ValueId input_named(const Graph& graph, const std::string& name, std::string_view option);

// "x=1,3,224,224": fixes the shape of input x; a dim may be a number or a symbol. Every other use of a symbol that gets a number in
// the inputs' types is fixed, too. Types of all values are inferred anew. Throws Exit::usage naming the input and what does not fit.
void set_input_shape(Graph& graph, std::string_view spec);
void set_input_shapes(Graph& graph, std::span<const std::string> specs);

bool has_open_dims(const Graph& graph);        // of an input
enum class OpenDims : uint8_t { batch, all };  // inputs of which only the first dim is open, the batch; or any dims
// Open dims of inputs become 1. What was taken so, a line per input.
std::vector<std::string> take_open_dims_as_one(Graph& graph, OpenDims which);
// For those whose shapes are static: batches become 1, with a line for each, too. Throws Exit::unsupported for another open dim, naming the
// input and `whose` shapes they are.
std::vector<std::string> make_static(Graph& graph, std::string_view whose);

// Keeps what computes values `to` from values `from` (comma-separated names; empty: the graph's own inputs or outputs). Throws Exit::usage
// if a name is unknown, or if `to` depends on an input that is not in `from`.
void extract(Graph& graph, std::string_view from, std::string_view to);
// The same of values that are there, of which `to` depends on no other input. Ids stay.
void extract(Graph& graph, const std::vector<ValueId>& from, const std::vector<ValueId>& to);

// Constants that bodies capture become constants of the bodies, so that each can be looked at and encoded where it is used; those that
// nothing else reads go. Bytes are shared.
void localize_constants(Graph& graph);

}  // namespace quern
