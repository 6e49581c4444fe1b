// A node of a graph where it is rewritten: its operands as values, its attributes by name, and the nodes that take its place.
#pragma once

#include <optional>
#include <string_view>

#include "formats/tensorflow/file/graph_def.h"
#include "formats/tensorflow/map/importer.h"
#include "libcore/graph/builder.h"
#include "libcore/graph/op_ids.h"

namespace quern::tensorflow_format {

using Values = std::vector<ValueId>;
using Ints = std::vector<int64_t>;

class Site : public Builder {
   public:
    Site(Importer& importer, Scope& scope, size_t node);

    const Node& of() const { return node_; }
    size_t index() const { return index_; }
    Importer& importer() { return importer_; }
    Scope& scope() { return scope_; }
    Graph& graph() override { return scope_.frame.graph; }

    // ---- operands ----
    size_t inputs() const;   // control inputs not counted
    size_t outputs() const;  // that are read, at least 1
    ValueId in(size_t i);    // throws where it is a handle or a list
    Values ins(size_t from = 0, size_t to = static_cast<size_t>(-1));
    const Bound& bound(size_t i) const;           // whatever it is
    bool constant(size_t i);                      // a constant of the file
    std::optional<Tensor> known(size_t i);        // a constant, or numbers that shape arithmetic knows
    std::optional<Ints> ints(size_t i);           // the same, of integers
    std::optional<int64_t> integer_in(size_t i);  // the same, of one
    // Axes of a known operand made non-negative; nullopt: it is computed.
    std::optional<Ints> axes(size_t i, size_t rank);
    const Type& type(size_t i);
    const Shape& shape(size_t i) { return type(i).shape; }
    DType dtype(size_t i) { return type(i).dtype; }
    bool ranked(size_t i) { return shape(i).ranked; }
    size_t rank(size_t i);                // throws Exit::unsupported if it is not known
    int64_t dim(size_t i, int64_t axis);  // -1 if it is not fixed
    Ints dims(size_t i);                  // of all axes
    ValueId as_i64(size_t i);             // a constant where the numbers are known

    // ---- attributes ----
    bool has(std::string_view name) const { return node_.attrs.contains(name); }
    int64_t integer(std::string_view name, int64_t fallback) const;
    double real(std::string_view name, double fallback) const;
    bool flag(std::string_view name, bool fallback) const;
    std::string word(std::string_view name, std::string_view fallback) const;
    DType type(std::string_view name, DType fallback) const;
    Ints ints_of(std::string_view name) const;  // empty if absent

    // ---- nodes ----
    using Builder::constant;
    ValueId transpose(ValueId value, const Ints& order);  // a constant is rearranged at once

    // ---- results ----
    ValueId operand(size_t i) { return in(i); }  // of decompose::composed
    void bind(ValueId value, size_t k = 0) { out(k, value); }
    // The value gets the node's name, if the node made it.
    void out(size_t k, ValueId value);
    void out(size_t k, Bound bound);
    std::string fresh(std::string_view what) const;  // a name for something new that belongs to this node
    void pass(size_t k, size_t i);                   // result k is input i, whatever it is

    // The node as it is, under its own name.
    void keep();

   private:
    ValueId declare(std::string_view what, Type type) override;
    StepInference& types() override { return scope_.frame.types(); }
    void spend(size_t bytes) override { importer_.spend(bytes); }
    void place(NodeId node) override;

    Importer& importer_;
    Scope& scope_;
    size_t index_;
    const Node& node_;
    Values emitted_;
};

}  // namespace quern::tensorflow_format
