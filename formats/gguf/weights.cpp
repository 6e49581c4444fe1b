#include "formats/gguf/weights.h"

#include <cmath>

#include "libcore/base/text.h"
#include "libcore/graph/block_encoding.h"

namespace quern::gguf {

const TensorInfo& Weights::tensor(const std::string& name) const {
    if (const TensorInfo* found = file_.find(name)) return *found;
    throw bad_input("there is no tensor \"{}\"", name);
}

int64_t Weights::rows(const std::string& name, size_t rank) const {
    const Dims& dims = tensor(name).dims;
    if (dims.size() != rank || dims[rank - 2] < 1) throw bad_input("tensor \"{}\" is {}, need {} dims", name, to_string(dims), rank);
    return dims[rank - 2];
}

const TensorInfo& Weights::need(const std::string& name, const Dims& dims) {
    const TensorInfo& found = tensor(name);
    if (found.dims != dims) throw bad_input("tensor \"{}\" is {}, the metadata ask for {}", name, to_string(found.dims), to_string(dims));
    asked_.insert(name);
    return found;
}

ValueId Weights::blocks(const TensorInfo& tensor, const std::string& name, Dims dims, int axis) {
    const ValueId id = graph_.add_value(graph_.unique_name(name), Type::tensor(DType::f32, Shape::of(dims)));
    graph_.value(id).enc = block_encoding(*tensor.format, axis);
    graph_.value(id).data = tensor.data();
    constants_.insert(tensor.name);
    return id;
}

ValueId Weights::matrix(const std::string& name, int64_t rows, int64_t columns, const std::string& as) {
    const bool line = rows == 1 && tensor(name).dims.size() == 1;
    return blocks(need(name, line ? Dims{columns} : Dims{rows, columns}), as.empty() ? name : as, {columns, rows}, 0);
}

ValueId Weights::table(const std::string& name, int64_t rows, int64_t columns) {
    return blocks(need(name, {rows, columns}), name, {rows, columns}, 1);
}

ValueId Weights::stack(const std::string& name, int64_t count, int64_t rows, int64_t columns) {
    return blocks(need(name, {count, rows, columns}), name, {count, columns, rows}, 1);
}

std::vector<float> Weights::numbers(const std::string& name, const Dims& dims) {
    const TensorInfo& tensor = need(name, dims);
    const int64_t count = count_of(dims);
    std::vector<float> out(static_cast<size_t>(count));
    tensor.format->decode(tensor.data().data(), static_cast<size_t>(count / tensor.format->elements), out.data());
    for (const float number : out)
        if (!std::isfinite(number)) throw bad_input("tensor \"{}\" has a number {}", name, number);
    return out;
}

ValueId Weights::vector(const std::string& name, const Dims& dims) {
    const std::vector<float> all = numbers(name, dims);
    if (!file_.find(name)->format->quantized()) constants_.insert(name);
    return graph_.add_constant(name, Tensor::make<float>(dims, all));
}

std::vector<const TensorInfo*> Weights::beside() const {
    std::vector<const TensorInfo*> out;
    for (const TensorInfo& tensor : file_.tensors)
        if (!constants_.contains(tensor.name)) out.push_back(&tensor);
    return out;
}

std::vector<std::string> Weights::unused() const {
    std::vector<std::string> out;
    for (const TensorInfo& tensor : file_.tensors)
        if (!asked_.contains(tensor.name)) out.push_back(tensor.name);
    return out;
}

}  // namespace quern::gguf
