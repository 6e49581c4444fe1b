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

// Where head h of a token begins in the data; tokens are counted through the batch.
inline int64_t rotary_place(const Rotary& r, int64_t token, int64_t h) {
    return (r.packed ? token * r.heads + h : (token / r.length * r.heads + h) * r.length + token % r.length) * r.size;
}

// angle(b, s): the row of the caches [rows, rotated / 2] for position s of batch row b.
template <class T, class Angle>
void rotate(const Rotary& r, const T* x, const T* cosines, const T* sines, const Angle& angle, T* y) {
    const int64_t half = r.rotated / 2;
    for (int64_t b = 0; b < r.batch; ++b)
        for (int64_t s = 0; s < r.length; ++s) {
            const T *cosine = cosines + angle(b, s) * half, *sine = sines + angle(b, s) * half;
            for (int64_t h = 0; h < r.heads; ++h) {
                const int64_t at = rotary_place(r, b * r.length + s, h);
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

// ai.onnx: the row of the caches for each token, by `positions` or, where that is nullptr, each its own. Throws Exit::bad_input if the
// caches do not have it.
std::vector<int64_t> rotary_angles(const Rotary& r, const Dims& cosines, const Dims& sines, const Tensor* positions);

}  // namespace quern
