// What `quantize` does with files: a model is read with its ranges and overrides, quantized, and written with its encodings.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/dry_run.h"
#include "formats/samples/source.h"
#include "formats/tensors/fit.h"
#include "libcore/passes/pin.h"
#include "libcore/quantize/quantize_model.h"
#include "libcore/quantize/quantized_before.h"

namespace quern {

struct QuantizeFileOutcome {
    QuantizedBefore before;          // what of the model was quantized when it came
    Model model;                     // as it is written
    QuantReport report = {};         // with name, sizes and coverage
    size_t overrides = 0;            // how many were given
    const Recipe* recipe = nullptr;  // of the request's type
    bool loss_unknown = false;       // no ranges say what a type loses that one runtime quantizes inputs of products to
    std::vector<std::string> taken;  // what open dims became, a line per input
    DType widened = DType::none;     // float16 or bfloat16: what it computed in, which is float32 now
    bool unchanged = false;          // all that could be quantized came quantized
    bool as_it_came = false;         // then: is the file written as it was read, to the byte?
    std::optional<DryRun> dry_run = {};
};

// The quantized model.
struct QuantizedGraph {
    Graph graph;
    QuantReport report;
};

// In the place of what a request says; nothing: what that says.
struct ChosenBySamples {
    std::optional<QuantizedGraph> made = {};  // by all of the request's, where choosing made it; then nothing else is set
    std::optional<Rules> rules = {};
    const Method* method = nullptr;              // for ranges
    std::optional<AlgorithmOptions> algorithms;  // but for their samples
    std::shared_ptr<const SampleSource> samples = {};
};

struct QuantizeFileRequest {
    std::string model = "-", signature = {};
    FixedInputs inputs = {};
    std::string static_for = {};  // whose shapes are static (make_static()); "": open dims stay
    std::string ranges = {};      // "": those inside the model, if there are some
    bool force = false;           // also ranges of another model
    std::string overrides = {};   // "": none
    QuantRequest quant = {};
    AlgorithmOptions algorithms = {};
    bool requantize = false;  // weights in blocks of quantized types, too
    int threads = 1;

    std::string output = "-", format = {};  // "": by the suffix
    WriteOptions write = {};
    bool dry_run = false;        // nothing is written: the outcome says what would be
    std::string encodings = {};  // where they go, "": nowhere
    std::string encodings_version = "2.0.0";
    bool allow_missing_encodings = false;

    // Samples for the algorithms; empty: they get none.
    std::function<std::unique_ptr<SampleSource>(const std::vector<InputSpec>& specs)> samples = {};
    // In the place of the request's, for a model as it was read, its shapes fixed; empty: those of the request.
    std::function<ChosenBySamples(const Model& model, const Ranges* ranges, const QuantRequest& request, ThreadPool& pool)> choose = {};
    // Hears what was made before anything is written; what it throws ends all.
    std::function<void(QuantizeFileOutcome& outcome)> review = {};
};

// Throws what reading, quantize_model() and writing throw, with the file that it is about.
QuantizeFileOutcome quantize_file(const QuantizeFileRequest& request);

}  // namespace quern
