// What is being made of a file: tensors become values with encodings, subgraphs parts of a graph. The importer as rows see it.
#pragma once

#include <map>
#include <string>

#include "formats/tflite/file/file.h"
#include "formats/tflite/file/tensors.h"
#include "formats/tflite/map/resources.h"
#include "libcore/graph/step_inference.h"

namespace quern::tflite_format {

// One subgraph that is being added to a graph. A subgraph that several operators name is added once for each.
struct Scope {
    Graph& graph;
    const Subgraph& from;
    std::string prefix;  // of names, where a subgraph is added to the graph of its caller
    int depth = 0;
    std::vector<ValueId> values;                                                // by tensor; none: not defined yet
    std::map<std::pair<int64_t, std::vector<int64_t>>, ValueId> permuted = {};  // constants in another order of dims
    std::map<int64_t, std::string> handles = {};                                // what tensors of handles stand for
    std::vector<bool> computed = {};                                            // by tensor: an operator's output; filled when asked for
    StepInference types{graph};                                                 // of what rows add
};

class Importer {
   public:
    Importer(const File& file, std::string format, size_t file_size);
    Graph run(int64_t graph);

    const std::string& format() const { return format_; }
    // A new value; a name that is taken gets a number behind it.
    ValueId declare(Graph& graph, const std::string& wish, Type type);
    ValueId declare_tensor(Scope& scope, size_t tensor);
    // The value of a tensor that is read: a constant is added when it is first met.
    ValueId read(Scope& scope, int64_t tensor);
    // Another value with the contents of a constant, under the same name as far as it is free.
    ValueId declare_constant(Scope& scope, int64_t tensor);
    // Adds subgraph `index` to `graph`, its inputs being `inputs`; returns its outputs.
    std::vector<ValueId> add_subgraph(Graph& graph, int64_t index, const std::vector<ValueId>& inputs, const std::string& prefix,
                                      int depth);
    const Subgraph& subgraph(int64_t index) const;
    // Counts constants that operators stand for, not the file; throws Exit::unsupported beyond a bound.
    void spend(uint64_t bytes);
    // The contents of a constant; of a variable without contents zeros.
    Constant contents_of(const FileTensor& tensor, const Scope& scope) const;

    Resources& resources() { return resources_; }
    // Does everything in `graph` run once in a run?
    bool at_top(const Graph& graph) const { return &graph == top_ || resources_.first_call; }
    // Subgraph `index` says what variables and tables begin with.
    void call_first(int64_t index, int depth);

   private:
    void add_operators(Scope& scope);
    void finish_variables(Graph& graph);

    const File& file_;
    std::string format_;
    size_t file_size_, operators_left_;
    uint64_t bytes_left_;
    Resources resources_;
    const Graph* top_ = nullptr;
    std::map<std::pair<const Graph*, std::string>, size_t> suffixes_;
};

}  // namespace quern::tflite_format
