// Matrix products with what follows them, as every row of MatMul and Gemm reads them from its site: a bias, and the tail.
#pragma once

#include "libcore/kernels/tail.h"

namespace quern {

bool absorbs_into_product(const Site& site, const Node& next);
// Why no kernel takes the site; empty if it may.
std::string_view product_obstacle(const Site& site);

class ProductSite {
   public:
    explicit ProductSite(const Site& site);

    Dims weights;                  // [..., K, N] of a constant second matrix; empty: it is computed
    bool stored_transposed;        // the second matrix, constant or not, is stored as [N, K]
    ValueId bias = ValueId::none;  // constant [N]
    std::vector<ValueId> held;     // constants that a kernel may hold
    Tail tail;
    std::string name;  // "matmul+bias+Gelu"
};

}  // namespace quern
