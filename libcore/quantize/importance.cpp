#include "libcore/quantize/importance.h"

#include <cmath>
#include <set>

#include "formats/gguf/file/facts.h"
#include "libcore/base/text.h"
#include "libcore/exec/meaning.h"
#include "libcore/exec/session.h"
#include "libcore/graph/op_ids.h"

namespace quern {
namespace {

constexpr std::string_view head = "output.weight", table = "token_embd.weight";

std::set<std::string> names_in_file(const Model& model) {
    const auto facts = gguf::facts_of(model.facts);
    if (!facts) throw unsupported("was not made from a GGUF file: an importance matrix goes by the names of its tensors");
    std::set<std::string> names;
    for (const gguf::TensorHead& tensor : facts->tensors) names.insert(tensor.name);
    return names;
}

// The file's tensor that a constant is; "": none. A head without a tensor of its own is the table of embeddings.
std::string tensor_of(const std::string& constant, const std::set<std::string>& names) {
    if (names.contains(constant)) return constant;
    return constant == head && names.contains(std::string(table)) ? std::string(table) : std::string();
}

// By value: the weights whose products read it.
std::map<std::string, std::vector<std::string>, std::less<>> products_of(const Graph& graph, const std::set<std::string>& names) {
    std::map<std::string, std::vector<std::string>, std::less<>> out;
    for (const NodeId id : graph.order()) {
        const Node& node = graph.node(id);
        if (!node.is(ops::MatMul) || !graph.value(node.in[1]).constant()) continue;
        if (const std::string tensor = tensor_of(graph.value(node.in[1]).name, names); !tensor.empty())
            out[graph.value(node.in[0]).name].push_back(tensor);
    }
    return out;
}

void add_rows(gguf::ImportanceSums::Entry& entry, std::span<const float> numbers, size_t columns) {
    entry.squares.resize(columns);
    for (size_t i = 0; i < numbers.size(); ++i)
        entry.squares[i % columns] += static_cast<double>(numbers[i]) * static_cast<double>(numbers[i]);
    entry.rows += numbers.size() / columns;
}

}  // namespace

gguf::ImportanceSums collect_importance(const Model& model, SampleFeed& feed, int threads, const std::function<void()>& step) {
    const Graph graph = as_encoded(model.graph);
    const auto products = products_of(graph, names_in_file(model));
    std::map<std::string, gguf::ImportanceSums::Entry, std::less<>> read;  // by value
    ThreadPool pool(threads);
    Session session(Program::compile(graph, {.mode = Mode::floating, .observable = true}), pool);
    session.set_observer([&](std::string_view key, const Tensor& tensor) {
        const auto found = products.find(key);
        if (found == products.end() || tensor.dims.empty()) return;
        const std::vector<float> numbers = to_floats(tensor);
        for (const float number : numbers)
            if (!std::isfinite(number)) throw bad_input("value \"{}\" has a number {}", escape(key), number);
        add_rows(read[found->first], numbers, static_cast<size_t>(tensor.dims.back()));
    });
    for (uint64_t i = 0; i < feed.count; ++i) {
        at_place(feed.place(i), [&] {
            std::vector<Tensor> inputs = feed.sample(i);
            feed.feedback.enter(inputs);
            feed.feedback.leave(session.run(inputs));
        });
        step();
    }
    gguf::ImportanceSums out;
    for (const auto& [value, tensors] : products)
        for (const std::string& tensor : tensors) out.tensors[tensor] = read[value];
    return out;
}

}  // namespace quern
