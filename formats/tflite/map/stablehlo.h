// What the rows of StableHLO's operators share.
#pragma once

#include <optional>
#include <string_view>

#include "formats/tflite/map/map.h"

namespace quern::tflite_format {

// Dims of input i if all are fixed.
std::optional<Ints> fixed_dims(const Site& site, size_t i);

// What a subgraph of two scalars computes: Add, Mul, Max, Min, And or Or; nullopt: something else.
std::optional<OpId> body_operation(Site& site, std::string_view option);
// Is its result its second operand as it is?
bool hands_second_on(Site& site, std::string_view option);

// [window..., rank] places of a window's elements in a tensor of `rank` dims, of which window dim i is dim dims[i]; nullopt: too many.
std::optional<Tensor> window_places(const Ints& window, const Ints& dims, size_t rank);

}  // namespace quern::tflite_format
