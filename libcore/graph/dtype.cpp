#include "libcore/graph/dtype.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "libcore/base/error.h"

namespace quern {
namespace {

using enum NumberKind;
constexpr std::array<DTypeRow, dtype_count> rows{{
    {DType::none, "none", "none", 0, none, 0},
    {DType::f32, "float32", "f32", 32, floating, 1},
    {DType::f64, "float64", "f64", 64, floating, 11},
    {DType::f16, "float16", "f16", 16, floating, 10},
    {DType::bf16, "bfloat16", "bf16", 16, floating, 16},
    {DType::f8e4m3fn, "float8e4m3fn", "f8E4M3FN", 8, floating, 17},
    {DType::f8e4m3fnuz, "float8e4m3fnuz", "f8E4M3FNUZ", 8, floating, 18},
    {DType::f8e5m2, "float8e5m2", "f8E5M2", 8, floating, 19},
    {DType::f8e5m2fnuz, "float8e5m2fnuz", "f8E5M2FNUZ", 8, floating, 20},
    {DType::f8e8m0, "float8e8m0", "f8E8M0FNU", 8, floating, 24},
    {DType::f4e2m1, "float4e2m1", "f4E2M1FN", 4, floating, 23},
    {DType::i8, "int8", "i8", 8, signed_int, 3},
    {DType::i16, "int16", "i16", 16, signed_int, 5},
    {DType::i32, "int32", "i32", 32, signed_int, 6},
    {DType::i64, "int64", "i64", 64, signed_int, 7},
    {DType::u8, "uint8", "ui8", 8, unsigned_int, 2},
    {DType::u16, "uint16", "ui16", 16, unsigned_int, 4},
    {DType::u32, "uint32", "ui32", 32, unsigned_int, 12},
    {DType::u64, "uint64", "ui64", 64, unsigned_int, 13},
    {DType::i4, "int4", "i4", 4, signed_int, 22},
    {DType::u4, "uint4", "ui4", 4, unsigned_int, 21},
    {DType::i2, "int2", "i2", 2, signed_int, 26},
    {DType::u2, "uint2", "ui2", 2, unsigned_int, 25},
    {DType::boolean, "bool", "i1", 8, boolean, 9},
    {DType::string, "string", "!onnx.String", 0, string, 8},
    {DType::c64, "complex64", "complex<f32>", 64, complex, 14},
    {DType::c128, "complex128", "complex<f64>", 128, complex, 15},
}};

// A float format of at most 8 bits: 1 sign bit (unless e8m0), `exponent` and `mantissa` bits.
struct SmallFloat {
    int exponent, mantissa, bias;
    bool infinity;       // has infinities, NaN above them (e5m2)
    bool negative_zero;  // false: the code of -0 is the only NaN (fnuz)
    bool nan;            // has NaN at all
};

SmallFloat small_format(DType dtype) {
    switch (dtype) {
        case DType::f8e4m3fn: return {4, 3, 7, false, true, true};
        case DType::f8e4m3fnuz: return {4, 3, 8, false, false, true};
        case DType::f8e5m2: return {5, 2, 15, true, true, true};
        case DType::f8e5m2fnuz: return {5, 2, 16, false, false, true};
        case DType::f4e2m1: return {2, 1, 1, false, true, false};
        default: throw bug("{} is not a small float", name_of(dtype));
    }
}

// The code of the largest finite magnitude.
uint8_t largest_code(const SmallFloat& f) {
    const int magnitude = (1 << (f.exponent + f.mantissa)) - 1;
    if (f.infinity) return static_cast<uint8_t>(magnitude - (1 << f.mantissa));
    return static_cast<uint8_t>(f.nan && f.negative_zero ? magnitude - 1 : magnitude);
}

float decode(const SmallFloat& f, uint8_t code) {
    const int magnitude_bits = f.exponent + f.mantissa;
    const bool negative = (code >> magnitude_bits) & 1;
    const int magnitude = code & ((1 << magnitude_bits) - 1);
    const float sign = negative ? -1.0f : 1.0f;
    if (!f.negative_zero && negative && magnitude == 0) return std::numeric_limits<float>::quiet_NaN();
    if (magnitude > largest_code(f)) {
        if (f.infinity && magnitude == largest_code(f) + 1) return sign * std::numeric_limits<float>::infinity();
        return std::numeric_limits<float>::quiet_NaN();
    }
    const int exponent = magnitude >> f.mantissa;
    const int mantissa = magnitude & ((1 << f.mantissa) - 1);
    if (exponent == 0) return sign * std::ldexp(static_cast<float>(mantissa), 1 - f.bias - f.mantissa);
    return sign * std::ldexp(static_cast<float>(mantissa + (1 << f.mantissa)), exponent - f.bias - f.mantissa);
}

uint8_t nan_code(const SmallFloat& f, bool negative) {
    const auto sign = static_cast<uint8_t>(negative << (f.exponent + f.mantissa));
    if (!f.negative_zero) return static_cast<uint8_t>(1 << (f.exponent + f.mantissa));
    return static_cast<uint8_t>(sign | ((1 << (f.exponent + f.mantissa)) - 1));
}

uint8_t overflow_code(const SmallFloat& f, bool negative, bool saturate) {
    const auto sign = static_cast<uint8_t>(negative << (f.exponent + f.mantissa));
    if (saturate || !f.nan) return static_cast<uint8_t>(sign | largest_code(f));
    if (f.infinity) return static_cast<uint8_t>(sign | (largest_code(f) + 1));
    return nan_code(f, negative);
}

uint8_t encode(const SmallFloat& f, float value, bool saturate) {
    const bool negative = std::signbit(value);
    if (std::isnan(value)) return f.nan ? nan_code(f, negative) : 0;
    const float magnitude = std::fabs(value);
    if (std::isinf(magnitude)) return overflow_code(f, negative, saturate);
    if (magnitude == 0) return static_cast<uint8_t>(negative && f.negative_zero ? 1 << (f.exponent + f.mantissa) : 0);
    int exponent = 0;
    std::frexp(magnitude, &exponent);               // magnitude = m * 2^exponent, m in [0.5, 1)
    exponent = std::max(exponent - 1, 1 - f.bias);  // exponent of the unit digit, subnormals share the least
    const double step = std::ldexp(1.0, exponent - f.mantissa);
    double digits = std::nearbyint(magnitude / step);  // round half to even in units of the last place
    if (digits == std::ldexp(1.0, f.mantissa + 1)) {
        digits /= 2;
        ++exponent;
    }
    const int units = static_cast<int>(digits);
    const bool normal = units >= (1 << f.mantissa);
    const int code = normal ? ((exponent + f.bias) << f.mantissa) + units - (1 << f.mantissa) : units;
    if (code > largest_code(f)) return overflow_code(f, negative, saturate);
    if (code == 0 && !f.negative_zero) return 0;
    return static_cast<uint8_t>(code | (negative << (f.exponent + f.mantissa)));
}

float e8m0_to_float(uint8_t code) {
    return code == 255 ? std::numeric_limits<float>::quiet_NaN() : std::ldexp(1.0f, static_cast<int>(code) - 127);
}

uint8_t float_to_e8m0(float value, bool saturate) {
    if (std::isnan(value)) return 255;
    if (std::isinf(value)) return saturate ? 254 : 255;
    const uint32_t bits = std::bit_cast<uint32_t>(value) & 0x7fffffffu;
    const uint32_t exponent = bits >> 23, mantissa = bits & 0x7fffffu;
    // Round to the nearest power of two, up on a tie; subnormal magnitudes go to 2^-127 or 2^-126.
    const uint32_t up = exponent == 0 ? mantissa > 0x400000u : mantissa >= 0x400000u;
    const uint32_t code = exponent + up;
    if (code > 254) return saturate ? 254 : 255;
    return static_cast<uint8_t>(code);
}

}  // namespace

std::span<const DTypeRow> dtype_rows() { return rows; }
const DTypeRow& row_of(DType dtype) { return rows[static_cast<size_t>(dtype)]; }

std::optional<DType> dtype_named(std::string_view name) {
    for (const DTypeRow& row : rows)
        if (row.name == name || row.mlir == name) return row.dtype;
    return std::nullopt;
}

std::optional<DType> dtype_of_onnx(int data_type) {
    for (const DTypeRow& row : rows)
        if (row.onnx == data_type && row.dtype != DType::none) return row.dtype;
    return std::nullopt;
}

IntRange int_range(DType dtype) {
    const int bits = bits_of(dtype);
    if (dtype == DType::boolean) return {0, 1};
    if (!is_integer(dtype)) throw bug("{} has no integer range", name_of(dtype));
    if (dtype == DType::i64 || dtype == DType::u64)
        return {dtype == DType::i64 ? std::numeric_limits<int64_t>::min() : 0, std::numeric_limits<int64_t>::max()};
    const int64_t span = int64_t{1} << bits;
    return kind_of(dtype) == signed_int ? IntRange{-span / 2, span / 2 - 1} : IntRange{0, span - 1};
}

float small_float_to_float(DType dtype, uint8_t bits) {
    return dtype == DType::f8e8m0 ? e8m0_to_float(bits) : decode(small_format(dtype), bits);
}

uint8_t float_to_small_float(DType dtype, float value, bool saturate) {
    return dtype == DType::f8e8m0 ? float_to_e8m0(value, saturate) : encode(small_format(dtype), value, saturate);
}

}  // namespace quern
