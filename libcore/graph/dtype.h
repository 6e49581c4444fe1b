// Element types: one row each, and conversions of the small floats.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "libcore/base/small_float.h"

namespace quern {

enum class DType : uint8_t {
    none,
    f32,
    f64,
    f16,
    bf16,
    f8e4m3fn,
    f8e4m3fnuz,
    f8e5m2,
    f8e5m2fnuz,
    f8e8m0,
    f4e2m1,
    i8,
    i16,
    i32,
    i64,
    u8,
    u16,
    u32,
    u64,
    i4,
    u4,
    i2,
    u2,
    boolean,
    string,
    c64,
    c128,
};
inline constexpr int dtype_count = static_cast<int>(DType::c128) + 1;

enum class NumberKind : uint8_t { none, floating, signed_int, unsigned_int, boolean, string, complex };

struct DTypeRow {
    DType dtype;
    std::string_view name;  // as in flags, JSON and messages: "float32"
    std::string_view mlir;  // as in the text form: "f32"
    int bits;               // per element; types below 8 bits are packed, low bits first
    NumberKind kind;
    int onnx;  // TensorProto.DataType
};

std::span<const DTypeRow> dtype_rows();
const DTypeRow& row_of(DType dtype);
std::optional<DType> dtype_named(std::string_view name);  // either spelling
std::optional<DType> dtype_of_onnx(int data_type);

inline std::string_view name_of(DType dtype) { return row_of(dtype).name; }
inline int bits_of(DType dtype) { return row_of(dtype).bits; }
inline NumberKind kind_of(DType dtype) { return row_of(dtype).kind; }
inline bool is_float(DType dtype) { return kind_of(dtype) == NumberKind::floating; }
inline bool is_integer(DType dtype) { return kind_of(dtype) == NumberKind::signed_int || kind_of(dtype) == NumberKind::unsigned_int; }

// Bytes of `count` packed elements; more than can be allocated if that overflows.
inline uint64_t storage_size(DType dtype, uint64_t count) {
    uint64_t bits = 0;
    if (__builtin_mul_overflow(count, static_cast<uint64_t>(bits_of(dtype)), &bits) || bits > ~uint64_t{7}) return ~uint64_t{0} >> 1;
    return (bits + 7) / 8;
}

// The least and greatest value of an integer type of at most 32 bits (or int64).
struct IntRange {
    int64_t min, max;
};
IntRange int_range(DType dtype);

// A set of element types, for op rows.
class DTypes {
   public:
    constexpr DTypes() = default;
    constexpr DTypes(DType dtype) : bits_(1u << static_cast<unsigned>(dtype)) {}
    constexpr DTypes operator|(DTypes other) const { return DTypes(bits_ | other.bits_); }
    constexpr bool has(DType dtype) const { return (bits_ >> static_cast<unsigned>(dtype)) & 1; }
    constexpr bool empty() const { return bits_ == 0; }

   private:
    constexpr explicit DTypes(uint32_t bits) : bits_(bits) {}
    uint32_t bits_ = 0;
};
constexpr DTypes operator|(DType a, DType b) { return DTypes(a) | DTypes(b); }

namespace dtypes {
inline constexpr DTypes floats = DType::f32 | DType::f64 | DType::f16 | DType::bf16;
inline constexpr DTypes signed_ints = DType::i8 | DType::i16 | DType::i32 | DType::i64;
inline constexpr DTypes unsigned_ints = DType::u8 | DType::u16 | DType::u32 | DType::u64;
inline constexpr DTypes ints = signed_ints | unsigned_ints;
inline constexpr DTypes float8s = DType::f8e4m3fn | DType::f8e4m3fnuz | DType::f8e5m2 | DType::f8e5m2fnuz;
inline constexpr DTypes int4s = DType::i4 | DType::u4;
inline constexpr DTypes int2s = DType::i2 | DType::u2;
inline constexpr DTypes numbers = floats | ints;
inline constexpr DTypes all = numbers | float8s | int4s | int2s | DType::f8e8m0 | DType::f4e2m1 | DType::boolean;
}  // namespace dtypes

// Floats of at most 8 bits to and from float32 (those of 16: base/small_float.h). Encoding rounds to nearest, ties to even; float8
// saturates to the largest finite value (`saturate`) or overflows to infinity / NaN as the format has it.
float small_float_to_float(DType dtype, uint8_t bits);  // float8 kinds, e8m0, float4
uint8_t float_to_small_float(DType dtype, float value, bool saturate);

}  // namespace quern
