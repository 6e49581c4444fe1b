// Operators that the formats lack, written as operators of ours that they have: before layouts are moved, in ONNX's own terms.
#pragma once

#include <optional>
#include <span>

#include "libcore/passes/decompose/terms.h"
#include "libcore/passes/expansion.h"

namespace quern::tflite_format {

// What takes the place of one node: its operands as it had them, and its end.
class Spelling : public Expansion {
   public:
    Spelling(Graph& graph, NodeId id, std::string_view format) : Expansion(graph, id), node(graph.node(id)), view(node), format(format) {}

    const Node node;  // as it was
    const NodeView view;
    const std::string_view format;

    ValueId in(size_t i) const { return i < node.in.size() ? node.in[i] : ValueId::none; }
    bool has(size_t i) const { return in(i) != ValueId::none; }
    decompose::Term x() { return {this, in(0)}; }
    size_t rank(size_t i = 0) { return type_of(in(i)).shape.rank(); }
    std::optional<Dims> dims(size_t i = 0);  // if all are known
    std::optional<Tensor> plain(size_t i);   // a constant without an encoding
    std::optional<Dims> ints(size_t i);      // a plain constant of integers
    std::vector<Dim> space();                // the dims behind batch and channels
    bool channels_first() { return view.text("layout") == "NCHW"; }

    // A node that only moves elements of its first operand, whose encoding they keep.
    ValueId moved(OpId op, Values in, Attrs attrs = {}) { return encoded_as(in[0], add(op, in, std::move(attrs))); }
    ValueId encoded_as(ValueId like, ValueId made);
    ValueId shaped(ValueId x, const Dims& dims) { return moved(ops::Reshape, {x, integers(dims, "shape")}); }
    ValueId gathered(ValueId x, size_t axis, const Dims& places);
    ValueId recoded(ValueId x, ValueId like);  // in the codes of `like`, or as real numbers where it has none
    ValueId zero();                            // of the type of operand 0, in its codes where the result has the same
    // The last node is the one that made `made`: it makes result 0 from here on.
    bool end(ValueId made);
};

struct ExpandRow {
    OpId op;
    bool (*expand)(Spelling& at);  // false: the node stays
};
std::span<const ExpandRow> expand_function_rows();
std::span<const ExpandRow> expand_indexed_rows();
std::span<const ExpandRow> expand_place_rows();
std::span<const ExpandRow> expand_product_rows();
std::span<const ExpandRow> expand_left_rows();  // what stays of operators of the formats' own that were not put together again

// The number of nodes that others stand for.
int expand_operators(Graph& graph, std::string_view format);
int expand_left(Graph& graph, std::string_view format);  // behind restore_operators

}  // namespace quern::tflite_format
