// Convolution with what follows it, as every row of Conv reads it from its site: BatchNormalization goes into the weights, a residual Add
// and activations are the tail.
#pragma once

#include "libcore/kernels/prepared.h"
#include "libcore/kernels/tail.h"
#include "libcore/ops/shared/window.h"

namespace quern {

bool absorbs_into_conv(const Site& site, const Node& next);
// Why no kernel takes the site; empty if it may.
std::string_view conv_obstacle(const Site& site);

class ConvSite {
   public:
    explicit ConvSite(const Site& site);

    // Filter [M, C/group, kernel...] and bias [M] with the BatchNormalization in them.
    FloatSource filter_source(const Site& site) const;
    std::vector<float> bias(const Site& site) const;

    // Dims with channels first, whatever the graph has; `result`: those of `out` as the graph has them.
    struct Place {
        Dims x, out, result;
        Window window;
    };
    std::shared_ptr<const Place> place(const Dims& given) const;  // kept for the next run
    Dims as_graph(const Dims& channels_first) const;              // with channels where the graph has them

    NodeView view;
    bool last;  // data and filter have their channels last
    int64_t group;
    Dims filter;                // [M, C/group, kernel...]
    std::vector<ValueId> held;  // constants that are in filter and bias
    Tail tail;
    std::string name;  // "conv+BatchNormalization+Relu"

   private:
    Place make_place(const Dims& given) const;

    const Node* norm_ = nullptr;
    std::shared_ptr<Prepared<Place>> places_ = std::make_shared<Prepared<Place>>();
};

}  // namespace quern
