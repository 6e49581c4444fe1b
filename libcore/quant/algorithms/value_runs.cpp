#include "libcore/quant/algorithms/value_runs.h"

#include <algorithm>
#include <iterator>
#include <memory>

#include "libcore/base/loan.h"
#include "libcore/graph/edit.h"

namespace quern {
namespace {

constexpr size_t window = 32;  // samples
constexpr size_t most_bytes = size_t{512} << 20;

template <class Fn>
void each_operand(const Node& node, const Fn& fn) {
    for (const ValueId id : node.in)
        if (id != ValueId::none) fn(id);
    for (const Graph& body : node.bodies)
        for (const Graph::Capture& capture : body.captures) fn(capture.outer);
}

size_t bytes_of(const std::map<ValueId, std::vector<Tensor>>& values, size_t begin, size_t end) {
    size_t bytes = 0;
    for (const auto& [id, tensors] : values)
        for (size_t i = begin; i < end; ++i) bytes += tensors[i].data.size();
    return bytes;
}

}  // namespace

// A graph of its own, whose inputs are values of the samples and kept ones.
struct ValueRuns::Part {
    Graph graph;
    std::vector<ValueId> wanted;
    std::vector<ValueId> border;  // that it computes and that is kept
    bool reads_samples = false;   // as inputs, or what is wanted of them
};

// The nodes that have to run; false: one of them has run already, and what it gave was forgotten.
bool ValueRuns::find_missing(const std::vector<ValueId>& wanted, Nodes& nodes) const {
    std::vector<ValueId> open = wanted;
    while (!open.empty()) {
        const ValueId id = open.back();
        open.pop_back();
        const NodeId producer = graph_.value(id).producer;
        if (producer == NodeId::none || kept_.contains(id) || nodes.contains(producer)) continue;
        if (ran_.contains(producer)) return false;
        nodes.insert(producer);
        each_operand(graph_.node(producer), [&](ValueId operand) { open.push_back(operand); });
    }
    return true;
}

std::set<ValueId> ValueRuns::read_later(const Nodes& nodes) const {
    std::set<ValueId> read;
    for (const NodeId id : graph_.order())
        if (!ran_.contains(id) && !nodes.contains(id)) each_operand(graph_.node(id), [&](ValueId operand) { read.insert(operand); });
    return read;
}

ValueRuns::Part ValueRuns::part_for(const std::vector<ValueId>& wanted, const Nodes& nodes) const {
    Part part{.graph = graph_, .wanted = wanted, .border = {}};
    const auto is_computed = [&](ValueId id) {
        const NodeId producer = graph_.value(id).producer;
        return producer != NodeId::none && nodes.contains(producer);
    };
    if (between_ == Between::kept)
        for (const ValueId id : read_later(nodes))
            if (is_computed(id) && graph_.value(id).type.kind == Type::Kind::tensor) part.border.push_back(id);
    std::set<ValueId> from, to(part.border.begin(), part.border.end());
    for (const NodeId node : nodes)
        each_operand(graph_.node(node), [&](ValueId id) {
            if (graph_.is_input(id) || kept_.contains(id)) from.insert(id);
        });
    std::ranges::copy_if(wanted, std::inserter(to, to.end()), is_computed);
    const auto is_of_sample = [&](ValueId id) { return graph_.is_input(id); };
    part.reads_samples = std::ranges::any_of(from, is_of_sample) || std::ranges::any_of(wanted, is_of_sample);
    extract(part.graph, std::vector<ValueId>(from.begin(), from.end()), std::vector<ValueId>(to.begin(), to.end()));
    return part;
}

void ValueRuns::run_one(size_t i, const Part& part, Session* session, std::vector<Tensor>& tensors, Kept& next) const {
    const std::vector<Tensor> sample = part.reads_samples ? feed_.sample(samples_[i]) : std::vector<Tensor>();
    std::vector<Tensor> outputs;
    const auto tensor_of = [&](ValueId id) {
        const auto output = std::ranges::find(part.graph.outputs, id);
        if (output != part.graph.outputs.end()) return outputs.at(static_cast<size_t>(output - part.graph.outputs.begin()));
        if (const auto found = kept_.find(id); found != kept_.end()) return found->second[i];
        return sample.at(static_cast<size_t>(std::ranges::find(graph_.inputs, id) - graph_.inputs.begin()));
    };
    std::vector<Tensor> inputs;
    for (const ValueId id : part.graph.inputs) inputs.push_back(tensor_of(id));
    if (session) outputs = session->run(inputs);
    for (const ValueId id : part.wanted) tensors.push_back(tensor_of(id));
    for (const ValueId id : part.border) next.at(id)[i] = tensor_of(id);
}

void ValueRuns::run(const std::vector<ValueId>& wanted, const std::vector<uint64_t>& samples,
                    const std::function<void(size_t, const std::vector<Tensor>&)>& see, const std::function<void(size_t, size_t)>& done) {
    if (samples != samples_) forget();
    samples_ = samples;
    Nodes nodes;
    if (!find_missing(wanted, nodes)) {
        forget();
        nodes.clear();
        find_missing(wanted, nodes);
    }
    const Part part = part_for(wanted, nodes);
    std::vector<std::unique_ptr<Session>> sessions;
    FreeList<Session> free;
    if (!nodes.empty()) {
        const auto program = Program::compile(part.graph, {.mode = mode_});
        for (int i = 0; i < pool_.size(); ++i) free.put(sessions.emplace_back(std::make_unique<Session>(program, serial_)).get());
    }
    Kept next;
    for (const ValueId id : part.border) next[id].resize(samples.size());
    const auto see_one = [&](size_t i, Session* session) {
        std::vector<Tensor> tensors;
        at_place([&] { return feed_.place(samples[i]); }, [&] { run_one(i, part, session, tensors, next); });
        see(i, tensors);
    };
    in_windows(
        pool_, samples.size(),
        [&](size_t i) {
            if (sessions.empty()) return see_one(i, nullptr);
            const FreeList<Session>::Loan session(free);
            see_one(i, session.operator->());
        },
        [&](size_t begin, size_t end) {
            const size_t all = bytes_of(next, begin, end) + bytes_of(kept_, begin, end);
            if (all > most_bytes / samples.size() * (end - begin)) between_ = Between::forgotten;
            if (between_ == Between::forgotten)
                for (auto& [id, tensors] : next) std::fill(tensors.begin(), tensors.begin() + static_cast<std::ptrdiff_t>(end), Tensor());
            if (done) done(begin, end);
        });
    keep(nodes, std::move(next));
}

void ValueRuns::keep(const Nodes& nodes, Kept next) {
    if (between_ == Between::forgotten) return forget();
    const std::set<ValueId> read = read_later(nodes);
    std::erase_if(kept_, [&](const auto& value) { return !read.contains(value.first); });
    kept_.merge(next);
    ran_.insert(nodes.begin(), nodes.end());
}

void ValueRuns::forget() {
    kept_.clear();
    ran_.clear();
}

void in_windows(ThreadPool& pool, size_t count, const std::function<void(size_t)>& fn, const std::function<void(size_t, size_t)>& done) {
    for (size_t begin = 0; begin < count; begin += window) {
        const size_t end = std::min(begin + window, count);
        pool.run(end - begin, [&](size_t i) { fn(begin + i); });
        if (done) done(begin, end);
    }
}

std::vector<uint64_t> spread_samples(const SampleFeed& feed, uint64_t most) {
    const uint64_t count = std::min(feed.count, most);
    std::vector<uint64_t> samples(count);
    for (uint64_t i = 0; i < count; ++i) samples[i] = i * feed.count / count;
    return samples;
}

}  // namespace quern
