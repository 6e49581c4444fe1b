// Tensor: element type, concrete dims, bytes in row-major order. Immutable once made; copying shares the bytes.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/bytes.h"
#include "libcore/base/error.h"
#include "libcore/graph/dtype.h"
#include "libcore/graph/type.h"

namespace quern {

// The C++ type of a dtype stored in whole bytes, for view<T>() and make<T>(); f16 and bf16 are uint16_t bit patterns.
template <class T>
constexpr DType dtype_of = DType::none;
template <>
inline constexpr DType dtype_of<float> = DType::f32;
template <>
inline constexpr DType dtype_of<double> = DType::f64;
template <>
inline constexpr DType dtype_of<int8_t> = DType::i8;
template <>
inline constexpr DType dtype_of<int16_t> = DType::i16;
template <>
inline constexpr DType dtype_of<int32_t> = DType::i32;
template <>
inline constexpr DType dtype_of<int64_t> = DType::i64;
template <>
inline constexpr DType dtype_of<uint8_t> = DType::u8;
template <>
inline constexpr DType dtype_of<uint16_t> = DType::u16;
template <>
inline constexpr DType dtype_of<uint32_t> = DType::u32;
template <>
inline constexpr DType dtype_of<uint64_t> = DType::u64;
template <>
inline constexpr DType dtype_of<bool> = DType::boolean;

struct Tensor {
    DType dtype = DType::none;
    Dims dims;
    Bytes data;  // string tensors: count+1 little-endian uint64 offsets, then the characters

    bool defined() const { return dtype != DType::none; }
    int64_t count() const { return count_of(dims); }

    // The elements as T; sizeof(T) must match the storage.
    template <class T>
    std::span<const T> view() const {
        if (static_cast<int>(sizeof(T)) * 8 != bits_of(dtype)) throw bug("view of {} with {} bytes", name_of(dtype), sizeof(T));
        return {reinterpret_cast<const T*>(data.data()), data.size() / sizeof(T)};
    }

    template <class T>
    static Tensor make(Dims dims, std::span<const T> items) {
        return {dtype_of<T>, std::move(dims), Bytes::copy_of(items)};
    }
    template <class T>
    static Tensor scalar(T value) {
        return make<T>({}, std::span<const T>(&value, 1));
    }
    template <class T>
    static Tensor vector(std::span<const T> items) {
        return make<T>({static_cast<int64_t>(items.size())}, items);
    }
    static Tensor strings(Dims dims, std::span<const std::string> items);
};

// The same tensor with its bytes at an address that view<T>() can take: a mapped run that lies askew is copied, its pages given back
// step by step.
Tensor aligned(Tensor tensor);

std::string_view string_at(const Tensor& tensor, size_t index);

// Every element converted (small ints sign- or zero-extended, small floats exactly; float to integer truncates).
std::vector<float> to_floats(const Tensor& tensor);
std::vector<double> to_doubles(const Tensor& tensor);
std::vector<int64_t> to_ints(const Tensor& tensor);

// Tensors of `dtype` from wide numbers: floats round half to even, integers keep their low bits.
Tensor from_floats(DType dtype, Dims dims, std::span<const float> items);
Tensor from_doubles(DType dtype, Dims dims, std::span<const double> items);
Tensor from_ints(DType dtype, Dims dims, std::span<const int64_t> items);

// The same over raw storage, for code that owns its buffers. `count` elements.
void store_floats(DType dtype, std::byte* to, size_t count, const float* from);
void store_doubles(DType dtype, std::byte* to, size_t count, const double* from);
void store_ints(DType dtype, std::byte* to, size_t count, const int64_t* from);

// Dim i of the result is dim order[i] of the tensor, whose elements are numbers of any width.
Tensor permuted(const Tensor& tensor, std::span<const int64_t> order);

// Equal type, dims and bytes.
bool identical(const Tensor& a, const Tensor& b);

}  // namespace quern
