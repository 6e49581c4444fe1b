// What is being made of a program: what its names stand for, and the importer as rows see it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/torch/file/package.h"
#include "formats/torch/file/program.h"
#include "libcore/graph/step_inference.h"
#include "libcore/os/spool.h"

namespace quern::torch_format {

// A number beside the tensors: a size, or what is computed of sizes.
struct Number {
    std::optional<int64_t> known;
    ValueId value = ValueId::none;  // of rank 0, where it is not known
    DType dtype = DType::i64;       // of the value: int64, float32 or bool
};
Tensor known_tensor(const Number& number);  // of one that is known

// What a name stands for.
struct Bound {
    ValueId tensor = ValueId::none;
    std::optional<Number> number;
};

// A graph of the program that is being added to a graph of ours. Operators may write into tensors, of which others are views: a name
// stands for what was written last, and a view is made anew when what it shows was written to.
struct Scope {
    struct View {
        std::string base;
        const ProgramNode* node;  // that shows the base
        uint64_t version;         // of the base when that was done
        int depth;                // 1: the base is no view
    };
    Graph& graph;
    const ProgramGraph& from;
    std::string prefix;  // of names, where a graph is added to that of its caller
    int depth = 0;
    std::map<std::string, Bound, std::less<>> bound = {};
    std::map<std::string, std::string, std::less<>> same = {};  // results of writing in place, by the name of what was written to
    std::map<std::string, View, std::less<>> views = {};
    std::map<std::string, uint64_t, std::less<>> versions = {};
    std::unique_ptr<StepInference> types = {};  // of what rows have added; none yet

    std::string root(const std::string& name) const;  // whose storage the name is
};

class Importer {
   public:
    Importer(const Package& package, const Program& program, size_t file_size);
    Graph run();

    // A new value; a name that is taken gets a number behind it.
    ValueId declare(Graph& graph, const std::string& wish, Type type);
    // Adds the nodes of scope.from; what its outputs stand for.
    std::vector<Bound> add_nodes(Scope& scope);
    // The results of another graph of the program, added to `graph` with `inputs` bound to its inputs.
    std::vector<Bound> add_graph(Graph& graph, const ProgramGraph& from, const std::vector<Bound>& inputs, const std::string& prefix,
                                 int depth);
    // What the name stands for now.
    Bound read(Scope& scope, const std::string& name);
    // The tensor of that name, and all of which it is a view, have another value from now on.
    void write(Scope& scope, const std::string& name, ValueId value);
    // Counts constants that operators stand for; throws Exit::unsupported beyond a bound.
    void spend(uint64_t bytes);

   private:
    void add_node(Scope& scope, const ProgramNode& node);
    void add_inputs(Scope& scope);
    ValueId add_stored(Graph& graph, const InputSpec& spec);
    void finish_outputs(Scope& scope, const std::vector<Bound>& outputs);
    void finish_states(Scope& scope);
    void add_state(Graph& graph, ValueId first, ValueId next);
    ValueId as_output(Graph& graph, const Bound& bound, const std::string& name);

    const Package& package_;
    const Program& program_;
    Spool spool_;  // of weights that do not lie in the file as they are wanted only one is in memory
    uint64_t bytes_left_;
    size_t nodes_left_;
    std::map<std::string, ValueId> states_;  // of a buffer by its name in the graph: the constant that it begins with
    std::map<std::string, ValueId> stored_;  // constants by what they are a window of
    std::map<std::pair<const Graph*, std::string>, size_t> suffixes_;
};

}  // namespace quern::torch_format
