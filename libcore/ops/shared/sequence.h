// Sequences of tensors, as they are held while a graph runs: one run of bytes with the items one after the other, under dims {-1}, which no
// tensor has, so that nothing takes them for numbers. An optional is what is in it; an empty one is an undefined tensor.
#pragma once

#include <span>
#include <vector>

#include "libcore/graph/tensor.h"

namespace quern {

struct Op;

bool is_sequence(const Tensor& value);

// Throws Exit::unsupported for more than a million items, or items that are empty optionals.
Tensor sequence_of(std::span<const Tensor> items);

// The items, which share the sequence's bytes. Throws Exit::bad_input if it is none.
std::vector<Tensor> items_of(const Tensor& sequence);

std::span<const Op> sequence_ops();  // SequenceAt SplitToSequence SequenceMap Optional ...

}  // namespace quern
