// Elements cut out, framed and moved to other places, made of operators: each once, for whatever format has it. Axes count from 0; of dims
// that are given -1 is one that is not fixed. What does not fit together throws Exit::bad_input.
#pragma once

#include "libcore/passes/decompose/terms.h"

namespace quern::decompose {

// ---- order ----
Dims last_two_swapped(size_t rank);              // below rank 2 nothing is
Term reversed(const Term& x, const Dims& axes);  // the elements along `axes` in the opposite order
// The first elements along `time`, as many as `lengths` (int64) says for each place of `batch`, in the opposite order.
Term reverse_sequence(const Term& x, size_t rank, const Term& lengths, int64_t time, int64_t batch);
// Each element `shift` places further along an axis of `length`, the last ones in front.
Term rolled(const Term& x, int64_t shift, int64_t axis, int64_t length);

// ---- parts ----
// From `starts` on as many elements of each dim as `sizes` says; -1: all there are.
Term slice_of_sizes(const Term& x, const Numbers& starts, const Numbers& sizes);

// Of TensorFlow's StridedSlice: bit i of each speaks of entry i.
struct SliceMasks {
    int64_t begin, end, ellipsis, new_axis, shrink;
};
// Entries, each for a dim of x, for the dims that no other entry names (an ellipsis) or for a new dim. `lengths`: `end` counts from `begin`
// on, and both are known.
Term strided_slice(const Term& x, size_t rank, const SliceMasks& masks, const Numbers& begin, const Numbers& end, const Dims& strides,
                   bool lengths = false);

Term stacked(Builder& to, const std::vector<ValueId>& parts, int64_t axis);          // along a new axis
std::vector<ValueId> unstacked(const Term& x, size_t count, int64_t axis);           // the way back
std::optional<Dims> part_sizes(Dims sizes, const std::function<int64_t()>& length);  // -1, in one place: what the others leave of a dim

// ---- frames ----
// What comes before and after each dim, pairs [dims, 2], as Pad has it: all before, then all after.
Term pads_of(Builder& to, const Numbers& pairs);
// A frame that repeats the border (numpy: "symmetric"); nullopt: around a dim that is not fixed or longer than 2^22.
std::optional<Term> mirrored(const Term& x, const Dims& dims, const Dims& pairs);

// ---- blocks ----
Term regrouped(const Term& x, const Dims& apart, const Dims& order, const Dims& together);  // reshaped, transposed, reshaped
// Blocks of the dims behind the first moved into it: [N, D / b, b, ...] -> [b, N, D / b, ...], and back. Pads and crops are pairs for each
// block. nullopt: another dim than the first is not fixed.
std::optional<Term> space_to_batch(const Term& x, const Dims& dims, const Dims& block, const Dims& pads);
std::optional<Term> batch_to_space(const Term& x, const Dims& dims, const Dims& block, const Dims& crops);
// Blocks of b x b places moved into the channels (ops::SpaceToDepth) or out of them (ops::DepthToSpace), where the channels of a place
// stand together: of [N, H, W, C], otherwise [N, C, H, W].
Term channels_and_space(OpId op, const Term& x, const Dims& dims, int64_t b, bool channels_last);

}  // namespace quern::decompose
