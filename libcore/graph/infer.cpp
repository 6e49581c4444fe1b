// Shape and type inference: each row's infer() over the graph in topological order, with shape arithmetic (the numbers of small
// integer tensors, known or symbolic) carried along and bodies entered with the types of their captures.
#include <map>

#include "libcore/base/few.h"
#include "libcore/base/notice.h"
#include "libcore/base/text.h"
#include "libcore/graph/declared_types.h"
#include "libcore/graph/known_numbers.h"
#include "libcore/graph/op.h"
#include "libcore/graph/step_inference.h"
#include "libcore/graph/summary.h"

namespace quern {
namespace {

constexpr int64_t dims_value_limit = 64;  // shape arithmetic follows tensors of at most this many elements

// A shape with what only the declared one says; nullopt: they disagree.
std::optional<Shape> merged(const Shape& declared, const Shape& inferred) {
    if (!inferred.ranked || !declared.ranked) return inferred.ranked ? inferred : declared;
    if (inferred.rank() != declared.rank()) return std::nullopt;
    Shape shape = inferred;
    for (size_t i = 0; i < shape.rank(); ++i) {
        const Dim& wish = declared.dims[i];
        if (wish.known() && shape.dims[i].known() && wish != shape.dims[i]) return std::nullopt;
        if (!shape.dims[i].known() && (wish.known() || shape.dims[i].symbol.empty())) shape.dims[i] = wish;
    }
    return shape;
}

}  // namespace

class Inference {
   public:
    // `told`: where a declared shape that disagrees is told, which is an error without it.
    explicit Inference(Graph& graph, NumbersOfGraphs* numbers = nullptr, std::vector<std::string>* told = nullptr)
        : graph_(graph), numbers_(numbers), told_(told) {}
    void run();
    void infer_node(NodeId id);
    const std::vector<Dim>* dims_value(ValueId id);
    std::map<ValueId, std::vector<Dim>> dims_values;

   private:
    friend class Ctx;
    void keep_numbers();
    Type merged(const Value& declared, const Type& inferred) const;
    Graph& graph_;
    NumbersOfGraphs* numbers_;  // nullptr: nobody asks
    std::vector<std::string>* told_;
    std::map<ValueId, Tensor> constants_;
};

class Ctx : public InferCtx {
   public:
    Ctx(Inference& inference, Node& node) : InferCtx(node), inference_(inference), graph_(inference.graph_), mutable_node_(node) {}

    size_t in_count() const override { return node().in.size(); }
    size_t out_count() const override { return node().out.size(); }
    bool has_in(size_t i) const override { return i < node().in.size() && node().in[i] != ValueId::none; }
    const Type& in(size_t i) const override {
        if (!has_in(i)) throw bad_input("input {} is missing", i);
        return graph_.value(node().in[i]).type;
    }
    const Tensor* constant(size_t i) const override {
        if (!has_in(i) || graph_.value(node().in[i]).enc) return nullptr;
        const ValueId id = node().in[i];
        auto tensor = graph_.constant(id);
        if (!tensor) return nullptr;
        return &inference_.constants_.insert_or_assign(id, std::move(*tensor)).first->second;
    }
    const std::vector<Dim>* dims_value(size_t i) const override { return has_in(i) ? inference_.dims_value(node().in[i]) : nullptr; }
    void set(size_t i, Type type) override {
        if (i >= node().out.size() || node().out[i] == ValueId::none) return;
        Value& value = graph_.value(node().out[i]);
        value.type = inference_.merged(value, type);
    }
    void set_dims_value(size_t i, std::vector<Dim> dims) override {
        if (i < node().out.size() && node().out[i] != ValueId::none) inference_.dims_values[node().out[i]] = std::move(dims);
    }
    std::vector<Type> infer_body(size_t b, std::span<const Type> inputs) override;

   private:
    Inference& inference_;
    Graph& graph_;
    Node& mutable_node_;
};

// What declared and inferred types say together.
Type Inference::merged(const Value& value, const Type& inferred) const {
    const Type& declared = value.type;
    if (declared.kind != Type::Kind::tensor || inferred.kind != Type::Kind::tensor)
        return inferred.kind == Type::Kind::tensor && inferred.dtype == DType::none ? declared : inferred;
    if (declared.dtype == DType::none) return inferred;
    if (inferred.dtype == DType::none && !inferred.shape.ranked) return declared;
    if (inferred.dtype != DType::none && declared.dtype != inferred.dtype)
        throw bad_input("value \"{}\" is declared {} but computed as {}", escape(value.name), name_of(declared.dtype),
                        name_of(inferred.dtype));
    if (auto shape = quern::merged(declared.shape, inferred.shape)) return Type::tensor(declared.dtype, std::move(*shape));
    const std::string what = fmt::format("value \"{}\" is declared {} but computed as {}", escape(value.name), to_string(declared),
                                         to_string(Type::tensor(declared.dtype, inferred.shape)));
    if (!told_) throw bad_input("{}", what);
    told_->push_back(what + ", which counts");
    return Type::tensor(declared.dtype, inferred.shape);
}

const std::vector<Dim>* Inference::dims_value(ValueId id) {
    if (const auto found = dims_values.find(id); found != dims_values.end()) return &found->second;
    const Value& value = graph_.value(id);
    if (!value.constant() || value.enc || value.type.shape.rank() > 1) return nullptr;
    if (value.type.dtype != DType::i64 && value.type.dtype != DType::i32) return nullptr;
    const auto tensor = graph_.constant(id);
    if (tensor->count() > dims_value_limit) return nullptr;
    std::vector<Dim> dims;
    for (const int64_t item : to_ints(*tensor)) dims.push_back(item < 0 ? negative_dim(item) : Dim::of(item));
    return &(dims_values[id] = std::move(dims));
}

std::vector<Type> Ctx::infer_body(size_t b, std::span<const Type> inputs) {
    Graph& body = mutable_node_.bodies.at(b);
    Inference inner(body, inference_.numbers_, inference_.told_);
    for (size_t i = 0; i < inputs.size() && i < body.inputs.size(); ++i) {
        Value& value = body.value(body.inputs[i]);
        value.type = inner.merged(value, inputs[i]);
    }
    for (const Graph::Capture& capture : body.captures) {
        body.value(capture.inner).type = graph_.value(capture.outer).type;
        if (const auto* dims = inference_.dims_value(capture.outer)) inner.dims_values[capture.inner] = *dims;
    }
    inner.run();
    std::vector<Type> out;
    for (const ValueId id : body.outputs) out.push_back(body.value(id).type);
    return out;
}

void Inference::infer_node(NodeId id) {
    Node& node = graph_.node(id);
    if (!node.op->infer) return;
    Ctx ctx(*this, node);
    at_node(node, [&] { node.op->infer(ctx); });
}

void Inference::run() {
    for (const NodeId id : graph_.topo()) infer_node(id);
    if (numbers_) keep_numbers();
}

std::optional<std::vector<int64_t>> all_known(const std::vector<Dim>& dims) {
    std::vector<int64_t> numbers;
    for (const Dim& dim : dims) {
        const auto number = dim.known() ? std::optional(dim.value) : negative_number(dim);
        if (!number) return std::nullopt;
        numbers.push_back(*number);
    }
    return numbers;
}

// Of a body that is entered again, what was found last.
void Inference::keep_numbers() {
    KnownNumbers& known = (*numbers_)[&graph_];
    known.clear();
    for (const auto& [id, dims] : dims_values)
        if (graph_.value(id).producer != NodeId::none)
            if (auto numbers = all_known(dims)) known.emplace(id, std::move(*numbers));
}

void infer_types(Graph& graph) { Inference(graph).run(); }

void infer_declared_types(Graph& graph, std::vector<std::string>& told) { Inference(graph, nullptr, &told).run(); }

void say_told(const std::string& file, std::vector<std::string> told) {
    for (const std::string& line : few_of(std::move(told))) say_notice(fmt::format("{}: {}", file, line));
}

NumbersOfGraphs infer_numbers(Graph& graph) {
    NumbersOfGraphs numbers;
    Inference(graph, &numbers).run();
    return numbers;
}

class StepInference::Impl : public Inference {
   public:
    using Inference::Inference;
};

StepInference::StepInference(Graph& graph) : impl_(std::make_unique<Impl>(graph)) {}
StepInference::~StepInference() = default;

void StepInference::add(NodeId id) { impl_->infer_node(id); }

std::optional<std::vector<int64_t>> StepInference::numbers(ValueId id) const {
    const std::vector<Dim>* dims = impl_->dims_value(id);
    return dims ? all_known(*dims) : std::nullopt;
}

void StepInference::carry(ValueId inner, const StepInference& from, ValueId outer) {
    if (const std::vector<Dim>* dims = from.impl_->dims_value(outer)) impl_->dims_values[inner] = *dims;
}

}  // namespace quern
