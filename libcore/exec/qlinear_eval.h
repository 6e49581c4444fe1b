// Integer evaluation of operators between encoded values by onnxruntime's QLinear operator of the same name (QLinearAdd for Add ...),
// whose rows do on codes what its QDQ models are run as: 8-bit codes of one type, per tensor.
#pragma once

#include "libcore/graph/op.h"

namespace quern {

// `out`: the encoding that the result shall have.
bool takes_qlinear(const Graph& graph, const Node& node, const std::optional<Encoding>& out);
void eval_qlinear(EvalCtx& ctx);

}  // namespace quern
