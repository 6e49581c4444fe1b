#include "libcore/backend/remote_ops.h"

#include <array>
#include <cstring>

#include "formats/native/native.h"
#include "libcore/backend/helper.h"
#include "libcore/backend/remote.h"
#include "libcore/backend/shared_tensors.h"
#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "libcore/os/descriptors.h"

namespace quern {
namespace {

constexpr const char* owner = "the operator's library";  // in messages

// A graph of the node alone, for the other process: inputs and outputs of the types and encodings that `in` and `out` make.
template <class In, class Out>
Graph alone(const Node& node, size_t in_count, size_t out_count, const In& in, const Out& out) {
    Graph graph;
    std::vector<ValueId> inputs, outputs;
    for (size_t i = 0; i < in_count; ++i) inputs.push_back(in(graph, fmt::format("in{}", i), i));
    for (size_t i = 0; i < out_count; ++i) outputs.push_back(out(graph, fmt::format("out{}", i), i));
    graph.add_node(node.op, node.name, std::move(inputs), std::move(outputs), node.attrs);
    return graph;
}

// In the native form, in memory that the other process maps.
struct SharedGraph : Descriptor {
    explicit SharedGraph(Graph graph) : Descriptor(make_shared_memory("quern-node")) {
        Model model;
        model.graph = std::move(graph);
        OutputFile file([this](const void* data, size_t size) { write_all(fd, static_cast<const char*>(data), size, "shared memory"); });
        native_format::write(model, file);
        file.commit();
    }
};

// Answers are of the other process, which may say anything.
template <class Body>
std::invoke_result_t<Body> theirs(const Body& body) {
    try {
        return body();
    } catch (const Error& error) {
        if (error.exit() == Exit::io) throw;
        throw unsupported("{}: {}", owner, error.message());
    }
}

size_t output_of(const JsonView& index, size_t count) {
    if (index.natural() >= count) index.fail(fmt::format("is {}, there are {} outputs", index.natural(), count));
    return index.natural();
}

}  // namespace

RemoteOps::RemoteOps(const std::string& path, int seconds, bool driver)
    : helper_(start_helper({.name = path, .path = path, .options = {}, .seconds = seconds, .operators = true, .computes = !driver})) {
    theirs([&] {
        const JsonView list = JsonView(helper_->made(), "answer")["operators"];
        for (size_t i = 0; i < list.size(); ++i) facts_.push_back(facts_from(list.at(i)));
    });
}

void RemoteOps::infer(InferCtx& ctx) const {
    const SharedGraph node(alone(
        ctx.node(), ctx.in_count(), ctx.out_count(),
        [&](Graph& graph, std::string name, size_t i) {
            if (!ctx.has_in(i)) return ValueId::none;
            const ValueId id = graph.add_value(std::move(name), ctx.in(i));
            if (const Tensor* constant = ctx.constant(i)) {
                graph.value(id).type = Type::tensor(constant->dtype, Shape::of(constant->dims));
                graph.value(id).data = constant->data;
            }
            return id;
        },
        [&](Graph& graph, std::string name, size_t) { return graph.add_value(std::move(name), {}); }));
    const Descriptor types(make_shared_memory("quern-types"));
    const Json answer = helper_->ask({{"ask", "infer"}}, owner, std::array{node.fd, types.fd});
    theirs([&] {
        const JsonView outputs = JsonView(answer, "infer")["outputs"];
        const Graph graph = native_format::read(read_memory(types.fd), "types").graph;
        if (graph.inputs.size() != outputs.size())
            throw unsupported("infer: {} types, need {}, one per output", graph.inputs.size(), outputs.size());
        for (size_t i = 0; i < outputs.size(); ++i) ctx.set(output_of(outputs.at(i), ctx.out_count()), graph.value(graph.inputs[i]).type);
    });
}

void RemoteOps::eval(EvalCtx& ctx, bool codes) const {
    std::vector<Stored> inputs;
    const auto encoded = [&](const Encoding* encoding) { return codes && encoding ? std::optional(*encoding) : std::nullopt; };
    const SharedGraph node(alone(
        ctx.node(), ctx.in_count(), ctx.out_count(),
        [&](Graph& graph, std::string name, size_t i) {
            const Tensor* tensor = ctx.in(i);
            if (!tensor) return ValueId::none;
            inputs.push_back({*tensor, encoded(ctx.in_encoding(i))});
            const ValueId id = graph.add_value(std::move(name), Type::tensor(tensor->dtype, Shape::of(tensor->dims)));
            graph.value(id).enc = inputs.back().encoding;
            return id;
        },
        [&](Graph& graph, std::string name, size_t i) {
            if (!ctx.wants(i)) return ValueId::none;
            const ValueId id = graph.add_value(std::move(name), {});
            graph.value(id).enc = encoded(ctx.out_encoding(i));
            return id;
        }));
    const Descriptor in(make_shared_memory("quern-inputs")), out(make_shared_memory("quern-outputs"));
    const Json answer = helper_->ask({{"ask", "eval"}, {"codes", codes}, {"values", write_values(in.fd, inputs)}}, owner,
                                     std::array{node.fd, in.fd, out.fd});
    theirs([&] {
        const JsonView json(answer, "eval"), indices = json["outputs"];
        const std::vector<Stored> values = read_values(out.fd, json["values"].json(), std::vector<Port>(indices.size()));
        for (size_t i = 0; i < values.size(); ++i) {
            const Tensor& tensor = values[i].tensor;
            if (tensor.dtype == DType::string || tensor.dtype == DType::none)
                throw unsupported("eval: output {} is not a tensor of numbers", i);
            std::byte* to = ctx.out(output_of(indices.at(i), ctx.out_count()), tensor.dtype, tensor.dims);
            if (!tensor.data.empty()) std::memcpy(to, tensor.data.data(), tensor.data.size());
        }
    });
}

}  // namespace quern
