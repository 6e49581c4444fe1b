// Operators that a model spells out, joined before anything is rounded: a runtime may have a kernel for the whole, or the whole may be
// spelled out in a better way.
#pragma once

#include <span>

#include "libcore/passes/pass.h"
#include "libcore/quant/ranges/ranges.h"
#include "libcore/quant/types/work.h"

namespace quern {

// The graph behind passes that join operators; as it is if a rule, a device or a placement speaks of one of those that would be gone.
Graph joined(const Graph& graph, std::span<const Pass* const> passes, const QuantWork& work);

// Normalizations and Gelu. What has come between is in `ranges`, where there are any, by what was measured on its other side.
void join_wholes(Graph& graph, Ranges* ranges, const QuantWork& work);

// Gelu, if LiteRT has a kernel for it on the type's codes.
void join_gelu(Graph& graph, const QuantWork& work);

// LpNormalization, if TFLite has a form of it on the type's codes, and the file is one: such nodes are added to work.spelled.
void join_lpnorm(Graph& graph, QuantWork& work);

}  // namespace quern
