#include "libcore/exec/record.h"

#include <algorithm>
#include <set>

#include "libcore/exec/session.h"

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

Recorded record(const std::shared_ptr<const CompiledGraph>& program) {
    Recorded out;
    out.layouts = layouts_of_a_run(program);
    const std::set<ValueId> kept = program->read_values();
    for (const Step& step : program->steps()) {
        out.steps.push_back(step_of(step));
        if (!step.kernel) continue;
        for (const ValueId id : step.kernel->held())
            if (!kept.contains(id) && std::find(out.held.begin(), out.held.end(), id) == out.held.end()) out.held.push_back(id);
    }
    add_bodies(*program, out.bodies);
    return out;
}

}  // namespace quern
