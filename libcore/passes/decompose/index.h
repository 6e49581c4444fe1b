// Places, counts and rows by number, made of operators: each once, for whatever format has it.
#pragma once

#include <string_view>
#include <vector>

#include "libcore/passes/decompose/terms.h"

namespace quern::decompose {

// The elements along `axes` in the opposite order: operands of a Slice, and what it makes.
std::vector<ValueId> reversal(Builder& to, ValueId x, const Dims& axes);
Term reversed(const Term& x, const Dims& axes);

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

// bool [rows, columns]: true on the diagonal that is `shift` columns to the right of the main one.
Term diagonal(Builder& to, int64_t rows, int64_t columns, int64_t shift = 0);

}  // namespace quern::decompose
