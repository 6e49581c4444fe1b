// A model as the session interface has it: what it was read from, what it looks like, and what runs it.
#pragma once

#include <functional>
#include <optional>

#include "formats/format.h"
#include "formats/tensors/fit.h"
#include "libcore/codegen/generator.h"
#include "libcore/deploy/engine.h"
#include "libcore/quantize/quantize_model.h"

namespace quern {

using Note = std::function<void(const std::string&)>;

// What a session runs, and compiles contexts for, beside cpu.
struct SessionBackends {
    std::vector<std::string> names;  // in order of preference; {}: where nodes are placed
    std::string options;             // JSON, for those that are libraries
    bool operator==(const SessionBackends&) const = default;
};

struct LoadedModel {
    std::string path, beside;                   // the file ("-": standard input); the model or package that the user named ("": memory)
    Model model;                                // of contexts: only its interface
    std::shared_ptr<const MixedProgram> ready;  // a context
    std::string product;                        // what a plugin made of the model: for back ends that load it
    std::string name() const;                   // for messages
    bool has_graph() const { return !ready && !model.graph.order().empty(); }
};

struct Runnable {
    std::shared_ptr<ThreadPool> pool;
    std::unique_ptr<Engine> engine;
    std::vector<InputSpec> inputs, outputs;
};

// Inputs and outputs of a graph, with the encodings that operators such as QuantizeLinear give them.
void set_ports(Runnable& runnable, const Graph& graph);

// Exit::bad_input if `bytes` are neither a model nor a context; `path` ("": none) is for data beside it and messages. Back ends' options
// are for those of a context.
LoadedModel load_model(const Bytes& bytes, const std::string& path, const std::string& signature, const SessionBackends& backends = {});
// The same of a file, which may also be the product of a plugin, for the first library in `backends`.
LoadedModel load_model(const std::string& path, const std::string& signature, const SessionBackends& backends);

// Models whose activations are encoded compute on codes, others on numbers (own_mode).
Runnable make_runnable(const LoadedModel& loaded, const SessionBackends& backends, int threads, const Note& note);

// <stem>_quantized_<type>.circle beside the model, as onert names it; other suffixes for other writable formats.
std::string quantized_path(const LoadedModel& loaded, const Scheme& scheme);
// What a model is quantized to, by whose rules (those of destination_of(); "": the file's), and where it goes ("": quantized_path()).
struct QuantizeJob {
    const Scheme* scheme = nullptr;  // none is set
    std::string format, runtime, path;
    std::string static_for = {};  // whose shapes are static (make_static()); "": open dims stay
};
// Would that go by the extremes of each run?
bool quantizes_by_runs(const LoadedModel& loaded, const QuantizeJob& job);
// Quantizes, writes and loads what was written.
LoadedModel quantize_to_file(const LoadedModel& loaded, const Ranges* recorded, const QuantizeJob& job, int threads, const Note& note);

// Where generated code goes that no path was set for: beside the model, too.
std::string generated_path(const LoadedModel& loaded, const Generator& generator);
// What is generated, and how.
struct CodegenJob {
    std::string target;
    Preference preference = Preference::usual;
    std::string path;                            // "": generated_path()
    std::map<std::string, std::string> options;  // of the generator
};
// Generates and loads what was made; the model as it was, with a note, if that cannot be run. Contexts are made for `backends`, with their
// options.
LoadedModel generate_to_file(const LoadedModel& loaded, const CodegenJob& job, const SessionBackends& backends, const Note& note);

}  // namespace quern
