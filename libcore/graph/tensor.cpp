#include "libcore/graph/tensor.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "libcore/base/truncated.h"

namespace quern {
namespace {

// Element i of a packed type of 2 or 4 bits.
unsigned packed_at(const std::byte* from, size_t i, int bits) {
    const size_t per_byte = 8 / static_cast<size_t>(bits);
    return (static_cast<unsigned>(from[i / per_byte]) >> ((i % per_byte) * static_cast<size_t>(bits))) & ((1u << bits) - 1);
}

void put_packed(std::byte* to, size_t i, int bits, unsigned code) {
    const size_t per_byte = 8 / static_cast<size_t>(bits);
    const size_t shift = (i % per_byte) * static_cast<size_t>(bits);
    if (shift == 0) to[i / per_byte] = std::byte{0};
    to[i / per_byte] |= static_cast<std::byte>((code & ((1u << bits) - 1)) << shift);
}

template <class T>
T raw_at(const std::byte* from, size_t i) {
    T value;
    std::memcpy(&value, from + i * sizeof(T), sizeof(T));
    return value;
}

template <class To, class From>
To convert(From value) {
    if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
        return truncated<To>(value);
    } else {
        return static_cast<To>(value);
    }
}

template <class Stored, class To>
void load_plain(const std::byte* from, size_t count, To* to) {
    if constexpr (std::is_same_v<Stored, To>) {
        if (count) std::memcpy(to, from, count * sizeof(To));
    } else {
        for (size_t i = 0; i < count; ++i) to[i] = convert<To>(raw_at<Stored>(from, i));
    }
}

template <class Stored, class From>
void store_plain(std::byte* to, size_t count, const From* from) {
    if constexpr (std::is_same_v<Stored, From>) {
        if (count) std::memcpy(to, from, count * sizeof(From));
    } else {
        for (size_t i = 0; i < count; ++i) {
            Stored value;
            if constexpr (std::is_integral_v<Stored> && std::is_floating_point_v<From> && std::is_same_v<Stored, uint64_t>)
                value = from[i] >= 0x1p63 ? truncated<Stored>(from[i]) : static_cast<Stored>(convert<int64_t>(from[i]));
            else if constexpr (std::is_integral_v<Stored> && std::is_floating_point_v<From>)
                value = static_cast<Stored>(convert<int64_t>(from[i]));
            else
                value = static_cast<Stored>(from[i]);
            std::memcpy(to + i * sizeof(Stored), &value, sizeof(Stored));
        }
    }
}

template <class To>
To sign_extended(unsigned code, int bits) {
    const int value = static_cast<int>(code) - ((code >> (bits - 1)) & 1u ? 1 << bits : 0);
    return static_cast<To>(value);
}

template <class To>
void load(DType dtype, const std::byte* from, size_t count, To* to) {
    switch (dtype) {
        case DType::f32: return load_plain<float>(from, count, to);
        case DType::f64: return load_plain<double>(from, count, to);
        case DType::i8: return load_plain<int8_t>(from, count, to);
        case DType::i16: return load_plain<int16_t>(from, count, to);
        case DType::i32: return load_plain<int32_t>(from, count, to);
        case DType::i64: return load_plain<int64_t>(from, count, to);
        case DType::u8: return load_plain<uint8_t>(from, count, to);
        case DType::u16: return load_plain<uint16_t>(from, count, to);
        case DType::u32: return load_plain<uint32_t>(from, count, to);
        case DType::u64: return load_plain<uint64_t>(from, count, to);
        case DType::boolean:
            for (size_t i = 0; i < count; ++i) to[i] = from[i] != std::byte{0};
            return;
        case DType::f16:
            for (size_t i = 0; i < count; ++i) to[i] = convert<To>(f16_to_float(raw_at<uint16_t>(from, i)));
            return;
        case DType::bf16:
            for (size_t i = 0; i < count; ++i) to[i] = convert<To>(bf16_to_float(raw_at<uint16_t>(from, i)));
            return;
        case DType::f8e4m3fn:
        case DType::f8e4m3fnuz:
        case DType::f8e5m2:
        case DType::f8e5m2fnuz:
        case DType::f8e8m0:
            for (size_t i = 0; i < count; ++i) to[i] = convert<To>(small_float_to_float(dtype, static_cast<uint8_t>(from[i])));
            return;
        case DType::f4e2m1:
            for (size_t i = 0; i < count; ++i)
                to[i] = convert<To>(small_float_to_float(dtype, static_cast<uint8_t>(packed_at(from, i, 4))));
            return;
        case DType::u4:
        case DType::u2:
            for (size_t i = 0; i < count; ++i) to[i] = static_cast<To>(packed_at(from, i, bits_of(dtype)));
            return;
        case DType::i4:
        case DType::i2:
            for (size_t i = 0; i < count; ++i) to[i] = sign_extended<To>(packed_at(from, i, bits_of(dtype)), bits_of(dtype));
            return;
        default: throw unsupported("{} elements cannot be read as numbers", name_of(dtype));
    }
}

template <class From>
void store(DType dtype, std::byte* to, size_t count, const From* from) {
    switch (dtype) {
        case DType::f32: return store_plain<float>(to, count, from);
        case DType::f64: return store_plain<double>(to, count, from);
        case DType::i8: return store_plain<int8_t>(to, count, from);
        case DType::i16: return store_plain<int16_t>(to, count, from);
        case DType::i32: return store_plain<int32_t>(to, count, from);
        case DType::i64: return store_plain<int64_t>(to, count, from);
        case DType::u8: return store_plain<uint8_t>(to, count, from);
        case DType::u16: return store_plain<uint16_t>(to, count, from);
        case DType::u32: return store_plain<uint32_t>(to, count, from);
        case DType::u64: return store_plain<uint64_t>(to, count, from);
        case DType::boolean:
            for (size_t i = 0; i < count; ++i) to[i] = static_cast<std::byte>(from[i] != From{0});
            return;
        case DType::f16:
        case DType::bf16:
            for (size_t i = 0; i < count; ++i) {
                const auto wide = static_cast<float>(from[i]);
                const uint16_t bits = dtype == DType::f16 ? float_to_f16(wide) : float_to_bf16(wide);
                std::memcpy(to + 2 * i, &bits, 2);
            }
            return;
        case DType::f8e4m3fn:
        case DType::f8e4m3fnuz:
        case DType::f8e5m2:
        case DType::f8e5m2fnuz:
        case DType::f8e8m0:
            for (size_t i = 0; i < count; ++i)
                to[i] = static_cast<std::byte>(float_to_small_float(dtype, static_cast<float>(from[i]), true));
            return;
        case DType::f4e2m1:
            for (size_t i = 0; i < count; ++i) put_packed(to, i, 4, float_to_small_float(dtype, static_cast<float>(from[i]), true));
            return;
        case DType::u4:
        case DType::u2:
        case DType::i4:
        case DType::i2:
            for (size_t i = 0; i < count; ++i) put_packed(to, i, bits_of(dtype), static_cast<unsigned>(convert<int64_t>(from[i])));
            return;
        default: throw unsupported("numbers cannot be stored as {} elements", name_of(dtype));
    }
}

template <class To>
std::vector<To> to_vector(const Tensor& tensor) {
    std::vector<To> out(static_cast<size_t>(tensor.count()));
    load(tensor.dtype, tensor.data.data(), out.size(), out.data());
    return out;
}

template <class From>
Tensor from_span(DType dtype, Dims dims, std::span<const From> items) {
    MutableBytes bytes(storage_size(dtype, items.size()));
    store(dtype, bytes.data(), items.size(), items.data());
    return {dtype, std::move(dims), std::move(bytes).freeze()};
}

}  // namespace

Tensor Tensor::strings(Dims dims, std::span<const std::string> items) {
    std::vector<std::byte> bytes((items.size() + 1) * sizeof(uint64_t));
    uint64_t offset = 0;
    for (size_t i = 0; i <= items.size(); ++i) {
        std::memcpy(bytes.data() + i * sizeof offset, &offset, sizeof offset);
        if (i < items.size()) offset += items[i].size();
    }
    for (const std::string& item : items) {
        const auto* first = reinterpret_cast<const std::byte*>(item.data());
        bytes.insert(bytes.end(), first, first + item.size());
    }
    return {DType::string, std::move(dims), Bytes::own(std::move(bytes))};
}

Tensor aligned(Tensor tensor) {
    const int bits = tensor.dtype == DType::string ? 64 : std::min(64, bits_of(tensor.dtype));
    const auto alignment = static_cast<uintptr_t>(std::max(1, bits / 8));
    if (reinterpret_cast<uintptr_t>(tensor.data.data()) % alignment == 0) return tensor;
    constexpr size_t step = size_t{4} << 20;
    MutableBytes copy(tensor.data.size());
    for (size_t at = 0; at < copy.size(); at += step) {
        const Bytes part = tensor.data.slice(at, std::min(step, copy.size() - at));
        std::memcpy(copy.data() + at, part.data(), part.size());
        part.release();
    }
    tensor.data = std::move(copy).freeze();
    return tensor;
}

std::string_view string_at(const Tensor& tensor, size_t index) {
    const auto begin = raw_at<uint64_t>(tensor.data.data(), index);
    const auto end = raw_at<uint64_t>(tensor.data.data(), index + 1);
    const size_t base = (static_cast<size_t>(tensor.count()) + 1) * sizeof(uint64_t);
    return tensor.data.text().substr(base + begin, end - begin);
}

std::vector<float> to_floats(const Tensor& tensor) { return to_vector<float>(tensor); }
std::vector<double> to_doubles(const Tensor& tensor) { return to_vector<double>(tensor); }
std::vector<int64_t> to_ints(const Tensor& tensor) { return to_vector<int64_t>(tensor); }

Tensor from_floats(DType dtype, Dims dims, std::span<const float> items) { return from_span(dtype, std::move(dims), items); }
Tensor from_doubles(DType dtype, Dims dims, std::span<const double> items) { return from_span(dtype, std::move(dims), items); }
Tensor from_ints(DType dtype, Dims dims, std::span<const int64_t> items) { return from_span(dtype, std::move(dims), items); }

void store_floats(DType dtype, std::byte* to, size_t count, const float* from) { store(dtype, to, count, from); }
void store_doubles(DType dtype, std::byte* to, size_t count, const double* from) { store(dtype, to, count, from); }
void store_ints(DType dtype, std::byte* to, size_t count, const int64_t* from) { store(dtype, to, count, from); }

Tensor permuted(const Tensor& tensor, std::span<const int64_t> order) {
    if (bits_of(tensor.dtype) < 8) {  // packed elements are taken apart first
        const Tensor wide = permuted(Tensor::make<int64_t>(tensor.dims, to_ints(tensor)), order);
        return from_ints(tensor.dtype, wide.dims, wide.view<int64_t>());
    }
    const auto width = static_cast<size_t>(bits_of(tensor.dtype)) / 8;
    const size_t rank = order.size();
    Dims strides(rank, 1), dims(rank), steps(rank), at(rank, 0);
    for (size_t i = rank; i-- > 1;) strides[i - 1] = strides[i] * tensor.dims[i];
    for (size_t i = 0; i < rank; ++i) {
        dims[i] = tensor.dims[static_cast<size_t>(order[i])];
        steps[i] = strides[static_cast<size_t>(order[i])];
    }
    MutableBytes bytes(tensor.data.size());
    int64_t from = 0;
    for (size_t to = 0; to < bytes.size(); to += width) {
        std::memcpy(bytes.data() + to, tensor.data.data() + static_cast<size_t>(from) * width, width);
        for (size_t i = rank; i-- > 0; at[i] = 0) {
            from += steps[i];
            if (++at[i] < dims[i]) break;
            from -= steps[i] * dims[i];
        }
    }
    return {tensor.dtype, dims, std::move(bytes).freeze()};
}

bool identical(const Tensor& a, const Tensor& b) {
    if (a.dtype != b.dtype || a.dims != b.dims || a.data.size() != b.data.size()) return false;
    return a.data.empty() || a.data.data() == b.data.data() || std::memcmp(a.data.data(), b.data.data(), a.data.size()) == 0;
}

}  // namespace quern
