// Contexts: graphs compiled for their back ends, in one file that is mapped and checked, not compiled. docs/context.md describes it.
//
//     write_context({{"main", MixedProgram::compile(graph, options), lineage}}, file);
//     const Context context(map_input("net.qctx"));
//     const auto program = context.load(0);
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "formats/format.h"
#include "libcore/deploy/mixed.h"

namespace quern {

constexpr std::array<std::string_view, 3> context_modes{"float", "fake", "int"};  // in the order of Mode

struct ContextSource {
    std::string name;  // unique in the file
    std::shared_ptr<const MixedProgram> program;
    std::string lineage;                            // digest of the source model
    std::map<std::string, std::string> facts = {};  // of the model that whoever runs the context needs: its tokenizer
};
// At the beginning of `file`, which is not committed.
void write_context(const std::vector<ContextSource>& graphs, OutputFile& file);

bool is_context(const Bytes& bytes);

struct ContextPart {
    std::string device, backend, version;  // version: of the back end that compiled it
    std::string options;                   // that it was compiled with, JSON; "": none
    std::vector<std::string> inputs, outputs;
    Bytes blob;
};

struct ContextGraph {
    std::string name, lineage;
    Mode mode = Mode::floating;
    std::vector<ContextPart> parts;
    Graph values;                                           // inputs, outputs and what goes between the parts; no nodes
    std::map<std::string, std::vector<std::string>> nodes;  // that make some of them, with their names
    std::map<std::string, std::string> facts;               // as ContextSource has them
};

class Context {
   public:
    // Checks everything but the digests of weights. Exit::bad_input if it is broken, Exit::unsupported if it is for another version of
    // quern, its operators or the interface of back ends.
    explicit Context(const Bytes& bytes);

    const std::vector<ContextGraph>& graphs() const { return graphs_; }
    const ContextGraph& graph(const std::string& name) const;  // "": the first; Exit::usage if there is none
    const std::string& tool() const { return tool_; }
    const std::string& isa() const { return isa_; }

    // Ready to run. `backend_options`: for libraries, in place of those of the same names that the context was made with. `loaded` may put
    // another executable in the place of a part's; `place` names back end and partition. Exit::unsupported if a back end is not here or of
    // another version, or the instruction set is missing.
    using PartLoaded =
        std::function<std::shared_ptr<Executable>(const ContextPart& part, std::shared_ptr<Executable> own, const std::string& place)>;
    std::shared_ptr<const MixedProgram> load(const ContextGraph& graph, const std::string& backend_options = {},
                                             const PartLoaded& loaded = {}) const;
    // Compares all sections with their digests, those of the built-in back ends' programs, too.
    static void check_digests(const Bytes& bytes);

   private:
    std::string tool_, isa_;
    std::vector<ContextGraph> graphs_;
};

// The EPContext node of onnxruntime around a context file: a model of one node with the graph's inputs and outputs. `payload` is the whole
// file (embed) or its name beside the model.
Model wrap_context(const ContextGraph& graph, std::string_view payload, bool embed);
// The context of such a model; empty if it is none. Exit::bad_input if its file leaves the model's folder or is not there.
Bytes unwrap_context(const Graph& graph, const std::string& model_path);
// What EPContext nodes have, of whatever provider: a binary inside, or the name of a file beside the model.
struct HeldContext {
    std::string node, source, partition, file;  // source: whose it is; file: "" where it is inside
    uint64_t bytes = 0;                         // inside
};
std::vector<HeldContext> held_contexts(const Graph& graph);
bool holds_others_context(const Graph& graph);  // of another source than quern
// Takes what lies beside the model into its nodes, for back ends, which are not told where it came from; false: it holds no such context.
bool embed_others_contexts(Graph& graph, const std::string& model_path);
// Several of them with one binary, which the last has inside: sections "model", as back ends hand them over.
inline constexpr std::string_view shared_contexts_magic = "QUERNEPC";
// The graph of its context that such a model names. Exit::bad_input if that has other inputs or outputs than the model.
const ContextGraph& wrapped_graph(const Graph& graph, const Context& context);

}  // namespace quern
