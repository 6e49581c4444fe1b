// How our operators are said in TFLite and Circle: one row each, the way back from map.h.
#pragma once

#include <array>
#include <span>

#include "formats/tflite/lower/exporter.h"
#include "libcore/graph/op.h"

namespace quern::tflite_format {

// Options of an operator that could take an activation and has none.
inline const Attrs no_activation{{"fused_activation_function", std::string("NONE")}};

Ints open_dims(const Shape& shape);  // -1 where a dim is not fixed; throws if the rank is not known
// A reshape can compute one dim that is not known (-1), and no more.
bool has_more_open_dims(const Ints& shape);
const Ints& needed_shape(const Ints& shape);  // throws Exit::unsupported if it has more

// Attribute of a Gemm that multiplies the last dim of data of any rank, as it stands only here: see restore_shape.cpp.
inline constexpr const char* keeps_dims_key = "keep_num_dims";
// The activation that such a Gemm has taken in.
inline constexpr const char* activation_key = "fused_activation_function";

// One node where it is written: its operands as tensors, and the operators that take its place.
class Lowering {
   public:
    Lowering(Exporter& exporter, ExportScope& scope, NodeId id)
        : exporter_(exporter), scope_(scope), node_(scope.graph.node(id)), view_(node_) {}
    void run();

    Exporter& exporter() { return exporter_; }
    ExportScope& scope() { return scope_; }
    const Graph& graph() const { return scope_.graph; }
    const Node& node() const { return node_; }
    const NodeView& view() const { return view_; }

    // ---- operands ----
    size_t in_count() const { return node_.in.size(); }
    bool has(size_t i) const { return i < node_.in.size() && node_.in[i] != ValueId::none; }
    ValueId id(size_t i) const { return has(i) ? node_.in[i] : ValueId::none; }
    const Value& value(size_t i) const { return graph().value(node_.in.at(i)); }
    const Type& type(size_t i) const { return value(i).type; }
    size_t rank(size_t i) const;               // throws if it is not known
    int64_t dim(size_t i, size_t axis) const;  // -1 if it is not fixed
    bool constant(size_t i) const { return has(i) && value(i).constant(); }
    std::optional<Ints> ints(size_t i) const;     // of a plain constant
    Ints need_ints(size_t i) const;               // throws if it is none
    std::optional<float> number(size_t i) const;  // of a plain constant of one element
    std::optional<Tensor> reals(size_t i) const;  // a constant as float32 numbers
    Ints axes(size_t i, size_t rank) const;       // of operand i or, if it is absent, all; made non-negative
    size_t axis(std::string_view attr, size_t rank) const;
    Ints out_shape(size_t i = 0) const;  // of an output; -1 where it is not fixed

    // The tensor of operand i: codes if the node computes on codes, else real numbers.
    int64_t in(size_t i);
    Ints ins(size_t from = 0);
    // A constant operand as it is stored even where the node computes on real numbers: what the formats' operators take as codes.
    int64_t weight(size_t i) { return hybrid_ && constant(i) ? exporter_.tensor(scope_, id(i)) : in(i); }
    // Does the operator round the real numbers that it reads by codes with a zero point?
    bool rounds_asymmetrically() const;
    int64_t in_as_i32(size_t i);
    // A constant operand rearranged: dim k of the result is dim order[k] of the operand.
    int64_t permuted(size_t i, const Ints& order, Dims shape = {});
    // Does the node compute on codes, with codes as its result?
    bool on_codes() const { return codes_; }
    // The encoding of the result (behind a fused activation, if there is one).
    const std::optional<Encoding>& out_encoding() const { return out_encoding_; }
    const std::optional<Encoding>& in_encoding(size_t i) const;  // as operand `in(i)` has it

    // ---- what is made ----
    int64_t numbers(std::string_view what, const Ints& items);  // int32 constant of rank 1
    int64_t constant(std::string_view what, const Tensor& contents, const std::optional<Encoding>& encoding = {});
    // A constant of rank 0 in the encoding of operand `like` (as the node sees it).
    int64_t number(std::string_view what, float number, size_t like);
    int64_t temp(std::string_view what, DType dtype, const Ints& shape, const std::optional<Encoding>& encoding = {});
    int64_t temp_like(std::string_view what, size_t operand, const Ints& shape);  // with the type and encoding of operand
    int64_t shape_of(int64_t tensor, std::string_view what);
    // Constants that were made for it are named after its result, as those are that reading finds there.
    void op(Code code, Ints in, Ints out, Attrs options = {}, Ints intermediates = {}) {
        exporter_.name_after(scope_, made_, in, out);
        exporter_.add_operator(scope_, code, std::move(in), std::move(out), std::move(options), std::move(intermediates));
    }
    // The node that alone reads `id`, which is no output; none if there are others. done() has it written with this one.
    NodeId only_reader(ValueId id) const;
    void done(NodeId id) { scope_.done.insert(id); }
    // The operator whose result is the node's, and the activation behind it.
    void result(Code code, Ints in, Attrs options = {});
    // Its options with the activation in them, for who writes to out() later.
    Attrs activated(Attrs options);
    // The tensor that becomes result i: written to by the last operator of an expansion.
    int64_t out(size_t i = 0);
    int64_t transposed(std::string_view what, int64_t tensor, const Ints& order);
    int64_t reshaped(std::string_view what, int64_t tensor, const Ints& shape);
    const FileTensor& file_tensor(int64_t index) { return exporter_.subgraph(scope_).tensors[static_cast<size_t>(index)]; }

   private:
    void find_activation();
    void find_arithmetic();
    int64_t real(ValueId id);
    bool takes_codes_as_weights() const;
    int64_t as_real(std::string_view name, const Tensor& codes, const Encoding& encoding);
    ValueId before_dynamic(ValueId id) const;
    bool is_dynamic(ValueId id) const {
        const auto* enc = id != ValueId::none && graph().value(id).enc ? &*graph().value(id).enc : nullptr;
        return enc && enc->is_dynamic() && enc->block == 0;
    }
    bool is_kept() const;
    void keep();

    Exporter& exporter_;
    ExportScope& scope_;
    const Node& node_;
    NodeView view_;
    const struct LowerRow* row_ = nullptr;  // from run() on
    ValueId result_ = ValueId::none;        // of the node or of the activation behind it
    std::string activation_ = "NONE";
    NodeId activation_node_ = NodeId::none;
    bool codes_ = false;
    bool hybrid_ = false;  // real numbers times codes: the operator quantizes its operand as it finds it
    std::optional<Encoding> out_encoding_;
    std::vector<std::pair<int64_t, std::string>> made_;     // constants that no operator has read yet, and what they are
    std::vector<std::pair<int64_t, ValueId>> requantized_;  // results computed as real numbers, and their values
};

struct LowerRow {
    OpId op;
    void (*lower)(Lowering& at);
    int codes = -1;          // a constant operand that is taken as codes where others and the result are real numbers
    bool blocks = false;     // with scales of blocks, too
    bool four_bits = false;  // or in four bits (without groups)
    bool on_reals = false;   // no form for codes: computed on real numbers, with changes of encoding around
};

std::span<const LowerRow> lower_elementwise_rows();
std::span<const LowerRow> lower_spatial_rows();
std::span<const LowerRow> lower_product_rows();
std::span<const LowerRow> lower_shape_rows();
std::span<const LowerRow> lower_reduce_rows();
std::span<const LowerRow> lower_control_rows();
std::span<const LowerRow> lower_recurrent_rows();
const LowerRow* lower_row(const Op& op);  // nullptr: cannot be said

// The nodes of a graph that were not written with others, in their order.
void lower_all(Exporter& exporter, ExportScope& scope);

// Can the code take a fused activation?
bool takes_activation(Code code);

}  // namespace quern::tflite_format
