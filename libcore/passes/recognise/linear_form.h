// What a value is as a sum of matrix products: W x + U h + b, for two given values x and h and constants W, U, b.
#pragma once

#include <optional>

#include "libcore/graph/graph.h"

namespace quern {

struct LinearForm {
    std::vector<float> x, h, bias;  // [n, length of x], [n, length of h], [n]; {}: none
    int64_t n = 0;
};

class LinearForms {
   public:
    // Values with `x_length` and `h_length` numbers per row.
    LinearForms(const Graph& graph, ValueId x, int64_t x_length, ValueId h, int64_t h_length)
        : graph_(graph), x_(x), h_(h), x_length_(x_length), h_length_(h_length) {}

    std::optional<LinearForm> of(ValueId id, int depth = 0) const;

   private:
    std::optional<LinearForm> constant(ValueId id) const;
    std::optional<LinearForm> product(const Node& node) const;
    std::optional<LinearForm> sum(const Node& node, int depth) const;
    std::optional<LinearForm> part(ValueId id, int depth) const;

    const Graph& graph_;
    ValueId x_, h_;
    int64_t x_length_, h_length_;
};

// The value behind reshapes that keep rows as they are.
ValueId without_reshapes(const Graph& graph, ValueId id);

}  // namespace quern
