// Products on few bits whose squares or sums a logarithm takes.
#pragma once

#include <string>
#include <vector>

#include "libcore/quant/plan/plan.h"

namespace quern {

// Sentences, one a logarithm that stays float: the products on codes of 8 bits and fewer from which it is computed through squares, sums
// and roots, as of spectra. What is small there keeps little of its relative precision, which no estimate of one value's rounding tells.
// `path` leads to the graph.
std::vector<std::string> amplified_products(const Graph& graph, const std::string& path, const GraphPlan& plan);

}  // namespace quern
