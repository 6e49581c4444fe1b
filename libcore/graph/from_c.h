// The C types of include/quern/graph.h as quern's own, checked: they come from libraries that others made.
#pragma once

#include <functional>
#include <string_view>

#include "include/quern/graph.h"
#include "libcore/base/error.h"
#include "libcore/graph/encoding.h"
#include "libcore/graph/tensor.h"
#include "libcore/graph/type.h"

namespace quern {

constexpr quern_dtype c_dtype(DType dtype) { return static_cast<quern_dtype>(dtype); }
// Throws Exit::bad_input for a number that is not an element type; none is allowed if `unknown` is.
DType dtype_from_c(quern_dtype dtype, bool unknown = false);

// Who gave what is wrong: "the device gives" a rank.
struct Giver {
    Exit exit;
    std::string_view who;
};
inline constexpr Giver a_buffer{Exit::bad_input, "a buffer has"};

// Dims of at least `min`. Throws the giver's exit.
Dims dims_from_c(int32_t rank, const int64_t* dims, int64_t min_dim, const Giver& giver);
Type type_from_c(quern_dtype dtype, int32_t rank, const int64_t* dims, const Giver& giver);  // -1: not known

// Sizes and types are checked; the bytes are not copied and must outlive the result. Throws Exit::bad_input.
Tensor borrowed_from(const quern_tensor& view);

// `keep` makes of bytes that are borrowed those that stay. Throws Exit::bad_input.
using KeepBytes = std::function<Bytes(const Bytes&)>;
Encoding encoding_from(const quern_encoding& view, const KeepBytes& keep);

// Of an encoding, in C and in C++: what both say in the same words.
template <class From, class To>
void copy_numbers(const From& from, To& to) {
    to.qmin = from.qmin;
    to.qmax = from.qmax;
    to.axis = from.axis;
    to.block = from.block;
}
inline constexpr std::pair<Tensor Encoding::*, const quern_tensor * quern_encoding::*> encoding_tensors[]{
    {&Encoding::scale, &quern_encoding::scale}, {&Encoding::zero, &quern_encoding::zero}, {&Encoding::min, &quern_encoding::min}};

}  // namespace quern
