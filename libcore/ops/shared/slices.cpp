#include "libcore/ops/shared/slices.h"

#include <cstring>

namespace quern {
namespace {

size_t element_size(DType dtype) {
    const int bits = bits_of(dtype);
    if (bits < 8) throw unsupported("slices of {} tensors", name_of(dtype));
    return static_cast<size_t>(bits) / 8;
}

size_t product(const Dims& dims, size_t first, size_t last) {
    size_t count = 1;
    for (size_t i = first; i < last; ++i) count *= static_cast<size_t>(dims[i]);
    return count;
}

}  // namespace

Tensor slice_of(const Tensor& whole, size_t axis, int64_t index) {
    const size_t outer = product(whole.dims, 0, axis);
    const size_t row = product(whole.dims, axis + 1, whole.dims.size()) * element_size(whole.dtype);
    const auto length = static_cast<size_t>(whole.dims[axis]);
    Dims dims = whole.dims;
    dims.erase(dims.begin() + static_cast<int64_t>(axis));
    if (outer == 1) return {whole.dtype, std::move(dims), whole.data.slice(static_cast<size_t>(index) * row, row)};
    MutableBytes bytes(outer * row);
    for (size_t o = 0; o < outer && row > 0; ++o)
        std::memcpy(bytes.data() + o * row, whole.data.data() + (o * length + static_cast<size_t>(index)) * row, row);
    return {whole.dtype, std::move(dims), std::move(bytes).freeze()};
}

Tensor stacked(std::span<const Tensor> pieces, size_t axis) {
    const Tensor& first = pieces[0];
    for (const Tensor& piece : pieces)
        if (piece.dtype != first.dtype || piece.dims != first.dims)
            throw bad_input("turns give {} {} and {} {}, need the same", name_of(first.dtype), to_string(first.dims), name_of(piece.dtype),
                            to_string(piece.dims));
    Dims dims = first.dims;
    dims.insert(dims.begin() + static_cast<int64_t>(axis), static_cast<int64_t>(pieces.size()));
    const size_t outer = product(first.dims, 0, axis);
    const size_t row = product(first.dims, axis, first.dims.size()) * element_size(first.dtype);
    MutableBytes bytes(pieces.size() * outer * row);
    for (size_t o = 0; o < outer && row > 0; ++o)
        for (size_t k = 0; k < pieces.size(); ++k)
            std::memcpy(bytes.data() + (o * pieces.size() + k) * row, pieces[k].data.data() + o * row, row);
    return {first.dtype, std::move(dims), std::move(bytes).freeze()};
}

}  // namespace quern
