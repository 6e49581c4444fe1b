// Smoothing: channels of what matrix products read are divided, rows of their weights multiplied by as much. The division goes into what
// makes the value: the scale and bias of a normalization, spelled out or not, or a layer's weight. What smoothquant and awq share.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "libcore/quant/algorithms/algorithm.h"
#include "libcore/quant/algorithms/layer.h"

namespace quern {

// What has to be divided so that a value is: constants and layers. All readers of a value on the way must take it divided.
class Fold {
   public:
    // `layers`: also layers may be divided, output by output, if they are to be treated.
    Fold(const AlgorithmRun& run, ValueId root, size_t channels, bool layers);
    bool possible() const { return possible_; }
    // Returns the values that are divided then.
    const std::set<ValueId>& apply(Graph& graph, const std::vector<double>& divisors) const;

   private:
    bool plan(ValueId id);
    bool plan_norm(NodeId id);
    bool plan_constant(NodeId id, size_t at);
    bool plan_operand(NodeId id, size_t at);
    bool either(NodeId id);

    const AlgorithmRun& run_;
    const Graph& graph_;
    size_t channels_;
    bool layers_too_, possible_ = false;
    std::set<ValueId> values_;
    std::set<std::pair<NodeId, size_t>> constants_;
    std::set<NodeId> layers_;
    std::set<std::pair<NodeId, ValueId>> edges_;
};

// A value that matrix products with constant weights alone read.
struct Smoothing {
    ValueId value;
    std::vector<NodeId> readers;
    size_t channels;
};

// Those whose division is possible and whose readers are all to be treated. `layers`: as above.
std::vector<Smoothing> smoothings_of(const AlgorithmRun& run, bool layers);

// Divides the value by `factors`, which `divide` does - it returns all values that are divided then -, and multiplies its readers.
using Divide = std::function<std::set<ValueId>()>;
void smooth(AlgorithmRun& run, const Smoothing& smoothing, const std::vector<double>& factors, const Divide& divide);

// The product that reads `value` here, if it has a constant weight that is no codes and is to be treated.
std::optional<Layer> product_to_smooth(const AlgorithmRun& run, const Use& use, ValueId value);

// The type that is asked of the product if it rounds what it reads, too; nullptr: its input stays as it is.
const Scheme* rounding_scheme(const AlgorithmRun& run, NodeId product);

// Have weights of products a scale for each output?
bool has_output_scales(const QuantWork& work);

}  // namespace quern
