// An operator of a file where it is rewritten: its operands as values, its options by name, and the nodes that take its place.
#pragma once

#include <optional>
#include <string_view>

#include "formats/tflite/file/tensors.h"
#include "formats/tflite/map/importer.h"
#include "libcore/graph/builder.h"
#include "libcore/graph/op_ids.h"

namespace quern::tflite_format {

using Values = std::vector<ValueId>;

class Site : public Builder {
   public:
    Site(Importer& importer, Scope& scope, const FileOperator& op)
        : importer_(importer), scope_(scope), op_(op), before_(scope.graph.value_count()) {}

    const FileOperator& op() const { return op_; }
    Importer& importer() { return importer_; }
    Scope& scope() { return scope_; }
    const Scope& scope() const { return scope_; }
    Graph& graph() override { return scope_.graph; }

    // ---- operands ----
    size_t in_count() const { return op_.in.size(); }
    size_t out_count() const { return op_.out.size(); }
    bool has(size_t i) const { return i < op_.in.size() && op_.in[i] >= 0; }
    ValueId in(size_t i);                      // none if it is absent
    Values ins(size_t from = 0);               // all from there on
    const FileTensor& tensor(size_t i) const;  // of input i, which must be there
    const FileTensor& out_tensor(size_t i = 0) const;
    size_t rank(size_t i) const { return tensor(i).shape.size(); }
    DType dtype(size_t i) const { return tflite_format::type_of(tensor(i)).dtype; }
    int64_t dim(size_t i, size_t axis) const;  // -1 if it is not fixed
    Ints dims(size_t i) const;                 // of all axes
    bool constant(size_t i) const { return has(i) && !tensor(i).data.empty(); }
    std::optional<Ints> ints(size_t i) const;               // of a constant
    std::optional<Ints> axes(size_t i, size_t rank) const;  // the same, made non-negative; throws if one is outside

    // ---- options ----
    int64_t integer(std::string_view name, int64_t fallback = 0) const;
    bool flag(std::string_view name) const { return integer(name) != 0; }
    float real(std::string_view name, float fallback = 0) const;
    std::string word(std::string_view name, std::string_view fallback) const;  // an enumerator
    std::optional<Ints> list(std::string_view name) const;

    // ---- nodes ----
    using Builder::constant;
    ValueId as_i64(size_t i);                       // input i as int64
    void infer(NodeId node) { types().add(node); }  // of one that was added before its bodies
    // Input i, a variable, and the value that will take its place in the next run, which the caller makes.
    struct Variable {
        ValueId now, next;
    };
    Variable variable(size_t i);
    // Input i with its dims in another order: a constant is rearranged and keeps its name, anything else goes through a Transpose.
    ValueId permuted(size_t i, const Ints& order);
    // Output `out` of the operator, with the fused activation behind it if the options name one.
    void result(OpId op, Values in, Attrs attrs = {}, size_t out = 0);
    // An intermediate result as output `out`.
    void bind(ValueId value, size_t out = 0);
    ValueId operand(size_t i) { return in(i); }  // of decompose::composed
    // What output 0 is a movement of: the result of `op` in output 0's codes, with the fused activation behind it.
    ValueId before_movement(OpId op, Values in, Attrs attrs = {});
    // Outputs of the operator as one node has them, none fused, of types that are not known yet.
    NodeId results(const Op* op, Values in, Attrs attrs = {});
    ValueId out_value(size_t i);  // declares output i
    // `in` and the bias of a product, if it has one: codes beside codes have the scale of their sums. For sums of 16-bit data that the file
    // wants in 32 bits without one: zeros, whose type says so.
    Values with_bias(Values in, int64_t channels);
    std::string fresh(std::string_view what);  // a name for something new that belongs to this operator

    // The operator as it is, under its own name.
    void keep();

   private:
    bool is_memory(int64_t index);
    // The fused activation over `before` as an operator and its operands; nullopt: there is none.
    std::optional<std::pair<OpId, Values>> activation(ValueId before, DType dtype);
    ValueId declare(std::string_view what, Type type) override { return importer_.declare(graph(), fresh(what), std::move(type)); }
    StepInference& types() override { return scope_.types; }
    void spend(size_t bytes) override { importer_.spend(bytes); }
    void place(NodeId node) override;

    Importer& importer_;
    Scope& scope_;
    const FileOperator& op_;
    size_t before_;                  // values that there were
    bool as_the_file_says_ = false;  // what is added has the encoding of its tensor, or none
};

}  // namespace quern::tflite_format
