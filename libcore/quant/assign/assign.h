// Assign: the encodings of the values of one graph, by the plan of its nodes.
#pragma once

#include <string>
#include <vector>

#include "libcore/os/threads.h"
#include "libcore/quant/assign/weights.h"
#include "libcore/quant/plan/plan.h"
#include "libcore/quant/plan/statistics.h"
#include "libcore/quant/report/report.h"

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
        bool narrow = false;  // int8 with one scale of its own, whatever the weight's is
    };
    std::vector<Bias> biases;
    int channel_axis = -1;  // of output channels, for overrides that do not say theirs
    const Recipe* recipe = nullptr;
    bool wide = false;        // the activations are 16-bit codes
    double input_offset = 0;  // of weight_encoding()
    double least_scale = 0;   // less is 0 to the runtime
    bool coded = false;       // the weight is codes already: only its biases are turned into codes
    DType bias_storage() const { return wide ? recipe->wide_bias : DType::i32; }
};

// Has a node's weight a scale for each output channel, as far as the type is concerned?
bool has_channel_scales(const Node& node, const Scheme& scheme, const QuantWork& work);
// Blocks of a node's weight of these dims, if the type has them: axis, length and what their scales are.
void put_in_blocks(WeightSpec& spec, const Node& node, const Dims& dims, const Scheme& scheme, const QuantWork& work);

// Sets the encodings of activations and constant operands and inserts Recode nodes where one value needs two. `top`: the graph has the
// model's inputs and outputs, to which the io rule applies.
void assign_activations(Graph& graph, bool top, const GraphPlan& plan, const Statistics& statistics, const QuantWork& work,
                        QuantReport& report);

// Codes for the constants of quantized nodes that the recipe counts by channels, beside weights.
void assign_channel_constants(Graph& graph, const std::string& path, const GraphPlan& plan, const QuantWork& work, QuantReport& report);

// Weights, biases and states of the quantized LSTMs, after the activations are assigned.
void assign_lstms(Graph& graph, const std::string& path, const GraphPlan& plan, const Statistics& statistics, const QuantWork& work,
                  QuantReport& report);

// com.microsoft.DynamicQuantizeLSTM in the place of LSTMs that a dynamic type quantizes by onnxruntime's rules. Its weights [directions,
// input, 4 * hidden] are turned; scales [directions, 4 * hidden], or [directions] per tensor.
void assign_dynamic_lstms(Graph& graph, const std::string& path, const GraphPlan& plan, const QuantWork& work, QuantReport& report);

// Adds a Recode with a dynamic encoding before the inputs of dynamically quantized nodes.
void assign_dynamic(Graph& graph, const GraphPlan& plan);

// The weights and biases of quantized nodes, after the activations are assigned.
void add_weight_jobs(Graph& graph, const std::string& path, const GraphPlan& plan, const QuantWork& work, std::vector<WeightJob>& jobs);

// Constants that are numbers, were given no codes and are read only by nodes of types with 16 float_bits become float16, but for scalars
// and for those with a number that float16 has not: what would be infinite or 0.
void narrow_floats(Graph& graph, const std::string& path, const QuantWork& work, QuantReport& report);

// Codes for every weight and bias, in parallel, one tensor in memory a thread; source pages are released.
void run_weight_jobs(std::vector<WeightJob>& jobs, const QuantWork& work, QuantReport& report, ThreadPool& pool);

}  // namespace quern
