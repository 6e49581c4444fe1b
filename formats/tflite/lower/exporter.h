// A File that is being made of a Graph: values become tensors, and operators are added.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "formats/tflite/file/file.h"
#include "libcore/graph/graph.h"

namespace quern::tflite_format {

// One graph that is being written as a subgraph.
struct ExportScope {
    const Graph& graph;
    size_t subgraph;  // of the file
    std::vector<std::vector<Use>> uses;
    std::map<ValueId, int64_t> tensors = {};                 // of values
    std::map<ValueId, int64_t> real_tensors = {};            // of encoded values as real numbers
    std::set<NodeId> done = {};                              // nodes that were written with the one before
    std::vector<std::pair<int64_t, ValueId>> assigned = {};  // handles of variables, and what they get at the end
    std::set<std::string> names = {};                        // of tensors
};

class Exporter {
   public:
    // `hybrid`: products of real numbers and codes are computed on codes, as the arithmetic of the model's own files has it.
    explicit Exporter(std::string format, bool hybrid) : format_(std::move(format)), hybrid_(hybrid) {}

    const std::string& format() const { return format_; }
    bool hybrid() const { return hybrid_; }
    // Products that are hybrid though only their weights were to be codes.
    size_t& rounded() { return rounded_; }
    File& file() { return file_; }
    Subgraph& subgraph(const ExportScope& scope) { return file_.subgraphs[scope.subgraph]; }
    // The tensor of a value in its own encoding.
    int64_t tensor(ExportScope& scope, ValueId id);
    // A name that another tensor has gets a number: some readers go by names.
    int64_t add_tensor(ExportScope& scope, FileTensor tensor);
    // Constants of `made`, with what they are, that an operator reads are named after its result, and are in `made` no longer.
    void name_after(ExportScope& scope, std::vector<std::pair<int64_t, std::string>>& made, const Ints& in, const Ints& out);
    // A constant; scales of blocks are tensors of their own, or inside one of ggml's types.
    int64_t add_constant(ExportScope& scope, const std::string& name, const Tensor& contents, const std::optional<Encoding>& encoding);
    void add_operator(ExportScope& scope, Code code, Ints in, Ints out, Attrs options = {}, Ints intermediates = {});

    // ---- bodies: a subgraph is opened, gets inputs, operators and outputs ----
    ExportScope open_body(const std::string& name, const Graph& body);
    void add_input(ExportScope& scope, int64_t tensor) { subgraph(scope).inputs.push_back(tensor); }
    void add_output(ExportScope& scope, int64_t tensor) { subgraph(scope).outputs.push_back(tensor); }
    // The tensor by which a body sees a value of the graph around it: encoded as there, and recoded where the body has it otherwise.
    int64_t seen(ExportScope& scope, ValueId outer, const Graph& around);
    // The tensor of a body's result in the encoding that the graph around it has for it.
    int64_t given(ExportScope& scope, ValueId id, const std::optional<Encoding>& wanted);

   private:
    std::string format_;
    bool hybrid_;
    size_t rounded_ = 0;
    File file_;
};

// A tensor without contents for numbers of this type and encoding.
FileTensor tensor_of(const std::string& name, const Type& type, const std::optional<Encoding>& encoding);
// A constant without blocks.
FileTensor tensor_of(const std::string& name, const Tensor& contents, const std::optional<Encoding>& encoding);

// The version of an operator by the types of its operands.
int version_of(const FileOperator& op, const Subgraph& graph);

}  // namespace quern::tflite_format
