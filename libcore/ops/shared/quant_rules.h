// Quantizer rules that many rows share (QuantRule, graph/op.h).
#pragma once

#include "libcore/graph/op.h"

namespace quern::rules {

using Kind = QuantRule::Kind;
inline constexpr QuantRule own{.kind = Kind::own};                          // one activation
inline constexpr QuantRule own_both{.kind = Kind::own, .activations = 3};   // two
inline constexpr QuantRule own_all{.kind = Kind::own, .activations = ~0u};  // any number
inline constexpr QuantRule same{.kind = Kind::same_as_input};
inline constexpr QuantRule all_same{.kind = Kind::all_same, .activations = ~0u};
inline constexpr QuantRule none{};
constexpr QuantRule within(float lo, float hi) { return {.kind = Kind::fixed, .lo = lo, .hi = hi}; }

// The right operand is a weight if it is constant, else an activation.
inline constexpr QuantRule product{.kind = Kind::own, .activations = 3, .weight = 1, .weight_axis = 1};
inline constexpr QuantRule biased_product{.kind = Kind::own, .activations = 3, .weight = 1, .weight_axis = 1, .bias = 2};
inline constexpr QuantRule filtered{.kind = Kind::own, .weight = 1, .weight_axis = 0, .bias = 2};

inline constexpr QuantTrait friendly = QuantTrait::friendly, sets_scale = QuantTrait::sets_scale, selects = QuantTrait::selects;

// Values that only move share their parameters: always in TensorFlow Lite; in Samsung/ONE as luci's passes PropagateQParamForward and
// -Backward have it.
inline constexpr RuntimeRule together{.sharing = Sharing::together}, forward{.sharing = Sharing::forward},
    backward{.sharing = Sharing::backward};
inline constexpr QuantRule moved = same.with_runtimes(together, forward);

}  // namespace quern::rules
