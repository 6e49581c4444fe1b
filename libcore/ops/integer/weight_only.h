// Weights that are stored as codes and computed with as real numbers.
#pragma once

namespace quern {

// Attribute of a node with real activations and encoded weights: its activations are never rounded, whatever the model's arithmetic does
// with others of its kind.
inline constexpr const char* weight_only_key = "weight_only";

}  // namespace quern
