// Pooling as every row of MaxPool, AveragePool and their global forms reads it from its site.
#pragma once

#include "libcore/kernels/kernel.h"

namespace quern {

// Why no kernel takes the site; empty if it may.
std::string_view pool_obstacle(const Site& site);

class PoolSite {
   public:
    explicit PoolSite(const Site& site);

    // Dims with channels first, whatever the graph has; the others one number a spatial dim.
    struct Place {
        Dims x, out, kernel, stride, before, after;
    };
    Place place(const Dims& given) const;
    Dims as_graph(const Dims& channels_first) const;  // with channels where the graph has them

    NodeView view;
    bool last;  // the data has its channels last
    bool global, max;
    bool counts_padding;  // an average is over the padding, too
};

}  // namespace quern
