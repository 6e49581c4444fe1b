// Shape arithmetic: the numbers of small integer tensors followed through Shape, Gather, Concat, Add and so on, known or symbolic.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "libcore/graph/op.h"

namespace quern {

// The number that a dim of shape arithmetic stands for, if known; negative ones are carried as text (negative_dim in graph/type.h).
std::optional<int64_t> number_of(const Dim& dim);
Dim dim_of_number(int64_t number);

// Numbers of input i: from its constant if there is one, else from shape arithmetic; nullopt if any is unknown.
std::optional<std::vector<int64_t>> known_integers(const InferCtx& ctx, size_t i);

// A dim usable in a shape: negative numbers throw Exit::bad_input.
Dim checked_dim(const Dim& dim);

// Output 0 of shape arithmetic is input i's.
void forward_dims_value(InferCtx& ctx, size_t i);

// `a` op `b` for op + - * / (truncating), < and > for the lesser and the greater; symbols give an expression as symbol.
Dim combine(const Dim& a, const Dim& b, char op);
// Elementwise over inputs 0 and 1 (equal counts or one of them single).
void combine_dims_values(InferCtx& ctx, char op);

// The product of dims; an unknown factor gives an unknown product.
Dim product_of(std::span<const Dim> dims);

// The attribute or constant axes of a node as flags per dim; `count` is the rank. Duplicates throw Exit::bad_input.
std::vector<bool> axis_flags(std::span<const int64_t> axes, size_t count);

}  // namespace quern
