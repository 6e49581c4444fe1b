// Sessions of onnxruntime on one execution provider, and what it takes of a model.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libcore/graph/op.h"
#include "libcore/graph/tensor.h"
#include "libcore/ort/runtime.h"

namespace quern::ort {

// What a provider takes of a model. Names are those of its nodes.
struct Taken {
    bool all = false;                            // nothing else runs any of it
    std::map<std::string, std::string> refused;  // why not, in the provider's words
    std::string failure;                         // why there is no session, "" if there is one
};

// Asks the provider: by compiling the model, if that is to come and it makes contexts, else by a session that the processor may help.
Taken taken_of(const Bytes& onnx, const Settings& settings, bool to_compile);

// Q or DQ, which the processor computes where they stand around a context that others compiled.
bool is_linear(const Node& node);

// A model of one EPContext node for each part, the provider's binaries inside. Throws Exit::unsupported with the provider's refusals if
// not all of the model is in them.
Bytes compiled(const Bytes& onnx, const Settings& settings);

// The same of several models, which have one binary, in which equal weights are once: the last of what is made has it inside, the EPContext
// nodes of the others name a file.
std::vector<Bytes> compiled_together(std::span<const Bytes> models, const Settings& settings);

// The model as a container of QNN's intermediate representation (.dlc), which its tools and runtimes on devices read. As compiled().
Bytes dlc_of(const Bytes& onnx, const Settings& settings);

class ProviderSession {
   public:
    // Nothing is left to other providers. Throws Exit::unsupported, naming what is refused.
    ProviderSession(const Bytes& onnx, const Settings& settings, int threads);

    // Inputs are borrowed; outputs lie in onnxruntime's memory. On any thread.
    struct Outputs {
        std::vector<Held<OrtValue>> values;
        std::vector<Tensor> tensors;  // of the same memory
    };
    Outputs run(std::span<const std::string> input_names, std::span<const Tensor> inputs, std::span<const std::string> output_names);

   private:
    Held<OrtSession> session_;
};

}  // namespace quern::ort
