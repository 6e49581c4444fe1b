// ggml's block types: 32 elements of the last dimension with a float16 scale d (and minimum m) in front. A half block's low nibbles
// are its first 16 elements, the high ones the last 16.
//   Q4_0  d, 16 bytes: d * (n - 8)        Q4_1  d, m, 16 bytes: d * n + m
//   Q8_0  d, 32 bytes: d * c              Q8_1  d, s, 32 bytes: d * c; s is d times the sum of the codes, which a reader needs not
#include <cstring>
#include <optional>

#include "formats/tflite/file/tensors.h"

namespace quern::tflite_format {
namespace {

constexpr size_t block_length = 32, nibbles = block_length / 2;

struct BlockForm {
    size_t bytes, codes_at;
    bool has_min, four_bits;
};

BlockForm form_of(Element type) {
    switch (type) {
        case Element::GGML_Q4_0: return {18, 2, false, true};
        case Element::GGML_Q4_1: return {20, 4, true, true};
        case Element::GGML_Q8_0: return {34, 2, false, false};
        default: return {36, 4, false, false};
    }
}

// 16 bytes of a block as 32 packed codes in order; `flip` takes 8 from every code, which makes it signed.
void put_nibbles(const std::byte* from, std::byte* to, std::byte flip) {
    const auto code = [&](size_t i) { return i < nibbles ? from[i] & std::byte{15} : from[i - nibbles] >> 4; };
    for (size_t i = 0; i < nibbles; ++i) to[i] = ((code(2 * i + 1) << 4) | code(2 * i)) ^ flip;
}

// The way back.
void take_nibbles(const std::byte* from, std::byte* to, std::byte flip) {
    const auto code = [&](size_t i) { return ((from[i / 2] ^ flip) >> (i % 2 == 0 ? 0 : 4)) & std::byte{15}; };
    for (size_t i = 0; i < nibbles; ++i) to[i] = (code(i + nibbles) << 4) | code(i);
}

std::optional<Element> element_of(const Encoding& e) {
    if (e.block != static_cast<int64_t>(block_length) || e.scale.dtype != DType::f16 || !e.is_fixed()) return std::nullopt;
    if (e.min.defined()) return e.storage == DType::u4 && e.min.dtype == DType::f16 ? std::optional(Element::GGML_Q4_1) : std::nullopt;
    if (!e.symmetric()) return std::nullopt;
    if (e.storage == DType::i4) return Element::GGML_Q4_0;
    return e.storage == DType::i8 ? std::optional(Element::GGML_Q8_0) : std::nullopt;
}

}  // namespace

std::optional<FileTensor> in_blocks(const Tensor& codes, const Encoding& e) {
    const auto type = element_of(e);
    if (!type || codes.dims.empty() || e.axis + 1 != static_cast<int>(codes.dims.size()) ||
        codes.dims.back() % static_cast<int64_t>(block_length) != 0)
        return std::nullopt;
    const BlockForm form = form_of(*type);
    const size_t blocks = static_cast<size_t>(codes.count()) / block_length, width = form.four_bits ? nibbles : block_length;
    MutableBytes bytes(blocks * form.bytes);
    for (size_t b = 0; b < blocks; ++b) {
        std::byte* to = bytes.data() + b * form.bytes;
        const std::byte* from = codes.data.data() + b * width;
        std::memcpy(to, e.scale.data.data() + 2 * b, 2);
        if (form.has_min) std::memcpy(to + 2, e.min.data.data() + 2 * b, 2);
        if (form.four_bits)
            take_nibbles(from, to + form.codes_at, *type == Element::GGML_Q4_0 ? std::byte{0x88} : std::byte{0});
        else
            std::memcpy(to + form.codes_at, from, width);
    }
    FileTensor out;
    out.type = *type;
    out.shape = codes.dims;
    out.data = std::move(bytes).freeze();
    return out;
}

Constant unblocked(const FileTensor& tensor) {
    const BlockForm form = form_of(tensor.type);
    const int64_t count = count_of(tensor.shape);
    if (tensor.shape.empty() || tensor.shape.back() % static_cast<int64_t>(block_length) != 0 || tensor.sparsity)
        throw bad_input("{} does not divide into blocks of {}", to_string(tensor.shape), block_length);
    const auto blocks = static_cast<size_t>(count) / block_length;
    if (tensor.data.size() / form.bytes != blocks || tensor.data.size() % form.bytes != 0)
        throw bad_input("{} blocks have {} bytes, need {}", blocks, tensor.data.size(), blocks * form.bytes);
    const size_t width = form.four_bits ? nibbles : block_length;
    MutableBytes codes(blocks * width), scales(blocks * 2), mins(form.has_min ? blocks * 2 : 0);
    for (size_t b = 0; b < blocks; ++b) {
        const std::byte* from = tensor.data.data() + b * form.bytes;
        std::memcpy(scales.data() + 2 * b, from, 2);
        if (form.has_min) std::memcpy(mins.data() + 2 * b, from + 2, 2);
        std::byte* to = codes.data() + b * width;
        if (form.four_bits)
            put_nibbles(from + form.codes_at, to, tensor.type == Element::GGML_Q4_0 ? std::byte{0x88} : std::byte{0});
        else
            std::memcpy(to, from + form.codes_at, width);
    }
    Dims dims = tensor.shape;
    dims.back() /= static_cast<int64_t>(block_length);
    const DType storage = dtype_of(tensor.type);
    Encoding encoding = make_encoding(storage, {DType::f16, dims, std::move(scales).freeze()}, {}, static_cast<int>(dims.size()) - 1);
    encoding.block = static_cast<int64_t>(block_length);
    if (form.has_min) encoding.min = {DType::f16, dims, std::move(mins).freeze()};
    return {{storage, tensor.shape, std::move(codes).freeze()}, encoding};
}

}  // namespace quern::tflite_format
