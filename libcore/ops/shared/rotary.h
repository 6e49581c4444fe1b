// Rotary position embedding, which both domains have.
#pragma once

#include "libcore/ops/shared/spatial.h"

namespace quern {

struct Rotary {
    int64_t batch, heads, length, size;  // of the data
    int64_t rotated;                     // leading features of each head that are rotated, even
    bool packed;                         // [batch, length, heads * size] instead of [batch, heads, length, size]
    bool interleaved;                    // pairs are (0,1) (2,3) ... instead of (0, half) (1, half + 1) ...
};

// angle(b, s): the row of the caches [rows, rotated / 2] for position s of batch row b.
template <class T, class Angle>
void rotate(const Rotary& r, const T* x, const T* cosines, const T* sines, const Angle& angle, T* y) {
    const int64_t half = r.rotated / 2;
    for (int64_t b = 0; b < r.batch; ++b)
        for (int64_t s = 0; s < r.length; ++s) {
            const T *cosine = cosines + angle(b, s) * half, *sine = sines + angle(b, s) * half;
            for (int64_t h = 0; h < r.heads; ++h) {
                const int64_t at = (r.packed ? (b * r.length + s) * r.heads + h : (b * r.heads + h) * r.length + s) * r.size;
                const T* from = x + at;
                T* to = y + at;
                for (int64_t i = 0; i < half; ++i) {
                    const int64_t first = r.interleaved ? 2 * i : i, second = r.interleaved ? first + 1 : i + half;
                    const T a = from[first], c = from[second];
                    to[first] = cosine[i] * a - sine[i] * c;
                    to[second] = sine[i] * a + cosine[i] * c;
                }
                std::copy(from + r.rotated, from + r.size, to + r.rotated);
            }
        }
}

// The geometry of data of rank 3 or 4; `heads` is needed for rank 3. Checks that the rotated part is even and inside a head.
Rotary rotary_of(const Dims& dims, int64_t heads, int64_t rotated, bool interleaved);

}  // namespace quern
