// Algorithms of post-training quantization, one row each: what changes the float graph before encodings are chosen, and what chooses codes
// and biases afterwards.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/quant/algorithms/normals.h"
#include "libcore/quant/collect/collect.h"
#include "libcore/quant/quantize.h"

namespace quern {

struct Algorithm;

// Muls that smoothquant may put before products.
enum class SmoothMul {
    none,
    shared,  // where nothing can take a division, one for all products that read a value
    each     // before every product, with factors of its own; nothing else is divided
};

// Means of a value's channels over all samples.
struct ChannelMeans {
    int axis = -1;
    std::vector<double> mean;
};

struct AlgorithmOptions {
    std::vector<const Algorithm*> chosen;  // by the flags, in the order in which they run; rules choose, too (choice.h)
    const SampleFeed* feed = nullptr;      // nullptr: there are no samples
    size_t rows = 4096;                    // of a layer's inputs, that are fitted to and judged by
    size_t iterations = 1000;              // of adaround
    double alpha = 0.5;                    // of smoothquant: 0 leaves activations as they are, 1 weights
    SmoothMul smooth_mul = SmoothMul::none;
    Normals normals = {};                            // of the model as it came
    std::map<std::string, ChannelMeans> means = {};  // by name, where a chosen row goes by them and they are known
};

// Values whose numbers are others now: channel i along `axis` is scale[i] * what it was + shift[i].
struct ChannelChange {
    int axis = -1;
    std::vector<double> scale, shift;
};
using ChangedValues = std::map<std::string, ChannelChange>;  // by name

class AlgorithmChoice;

// What a row's functions get. Before: `graph` is float, its values' names those of `ranges` (nullptr: none). After: `graph` is quantized,
// `reference` the same graph before that.
struct AlgorithmRun {
    Graph& graph;
    const Graph& reference;
    const Ranges* ranges;
    const QuantWork& work;
    const AlgorithmOptions& options;
    ThreadPool& pool;
    ChangedValues& changed;
    const AlgorithmChoice& choice;
    const Algorithm* row = nullptr;             // that runs now
    std::set<std::string>* dividers = nullptr;  // before: those of the options, to be added to

    // Is this node of the graph itself, or of the body at `path`, to be treated? Rules decide.
    bool takes(const Node& node, const std::string& path = "") const;
};

struct Algorithm {
    std::string_view name, doc, paper, cost, when;
    bool samples = false;                                // does it need them?
    bool means = false;                                  // by channel: from ranges, or measured over samples
    AlgorithmReport (*before)(AlgorithmRun&) = nullptr;  // of what has both, `after` reports
    AlgorithmReport (*after)(AlgorithmRun&) = nullptr;
    AlgorithmReport (*between)(AlgorithmRun&, Ranges&) = nullptr;  // changes the ranges by which encodings are chosen
};

std::span<const Algorithm> all_algorithms();
const Algorithm& algorithm_named(std::string_view name);  // throws Exit::usage with a suggestion
// Throws Exit::usage if one is named twice.
std::vector<const Algorithm*> algorithms_named(std::span<const std::string> names);

// Adds a change to what was there before.
void change_value(ChangedValues& changed, const std::string& name, int axis, std::span<const double> scale, std::span<const double> shift);
// Extremes by channel follow exactly, those of the whole from them; histograms and extremes of runs are dropped. The names of values whose
// channels were not measured, which are left as they were.
std::vector<std::string> rescale_ranges(Ranges& ranges, const ChangedValues& changed);

// Statistics follow their values; what does not fit them is dropped.
void rescale_normals(Normals& normals, const ChangedValues& changed);

// The rows' functions, defined in a file each.
AlgorithmReport equalize_layers(AlgorithmRun& run);              // cle.cpp
AlgorithmReport smooth_activations(AlgorithmRun& run);           // smoothquant.cpp
AlgorithmReport weigh_by_activations(AlgorithmRun& run);         // awq.cpp
AlgorithmReport recalibrate(AlgorithmRun& run, Ranges& ranges);  // recalibrate.cpp
AlgorithmReport search_scales(AlgorithmRun& run);                // seqmse.cpp
AlgorithmReport round_adaptively(AlgorithmRun& run);             // adaround.cpp
AlgorithmReport round_by_hessian(AlgorithmRun& run);             // gptq.cpp
AlgorithmReport prepare_biases(AlgorithmRun& run);               // bias_correction.cpp
AlgorithmReport correct_biases(AlgorithmRun& run);
AlgorithmReport correct_biases_by_normals(AlgorithmRun& run);  // mean_correction.cpp
AlgorithmReport correct_biases_by_means(AlgorithmRun& run);

}  // namespace quern
