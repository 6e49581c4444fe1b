#include "libcore/graph/code_loops.h"

#include "libcore/base/wide.h"

namespace quern {
namespace {

template <class Code>
[[gnu::always_inline]] inline void encode(const float* __restrict from, size_t count, const RunGrid grid, Code* __restrict to) {
    for (size_t i = 0; i < count; ++i) to[i] = static_cast<Code>(grid.code(from[i]));
}

template <class Code>
[[gnu::always_inline]] inline void decode(const Code* __restrict from, size_t count, float scale, int32_t zero, float* __restrict to) {
    for (size_t i = 0; i < count; ++i) to[i] = static_cast<float>(int32_t{from[i]} - zero) * scale;
}

}  // namespace

QUERN_WIDE void encode_run(const float* from, size_t count, const RunGrid& grid, int8_t* to) { encode(from, count, grid, to); }
QUERN_WIDE void encode_run(const float* from, size_t count, const RunGrid& grid, uint8_t* to) { encode(from, count, grid, to); }
QUERN_WIDE void encode_run(const float* from, size_t count, const RunGrid& grid, int16_t* to) { encode(from, count, grid, to); }
QUERN_WIDE void encode_run(const float* from, size_t count, const RunGrid& grid, uint16_t* to) { encode(from, count, grid, to); }

QUERN_WIDE void decode_run(const int8_t* from, size_t count, float scale, int32_t zero, float* to) { decode(from, count, scale, zero, to); }
QUERN_WIDE void decode_run(const uint8_t* from, size_t count, float scale, int32_t zero, float* to) {
    decode(from, count, scale, zero, to);
}
QUERN_WIDE void decode_run(const int16_t* from, size_t count, float scale, int32_t zero, float* to) {
    decode(from, count, scale, zero, to);
}
QUERN_WIDE void decode_run(const uint16_t* from, size_t count, float scale, int32_t zero, float* to) {
    decode(from, count, scale, zero, to);
}

}  // namespace quern
