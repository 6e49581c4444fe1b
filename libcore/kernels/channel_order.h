// The two orders of values of dims [N, C, spatial...]: as the graph has them, and with their channels last.
#pragma once

#include <algorithm>

#include "libcore/kernels/kernel.h"

namespace quern {

constexpr int64_t square_edge = 16;  // of a square that is moved at a time: a cache line each way

inline int64_t places_of(const Dims& dims) { return dims.size() < 2 ? 1 : count_of(std::span(dims).subspan(2)); }
// Do both orders have the same bytes?
inline bool lies_alike(const Dims& dims) { return dims.size() < 3 || dims[1] == 1 || places_of(dims) == 1; }

// Columns [first, last) of a matrix [rows, columns] as rows of the transposed one, each element changed.
template <class T, class Change>
void transpose_columns(const T* from, T* to, int64_t rows, int64_t columns, int64_t first, int64_t last, const Change& change) {
    for (int64_t c = first; c < last; c += square_edge)
        for (int64_t r = 0; r < rows; r += square_edge) {
            const int64_t c_end = std::min(c + square_edge, last), r_end = std::min(r + square_edge, rows);
            for (int64_t k = c; k < c_end; ++k)
                for (int64_t i = r; i < r_end; ++i) to[k * rows + i] = change(from[i * columns + k]);
        }
}

// `count` matrices [rows, columns], transposed, each element changed.
template <class T, class Change>
Buffer transposed(const T* from, int64_t count, int64_t rows, int64_t columns, const Change& change, Memory& memory, ThreadPool& pool) {
    constexpr int64_t piece = 1 << 14;  // elements that are worth a task
    Buffer out = memory.take(static_cast<size_t>(count * rows * columns) * sizeof(T));
    auto* to = reinterpret_cast<T*>(out.data.get());
    const int64_t width = std::max<int64_t>(piece / std::max<int64_t>(rows, 1) / square_edge, 1) * square_edge,
                  parts = (columns + width - 1) / width;
    pool.run(static_cast<size_t>(count * parts), [&](size_t i) {
        const int64_t matrix = static_cast<int64_t>(i) / parts, first = static_cast<int64_t>(i) % parts * width;
        const int64_t offset = matrix * rows * columns;
        transpose_columns(from + offset, to + offset, rows, columns, first, std::min(first + width, columns), change);
    });
    return out;
}

}  // namespace quern
