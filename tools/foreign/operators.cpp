#include "tools/foreign/operators.h"

#include <map>

#include "formats/native/native.h"
#include "libcore/backend/custom_op.h"
#include "libcore/backend/guard.h"
#include "libcore/backend/shared_tensors.h"
#include "libcore/base/json.h"
#include "libcore/os/descriptors.h"
#include "libcore/os/io.h"

namespace quern {
namespace {

// The node of a request, with the graph that it is in.
struct Asked {
    explicit Asked(int memory) : graph(native_format::read(map_descriptor(memory, "node"), "node").graph) {
        if (graph.order().size() != 1) throw unsupported("a request has {} nodes", graph.order().size());
    }
    const Node& node() const { return graph.node(graph.order()[0]); }
    const Value* value(ValueId id) const { return id == ValueId::none ? nullptr : &graph.value(id); }
    const Value* in(size_t i) const { return i < node().in.size() ? value(node().in[i]) : nullptr; }
    const Value* out(size_t i) const { return i < node().out.size() ? value(node().out[i]) : nullptr; }
    Graph graph;
};

class Inference : public InferCtx {
   public:
    explicit Inference(const Asked& asked) : InferCtx(asked.node()), asked_(asked) {
        for (size_t i = 0; i < in_count(); ++i)
            if (const Value* value = asked.in(i); value && value->constant()) constants_[i] = *asked.graph.constant(node().in[i]);
    }
    size_t in_count() const override { return node().in.size(); }
    size_t out_count() const override { return node().out.size(); }
    bool has_in(size_t i) const override { return asked_.in(i) != nullptr; }
    const Type& in(size_t i) const override {
        if (!has_in(i)) throw bad_input("input {} is missing", i);
        return asked_.in(i)->type;
    }
    const Tensor* constant(size_t i) const override {
        const auto found = constants_.find(i);
        return found == constants_.end() ? nullptr : &found->second;
    }
    const std::vector<Dim>* dims_value(size_t) const override { return nullptr; }
    void set(size_t i, Type type) override { types[i] = std::move(type); }
    void set_dims_value(size_t, std::vector<Dim>) override {}
    std::vector<Type> infer_body(size_t b, std::span<const Type>) override { throw unsupported("has no body {}", b); }

    std::map<size_t, Type> types;

   private:
    const Asked& asked_;
    std::map<size_t, Tensor> constants_;
};

class Evaluation : public EvalCtx {
   public:
    Evaluation(const Asked& asked, std::map<size_t, Stored> inputs) : EvalCtx(asked.node()), asked_(asked), inputs_(std::move(inputs)) {}
    size_t in_count() const override { return node().in.size(); }
    size_t out_count() const override { return node().out.size(); }
    const Tensor* in(size_t i) const override {
        const auto found = inputs_.find(i);
        return found == inputs_.end() ? nullptr : &found->second.tensor;
    }
    bool wants(size_t i) const override { return asked_.out(i) != nullptr; }
    std::byte* out(size_t i, DType dtype, Dims dims) override {
        MutableBytes bytes(storage_size(dtype, static_cast<uint64_t>(count_of(dims))));
        std::byte* memory = bytes.data();
        results[i] = {dtype, std::move(dims), std::move(bytes).freeze()};
        return memory;
    }
    void give(size_t i, Tensor tensor) override { results[i] = std::move(tensor); }
    const Encoding* in_encoding(size_t i) const override {
        const auto found = inputs_.find(i);
        return found == inputs_.end() || !found->second.encoding ? nullptr : &*found->second.encoding;
    }
    const Encoding* out_encoding(size_t i) const override {
        const Value* value = asked_.out(i);
        return value && value->enc ? &*value->enc : nullptr;
    }
    std::vector<Tensor> run_body(size_t b, std::span<const Tensor>) override { throw unsupported("has no body {}", b); }
    uint64_t seed() const override { return 0; }

    std::map<size_t, Tensor> results;

   private:
    const Asked& asked_;
    std::map<size_t, Stored> inputs_;
};

}  // namespace

Json open_operators(const JsonView& request) {
    Json list = Json::array();
    const auto ops = [&] {
        const ForeignCall watched("load");
        return open_ops(request["path"].text());
    }();
    for (const OpFacts& facts : facts_of(ops)) list.push_back(to_json(facts));
    register_custom_ops(ops);
    return list;
}

Json infer_operator(ReceivedDescriptors& descriptors) {
    const Descriptor node(descriptors.take(0)), types(descriptors.take(1));
    const Asked asked(node.fd);
    Inference inference(asked);
    asked.node().op->infer(inference);
    Json outputs = Json::array();
    Model model;
    for (const auto& [index, type] : inference.types) {
        outputs.push_back(index);
        model.graph.inputs.push_back(model.graph.add_value(std::to_string(index), type));
    }
    OutputFile file([&](const void* data, size_t size) { write_all(types.fd, static_cast<const char*>(data), size, "types"); });
    native_format::write(model, file);
    file.commit();
    return {{"outputs", std::move(outputs)}};
}

Json eval_operator(const JsonView& request, ReceivedDescriptors& descriptors) {
    const Descriptor node(descriptors.take(0)), in(descriptors.take(1)), out(descriptors.take(2));
    const Asked asked(node.fd);
    std::vector<Port> ports;
    std::vector<size_t> places;
    for (size_t i = 0; i < asked.node().in.size(); ++i)
        if (const Value* value = asked.in(i)) ports.push_back({value->name, value->type, value->enc}), places.push_back(i);
    std::vector<Stored> values = map_values(in.fd, request["values"].json(), ports);
    std::map<size_t, Stored> inputs;
    for (size_t i = 0; i < values.size(); ++i) inputs[places[i]] = std::move(values[i]);
    Evaluation evaluation(asked, std::move(inputs));
    eval_custom_op(evaluation, request["codes"].boolean());
    Json outputs = Json::array();
    std::vector<Stored> results;
    for (auto& [index, tensor] : evaluation.results)
        if (evaluation.wants(index)) outputs.push_back(index), results.push_back({std::move(tensor), std::nullopt});
    return {{"outputs", std::move(outputs)}, {"values", write_values(out.fd, results)}};
}

}  // namespace quern
