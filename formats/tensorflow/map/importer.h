// What is being made of a GraphDef: what results of its nodes stand for, and the importer as rows see it.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "formats/tensorflow/file/frame.h"
#include "formats/tensorflow/file/node_graph.h"

namespace quern::tensorflow_format {

class Library;  // library.h

// What a model takes and gives: results of nodes of the file by the names that users know.
struct Interface {
    struct Port {
        std::string name;
        Ref ref;
        DType dtype = DType::none;  // of an input
        Shape shape = {};
    };
    std::vector<Port> inputs, outputs;
};

// What variables hold, by the node that gives their handle.
struct VariableContent {
    std::string name;  // for users
    std::function<Tensor()> read;
};
using VariableContents = std::map<std::string, VariableContent, std::less<>>;

// A graph of the file, or a part of it, that is being added to a frame.
struct Scope {
    Frame& frame;
    const NodeGraph& from;
    std::string prefix;                                 // of names
    int depth = 0;                                      // of functions
    const Scope* around = nullptr;                      // of the same graph, where a body is made of a part of it (TensorFlow 1)
    std::map<Ref, size_t> sides = {};                   // which output of Switches on that condition is alive here
    std::map<size_t, std::vector<Bound>> results = {};  // by node
    std::vector<size_t> order = {};                     // of the nodes that are being added
};

class Importer {
   public:
    Importer(Library& library, const VariableContents& variables, size_t file_size);
    Graph run(const Interface& interface);

    // Counts constants that operators stand for; throws Exit::unsupported beyond a bound.
    void spend(uint64_t bytes);
    uint64_t bytes_left() const { return bytes_left_; }
    // nullptr: the node was not added yet.
    const std::vector<Bound>* find(const Scope& scope, size_t node) const;
    const Bound& read(const Scope& scope, Ref ref) const;
    // What results are, with all that they are computed of added to the scope's frame.
    std::vector<Bound> evaluate(Scope& scope, std::span<const Ref> results, std::span<const size_t> effects = {});
    // The results of a function of the file, added to `frame`.
    std::vector<Bound> call(Frame& frame, const std::string& function, const std::vector<Bound>& arguments, const std::string& prefix,
                            int depth);
    const NodeGraph& function(const std::string& name);

    // ---- variables ----
    Bound read_variable(const std::string& handle, DType dtype);  // none: of any type
    void assign_variable(const Frame& frame, const std::string& handle, ValueId value);

   private:
    struct Variable {
        ValueId first = ValueId::none, state = ValueId::none;  // in the model's own graph
        ValueId now = ValueId::none;
        bool assigned = false;
    };
    std::vector<size_t> order_of(const Scope& scope, std::span<const size_t> roots) const;
    std::vector<size_t> needs(const Scope& scope, size_t node) const;
    void add_node(Scope& scope, size_t node);
    void add_inputs(Scope& scope, const Interface& interface);
    void finish_outputs(Scope& scope, const Interface& interface, const std::vector<Bound>& outputs);
    void finish_variables();

    Library& library_;
    const VariableContents& contents_;
    uint64_t bytes_left_;
    size_t nodes_left_;
    Frame* top_ = nullptr;
    bool assigns_ = false;
    std::map<std::string, Variable> variables_;
};

}  // namespace quern::tensorflow_format
