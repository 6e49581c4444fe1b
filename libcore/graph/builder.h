// Adds nodes to a graph: operators by identity, constants, casts. Each result gets a name that is not taken, and its type is inferred as
// the node is added. Where new nodes belong and what their values are called, the class says that extends it: a node of a file that is
// read, a node that others stand for.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/graph/op.h"
#include "libcore/graph/step_inference.h"

namespace quern {

// The number of an element type in a Cast's attribute.
inline int64_t onnx_type(DType dtype) { return row_of(dtype).onnx; }

class Builder {
   public:
    using Values = std::vector<ValueId>;

    virtual ~Builder() = default;
    virtual Graph& graph() = 0;

    // ---- nodes ----
    // The first result of a new node. Throws Exit::bad_input if its operands do not fit together.
    ValueId add(OpId op, Values in, Attrs attrs = {});
    Values add_several(OpId op, Values in, size_t results, Attrs attrs = {});
    NodeId put(OpId op, Values in, Values out, Attrs attrs = {});  // whose results are values that there are
    ValueId cast(ValueId value, DType to);                         // the value itself if it is that already
    ValueId reshape(ValueId value, const Dims& dims);

    // ---- constants ----
    ValueId constant(const Tensor& tensor, std::string_view what = "constant");
    ValueId integers(const Dims& items, std::string_view what = "constant");       // int64 of rank 1
    ValueId scalar(double item, DType dtype, std::string_view what = "constant");  // of rank 0; integers stop at their bounds
    ValueId scalar(std::integral auto item, DType dtype, std::string_view what = "constant") {
        return integer(static_cast<int64_t>(item), dtype, what);
    }

    // ---- questions ----
    const Type& type_of(ValueId value) { return graph().value(value).type; }
    DType dtype_of(ValueId value) { return type_of(value).dtype; }

    ValueId value(std::string_view what) { return declare(what, {}); }  // a new one, for what is put

   protected:
    virtual ValueId declare(std::string_view what, Type type) = 0;  // a new value, named after what it is
    virtual StepInference& types() = 0;
    virtual void spend(size_t bytes) { static_cast<void>(bytes); }  // of a constant: throws where there are too many
    virtual NodeId next() const { return NodeId::none; }            // the node before which others are put; none: behind all
    virtual std::string node_name(OpId op, ValueId result);         // default: the name of its first result
    virtual void place(NodeId node) { static_cast<void>(node); }    // called for each new node

   private:
    ValueId integer(int64_t item, DType dtype, std::string_view what);
};

}  // namespace quern
