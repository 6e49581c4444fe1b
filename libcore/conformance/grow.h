// Graphs drawn from the rows of operators, node by node, with a sample of their inputs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "libcore/conformance/draw.h"
#include "libcore/graph/op.h"

namespace quern::random_graphs {

struct RandomGraph {
    Graph graph;
    std::vector<Tensor> sample;
    std::vector<const Op*> ops = {};  // what was drawn, before passes make something else of it
};

// Rows that are drawn: with a reference, the same in each run, over tensors, and computed of what they read alone.
std::vector<const Op*> drawable_ops();

// How far float outputs may be apart, of the largest: two steps of the type, but at least what float models are promised.
double tolerance_of(DType dtype);

struct Wish {
    bool for_codes = false;                                    // to be quantized: of float32, mostly of operators that have a rule
    enum class Of : uint8_t { all, net, chain } of = Of::all;  // net: convolutions and what is around them; chain: elementwise operators
    std::vector<const Op*> first = {};                         // nodes of these come first, if they can be drawn
    size_t min = 2, max = 12;                                  // nodes
    size_t pattern = SIZE_MAX;                                 // of those of the first operator; SIZE_MAX: any
    bool large = false;                                        // values of some ten thousand elements where their operands allow it
};

// Numbers are finite, and no step makes more of rounding errors than half the tolerance.
RandomGraph grow(Draw& draw, const Wish& wish);

}  // namespace quern::random_graphs
