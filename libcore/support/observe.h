// What the families of quantities share: a node's data, the forms in which they are observed, and each family's rows.
#pragma once

#include "libcore/ops/shared/window.h"
#include "libcore/support/quantity.h"

namespace quern::support {

std::span<const Quantity> data_quantities();
std::span<const Quantity> window_quantities();
std::span<const Quantity> weight_quantities();
std::span<const Quantity> form_quantities();
std::span<const Quantity> unit_quantities();

// An input or output that carries numbers.
struct Datum {
    std::string label;  // "input 0"
    const Value* value;
    size_t index;
    bool output;
};
std::vector<Datum> data_of(const Graph& graph, const Node& node);
std::vector<Datum> inputs_of(const Graph& graph, const Node& node);   // the data among the inputs
std::vector<Datum> outputs_of(const Graph& graph, const Node& node);  // the data among the outputs

inline Fact yes_no(bool yes) { return std::string(yes ? "yes" : "no"); }
inline Fact number(double value) { return value; }
inline Fact dim_fact(const Dim& dim) { return dim.known() ? Fact(static_cast<double>(dim.value)) : Fact(); }
inline Fact storage_of(const Value& value) { return value.storage() == DType::none ? Fact() : Fact(std::string(name_of(value.storage()))); }
inline std::vector<Observed> one(Fact fact) { return {{"", std::move(fact)}}; }
std::optional<size_t> index_argument(std::string_view argument);

// The dims of input 0 as [N, spatial..., C]; empty if its rank is not known or below 2.
std::vector<Dim> channels_last_dims(const Node& node, const Shape& shape);
// The window of a convolution or pool, one- and three-dimensional ones included; nullopt if the node has none or it is not known.
std::optional<Window> node_window(const Graph& graph, const Node& node);
// The integers of constant input i.
std::optional<std::vector<int64_t>> constant_integers(const Graph& graph, const Node& node, size_t i);

}  // namespace quern::support
