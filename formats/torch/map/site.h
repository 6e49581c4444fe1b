// A node of a program where it is rewritten: its operands as values, its arguments by name, and the nodes that take its place.
#pragma once

#include <optional>
#include <string_view>

#include "formats/torch/map/importer.h"
#include "libcore/graph/builder.h"
#include "libcore/graph/op_ids.h"

namespace quern::torch_format {

using Values = std::vector<ValueId>;
using Ints = std::vector<int64_t>;

bool is_real(DType dtype);
// What a sum of both is: a float before an integer before a bool, the wider of two. `plain`: a number or a tensor of rank 0, which raises
// the kind only.
DType promoted(DType a, DType b, bool plain_a = false, bool plain_b = false);

class Site : public Builder {
   public:
    Site(Importer& importer, Scope& scope, const ProgramNode& node) : importer_(importer), scope_(scope), node_(node) {}

    const ProgramNode& of() const { return node_; }
    Importer& importer() { return importer_; }
    Scope& scope() { return scope_; }
    Graph& graph() override { return scope_.graph; }

    // ---- arguments ----
    const Argument* arg(std::string_view name) const;  // nullptr: absent, or none
    const Argument* arg(size_t i) const;               // by place
    const Argument& need(std::string_view name) const;
    bool has(std::string_view name) const { return arg(name) != nullptr; }
    bool is_tensor(std::string_view name) const;
    int64_t integer(std::string_view name, int64_t fallback) const;  // throws where it is not known before the run
    int64_t integer(std::string_view name) const;
    double real(std::string_view name, double fallback) const;
    bool flag(std::string_view name, bool fallback = false) const { return integer(name, fallback) != 0; }
    std::string word(std::string_view name, std::string_view fallback) const;
    std::optional<Ints> ints(std::string_view name) const;  // of a list or one number; nullopt: absent, or not all are known
    // One number for each of `count` dims, within bounds; one alone means all, none what `fallback` says.
    Ints each(std::string_view name, size_t count, const Ints& fallback, int64_t least) const;
    // Axes made non-negative; `all`: what absent and empty mean.
    Ints axes(std::string_view name, size_t rank, bool all = true) const;
    int64_t axis(std::string_view name, size_t rank, int64_t fallback) const;

    // ---- operands ----
    const TensorMeta& meta(const Argument& tensor) const;
    const TensorMeta& meta(std::string_view name) const { return meta(need(name)); }
    const TensorMeta& out_meta(size_t i = 0) const;
    DType dtype(std::string_view name) const { return meta(name).dtype; }
    const Shape& shape(std::string_view name) const { return meta(name).shape; }
    size_t rank(std::string_view name) const { return shape(name).rank(); }
    int64_t dim(std::string_view name, int64_t axis) const;  // -1 if it is not fixed
    ValueId in(std::string_view name);
    ValueId in(const Argument& argument);
    ValueId in_or_none(std::string_view name) { return has(name) ? in(name) : ValueId::none; }
    Values list(std::string_view name);
    // A tensor as `dtype`, or a number as a constant of rank 0.
    ValueId in_as(std::string_view name, DType dtype) { return in_as(need(name), dtype); }
    ValueId in_as(const Argument& argument, DType dtype);
    Number number(const Argument& argument) const;
    ValueId as_value(const Number& number);  // of rank 0, int64 unless it is computed in another type
    ValueId sizes(const Argument& list);     // int64 of rank 1, of numbers known and computed

    // ---- results ----
    size_t out_count() const;  // those of lists counted
    ValueId out_value(size_t i = 0);
    void result(OpId op, Values in, Attrs attrs = {}, size_t out = 0);
    void bind(ValueId value, size_t out = 0);                                                 // a value that is there already
    ValueId operand(size_t i) { return in_as(i == 0 ? "self" : "other", out_meta().dtype); }  // of decompose::composed
    void bind(Number number, size_t out = 0);
    void made(ValueId value);                                    // by nodes of this one: output 0, and called so
    void result_as(ValueId value, DType dtype, size_t out = 0);  // cast to the type that the file says
    std::string fresh(std::string_view what);

    // The node as it is, under its own name.
    void keep();

   private:
    const Argument& out(size_t i) const;
    ValueId declare(std::string_view what, Type type) override { return importer_.declare(graph(), fresh(what), std::move(type)); }
    StepInference& types() override;
    void spend(size_t bytes) override { importer_.spend(bytes); }
    void place(NodeId node) override;

    Importer& importer_;
    Scope& scope_;
    const ProgramNode& node_;
};

}  // namespace quern::torch_format
