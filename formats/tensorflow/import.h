// From a GraphDef to a Graph: what the outputs are computed of is rewritten by the rows of map/map.h.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/format.h"
#include "formats/tensorflow/graph_def.h"
#include "libcore/graph/step_inference.h"

namespace quern::tensorflow_format {

// A graph of ours that is being added to: the model's own, or a body, whose nodes may read what the graphs around it have.
struct Frame {
    explicit Frame(Graph& of, Frame* around = nullptr) : graph(of), parent(around), types(of) {}
    // A value of this frame or of one around it, as a value of this graph.
    ValueId take(ValueId id, Frame* owner);

    Graph& graph;
    Frame* parent;
    StepInference types;
    std::map<ValueId, ValueId> captures;  // by the value of the parent
};

// A list of tensors is one tensor [length, item...]. What items are may be seen only where one is put in: dims that are not known are 1
// until then.
struct ListItems {
    DType dtype = DType::none;
    Shape shape;  // of an item
};

// What a result of a node stands for.
struct Bound {
    enum class Kind : uint8_t { none, tensor, handle, list };
    Kind kind = Kind::none;
    ValueId id = ValueId::none;
    Frame* frame = nullptr;            // that has it
    std::string handle;                // the variable
    std::shared_ptr<ListItems> items;  // of a list

    static Bound tensor(ValueId id, Frame& frame) { return {Kind::tensor, id, &frame, {}, nullptr}; }
    static Bound variable(std::string name) { return {Kind::handle, ValueId::none, nullptr, std::move(name), nullptr}; }
};

// An input of a node: a result of another.
struct Ref {
    size_t node = 0, out = 0;
};

// Nodes that refer to each other by place: a GraphDef, or a function with its arguments as nodes "_Arg".
struct NodeGraph {
    std::vector<Node> nodes;
    std::vector<std::vector<Ref>> inputs;       // of each node
    std::vector<std::vector<size_t>> controls;  // nodes that run before it
    std::vector<Ref> results;                   // of a function
    std::vector<size_t> effects;                // of a function: nodes that run whatever is read
    std::map<std::string, size_t, std::less<>> by_name;
    size_t arguments = 0;
};

// A graph of the file that is being added to a frame.
struct Scope {
    Frame& frame;
    const NodeGraph& from;
    std::string prefix;  // of names
    int depth = 0;
    std::vector<std::vector<Bound>> results = {};  // of each node
};

class Importer {
   public:
    explicit Importer(size_t file_size);

    // A new value; a name that is taken gets a number behind it.
    ValueId declare(Graph& graph, const std::string& wish, Type type);
    // Counts constants that operators stand for; throws Exit::unsupported beyond a bound.
    void spend(uint64_t bytes);
    Bound& read(Scope& scope, Ref ref);

   private:
    uint64_t bytes_left_;
    size_t nodes_left_;
    std::map<std::pair<const Graph*, std::string>, size_t> suffixes_;
};

}  // namespace quern::tensorflow_format
