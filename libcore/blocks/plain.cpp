// Formats of plain numbers: blocks of one element.
#include "libcore/blocks/codec.h"
#include "libcore/blocks/families.h"
#include "libcore/blocks/load.h"

namespace quern::blocks {
namespace {

template <class T, float (*widen)(T)>
QUERN_INLINED void widen_all(const std::byte* blocks, size_t count, float* to) {
    for (size_t i = 0; i < count; ++i) to[i] = widen(load<T>(blocks + i * sizeof(T)));
}
template <uint16_t (*narrow)(float)>
QUERN_INLINED void narrow_all(const float* from, size_t count, std::byte* to) {
    for (size_t i = 0; i < count; ++i) store(to + i * 2, narrow(from[i]));
}

template <class T>
QUERN_INLINED float as_float(T number) {
    return static_cast<float>(number);
}

constexpr BlockFormat numbers(std::string_view name, uint32_t ggml_type, size_t bytes) {
    return {.name = name, .ggml_type = ggml_type, .elements = 1, .bytes = bytes};
}

struct F32 {
    static constexpr BlockFormat facts = numbers("f32", 0, 4);
    static QUERN_INLINED void decode(const std::byte* blocks, size_t count, float* to) { std::memcpy(to, blocks, count * sizeof *to); }
    static QUERN_INLINED void encode(const float* from, size_t count, const float*, std::byte* to) {
        std::memcpy(to, from, count * sizeof *from);
    }
};
struct F16 {
    static constexpr BlockFormat facts = numbers("f16", 1, 2);
    static QUERN_INLINED void decode(const std::byte* blocks, size_t count, float* to) {
        widen_all<uint16_t, bits::from_f16>(blocks, count, to);
    }
    static QUERN_INLINED void encode(const float* from, size_t count, const float*, std::byte* to) {
        narrow_all<bits::to_f16>(from, count, to);
    }
};
struct BF16 {
    static constexpr BlockFormat facts = numbers("bf16", 30, 2);
    static QUERN_INLINED void decode(const std::byte* blocks, size_t count, float* to) {
        widen_all<uint16_t, bits::from_bf16>(blocks, count, to);
    }
    static QUERN_INLINED void encode(const float* from, size_t count, const float*, std::byte* to) {
        narrow_all<bits::to_bf16>(from, count, to);
    }
};
template <class T>
struct Numbers {
    static QUERN_INLINED void decode(const std::byte* blocks, size_t count, float* to) { widen_all<T, as_float<T>>(blocks, count, to); }
};
struct I8 : Numbers<int8_t> {
    static constexpr BlockFormat facts = numbers("i8", 24, 1);
};
struct I16 : Numbers<int16_t> {
    static constexpr BlockFormat facts = numbers("i16", 25, 2);
};
struct I32 : Numbers<int32_t> {
    static constexpr BlockFormat facts = numbers("i32", 26, 4);
};
struct I64 : Numbers<int64_t> {
    static constexpr BlockFormat facts = numbers("i64", 27, 8);
};
struct F64 : Numbers<double> {
    static constexpr BlockFormat facts = numbers("f64", 28, 8);
};

}  // namespace

std::vector<BlockFormat> plain_formats(bool wide) { return rows<F32, F16, BF16, I8, I16, I32, I64, F64>(wide); }

}  // namespace quern::blocks
