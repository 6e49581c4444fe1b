// Assign: the encodings of the values of one graph, by the plan of its nodes.
#pragma once

#include <string>
#include <vector>

#include "libcore/quant/plan.h"
#include "libcore/quant/statistics.h"
#include "libcore/quant/weights.h"

namespace quern {

// A weight to turn into codes, and the biases whose scales follow from it.
struct WeightJob {
    Graph* graph;
    ValueId weight;
    std::string key, rule;
    WeightSpec spec;
    struct Bias {
        ValueId id;
        std::string key;
        float input_scale;
        Encoding input;
    };
    std::vector<Bias> biases;
    int channel_axis = -1;  // of output channels, for overrides that do not say theirs
    const Recipe* recipe = nullptr;
    bool wide = false;        // the activations are 16-bit codes
    double input_offset = 0;  // of weight_encoding()
    DType bias_storage() const { return wide ? recipe->wide_bias : DType::i32; }
};

// Sets the encodings of activations and constant operands and inserts Recode nodes where one value needs two. `top`: the graph has the
// model's inputs and outputs, to which the io rule applies.
void assign_activations(Graph& graph, bool top, const GraphPlan& plan, const Statistics& statistics, const QuantOptions& options,
                        QuantReport& report);

// Codes for the constants of quantized nodes that the recipe counts by channels, beside weights.
void assign_channel_constants(Graph& graph, const std::string& path, const GraphPlan& plan, const QuantOptions& options,
                              QuantReport& report);

// Adds a Recode with a dynamic encoding before the inputs of dynamically quantized nodes.
void assign_dynamic(Graph& graph, const GraphPlan& plan);

// The weights and biases of quantized nodes, after the activations are assigned.
void add_weight_jobs(Graph& graph, const std::string& path, const GraphPlan& plan, const QuantOptions& options,
                     std::vector<WeightJob>& jobs);

// Codes for every weight and bias, in parallel, one tensor in memory a thread; source pages are released.
void run_weight_jobs(std::vector<WeightJob>& jobs, const QuantOptions& options, QuantReport& report, ThreadPool& pool);

// What an overrides file wants for a value that would else be stored as `usual`; nullopt if there is none of its name.
std::optional<Override> override_of(const QuantOptions& options, const std::string& key, DType usual);
Encoding override_encoding(const Override& wanted, const Dims& dims, int weight_axis, std::string_view key);

}  // namespace quern
