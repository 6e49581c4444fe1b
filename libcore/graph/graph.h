// Graph: values and nodes in program order. Passes, readers, writers and the executor all work on this one form.
//
// Ids are stable: erasing leaves a hole, nothing is renumbered until compact(). Value names are unique within a graph and its
// bodies' keys are "node/body/name". Program order is a valid topological order after verify().
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "libcore/base/bytes.h"
#include "libcore/graph/attrs.h"
#include "libcore/graph/bodies.h"
#include "libcore/graph/encoding.h"
#include "libcore/graph/program_order.h"
#include "libcore/graph/type.h"
#include "libcore/graph/uses.h"

namespace quern {

struct Op;
class Graph;

// An operator by name and domain; those of the table come from cmake/op_ids.cmake. Texts alone do not become one.
struct OpId {
    std::string_view name, domain;
    constexpr OpId() = default;
    constexpr explicit OpId(std::string_view own, std::string_view of) : name(own), domain(of) {}
    constexpr bool operator==(const OpId&) const = default;
};

struct Value {
    std::string name;
    Type type;                    // logical: what the value means, also when it is stored as codes
    std::optional<Encoding> enc;  // how it is stored
    std::optional<Bytes> data;    // a constant, already in storage type
    NodeId producer = NodeId::none;
    std::vector<int> permutation;  // of a moved value: dim i here is dim permutation[i] of the source; empty: identity
    bool erased = false;

    bool constant() const { return data.has_value(); }
    DType storage() const { return enc ? enc->storage : type.dtype; }
};

// The dims of a constant's bytes; its shape must be fixed.
Dims stored_dims(const Value& constant);

struct Node {
    const Op* op = nullptr;
    std::string name;
    std::string scope;  // module path of the source model: "/encoder/layer.3/attention/"
    Attrs attrs;
    Operands in;                               // ValueId::none: absent optional
    std::vector<ValueId> out;                  // the same
    Bodies bodies;                             // of If, Loop, Scan, in the order of their attributes' names; see Graph::add_body
    std::vector<std::string> body_names;       // attribute name of each body ("then_branch")
    std::map<std::string, Encoding> internal;  // encodings of intermediates (LSTM gates, cells)
    std::string device;                        // "": undecided
    bool erased = false;

    bool is(OpId id) const;  // defined in op.h
    template <class... More>
    bool is(OpId first, More... more) const {
        return is(first) || is(more...);
    }
};

class Graph {
   public:
    std::string name;
    std::vector<ValueId> inputs, outputs;
    std::map<std::string, std::string> metadata;  // of the model; empty in bodies
    struct Capture {
        ValueId inner;  // a value of this body without producer
        ValueId outer;  // the value of the enclosing graph that it stands for
    };
    std::vector<Capture> captures;  // bodies only

    ValueId add_value(std::string name, Type type);
    // A constant; the name is made unique by a suffix if taken.
    ValueId add_constant(const std::string& name, const Tensor& tensor);
    // Appends to program order, or inserts before `before`. Sets the producer of each output.
    NodeId add_node(const Op* op, std::string name, std::vector<ValueId> in, std::vector<ValueId> out, Attrs attrs = {},
                    NodeId before = NodeId::none);

    Value& value(ValueId id) { return values_[index_of(id)]; }
    const Value& value(ValueId id) const { return values_[index_of(id)]; }
    Node& node(NodeId id) { return *nodes_[index_of(id)]; }
    const Node& node(NodeId id) const { return *nodes_[index_of(id)]; }
    size_t value_count() const { return values_.size(); }  // ids below this, erased ones included
    size_t node_count() const { return nodes_.size(); }

    const std::vector<NodeId>& order() const { return order_.ids(); }  // live nodes in program order
    std::vector<NodeId> topo() const;  // stable topological order; throws Exit::bad_input on a cycle, naming a node of it
    void sort();                       // makes program order topological

    ValueId find(std::string_view name) const;             // none if there is no such value
    NodeId find_node(std::string_view name) const;         // the live node of that name, or none
    std::string unique_name(std::string_view wish) const;  // for values
    std::string unique_node_name(std::string_view wish) const;
    void rename(ValueId id, std::string name);  // the name must be free
    void rename(NodeId id, std::string name);   // the only way to change a node's name: find_node() goes by an index

    // In the order of node ids and inputs, then captures, then graph outputs; from lists, without a search.
    std::vector<Use> uses(ValueId id) const;
    // uses of every value, indexed by value id, as a search through the graph finds them in program order.
    std::vector<std::vector<Use>> all_uses() const;
    // The node that alone reads `id`, once, as an input; none if there are other uses or none at all.
    NodeId only_reader(ValueId id) const;
    // Every use of `from` (inputs, captures, graph outputs unless keep_outputs) becomes a use of `to`.
    void replace_uses(ValueId from, ValueId to, bool keep_outputs = false);

    void erase(NodeId id);   // outputs lose their producer; they are not erased
    void erase(ValueId id);  // must have no uses and no producer

    bool is_input(ValueId id) const;
    bool is_output(ValueId id) const;
    // The constant behind `id` as stored (codes if encoded); nullopt if it is none or absent.
    std::optional<Tensor> constant(ValueId id) const;

    // A body of a node, fresh or given.
    Graph& add_body(NodeId id, std::string attribute, Graph body = {});
    void holds_bodies(NodeId id);  // bodies were put into the node by other means: captures count as uses

    void check_lists() const;  // throws a bug if use lists or names of nodes are not what a search finds

   private:
    UseLists& lists();
    template <class Fn>
    void each_producer(NodeId id, const Fn& fn) const;  // of the values that a node and its bodies read
    bool sorted() const;

    std::deque<Value> values_;
    std::vector<std::unique_ptr<Node>> nodes_;
    ProgramOrder order_;
    struct TextHash {  // finds a view in a map of strings without making a string of it
        using is_transparent = void;
        size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
    };
    std::unordered_map<std::string, ValueId, TextHash, std::equal_to<>> by_name_;
    std::unordered_multimap<std::string, NodeId, TextHash, std::equal_to<>> nodes_by_name_;  // may name erased nodes
    std::unique_ptr<UseLists> uses_;                                                         // operands point to it
    std::vector<NodeId> holders_;                                                            // nodes with bodies

   public:
    Graph();
    ~Graph();
    Graph(Graph&&);
    Graph& operator=(Graph&&);
    Graph(const Graph& other);
    Graph& operator=(const Graph& other);
};

// Calls fn(graph, path) for `graph` and every body below it; path is "" or "node/body/" and keys facts of that body.
template <class G, class Fn>
void for_each_graph(G& graph, const Fn& fn, const std::string& path = "") {
    fn(graph, path);
    for (const NodeId id : std::vector<NodeId>(graph.order())) {
        auto& node = graph.node(id);
        for (size_t i = 0; i < node.bodies.size(); ++i)
            for_each_graph(node.bodies[i], fn, path + node.name + "/" + node.body_names[i] + "/");
    }
}

}  // namespace quern
