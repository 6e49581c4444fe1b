// The tensors of a file as constants of a graph: each asked for by its name and shape, and those that nobody asked for.
#pragma once

#include <set>

#include "formats/gguf/file/container.h"
#include "libcore/graph/graph.h"

namespace quern::gguf {

class Weights {
   public:
    Weights(const File& file, Graph& graph) : file_(file), graph_(graph) {}

    bool has(const std::string& name) const { return file_.find(name) != nullptr; }
    const TensorInfo& tensor(const std::string& name) const;   // throws Exit::bad_input if there is none
    int64_t rows(const std::string& name, size_t rank) const;  // the last dim but one of a tensor that must have this rank
    // [rows, columns] of the file (a row alone may be [columns]) as the right operand of a product: a constant [columns, rows] in the
    // file's own blocks. `as`: the constant's name, if it is not the tensor's.
    ValueId matrix(const std::string& name, int64_t rows, int64_t columns, const std::string& as = {});
    ValueId table(const std::string& name, int64_t rows, int64_t columns);                 // [rows, columns], for look-ups of rows
    ValueId stack(const std::string& name, int64_t count, int64_t rows, int64_t columns);  // matrices: [count, columns, rows]
    ValueId vector(const std::string& name, const Dims& dims);                             // float32, as the file has it
    std::vector<float> numbers(const std::string& name, const Dims& dims);                 // the same, not as a constant
    // Which tensors became no constant, in file order.
    std::vector<const TensorInfo*> beside() const;
    std::vector<std::string> unused() const;  // names of those that nobody asked for

   private:
    const TensorInfo& need(const std::string& name, const Dims& dims);
    ValueId blocks(const TensorInfo& tensor, const std::string& name, Dims dims, int axis);

    const File& file_;
    Graph& graph_;
    std::set<std::string> constants_, asked_;
};

}  // namespace quern::gguf
