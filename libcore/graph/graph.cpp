#include "libcore/graph/graph.h"

#include <fmt/format.h>

#include <algorithm>

#include "libcore/base/text.h"
#include "libcore/graph/block_encoding.h"

namespace quern {
namespace {

template <class T>
bool identical_items(const T& a, const T& b) {
    if constexpr (std::is_same_v<T, Tensor>) {
        return identical(a, b);
    } else if constexpr (std::is_same_v<T, std::vector<Tensor>>) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Tensor& x, const Tensor& y) { return identical(x, y); });
    } else {
        return a == b;
    }
}

}  // namespace

Bodies::Bodies() = default;
Bodies::Bodies(Bodies&& other) noexcept = default;
Bodies& Bodies::operator=(Bodies&& other) noexcept = default;
Bodies::~Bodies() = default;
Bodies::Bodies(const Bodies& other) {
    for (const Graph& body : other) list_.push_back(std::make_unique<Graph>(body));
}
Bodies& Bodies::operator=(const Bodies& other) { return *this = Bodies(other); }
Graph& Bodies::push_back(Graph&& body) { return *list_.emplace_back(std::make_unique<Graph>(std::move(body))); }

bool identical(const Attr& a, const Attr& b) {
    if (a.index() != b.index()) return false;
    return std::visit([&](const auto& item) { return identical_items(item, std::get<std::decay_t<decltype(item)>>(b)); }, a);
}

bool identical(const Attrs& a, const Attrs& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const auto& x, const auto& y) { return x.first == y.first && identical(x.second, y.second); });
}

Graph::Graph() = default;  // here and not in the header: each file that sees a graph would make the parts of all nodes anew
Graph::~Graph() = default;
Graph::Graph(Graph&&) = default;
Graph& Graph::operator=(Graph&&) = default;

Graph::Graph(const Graph& other)
    : name(other.name),
      inputs(other.inputs),
      outputs(other.outputs),
      metadata(other.metadata),
      captures(other.captures),
      values_(other.values_),
      order_(other.order_),
      by_name_(other.by_name_),
      nodes_by_name_(other.nodes_by_name_),
      holders_(other.holders_) {
    lists();  // also of a graph without nodes
    nodes_.reserve(other.nodes_.size());
    for (const auto& node : other.nodes_) {
        nodes_.push_back(std::make_unique<Node>(*node));
        if (!node->erased) nodes_.back()->in.attach(lists(), static_cast<NodeId>(nodes_.size() - 1));
    }
}

UseLists& Graph::lists() {
    if (!uses_) {
        uses_ = std::make_unique<UseLists>();
        for (size_t i = 0; i < values_.size(); ++i) uses_->add_value();
    }
    return *uses_;
}

Graph& Graph::operator=(const Graph& other) {
    if (this != &other) *this = Graph(other);
    return *this;
}

ValueId Graph::add_value(std::string name, Type type) {
    const auto id = static_cast<ValueId>(values_.size());
    if (!by_name_.emplace(name, id).second) throw bug("value \"{}\" exists twice", escape(name));
    Value value;
    value.name = std::move(name);
    value.type = std::move(type);
    lists().add_value();
    values_.push_back(std::move(value));
    return id;
}

ValueId Graph::add_constant(const std::string& name, const Tensor& tensor) {
    const ValueId id = add_value(unique_name(name), Type::tensor(tensor.dtype, Shape::of(tensor.dims)));
    value(id).data = tensor.data;
    return id;
}

NodeId Graph::add_node(const Op* op, std::string name, std::vector<ValueId> in, std::vector<ValueId> out, Attrs attrs, NodeId before) {
    const auto id = static_cast<NodeId>(nodes_.size());
    auto node = std::make_unique<Node>();
    node->op = op;
    node->name = std::move(name);
    node->in = std::move(in);
    node->out = std::move(out);
    node->attrs = std::move(attrs);
    for (const ValueId value_id : node->out)
        if (value_id != ValueId::none) value(value_id).producer = id;
    node->in.attach(lists(), id);
    nodes_by_name_.emplace(node->name, id);
    nodes_.push_back(std::move(node));
    order_.insert(id, before);
    return id;
}

template <class Fn>
void Graph::each_producer(NodeId id, const Fn& fn) const {
    const auto ask = [&](ValueId value_id) {
        if (value_id != ValueId::none && value(value_id).producer != NodeId::none) fn(value(value_id).producer);
    };
    for (const ValueId in : node(id).in) ask(in);
    for (const Graph& body : node(id).bodies)
        for (const Capture& capture : body.captures) ask(capture.outer);
}

bool Graph::sorted() const {
    std::vector<bool> done(nodes_.size(), false);
    for (const NodeId id : order()) {
        bool ready = true;
        each_producer(id, [&](NodeId producer) { ready = ready && done[index_of(producer)]; });
        if (!ready) return false;
        done[index_of(id)] = true;
    }
    return true;
}

std::vector<NodeId> Graph::topo() const {
    if (sorted()) return order();
    // Depth-first in program order, so that what is already topological stays as it is.
    enum : char { unseen, open, done };
    std::vector<char> state(nodes_.size(), unseen);
    std::vector<NodeId> out;
    out.reserve(order().size());
    struct Frame {
        NodeId id;
        std::vector<NodeId> inputs;
        size_t next = 0;
    };
    const auto producers = [&](NodeId id) {
        std::vector<NodeId> found;
        each_producer(id, [&](NodeId producer) { found.push_back(producer); });
        return found;
    };
    for (const NodeId root : order()) {
        if (state[index_of(root)] != unseen) continue;
        std::vector<Frame> stack;
        state[index_of(root)] = open;
        stack.push_back({root, producers(root)});
        while (!stack.empty()) {
            Frame& top = stack.back();
            if (top.next == top.inputs.size()) {
                state[index_of(top.id)] = done;
                out.push_back(top.id);
                stack.pop_back();
                continue;
            }
            const NodeId input = top.inputs[top.next++];
            if (state[index_of(input)] == open) throw bad_input("the graph has a cycle through node \"{}\"", escape(node(input).name));
            if (state[index_of(input)] == done) continue;
            state[index_of(input)] = open;
            stack.push_back({input, producers(input)});
        }
    }
    return out;
}

void Graph::sort() { order_.set(topo()); }

ValueId Graph::find(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? ValueId::none : found->second;
}

NodeId Graph::find_node(std::string_view name) const {
    auto [at, end] = nodes_by_name_.equal_range(name);
    NodeId found = NodeId::none;
    for (; at != end; ++at)
        if (!node(at->second).erased && node(at->second).name == name) found = std::min(found, at->second);
    return found;
}

std::string Graph::unique_name(std::string_view wish) const {
    std::string name(wish);
    for (int i = 1; by_name_.contains(name); ++i) name = fmt::format("{}_{}", wish, i);
    return name;
}

std::string Graph::unique_node_name(std::string_view wish) const {
    std::string name(wish);
    for (int i = 1; find_node(name) != NodeId::none; ++i) name = fmt::format("{}_{}", wish, i);
    return name;
}

void Graph::rename(ValueId id, std::string name) {
    if (value(id).name == name) return;
    if (!by_name_.emplace(name, id).second) throw bug("value \"{}\" exists already", escape(name));
    by_name_.erase(value(id).name);
    value(id).name = std::move(name);
}

void Graph::rename(NodeId id, std::string name) {
    auto [at, end] = nodes_by_name_.equal_range(node(id).name);
    const auto old = std::find_if(at, end, [&](const auto& item) { return item.second == id; });
    if (old != end) nodes_by_name_.erase(old);
    nodes_by_name_.emplace(name, id);
    node(id).name = std::move(name);
}

std::vector<std::vector<Use>> Graph::all_uses() const {
    std::vector<std::vector<Use>> out(values_.size());
    for (const NodeId id : order()) {
        const Node& n = node(id);
        for (size_t i = 0; i < n.in.size(); ++i)
            if (n.in[i] != ValueId::none) out[index_of(n.in[i])].push_back({id, static_cast<int>(i)});
        for (size_t b = 0; b < n.bodies.size(); ++b)
            for (const Capture& capture : n.bodies[b].captures) out[index_of(capture.outer)].push_back({id, -1 - static_cast<int>(b)});
    }
    for (size_t i = 0; i < outputs.size(); ++i) out[index_of(outputs[i])].push_back({NodeId::none, static_cast<int>(i)});
    return out;
}

NodeId Graph::only_reader(ValueId id) const {
    if (uses_->of(id).size() != 1) return NodeId::none;
    const std::vector<Use> all = uses(id);
    return only_use(all) ? all[0].node : NodeId::none;
}

std::vector<Use> Graph::uses(ValueId id) const {
    std::vector<Use> out = uses_->of(id);
    for (const NodeId holder : holders_) {
        const Node& n = node(holder);
        for (size_t b = 0; b < n.bodies.size() && !n.erased; ++b)
            for (const Capture& capture : n.bodies[b].captures)
                if (capture.outer == id) out.push_back({holder, -1 - static_cast<int>(b)});
    }
    for (size_t i = 0; i < outputs.size(); ++i)
        if (outputs[i] == id) out.push_back({NodeId::none, static_cast<int>(i)});
    return out;
}

void Graph::replace_uses(ValueId from, ValueId to, bool keep_outputs) {
    for (const Use& use : std::vector<Use>(uses_->of(from))) node(use.node).in[static_cast<size_t>(use.index)] = to;
    for (const NodeId holder : holders_)
        for (Graph& body : node(holder).bodies)
            for (Capture& capture : body.captures)
                if (capture.outer == from) capture.outer = to;
    if (!keep_outputs) std::replace(outputs.begin(), outputs.end(), from, to);
}

void Graph::check_lists() const {
    UseLists searched;
    for (size_t i = 0; i < values_.size(); ++i) searched.add_value();
    for (const NodeId id : order()) {
        const Node& n = node(id);
        for (size_t i = 0; i < n.in.size(); ++i) searched.add(n.in[i], {id, static_cast<int>(i)});
        if (!n.bodies.empty() && std::find(holders_.begin(), holders_.end(), id) == holders_.end())
            throw bug("node \"{}\" is not listed as one with bodies", escape(n.name));
        if (find_node(n.name) == NodeId::none) throw bug("node \"{}\" is not found by its name", escape(n.name));
    }
    for (size_t i = 0; i < values_.size(); ++i)
        if (const auto id = static_cast<ValueId>(i); searched.of(id) != uses_->of(id))
            throw bug("value \"{}\" has {} readers, {} are listed", escape(values_[i].name), searched.of(id).size(), uses_->of(id).size());
}

void Graph::erase(NodeId id) {
    Node& n = node(id);
    for (const ValueId out : n.out)
        if (out != ValueId::none && value(out).producer == id) value(out).producer = NodeId::none;
    n.in.detach();
    n.erased = true;
    order_.erase(id);
}

void Graph::erase(ValueId id) {
    Value& v = value(id);
    by_name_.erase(v.name);
    v.erased = true;
    v.data.reset();
    v.enc.reset();
}

bool Graph::is_input(ValueId id) const { return std::find(inputs.begin(), inputs.end(), id) != inputs.end(); }
bool Graph::is_output(ValueId id) const { return std::find(outputs.begin(), outputs.end(), id) != outputs.end(); }

Dims stored_dims(const Value& constant) {
    const Dims dims = *constant.type.shape.concrete();
    return constant.enc ? stored_dims(dims, *constant.enc) : dims;
}

std::optional<Tensor> Graph::constant(ValueId id) const {
    if (id == ValueId::none || !value(id).constant()) return std::nullopt;
    const Value& v = value(id);
    auto dims = v.type.shape.concrete();
    if (!dims) throw bug("constant \"{}\" has no fixed shape", escape(v.name));
    if (v.data->empty() && count_of(*dims) != 0) throw bad_input("the data of \"{}\" are not here: a kernel holds them", escape(v.name));
    return aligned({v.storage(), stored_dims(v), *v.data});
}

Graph& Graph::add_body(NodeId id, std::string attribute, Graph body) {
    Node& n = node(id);
    n.body_names.push_back(std::move(attribute));
    holds_bodies(id);
    return n.bodies.push_back(std::move(body));
}

void Graph::holds_bodies(NodeId id) {
    if (std::find(holders_.begin(), holders_.end(), id) == holders_.end()) holders_.push_back(id);
}

}  // namespace quern
