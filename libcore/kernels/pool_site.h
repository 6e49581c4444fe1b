// Pooling as every row of MaxPool, AveragePool and their global forms reads it from its site.
#pragma once

#include "libcore/kernels/kernel.h"
#include "libcore/kernels/prepared.h"
#include "libcore/ops/shared/window.h"

namespace quern {

// Why no kernel takes the site; empty if it may.
std::string_view pool_obstacle(const Site& site);

class PoolSite {
   public:
    explicit PoolSite(const Site& site);

    // Dims with channels first, whatever the graph has; `result`: those of `out` as the graph has them.
    struct Place {
        Dims x, out, result;
        Window window;  // of a global pool the whole picture
    };
    std::shared_ptr<const Place> place(const Dims& given) const;  // kept for the next run
    Dims as_graph(const Dims& channels_first) const;              // with channels where the graph has them

    NodeView view;
    bool last;  // the data has its channels last
    bool global, max;
    bool counts_padding;  // an average is over the padding, too

   private:
    Place make_place(const Dims& given) const;

    std::shared_ptr<Prepared<Place>> places_ = std::make_shared<Prepared<Place>>();
};

}  // namespace quern
