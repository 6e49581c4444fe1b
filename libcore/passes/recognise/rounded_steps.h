// Fake quantization as PyTorch and others spell it in ONNX: (Clip(Round(x / scale) + zero) - zero) * scale.
#pragma once

#include <optional>

#include "libcore/graph/graph.h"

namespace quern {

struct RoundedSteps {
    ValueId x = ValueId::none;
    Encoding encoding;           // its limits are those of the Clip
    std::vector<float> factors;  // of x, as the graph has them: 1 / scale, or the scale where it divides; one, or one for each channel
    bool divides = false;
};

// What `last`, which makes the result, is the end of. Nullopt: constants that do not agree with each other (1 / scale and scale, the zero
// point before and behind the Clip), are not whole where codes are, or bounds that are not those of 2 to 16 bits, with the least code or
// without it.
std::optional<RoundedSteps> rounded_steps(const Graph& graph, const Node& last);

// What is computed of constants alone: 1 / scale, scales brought into the dims of a weight.
std::optional<Tensor> parameter(const Graph& graph, ValueId id);
// The encoding of an x of `shape` by scales and whole zero points of which a dim at most is not 1, that of an axis of x. Nullopt: they are
// along no axis, or not along one.
std::optional<Encoding> encoding_along(const Shape& shape, DType storage, const Tensor& scale, const Tensor& zero);

// Codes of a constant, those that the operators give.
Tensor codes_of(const Tensor& real, const RoundedSteps& steps);

}  // namespace quern
