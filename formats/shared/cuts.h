// How strided slices and mirrored frames are spelled in TensorFlow's operators, and TFLite's.
#pragma once

#include <vector>

#include "libcore/graph/type.h"

namespace quern {

// Bit i of each speaks of entry i of the specification.
struct SliceMasks {
    int64_t begin, end, ellipsis, new_axis, shrink;
};

struct SliceSpec {
    struct Cut {
        size_t entry;
        int64_t axis;                   // of the data
        bool from_first, to_last, one;  // where its begin and its end do not count; it takes the one element at its begin
    };
    std::vector<Cut> cuts;
    Dims dropped;  // dims of the data that are left out after cutting one element
    Dims made;     // dims of the result that are new, of length 1
};

// Entries of a specification, each for a dim of the data, for the dims that no other entry names (an ellipsis) or for a new dim.
SliceSpec slice_spec(const SliceMasks& masks, size_t count, int64_t rank);

// Places along a dim with its border repeated around it: what MirrorPad calls SYMMETRIC. Longer dims than the limit are not for it.
inline constexpr int64_t mirror_limit = int64_t{1} << 22;
Dims mirrored_places(int64_t length, int64_t before, int64_t after);

}  // namespace quern
