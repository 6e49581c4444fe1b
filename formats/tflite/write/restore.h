// Operators of the formats that reading takes apart into several of ours (formats/tflite/map), put together again for writing: one row
// each.
#pragma once

#include <algorithm>
#include <map>
#include <span>
#include <string_view>

#include "formats/tflite/file/file.h"
#include "libcore/graph/op.h"

namespace quern::tflite_format {

using Uses = std::vector<std::vector<Use>>;

// The nodes that stand for one operator, taken in one by one, and that operator.
class Parts {
   public:
    Parts(Graph& graph, const Uses& uses, NodeId anchor, std::string_view format)
        : format(format), graph_(graph), uses_(uses), nodes_{anchor} {}

    const std::string_view format;  // that is written

    Graph& graph() { return graph_; }
    const Node& anchor() const { return graph_.node(nodes_.front()); }
    const std::vector<NodeId>& nodes() const { return nodes_; }
    const Type& type(ValueId id) const { return graph_.value(id).type; }
    // Dims of a value, -1 where they are not fixed; {} if the rank is not known.
    Ints dims(ValueId id) const;
    std::optional<Ints> ints(const Node& node, size_t i) const;  // operand i, a plain constant

    // The node that makes `id`, if it is that operator; it is taken in.
    const Node* before(ValueId id, OpId op);
    // The node that alone reads `id`, as its first operand; it is taken in.
    const Node* behind(ValueId id, OpId op);
    bool read_once(ValueId id) const;
    // Operand i, or what is cast to it from int32, which the formats take as it is.
    ValueId uncast(ValueId id);

    // A constant of int32.
    ValueId numbers(std::string_view what, const Ints& items, Dims shape);
    ValueId vector(std::string_view what, const Ints& items) { return numbers(what, items, {static_cast<int64_t>(items.size())}); }

    // Does nobody else see what lies between?
    bool closed() const;

    // ---- the operator ----
    std::vector<ValueId> in, out;
    Attrs options;
    const Op* as = nullptr;         // an operator of ours that is written by its own row instead
    std::map<char, ValueId> named;  // of a row's form

   private:
    bool is_part(NodeId id) const { return std::find(nodes_.begin(), nodes_.end(), id) != nodes_.end(); }

    Graph& graph_;
    const Uses& uses_;
    std::vector<NodeId> nodes_;
};

// What is fused into the operator: the activation that alone reads its result, which is taken in; the result is then behind it.
std::string activation_behind(Parts& at);

struct RestoreRow {
    Code code;
    // "Mul(Sub(a,b),Sub(a,b))": operators of ours, letters for operands (in the order of the alphabet those of the operator), numbers for
    // constant scalars, [-1] for constant axes, * for an operand that does not matter. Without brackets the name of the anchor alone.
    std::string_view form;
    bool (*match)(Parts& at) = nullptr;    // what the form does not say: attributes, options
    bool moves = false;                    // elements only move: the result has the codes of operand 0
    std::string_view codes = "i8 u8 i16";  // that its kernels take, where they move: others stay our operators
};

std::span<const RestoreRow> restore_shape_rows();
std::span<const RestoreRow> restore_places_rows();
std::span<const RestoreRow> restore_arithmetic_rows();

// Puts together what a graph and its bodies hold; such nodes are of `format`, which is their domain.
void restore_operators(Graph& graph, std::string_view format);

}  // namespace quern::tflite_format
