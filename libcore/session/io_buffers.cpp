#include "libcore/session/io_buffers.h"

#include <cstring>

#include "libcore/base/text.h"

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

}  // namespace

void check_buffer_dtype(DType dtype, const InputSpec& spec) {
    if (dtype == DType::string) throw unsupported("strings do not go through buffers");
    if (dtype == spec.type.dtype || as_codes(dtype, spec)) return;
    throw bad_input("the buffer is {}, need {}{}", name_of(dtype), name_of(spec.type.dtype),
                    spec.enc && spec.enc->is_fixed() ? fmt::format(" or codes of {}", name_of(spec.enc->storage)) : "");
}

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

}  // namespace quern
