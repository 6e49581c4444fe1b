#include "libcore/api/ports.h"

#include <cstring>

#include "libcore/base/text.h"
#include "libcore/graph/quantize.h"

namespace quern {
namespace {

bool as_codes(DType dtype, const InputSpec& spec) {
    return dtype != spec.type.dtype && spec.enc && spec.enc->is_fixed() && dtype == spec.enc->storage;
}

size_t bytes_of(DType dtype, const Dims& dims) {
    const auto bits = static_cast<uint64_t>(bits_of(dtype));
    return (static_cast<uint64_t>(count_of(dims)) * bits + 7) / 8;
}

Dims dims_for(const IoBuffer& buffer, const InputSpec& spec, const std::optional<Dims>& set) {
    if (set) return *set;
    if (const auto fixed = spec.type.shape.concrete()) return *fixed;
    const auto fit = fit_raw(buffer.size * 8 / static_cast<uint64_t>(bits_of(buffer.dtype)), spec.type.shape);
    if (!fit || fit->group != 1) throw bad_input("its shape is {}: set one", to_string(spec.type.shape));
    return fit->dims;
}

// Unless `dtype` is that of the numbers, or of the codes.
void check_buffer_dtype(DType dtype, const InputSpec& spec) {
    if (dtype == DType::string) throw unsupported("strings do not go through buffers");
    if (dtype == spec.type.dtype || as_codes(dtype, spec)) return;
    throw bad_input("the buffer is {}, need {}{}", name_of(dtype), name_of(spec.type.dtype),
                    spec.enc && spec.enc->is_fixed() ? fmt::format(" or codes of {}", name_of(spec.enc->storage)) : "");
}

// The numbers in a buffer; `set`: the dims that the caller said, else as the type and the size say.
Tensor tensor_of(const IoBuffer& buffer, const InputSpec& spec, const std::optional<Dims>& set) {
    return at_place(fmt::format("input \"{}\"", escape(spec.name)), [&] {
        if (buffer.dtype == DType::none) throw usage_error("no buffer is set");
        check_buffer_dtype(buffer.dtype, spec);
        const Dims dims = dims_for(buffer, spec, set);
        if (const size_t need = bytes_of(buffer.dtype, dims); need != buffer.size)
            throw bad_input("the buffer has {} bytes, {}{} needs {}", buffer.size, name_of(buffer.dtype), to_string(dims), need);
        const Tensor tensor{buffer.dtype, dims, Bytes::copy(buffer.data, buffer.size)};
        return as_codes(buffer.dtype, spec) ? to_logical(tensor, spec, true) : tensor;
    });
}

// Into a buffer that has room for it.
void copy_to(const IoBuffer& buffer, const InputSpec& spec, const Tensor& output) {
    at_place(fmt::format("output \"{}\"", escape(spec.name)), [&] {
        check_buffer_dtype(buffer.dtype, spec);
        const Tensor stored = as_codes(buffer.dtype, spec) ? quantize(output, *spec.enc) : output;
        if (stored.data.size() > buffer.size)
            throw bad_input("the buffer has {} bytes, {}{} needs {}", buffer.size, name_of(stored.dtype), to_string(stored.dims),
                            stored.data.size());
        if (stored.data.size() > 0) std::memcpy(buffer.data, stored.data.data(), stored.data.size());
    });
}

Dims with_unknown(const Shape& shape) {
    Dims dims;
    for (const Dim& dim : shape.dims) dims.push_back(dim.known() ? dim.value : -1);
    return dims;
}

void check_index(size_t index, size_t count, std::string_view what) {
    if (index >= count) throw usage_error("{} {}: the model has {}", what, index, count);
}

}  // namespace

void Ports::describe(const std::vector<InputSpec>& inputs, const std::vector<InputSpec>& outputs) {
    inputs_ = inputs;
    outputs_ = outputs;
}

void Ports::drop_buffers() {
    input_buffers_.clear();
    output_buffers_.clear();
    dims_.clear();
}

void Ports::drop_results() {
    last_.clear();
    names_.clear();
}

void Ports::check_rank(size_t index, int64_t rank) const {
    check_index(index, inputs_.size(), "input");
    const Shape& shape = inputs_[index].type.shape;
    if (shape.ranked && static_cast<int64_t>(shape.rank()) != rank)
        throw bad_input("input \"{}\": got a rank of {}, need {}", escape(inputs_[index].name), rank, to_string(shape));
}

const InputSpec& Ports::open_input(size_t index, const Dims& dims) const {
    check_index(index, inputs_.size(), "input");
    const InputSpec& spec = inputs_[index];
    for (const int64_t dim : dims)
        if (dim < 0) throw usage_error("input {}: a dim is {}, need 0 or more", index, dim);
    const Shape& shape = spec.type.shape;
    bool fits = !shape.ranked || shape.rank() == dims.size();
    for (size_t i = 0; fits && shape.ranked && i < dims.size(); ++i) fits = !shape.dims[i].known() || shape.dims[i].value == dims[i];
    if (!fits) throw bad_input("input \"{}\": got {}, need {}", escape(spec.name), to_string(dims), to_string(shape));
    return spec;
}

const Dims& Ports::input_dims(size_t index) {
    check_index(index, inputs_.size(), "input");
    const auto set = dims_.find(index);
    return asked_ = set != dims_.end() ? set->second : with_unknown(inputs_[index].type.shape);
}

const Dims& Ports::output_dims(size_t index) {
    check_index(index, outputs_.size(), "output");
    return asked_ = last_.empty() ? with_unknown(outputs_[index].type.shape) : last_[index].dims;
}

void Ports::set_input(size_t index, IoBuffer buffer) {
    check_index(index, inputs_.size(), "input");
    at_place(fmt::format("input \"{}\"", escape(inputs_[index].name)), [&] { check_buffer_dtype(buffer.dtype, inputs_[index]); });
    input_buffers_[index] = buffer;
}

void Ports::set_output(size_t index, IoBuffer buffer) {
    check_index(index, outputs_.size(), "output");
    if (!buffer.data) {
        output_buffers_.erase(index);
        return;
    }
    at_place(fmt::format("output \"{}\"", escape(outputs_[index].name)), [&] { check_buffer_dtype(buffer.dtype, outputs_[index]); });
    output_buffers_[index] = buffer;
}

std::vector<Tensor> Ports::gather() const {
    std::vector<Tensor> tensors;
    for (size_t i = 0; i < inputs_.size(); ++i) {
        const auto buffer = input_buffers_.find(i);
        const auto dims = dims_.find(i);
        tensors.push_back(tensor_of(buffer == input_buffers_.end() ? IoBuffer() : buffer->second, inputs_[i],
                                    dims == dims_.end() ? std::nullopt : std::optional(dims->second)));
    }
    return tensors;
}

void Ports::hand_out(std::vector<Tensor> outputs) {
    last_ = std::move(outputs);
    for (const auto& [index, buffer] : output_buffers_) copy_to(buffer, outputs_.at(index), last_.at(index));
}

const Tensor& Ports::output(size_t index) const {
    if (last_.empty()) throw usage_error("output data: the model as it is now was not run yet");
    check_index(index, last_.size(), "output");
    return last_[index];
}

}  // namespace quern
