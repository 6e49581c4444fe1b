#include "libcore/graph/block_encoding.h"

#include <algorithm>

namespace quern {
namespace {

Dims swapped(Dims dims, bool transposed) {
    if (transposed) std::swap(dims[dims.size() - 1], dims[dims.size() - 2]);
    return dims;
}

// The logical dims of what is stored in rows of bytes.
Dims logical_dims(const Tensor& stored, const Encoding& e) {
    Dims dims = stored.dims;
    dims.back() = dims.back() / static_cast<int64_t>(e.format->bytes) * e.format->elements;
    return swapped(dims, e.axis + 1 < static_cast<int>(dims.size()));
}

// Calls fn(row, offset of its elements in logical order, step between them).
template <class Fn>
void for_each_row(const BlockRows& r, const Fn& fn) {
    for (int64_t i = 0; i < r.stack * r.rows; ++i) {
        const int64_t matrix = i / r.rows, row = i % r.rows;
        if (r.transposed)
            fn(i, matrix * r.rows * r.length + row, r.rows);
        else
            fn(i, i * r.length, int64_t{1});
    }
}

void check_bytes(const Tensor& stored, const BlockRows& r) {
    if (stored.data.size() != static_cast<size_t>(r.stack * r.rows) * r.bytes)
        throw bad_input("has {} bytes, need {} rows of {}", stored.data.size(), r.stack * r.rows, r.bytes);
}

template <class T>
void put(std::span<const T> from, T* to, int64_t step) {
    for (size_t i = 0; i < from.size(); ++i) to[static_cast<int64_t>(i) * step] = from[i];
}

// Plain numbers of whole bytes, in logical order.
Tensor plain_numbers(const Tensor& stored, const BlockFormat& format, DType dtype, const Dims& dims, const BlockRows& r) {
    if (!r.transposed) return {dtype, dims, stored.data};
    MutableBytes out(stored.data.size());
    for_each_row(r, [&](int64_t row, int64_t first, int64_t step) {
        for (int64_t i = 0; i < r.length; ++i)
            std::memcpy(out.data() + static_cast<size_t>(first + i * step) * format.bytes,
                        stored.data.data() + static_cast<size_t>(row) * r.bytes + static_cast<size_t>(i) * format.bytes, format.bytes);
    });
    return {dtype, dims, std::move(out).freeze()};
}

// The type of a format of plain numbers; of its codes for others, unless they have fewer than 8 bits.
DType code_type(const BlockFormat& format) {
    if (!format.quantized()) return *dtype_named(format.name == "f16" ? "f16" : format.name);
    if (format.code_bits == 4) return format.code_signed ? DType::i4 : DType::u4;
    return format.code_signed ? DType::i8 : DType::u8;
}

// Codes, scales and minima of blocks, in logical order.
struct Parts {
    MutableBytes codes, scales, mins;

    Parts(size_t elements, size_t count, bool has_min)
        : codes(elements), scales(count * sizeof(float)), mins(has_min ? count * sizeof(float) : 0) {}
};

void take_apart(const Tensor& stored, const BlockFormat& format, const BlockRows& r, Parts& to) {
    const auto parts = static_cast<size_t>(format.elements / format.sub_block);
    const int64_t row_parts = r.length / format.sub_block;
    std::vector<int8_t> codes(static_cast<size_t>(format.elements));
    std::vector<float> scales(parts), mins(parts);
    auto* all_codes = reinterpret_cast<int8_t*>(to.codes.data());
    auto *all_scales = reinterpret_cast<float*>(to.scales.data()), *all_mins = reinterpret_cast<float*>(to.mins.data());
    for_each_row(r, [&](int64_t row, int64_t first, int64_t step) {
        const std::byte* from = stored.data.data() + static_cast<size_t>(row) * r.bytes;
        int64_t first_part = r.transposed ? row / r.rows * r.rows * row_parts + row % r.rows : row * row_parts;
        for (int64_t b = 0; b < r.length / format.elements; ++b, from += format.bytes) {
            format.unpack(from, codes.data(), scales.data(), mins.data());
            put<int8_t>(codes, all_codes + first + b * format.elements * step, step);
            put<float>(scales, all_scales + first_part, step);
            if (format.has_min) put<float>(mins, all_mins + first_part, step);
            first_part += static_cast<int64_t>(parts) * step;
        }
    });
}

template <class T>
void take(const T* from, int64_t step, std::span<T> to) {
    for (size_t i = 0; i < to.size(); ++i) to[i] = from[static_cast<int64_t>(i) * step];
}

// Two codes a byte, the first one in the low bits.
Bytes in_nibbles(std::span<const std::byte> codes) {
    MutableBytes out((codes.size() + 1) / 2);
    constexpr std::byte low{15};
    for (size_t i = 0; i < out.size(); ++i) {
        const std::byte next = 2 * i + 1 < codes.size() ? codes[2 * i + 1] : std::byte{0};
        out.data()[i] = (codes[2 * i] & low) | next << 4;
    }
    return std::move(out).freeze();
}

}  // namespace

Tensor in_bytes(const Tensor& codes) {
    if (bits_of(codes.dtype) != 4) return codes;
    const bool is_signed = codes.dtype == DType::i4;
    MutableBytes out(static_cast<size_t>(codes.count()));
    for (size_t i = 0; i < out.size(); ++i) {
        const int code = std::to_integer<int>(codes.data.data()[i / 2] >> i % 2 * 4 & std::byte{15});
        out.data()[i] = static_cast<std::byte>(is_signed && code > 7 ? code - 16 : code);
    }
    return {is_signed ? DType::i8 : DType::u8, codes.dims, std::move(out).freeze()};
}

Encoding block_encoding(const BlockFormat& format, int axis) {
    Encoding e;
    e.storage = DType::u8;
    e.qmax = 255;
    e.axis = axis;
    e.block = std::max<int64_t>(format.sub_block, 1);
    e.format = &format;
    return e;
}

void check_blocks(const Dims& dims, const Encoding& e) {
    const auto rank = static_cast<int>(dims.size());
    if (e.axis < 0 || e.axis >= rank || e.axis < rank - 2)
        throw bad_input("blocks of {} along axis {} of {}: need one of the last two", e.format->name, e.axis, to_string(dims));
    if (const int64_t length = dims[static_cast<size_t>(e.axis)]; length % e.format->elements != 0)
        throw bad_input("rows of {} elements are not whole blocks of {}, which have {}", length, e.format->name, e.format->elements);
}

BlockRows block_rows(const Dims& dims, const Encoding& e) {
    check_blocks(dims, e);
    const bool transposed = e.axis + 1 < static_cast<int>(dims.size());
    const Dims as_stored = swapped(dims, transposed);
    const int64_t rows = as_stored.size() > 1 ? as_stored[as_stored.size() - 2] : 1;
    const int64_t length = as_stored.back(), all = rows * length;
    return {all == 0 ? 0 : count_of(dims) / all, rows, length, e.format->row_bytes(length), transposed};
}

Dims stored_dims(const Dims& dims, const Encoding& e) {
    if (!e.format) return dims;
    check_blocks(dims, e);
    Dims out = swapped(dims, e.axis + 1 < static_cast<int>(dims.size()));
    out.back() = static_cast<int64_t>(e.format->row_bytes(out.back()));
    return out;
}

Tensor decoded_blocks(const Tensor& stored, const Encoding& e) {
    const Dims dims = logical_dims(stored, e);
    const BlockRows r = block_rows(dims, e);
    check_bytes(stored, r);
    MutableBytes out(storage_size(DType::f32, static_cast<uint64_t>(count_of(dims))));
    auto* numbers = reinterpret_cast<float*>(out.data());
    const auto blocks = static_cast<size_t>(r.length / e.format->elements);
    std::vector<float> line(static_cast<size_t>(r.transposed ? r.length : 0));
    for_each_row(r, [&](int64_t row, int64_t first, int64_t step) {
        const std::byte* from = stored.data.data() + static_cast<size_t>(row) * r.bytes;
        if (!r.transposed) return e.format->decode(from, blocks, numbers + first);
        e.format->decode(from, blocks, line.data());
        put<float>(line, numbers + first, step);
    });
    return {DType::f32, dims, std::move(out).freeze()};
}

Tensor encoded_blocks(const Tensor& real, const Encoding& e, const float* importance) {
    if (!e.format->encode) throw unsupported("numbers cannot be encoded in blocks of {}", e.format->name);
    const BlockRows r = block_rows(real.dims, e);
    const std::vector<float> numbers = to_floats(real);
    MutableBytes out(static_cast<size_t>(r.stack * r.rows) * r.bytes);
    std::vector<float> line(static_cast<size_t>(r.length));
    for_each_row(r, [&](int64_t row, int64_t first, int64_t step) {
        for (int64_t i = 0; i < r.length; ++i) line[static_cast<size_t>(i)] = numbers[static_cast<size_t>(first + i * step)];
        e.format->encode(line.data(), static_cast<size_t>(r.length / e.format->elements), importance,
                         out.data() + static_cast<size_t>(row) * r.bytes);
    });
    return {DType::u8, stored_dims(real.dims, e), std::move(out).freeze()};
}

Unpacked unpacked(const Tensor& stored, const Encoding& e) {
    const BlockFormat& format = *e.format;
    const Dims dims = logical_dims(stored, e);
    const BlockRows r = block_rows(dims, e);
    check_bytes(stored, r);
    const DType type = code_type(format);
    if (!format.quantized()) {
        const Tensor numbers = plain_numbers(stored, format, type, dims, r);
        if (type == DType::f32) return {numbers, std::nullopt};
        return {numbers, make_encoding(type, Tensor::scalar(1.0f), {})};
    }
    Dims scale_dims = dims;
    scale_dims[static_cast<size_t>(e.axis)] = r.length / format.sub_block;
    Parts parts(static_cast<size_t>(count_of(dims)), static_cast<size_t>(count_of(scale_dims)), format.has_min);
    take_apart(stored, format, r, parts);
    Encoding out = make_encoding(type, {DType::f32, scale_dims, std::move(parts.scales).freeze()}, {}, e.axis);
    out.block = format.sub_block;
    if (format.has_min) out.min = {DType::f32, scale_dims, std::move(parts.mins).freeze()};
    return {{type, dims, bits_of(type) == 8 ? std::move(parts.codes).freeze() : in_nibbles({parts.codes.data(), parts.codes.size()})}, out};
}

Tensor packed(const Tensor& codes, const Tensor& scale, const Tensor& min, const Encoding& e) {
    const BlockFormat& format = *e.format;
    if (!format.pack)
        throw unsupported("codes and scales cannot be {} again: several blocks have the same, and which it was is not known",
                          ggml_name(format))
            .with_hint("a native model keeps the blocks as they are");
    const BlockRows r = block_rows(codes.dims, e);
    const auto parts = static_cast<size_t>(format.elements / format.sub_block);
    const int64_t row_parts = r.length / format.sub_block;
    if (scale.count() != codes.count() / format.sub_block || (format.has_min ? min.count() != scale.count() : min.defined()))
        throw unsupported("has {} scales and {} minima, {} has another number", scale.count(), min.defined() ? min.count() : 0,
                          ggml_name(format));
    const Tensor bytes = bits_of(codes.dtype) == 8 ? codes : in_bytes(codes);
    const auto* all_codes = reinterpret_cast<const int8_t*>(bytes.data.data());
    const auto all_scales = scale.view<float>(), all_mins = format.has_min ? min.view<float>() : std::span<const float>();
    MutableBytes out(static_cast<size_t>(r.stack * r.rows) * r.bytes);
    std::vector<int8_t> block(static_cast<size_t>(format.elements));
    std::vector<float> scales(parts), mins(parts);
    for_each_row(r, [&](int64_t row, int64_t first, int64_t step) {
        std::byte* to = out.data() + static_cast<size_t>(row) * r.bytes;
        int64_t first_part = r.transposed ? row / r.rows * r.rows * row_parts + row % r.rows : row * row_parts;
        for (int64_t b = 0; b < r.length / format.elements; ++b, to += format.bytes) {
            take<int8_t>(all_codes + first + b * format.elements * step, step, block);
            take<float>(all_scales.data() + first_part, step, scales);
            if (format.has_min) take<float>(all_mins.data() + first_part, step, mins);
            if (!format.pack(block.data(), scales.data(), mins.data(), to))
                throw unsupported("row {} has codes or a scale that no block of {} says", row, ggml_name(format));
            first_part += static_cast<int64_t>(parts) * step;
        }
    });
    return {DType::u8, stored_dims(codes.dims, e), std::move(out).freeze()};
}

}  // namespace quern
