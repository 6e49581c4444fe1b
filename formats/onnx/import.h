// Import: an ONNX message becomes a Graph - names to values, bodies with captures, functions inlined, constants to data.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "formats/onnx/tensors.h"
#include "libcore/graph/graph.h"

namespace quern::onnx {
class Attribute;
class Function;
class Graph;
class Model;
class Node;
}  // namespace quern::onnx

namespace quern::onnx_format {

using Opsets = std::map<std::string, int>;  // version of each domain, "" for ai.onnx

class Importer {
   public:
    Importer(const onnx::Model& model, TensorSource& tensors);
    Graph run();
    // Declared shapes that disagree with what is computed, a line each.
    const std::vector<std::string>& told() const { return told_; }
    bool spelled_quantizers() const { return !quants_.empty(); }  // of QONNX

   private:
    // The names that are visible at a place, and what they stand for.
    struct Scope {
        Graph& graph;
        Scope* parent = nullptr;  // of the enclosing graph: its values can be captured
        std::unordered_map<std::string, ValueId> names;
        std::string prefix;  // of node and value names that a function brings
        const Opsets* opsets = nullptr;
        std::map<std::string, const onnx::Attribute*> arguments;  // of the function being inlined
        int depth = 0;
        const onnx::Function* function = nullptr;  // being inlined here,
        const Scope* caller = nullptr;             // into this
    };
    struct OldNode {
        Graph* graph;
        NodeId id;
        int version;
    };
    template <class Nodes>
    void import_nodes(const Nodes& nodes, Scope& scope);
    void import_graph(const onnx::Graph& message, Scope& scope);
    void import_constants(const onnx::Graph& message, Scope& scope);
    void import_node(const onnx::Node& message, Scope& scope);
    void count_inlined(const onnx::Node& message, const Scope& scope);
    template <class Nodes>
    size_t nodes_of(const Nodes& nodes, int depth);
    void check_functions();
    bool import_constant_node(const onnx::Node& message, Scope& scope, ValueId out);
    void inline_function(const onnx::Function& function, const onnx::Node& call, Scope& scope);
    void put_properties(const onnx::Node& message, Node& node);
    void put_attributes(const onnx::Node& message, Scope& scope, Graph& graph, NodeId id);
    ValueId resolve(const std::string& name, Scope& scope);
    ValueId declare(const std::string& name, Scope& scope, Type type);
    std::string fresh_node_name(const Graph& graph, const std::string& wish);
    int version_of(const std::string& domain, const Scope& scope) const;
    const onnx::Attribute* argument(const onnx::Attribute& message, const Scope& scope) const;
    void upgrade_typed(Graph& root);
    void place_operands(Graph& root);

    const onnx::Model& model_;
    TensorSource& tensors_;
    Opsets opsets_;
    std::map<std::string, const onnx::Function*> functions_;
    std::map<const onnx::Function*, Opsets> function_opsets_;
    std::vector<OldNode> old_nodes_;
    std::vector<OldNode> quants_;     // of QONNX, to be spelled by what ONNX has when the dims of their operands are known
    std::vector<OldNode> misplaced_;  // their second operand must be moved first, see explicit_broadcast()
    std::unordered_map<const Graph*, std::unordered_map<std::string, size_t>> node_names_;  // taken, and the next suffix to try
    std::unordered_map<const Graph*, std::unordered_map<std::string, size_t>> value_suffixes_;
    std::map<const onnx::Function*, size_t> function_nodes_;  // all that a call brings
    size_t inlined_ = 0;
    uint64_t inlined_bytes_ = 0;
    std::vector<std::string> told_;
};

}  // namespace quern::onnx_format
