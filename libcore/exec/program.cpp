#include "libcore/exec/program.h"

#include <algorithm>
#include <array>
#include <set>

#include "formats/format.h"
#include "libcore/base/memory_limit.h"
#include "libcore/base/text.h"
#include "libcore/graph/block_encoding.h"
#include "libcore/graph/edit.h"
#include "libcore/graph/op_ids.h"
#include "libcore/graph/quantize.h"
#include "libcore/graph/summary.h"
#include "libcore/kernels/block_weights.h"
#include "libcore/kernels/stored_weights.h"
#include "libcore/kernels/table/table.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/ops/shared/nearest_op.h"
#include "libcore/ops/shared/output_size.h"
#include "libcore/os/float_environment.h"
#include "libcore/passes/onnx/qonnx.h"
#include "libcore/passes/pipelines.h"

namespace quern {

namespace {

// A float run whose inner values nobody sees may compute in other steps than the graph says.
bool may_rewrite(const CompileOptions& options) { return options.mode == Mode::floating && !options.reference && !options.observable; }

Graph simplified(const Graph& graph) {
    Graph own = graph;
    run_pipeline(own, pipelines::float_run);
    return own;
}

void decode_constant(Graph& graph, ValueId constant) {
    Value& value = graph.value(constant);
    const Tensor codes = *graph.constant(constant);
    value.data = dequantize(codes, *value.enc).data;
    codes.data.release();
    value.enc.reset();
}

// Tables whose rows are asked for as numbers: decoded once, as every run would decode all their rows.
void decode_tables(Graph& graph) {
    for (size_t i = 0; i < graph.value_count(); ++i) {
        const auto id = static_cast<ValueId>(i);
        const Value& value = graph.value(id);
        if (value.erased || !value.constant() || !value.enc || value.enc->format || graph.is_output(id)) continue;
        const std::vector<Use> uses = graph.uses(id);
        const bool table = !uses.empty() && std::ranges::all_of(uses, [&](const Use& use) {
            if (use.node == NodeId::none || use.index != 0 || !graph.node(use.node).is(ops::Gather)) return false;
            return !graph.value(graph.node(use.node).out[0]).enc;
        });
        if (table) decode_constant(graph, id);
    }
}

}  // namespace

std::shared_ptr<const Program> Program::compile(const Graph& graph, const CompileOptions& options) {
    const FloatEnvironment environment;
    if (may_rewrite(options)) return std::make_shared<CompiledGraph>(simplified(graph), options, "");
    if (options.mode != Mode::floating) {
        CompileOptions own = options;
        if (!own.profile) own.profile = own_profile(graph);
        return std::make_shared<CompiledGraph>(as_folded(graph), own, "");
    }
    return std::make_shared<CompiledGraph>(graph, options, "");
}

CompiledGraph::CompiledGraph(Graph graph, const CompileOptions& options, std::string path, const Recorded* recorded)
    : graph_(std::move(graph)), options_(options), path_(std::move(path)) {
    for (const ValueId id : graph_.inputs) {
        input_types_.push_back(graph_.value(id).type);
        input_names_.push_back(graph_.value(id).name);
    }
    for (const ValueId id : graph_.outputs) output_names_.push_back(graph_.value(id).name);
    if (path_.empty()) check_sizes();  // a body may never run
    if (options_.mode != Mode::integer)
        decode_constants();
    else
        decode_tables(graph_);
    add_steps(recorded);
    if (recorded && path_.empty()) check_held();
    add_constants();
    find_deaths();
}

// What is known to fit into no memory is refused before kernels are chosen, which make tables.
void CompiledGraph::check_sizes() const {
    const uint64_t limit = memory_limit();
    for (const NodeId id : graph_.order()) {
        const Node& node = graph_.node(id);
        for (size_t i = 0; i < node.out.size(); ++i)
            if (node.out[i] != ValueId::none) at_node(node, [&] { check_output_size(i, graph_.value(node.out[i]).type, limit); });
    }
}

// Are they the weights of nothing but products that a kernel computes without decoding them before?
bool CompiledGraph::keeps_codes(ValueId id) const {
    if (options_.mode != Mode::floating || options_.reference || graph_.is_output(id) || code_kernel_rows().empty()) return false;
    const std::vector<Use> uses = graph_.uses(id);
    return !uses.empty() && std::ranges::all_of(uses, [&](const Use& use) {
        if (use.node == NodeId::none) return false;
        const Node& node = graph_.node(use.node);
        if (reads_blocks(graph_, node)) return use.index == (node.is(ops::Gather) ? 0 : 1) && blocks_obstacle(graph_, node).empty();
        return use.index == 1 && reads_stored_weights(graph_, node) && stored_weights_obstacle(graph_, node).empty();
    });
}

// Float arithmetic sees numbers, kernels that prepare constants included.
void CompiledGraph::decode_constants() {
    for (size_t i = 0; i < graph_.value_count(); ++i) {
        const auto id = static_cast<ValueId>(i);
        if (const Value& value = graph_.value(id); value.erased || !value.constant() || !value.enc || keeps_codes(id)) continue;
        decode_constant(graph_, id);
    }
}

// What `all` has of the graph at `path`, as a record of its own; nothing if there is none.
static std::optional<Recorded> recorded_at(const Recorded* all, const std::string& path) {
    if (!all) return std::nullopt;
    if (path.empty()) return Recorded{all->steps, {}, {}, {}};
    for (const Recorded::Body& body : all->bodies)
        if (body.path == path) return Recorded{body.steps, {}, {}, {}};
    return std::nullopt;
}

void CompiledGraph::add_steps(const Recorded* recorded) {
    const std::optional<Recorded> own = recorded_at(recorded, path_);
    for (Group& group : choose_kernels(graph_, options_, own ? &*own : nullptr)) {
        const Node& node = *group.nodes.front();
        if (const std::string why = why_kept(graph_, node); !node.op->eval && !why.empty())
            throw unsupported("node \"{}\" ({}.{}): {}", escape(node.name), escape(node.op->domain), escape(node.op->name), why);
        if (!node.op->eval)
            throw unsupported("node \"{}\" ({}{}{}): there is no implementation of this operator{}", escape(node.name),
                              escape(node.op->domain), node.op->domain.empty() ? "" : ".", escape(node.op->name), did_you_mean_op(*node.op))
                .with_hint(hint_for_kept(*node.op));
        Step& step = steps_.emplace_back(Step{std::move(group), path_, {}, {}});
        for (size_t b = 0; b < node.bodies.size(); ++b)
            step.bodies.push_back(
                std::make_unique<CompiledGraph>(node.bodies[b], options_, path_ + node.name + "/" + node.body_names[b] + "/", recorded));
    }
}

// Values that somebody reads beside the kernels that hold them: a step that names one twice may read it, too (weights that are multiplied
// by themselves).
std::set<ValueId> CompiledGraph::read_values() const {
    std::set<ValueId> all(graph_.outputs.begin(), graph_.outputs.end());
    for (const Step& step : steps_) {
        const std::vector<ValueId> held = step.kernel ? step.kernel->held() : std::vector<ValueId>();
        std::set<ValueId> left(held.begin(), held.end());
        for (const Node* node : step.nodes) {
            for (const ValueId id : node->in)
                if (left.erase(id) == 0) all.insert(id);
            for (const Graph& body : node->bodies)
                for (const Graph::Capture& capture : body.captures) all.insert(capture.outer);
        }
    }
    return all;
}

// Is the constant a table of rows that are only copied? Of those that nobody asks for not even the pages are read.
static bool is_table_of_rows(const Graph& graph, ValueId id, const std::vector<Use>& uses) {
    return bits_of(graph.value(id).storage()) >= 8 && std::ranges::all_of(uses, [&](const Use& use) {
               return use.node != NodeId::none && use.index == 0 && graph.node(use.node).is(ops::Gather);
           });
}

void CompiledGraph::add_constants() {
    const std::set<ValueId> read = read_values();
    const std::vector<std::vector<Use>> uses = graph_.all_uses();
    for (size_t i = 0; i < graph_.value_count(); ++i) {
        const auto id = static_cast<ValueId>(i);
        const Value& value = graph_.value(id);
        if (value.erased || !value.constant() || is_held(value)) continue;
        if (!read.contains(id) && !value.data->empty()) continue;  // kernels are not asked to compute with constants without elements
        if (is_table_of_rows(graph_, id, uses[index_of(id)]))
            constants_.emplace_back(id, Tensor{value.storage(), stored_dims(value), *value.data});  // may lie askew
        else
            constants_.emplace_back(id, *graph_.constant(id));
    }
}

void CompiledGraph::find_deaths() {
    std::set<ValueId> alive(graph_.outputs.begin(), graph_.outputs.end());
    for (size_t i = 0; i < graph_.value_count(); ++i)
        if (graph_.value(static_cast<ValueId>(i)).constant()) alive.insert(static_cast<ValueId>(i));
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
        const auto last_use = [&](ValueId id) {
            if (id != ValueId::none && alive.insert(id).second) step->dies.push_back(id);
        };
        for (const ValueId id : step->last().out) last_use(id);  // an output that nobody reads
        for (const ValueId id : step->in) last_use(id);
        for (const Graph& body : step->first().bodies)
            for (const Graph::Capture& capture : body.captures) last_use(capture.outer);
    }
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

bool CompiledGraph::has_fixed_shapes() const {
    for (size_t i = 0; i < graph_.value_count(); ++i) {
        const Value& value = graph_.value(static_cast<ValueId>(i));
        if (!value.erased && (value.type.kind != Type::Kind::tensor || !value.type.shape.concrete())) return false;
    }
    return std::all_of(steps_.begin(), steps_.end(), [](const Step& step) { return step.bodies.empty(); });
}

std::vector<Choice> CompiledGraph::choices() const {
    std::vector<Choice> all;
    for (const Step& step : steps_) {
        for (const Node* node : step.nodes)
            all.push_back({path_ + node->name, std::string(node->op->name), step.kernel_name(), step.refusals, step.real});
        for (const auto& body : step.bodies)
            for (Choice& choice : body->choices()) all.push_back(std::move(choice));
    }
    return all;
}

}  // namespace quern
