// Places, counts and rows by number, made of operators: each once, for whatever format has it.
#pragma once

#include <string_view>

#include "libcore/passes/decompose/terms.h"

namespace quern::decompose {

// Where, but a condition of rank 1 chooses whole rows of a and b, which have rank `rank`.
Term select(const Term& condition, size_t condition_rank, const Term& a, const Term& b, size_t rank);

// [n, rank]: the places of the n elements that are not 0 (int64), in order.
Term places_of(const Term& x);

// Reduced along axes counted from 0, of which one may be named twice; none: nothing is reduced.
Term reduced(OpId op, const Term& x, const Numbers& axes, bool keep);

// Elements along `axis`, counted from 0, for each place of the `batch` first dims of x and indices (int64) on its own. batch <= axis.
Term gather_in_batches(const Term& x, int64_t rank, const Term& indices, int64_t indices_rank, int64_t axis, int64_t batch);

// Zeros of `shape` (int64) with the updates at their places (int64), those at the same place added up.
Term scatter_nd(const Term& places, const Term& updates, const Term& shape);

// Of each x, how many of the bounds, of rank 1, it stands to as `op` says: GreaterOrEqual counts those at or below it. NaN: none.
Term bucket(const Term& x, const Term& bounds, OpId op, DType counted);

// Of each index `on` at its place of `depth` (int64) along a new axis, `off` beside; of an index below 0 or beyond the last only that. Both
// are of rank 0.
Term one_hot(const Term& indices, const Term& depth, const Term& on, const Term& off, int64_t axis);

// Where each x is among the keys, of rank 1: its first place (int64, 0 where it is not) and whether it is (int32: 1 or 0).
struct Found {
    Term place, hits;
};
Found find(const Term& x, const Term& keys);

// Rows of `data` put together by their ids (int64, of as many of data's first dims as they have) into `count` (int64, [1]) rows, of
// which each begins as `empty`, a number. `reduction`: ScatterND's. Rows with ids below 0 are left out; others than those below `count`
// are an error of the run.
Term segments(const Term& data, const Term& ids, const Term& count, const Term& empty, std::string_view reduction);

// What a row begins as that may stay empty, of the type of `like`; nullopt: no number that every type of ours can name.
std::optional<Term> nothing(const Term& like, std::string_view reduction);
// How many rows ids (int64, of rank 1) that rise put together: [1], the last one and 1.
Term rows_of(const Term& ids);

// The shape that tensors of two shapes, of rank 1 and these lengths, are broadcast to.
Term broadcast_shapes(const Term& a, int64_t a_length, const Term& b, int64_t b_length);

// bool [rows, columns]: true on the diagonal that is `shift` columns to the right of the main one.
Term diagonal(Builder& to, int64_t rows, int64_t columns, int64_t shift = 0);

}  // namespace quern::decompose
