// CompiledGraph: the Program of one graph or body. Steps in order, each with its kernel; values are slots of a frame.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "libcore/exec/choose.h"

namespace quern {

class CompiledGraph;

// A group of nodes to run. Slots are value ids of the compiled graph.
struct Step : Group {
    std::string path;           // "node/body/" of the graph it is in
    std::vector<ValueId> dies;  // values whose last use this is
    std::vector<std::unique_ptr<CompiledGraph>> bodies;
    const Node& first() const { return *nodes.front(); }
    const Node& last() const { return *nodes.back(); }
    // Does the reference of its nodes get numbers? That of a table is what it was filled by.
    bool reads_numbers() const { return how == StepArithmetic::real || how == StepArithmetic::table; }
    std::string kernel_name() const {
        return kernel ? kernel->name() : lookup ? "lookup" : how == StepArithmetic::profile ? "profile" : "reference";
    }
};

class CompiledGraph : public Program {
   public:
    CompiledGraph(Graph graph, const CompileOptions& options, std::string path, const Recorded* recorded = nullptr);
    // A program from its graph() and what record() (record.h) gave, those of another process: nothing is packed, folded or inferred. The
    // graph must be verified with its held values as further inputs, which are none any more here; a record that does not fit it is
    // refused.
    static std::shared_ptr<const CompiledGraph> restore(Graph graph, const CompileOptions& options, const Recorded& recorded);
    std::span<const Type> input_types() const override { return input_types_; }
    std::span<const std::string> input_names() const override { return input_names_; }
    std::span<const std::string> output_names() const override { return output_names_; }
    std::vector<Choice> choices() const override;

    const Graph& graph() const { return graph_; }
    const CompileOptions& options() const { return options_; }
    const std::string& path() const { return path_; }
    std::span<const Step> steps() const { return steps_; }
    // The constants of the graph that steps read, in the form that they want: codes in integer runs, else real numbers. Those that kernels
    // hold are not among them: constant() has them for a reference that takes a kernel's place.
    std::span<const std::pair<ValueId, Tensor>> constants() const { return constants_; }
    // Makes kernels ready, side by side, for inputs of the declared shapes; what is not fixed, or fails, is left to the first run.
    void warm(ThreadPool& pool) const;
    // Values that somebody reads beside the kernels that hold them.
    std::set<ValueId> read_values() const;
    // Memory plans of another process, for sessions to begin with.
    std::span<const MemoryLayout> layouts() const { return layouts_; }
    // Are the shapes of all values known, and no bodies there that could run any number of times?
    bool has_fixed_shapes() const;
    // Is the value held as codes?
    bool encoded(ValueId id) const {
        const Value& value = graph_.value(id);
        return value.enc && (options_.mode == Mode::integer || value.constant());
    }

   private:
    bool keeps_codes(ValueId id) const;
    void add_steps(const Recorded* recorded);
    void check_held() const;
    void check_sizes() const;
    void decode_constants();
    void add_constants();
    void find_deaths();

    Graph graph_;
    CompileOptions options_;
    std::string path_;
    std::vector<Type> input_types_;
    std::vector<std::string> input_names_, output_names_;
    std::vector<Step> steps_;
    std::vector<std::pair<ValueId, Tensor>> constants_;
    std::vector<MemoryLayout> layouts_;
};

}  // namespace quern
