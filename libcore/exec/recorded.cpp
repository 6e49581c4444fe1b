#include "libcore/exec/recorded.h"

#include <algorithm>
#include <set>

#include "libcore/base/text.h"
#include "libcore/exec/program.h"
#include "libcore/os/float_environment.h"

namespace quern {
namespace {

Tensor zeros(const Type& type) {
    if (type.kind != Type::Kind::tensor || !type.shape.ranked || bits_of(type.dtype) == 0)
        throw unsupported("there is no zero of type {}", to_string(type));
    Dims dims;
    for (const Dim& dim : type.shape.dims) dims.push_back(dim.known() ? dim.value : 1);
    return from_ints(type.dtype, dims, std::vector<int64_t>(static_cast<size_t>(count_of(dims)), 0));
}

// Twice: what a second run takes is what the first did, so the plan holds for every run.
std::vector<MemoryLayout> layouts_of_a_run(const std::shared_ptr<const CompiledGraph>& program) {
    ThreadPool pool(1);
    Session session(program, pool);
    try {
        std::vector<Tensor> inputs;
        for (const Type& type : program->input_types()) inputs.push_back(zeros(type));
        session.run(inputs);
        return session.layouts();
    } catch (const Error& error) {
        if (error.exit() == Exit::bug) throw;
        return {};
    }
}

Recorded::Step step_of(const Step& step) {
    Recorded::Step out;
    for (const Node* node : step.nodes) out.nodes.push_back(node->name);
    out.row = step.lookup ? "lookup" : step.kernel_row;
    out.state = step.kernel ? step.kernel->state() : step.lookup ? step.lookup->state() : std::vector<Bytes>();
    return out;
}

void add_bodies(const CompiledGraph& graph, std::vector<Recorded::Body>& bodies) {
    for (const Step& step : graph.steps())
        for (const auto& body : step.bodies) {
            Recorded::Body& to = bodies.emplace_back();
            to.path = body->path();
            for (const Step& inner : body->steps()) to.steps.push_back(step_of(inner));
            add_bodies(*body, bodies);
        }
}

}  // namespace

bool is_held(const Value& value) {
    if (!value.data || !value.data->empty()) return false;
    const auto dims = value.type.shape.concrete();
    return dims && count_of(*dims) != 0;
}

Recorded CompiledGraph::record() const {
    Recorded out;
    out.layouts = layouts_of_a_run(shared_from_this());
    const std::set<ValueId> kept = read_values();
    for (const Step& step : steps_) {
        out.steps.push_back(step_of(step));
        if (!step.kernel) continue;
        for (const ValueId id : step.kernel->held())
            if (!kept.contains(id) && std::find(out.held.begin(), out.held.end(), id) == out.held.end()) out.held.push_back(id);
    }
    add_bodies(*this, out.bodies);
    return out;
}

void CompiledGraph::check_held() const {
    const std::set<ValueId> kept = read_values();
    for (size_t i = 0; i < graph_.value_count(); ++i)
        if (is_held(graph_.value(static_cast<ValueId>(i))) && kept.contains(static_cast<ValueId>(i)))
            throw bad_input("the data of \"{}\" are missing", escape(graph_.value(static_cast<ValueId>(i)).name));
}

void CompiledGraph::warm(ThreadPool& pool) const {
    std::vector<const Step*> cold;
    for (const Step& step : steps_)
        if (step.kernel && step.kernel->needs_warming()) cold.push_back(&step);
    pool.run(cold.size(), [&](size_t i) {
        const Step& step = *cold[i];
        std::vector<Dims> inputs;
        for (const ValueId id : step.first().in) {
            const auto dims = id == ValueId::none ? Dims() : graph_.value(id).type.shape.concrete();
            if (!dims) return;
            if (std::find(dims->begin(), dims->end(), 0) != dims->end() && !step.kernel->takes_empty()) return;
            inputs.push_back(*dims);
        }
        try {
            step.kernel->warm(inputs, pool);
        } catch (const std::exception&) {
        }
    });
}

std::shared_ptr<const CompiledGraph> CompiledGraph::restore(Graph graph, const CompileOptions& options, const Recorded& recorded) {
    const FloatEnvironment environment;
    for (const ValueId id : recorded.held) {
        Value& value = graph.value(id);
        std::erase(graph.inputs, id);
        if (value.producer != NodeId::none || value.constant() || value.type.kind != Type::Kind::tensor || !value.type.shape.concrete())
            throw bad_input("\"{}\" cannot be data of a kernel", escape(value.name));
        value.data = Bytes();
    }
    auto program = std::make_shared<CompiledGraph>(std::move(graph), options, "", &recorded);
    program->layouts_ = recorded.layouts;
    for (const MemoryLayout& layout : program->layouts_) layout.check();
    return program;
}

}  // namespace quern
