// Lists of a verified FlatBuffer. Its verifier looks at the place of a list's count alone: the numbers of 8 bytes behind it may lie
// where C++ must not read them.
#pragma once

#include <flatbuffers/flatbuffers.h>

#include <cstdint>
#include <type_traits>

#include "libcore/base/error.h"

namespace quern {

// Throws Exit::bad_input if numbers of `alignment` bytes do not lie at a multiple of it.
inline void need_aligned(const uint8_t* numbers, size_t alignment) {
    if (reinterpret_cast<uintptr_t>(numbers) % alignment != 0)
        throw bad_input("not a valid FlatBuffer: a list of {}-byte numbers is not aligned", alignment);
}

template <class V>
void need_aligned(const V& list) {
    using Item = std::remove_pointer_t<typename V::value_type>;
    if (list.size() > 0) need_aligned(list.Data(), alignof(Item));
}

}  // namespace quern
