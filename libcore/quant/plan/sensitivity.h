// Sensitivity: what the rounding of a value to its grid leaves of the results of the operators that read it, from statistics alone.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "libcore/quant/plan/plan.h"

namespace quern {

// Results that keep less than this, in dB, are taken for lost: the noise is a tenth of what varies in them.
inline constexpr double least_response_db = 20;

// How well `curve` survives the rounding of its argument: the variance of curve(x), or without `about_mean` its mean square, over the mean
// squared error, in dB; infinity if nothing is lost. Arguments are rounded to `grid`, but to none beyond the observed extremes.
double response_db(const std::vector<Mass>& masses, const Grid& grid, const GridSpec& spec, const std::function<double(double)>& curve,
                   bool about_mean = true);

// The same of the numbers themselves; infinity where none were seen.
double kept_db(const std::vector<Mass>& masses, const Grid& grid, const GridSpec& spec);

// Does the grid on which an operator's kernel stores results lose next to all that varies in them, where a measured one keeps ten times as
// much at least? Of probabilities (Softmax) half as much has to be kept: the greatest ones count, which have most steps.
bool loses_to(const Op& op, const std::vector<Mass>& masses, const Grid& fixed, const Grid& measured, const GridSpec& spec);

// Operators that stay float because a grid of equal steps would leave too little of results behind them: all that feeds a root, a logarithm
// or a quotient, which need relative precision, or a matrix product whose input a few great numbers stretch - back to sums that stay float
// anyway, to what sets a new scale (activation functions, products of two activations, normalizations), or to the inputs. With the reason
// of each. Types that need no ranges take what nobody measured for lost.
std::map<NodeId, std::string> lost_to_rounding(const Graph& graph, const GraphPlan& plan, const QuantWork& work, const Insight& insight);

}  // namespace quern
