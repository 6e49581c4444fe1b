#include "formats/shared/cuts.h"

#include "libcore/base/error.h"

namespace quern {
namespace {

bool bit(int64_t mask, size_t i) { return (mask >> i) & 1; }

}  // namespace

SliceSpec slice_spec(const SliceMasks& masks, size_t count, int64_t rank) {
    if (count > 32) throw bad_input("a slice of {} entries", count);
    int64_t named = 0, ellipses = 0;
    for (size_t i = 0; i < count; ++i) {
        if (bit(masks.ellipsis, i))
            ++ellipses;
        else if (!bit(masks.new_axis, i))
            ++named;
    }
    if (ellipses > 1) throw bad_input("a slice with {} ellipses", ellipses);
    if (named > rank) throw bad_input("cuts more dimensions than {}", rank);
    SliceSpec spec;
    int64_t axis = 0, made = 0;
    for (size_t i = 0; i < count; ++i) {
        if (bit(masks.ellipsis, i)) {
            axis += rank - named;
            made += rank - named;
        } else if (bit(masks.new_axis, i)) {
            spec.made.push_back(made++);
        } else {
            const bool one = bit(masks.shrink, i);
            spec.cuts.push_back({i, axis, bit(masks.begin, i), bit(masks.end, i), one});
            if (one)
                spec.dropped.push_back(axis);
            else
                ++made;
            ++axis;
        }
    }
    return spec;
}

Dims mirrored_places(int64_t length, int64_t before, int64_t after) {
    if (before < 0 || after < 0 || before > length || after > length)
        throw bad_input("{} and {} elements around {}", before, after, length);
    Dims places;
    for (int64_t i = before; i-- > 0;) places.push_back(i);
    for (int64_t i = 0; i < length; ++i) places.push_back(i);
    for (int64_t i = 0; i < after; ++i) places.push_back(length - 1 - i);
    return places;
}

}  // namespace quern
