// Export: a Graph becomes ONNX messages. The weights of the main graph stay outside of the message and are streamed behind it.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "formats/onnx/tensors.h"
#include "libcore/graph/graph.h"

namespace quern::onnx {
class Attribute;
class Graph;
class Model;
class Node;
}  // namespace quern::onnx

namespace quern::onnx_format {

// A weight of the main graph: everything but its bytes is in `head`.
struct Weight {
    std::string name;
    Tensor tensor;
};

class Exporter {
   public:
    explicit Exporter(int opset) : opset_(opset) { imports_[""] = opset; }

    // `graph` must be in the forms of the opset already (downgrade). The message gets everything but model-level texts.
    // Throws Exit::unsupported for what ONNX cannot say: encodings, moved layouts, operators of our own.
    void run(const Graph& graph, onnx::Model& message);
    const std::vector<Weight>& weights() const { return weights_; }

   private:
    struct Scope {
        const Graph& graph;
        const Scope* parent = nullptr;
        std::vector<std::string> names;  // by value id, unique among all that are visible
    };
    void put_graph(Scope& scope, onnx::Graph& message);
    void name_values(Scope& scope);
    void forget_names(const Scope& scope);
    void put_constants(const Scope& scope, onnx::Graph& message);
    void put_node(const Scope& scope, NodeId id, onnx::Graph& message);
    void put_types(const Scope& scope, onnx::Graph& message);
    void put_outputs(Scope& scope, onnx::Graph& message);
    void put_attributes(const Scope& scope, const Node& node, onnx::Node& message);
    void import_domain(const Op& op);

    int opset_;
    std::map<std::string, int> imports_;
    std::unordered_map<std::string, int> visible_;  // how many values of the enclosing graphs have a name
    std::vector<Weight> weights_;
};

// The parts that need no scope.
void put_attribute(const std::string& name, const Attr& attr, onnx::Attribute& message);

}  // namespace quern::onnx_format
