#include "libcore/backend/builtin.h"

#include <array>
#include <future>
#include <map>
#include <mutex>
#include <optional>

#include "libcore/backend/compile_options.h"
#include "libcore/backend/guard.h"
#include "libcore/backend/program_blob.h"
#include "libcore/backend/view.h"
#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "libcore/exec/program.h"
#include "libcore/graph/summary.h"
#include "libcore/ops/shared/nearest_op.h"

using namespace quern;

namespace {

thread_local std::string last_failure;

// Threads of one back end: sessions that use more than one take turns.
struct SharedPool {
    explicit SharedPool(int threads) : pool(threads) {}
    ThreadPool pool;
    std::mutex turn;
};

}  // namespace

struct quern_backend {
    bool reference;
    quern_device device;
    std::array<const quern_device*, 1> devices{&device};
    std::mutex mutex;
    std::map<int, std::shared_ptr<SharedPool>> pools;  // by their threads

    std::shared_ptr<SharedPool> pool(int threads) {
        const std::scoped_lock lock(mutex);
        auto& slot = pools[threads];
        if (!slot) slot = std::make_shared<SharedPool>(threads);
        return slot;
    }
};

struct quern_executable {
    quern_backend* backend;
    std::shared_ptr<const CompiledGraph> program;
    Views views;
    quern_interface interface;
    std::vector<Choice> choices;
    std::vector<quern_choice> choice_views;
    std::vector<const quern_choice*> choice_list;
};

struct quern_session {
    quern_session(quern_executable& e, int threads)
        : executable(e),
          pool(e.backend->pool(threads)),
          session(e.program, pool->pool),
          inputs(e.interface.input_count),
          targets(e.interface.output_count) {}

    quern_executable& executable;
    std::shared_ptr<SharedPool> pool;
    Session session;
    std::vector<Stored> inputs, outputs;
    std::vector<std::optional<std::span<std::byte>>> targets;
    std::optional<Views> grids;  // of the outputs
    std::vector<const quern_encoding*> output_grids;
    std::future<quern_status> running;
    std::string failure;  // of `running`
    std::vector<StepTime> times;
    std::vector<quern_profile_event> events;
    std::vector<const quern_profile_event*> event_list;
};

namespace {

template <class Body>
quern_status guarded_call(const Body& body) noexcept {
    return guarded(last_failure, body);
}

// ---- the back end ----

quern_status create(bool reference, const char* name, const char* doc, const char* options, quern_backend** out) {
    return guarded_call([&] {
        const Json json = options && *options ? parse_json(options) : Json::object();
        JsonView(json).each([&](const std::string& key, const JsonView& value) {
            if (key != "device") throw usage_error("unknown option \"{}\"", escape(key));
            if (value.text() != name) throw usage_error("device \"{}\" is unknown: there is \"{}\"", escape(value.text()), name);
        });
        auto backend = std::make_unique<quern_backend>();
        backend->reference = reference;
        backend->device = sized<quern_device>();
        backend->device.name = name;
        backend->device.doc = doc;
        *out = backend.release();
    });
}

constexpr const char* cpu_doc = "this machine's processor, fast kernels";
constexpr const char* ref_doc = "the reference, integer or float, on this machine's processor";

quern_status create_cpu(const quern_host*, const char* options, quern_backend** out) { return create(false, "cpu", cpu_doc, options, out); }
quern_status create_ref(const quern_host*, const char* options, quern_backend** out) { return create(true, "ref", ref_doc, options, out); }

void destroy(quern_backend* backend) { delete backend; }

const char* last_error(quern_backend*) { return last_failure.c_str(); }

quern_status devices(quern_backend* backend, const quern_device* const** list, size_t* count) {
    *list = backend->devices.data();
    *count = backend->devices.size();
    return QUERN_OK;
}

void check_support(const Graph& graph, const Node& node) {
    if (!node.op->eval)
        throw unsupported("there is no implementation of operator {}{}{}{}", node.op->domain, node.op->domain.empty() ? "" : ".",
                          node.op->name, did_you_mean_op(*node.op));
    if (!node.op->types.empty() && !node.in.empty() && node.in[0] != ValueId::none) {
        const DType dtype = graph.value(node.in[0]).type.dtype;
        if (dtype != DType::none && !node.op->types.has(dtype))
            throw unsupported("input 0 is {}, which this operator does not take", name_of(dtype));
    }
    for (const Graph& body : node.bodies)
        for (const NodeId id : body.order()) {
            const Node& inner = body.node(id);
            at_node(inner, [&] { check_support(body, inner); });
        }
}

quern_status supports(quern_backend*, const quern_graph* view, const quern_node* node, const char*) {
    return guarded_call([&] {
        const Graph& graph = GraphView::graph_of(view);
        const NodeId id = graph.find_node({node->name.data, node->name.size});
        if (id == NodeId::none) throw usage_error("the graph has no such node");
        check_support(graph, graph.node(id));
    });
}

quern_status compile(quern_backend* backend, const quern_graph* view, const char* text, const quern_sink* sink) {
    return guarded_call([&] {
        BlobOptions options = parse_compile_options(text ? text : "");
        options.reference = options.reference || backend->reference;
        OutputFile file([&](const void* data, size_t size) {
            const quern_status status = sink->write(sink, data, size);
            if (status != QUERN_OK) throw io_error("cannot write the blob");
        });
        context_format::write_program(GraphView::graph_of(view), options, file);
        file.commit();
    });
}

// ---- executables ----

const quern_value* const* port_list(Views& views, const CompiledGraph& program, const std::vector<ValueId>& ids) {
    std::vector<const quern_value*> list;
    for (const ValueId id : ids) {
        const Value& value = program.graph().value(id);
        list.push_back(views.value(value.name, value.type, program.encoded(id) ? &*value.enc : nullptr, nullptr));
    }
    return views.list(std::move(list));
}

quern_status load(quern_backend* backend, const void* data, size_t size, quern_executable** out) {
    return guarded_call([&] {
        auto executable = std::make_unique<quern_executable>();
        executable->backend = backend;
        const Bytes blob = Bytes::borrow(data, size);
        if (!context_format::is_program(blob)) throw bad_input("is not a blob of this back end");
        executable->program = context_format::load_program(blob);
        const CompiledGraph& program = *executable->program;
        quern_interface& interface = executable->interface;
        interface = sized<quern_interface>();
        interface.input_count = program.graph().inputs.size();
        interface.inputs = port_list(executable->views, program, program.graph().inputs);
        interface.output_count = program.graph().outputs.size();
        interface.outputs = port_list(executable->views, program, program.graph().outputs);
        *out = executable.release();
    });
}

void unload(quern_executable* executable) { delete executable; }

quern_status describe(quern_executable* executable, const quern_interface** out) {
    *out = &executable->interface;
    return QUERN_OK;
}

quern_status explain(quern_executable* executable, const quern_choice* const** list, size_t* count) {
    return guarded_call([&] {
        quern_executable& e = *executable;
        const std::scoped_lock lock(e.backend->mutex);
        if (e.choices.empty()) {
            e.choices = e.program->choices();
            for (const Choice& choice : e.choices)
                e.choice_views.push_back({sizeof(quern_choice), choice.node.c_str(), choice.op.c_str(), choice.kernel.c_str(),
                                          choice.refusals.c_str(), choice.real.c_str()});
            for (const quern_choice& view : e.choice_views) e.choice_list.push_back(&view);
        }
        *list = e.choice_list.data();
        *count = e.choice_list.size();
    });
}

// ---- sessions ----

quern_status open(quern_executable* executable, const quern_session_options* options, quern_session** out) {
    return guarded_call([&] {
        const int threads = options ? std::max(1, options->threads) : 1;
        auto session = std::make_unique<quern_session>(*executable, threads);
        session->session.set_timing(options && options->profile != 0);
        *out = session.release();
    });
}

void close(quern_session* session) { delete session; }  // its future waits

quern_status set_input(quern_session* session, size_t index, const quern_buffer* buffer) {
    return guarded_call([&] {
        check_index(index, session->inputs.size());
        const auto& inputs = session->executable.program->graph().inputs;
        Stored stored{borrowed_from(*buffer), {}};
        if (buffer->grid)
            stored.encoding = encoding_from(*buffer->grid);
        else if (session->executable.program->encoded(inputs[index]))
            stored.encoding = session->executable.program->graph().value(inputs[index]).enc;
        if (stored.encoding && stored.encoding->is_dynamic() && !buffer->grid)
            throw bad_input("input {} has a dynamic encoding: need its grid", index);
        session->inputs[index] = std::move(stored);
    });
}

quern_status set_output(quern_session* session, size_t index, const quern_buffer* buffer) {
    return guarded_call([&] {
        check_index(index, session->targets.size());
        if (buffer && buffer->data)
            session->targets[index] = std::span(static_cast<std::byte*>(buffer->data), buffer->size);
        else
            session->targets[index].reset();
    });
}

void copy_outputs(quern_session& session) {
    session.grids.emplace();
    session.output_grids.clear();
    for (size_t i = 0; i < session.outputs.size(); ++i) {
        Stored& output = session.outputs[i];
        const bool dynamic = output.encoding && output.encoding->is_dynamic();
        session.output_grids.push_back(dynamic ? session.grids->encoding(*output.encoding) : nullptr);
        if (!session.targets[i]) continue;
        const std::span<std::byte> target = *session.targets[i];
        if (target.size() < output.tensor.data.size())
            throw bad_input("output {} takes {} bytes, its buffer has {}", i, output.tensor.data.size(), target.size());
        std::copy_n(output.tensor.data.data(), output.tensor.data.size(), target.data());
        output.tensor.data = Bytes::borrow(target.data(), output.tensor.data.size());
    }
}

void run(quern_session& session) {
    for (size_t i = 0; i < session.inputs.size(); ++i)
        if (!session.inputs[i].tensor.defined()) throw usage_error("input {} is not set", i);
    std::unique_lock turn(session.pool->turn, std::defer_lock);
    if (session.pool->pool.size() > 1) turn.lock();
    session.outputs = session.session.run_stored(session.inputs);
    copy_outputs(session);
}

quern_status execute(quern_session* session) {
    return guarded_call([&] { run(*session); });
}

quern_status start(quern_session* session) {
    return guarded_call([&] {
        if (session->running.valid()) throw usage_error("is running already");
        session->running = std::async(std::launch::async, [session] { return guarded(session->failure, [&] { run(*session); }); });
    });
}

quern_status wait(quern_session* session, double seconds) {
    quern_status status = QUERN_OK;
    const quern_status own = guarded_call([&] {
        if (!session->running.valid()) throw usage_error("is not running");
        if (seconds >= 0 && session->running.wait_for(std::chrono::duration<double>(seconds)) != std::future_status::ready) {
            status = QUERN_TIMEOUT;
            return;
        }
        status = session->running.get();
        if (status != QUERN_OK) last_failure = session->failure;
    });
    return own != QUERN_OK ? own : status;
}

quern_status get_output(quern_session* session, size_t index, quern_buffer* buffer) {
    return guarded_call([&] {
        check_index(index, session->outputs.size());
        give_buffer(buffer_of(session->outputs[index].tensor, session->output_grids[index]), *buffer);
    });
}

quern_status profile(quern_session* session, const quern_profile_event* const** list, size_t* count) {
    return guarded_call([&] {
        quern_session& s = *session;
        s.times = s.session.step_times();
        s.events.clear();
        s.event_list.clear();
        for (const StepTime& time : s.times)
            s.events.push_back(
                {sizeof(quern_profile_event), time.node.c_str(), time.op.c_str(), time.kernel.c_str(), time.seconds, time.calls});
        for (const quern_profile_event& event : s.events) s.event_list.push_back(&event);
        *list = s.event_list.data();
        *count = s.event_list.size();
    });
}

uint64_t memory_bytes(quern_session* session) { return session->session.arena_bytes(); }

quern_backend_api make_table(const char* name, const char* doc, quern_status (*create)(const quern_host*, const char*, quern_backend**)) {
    auto table = sized<quern_backend_api>();
    table.abi = QUERN_BACKEND_ABI;
    table.name = name;
    table.version = "1";
    table.doc = doc;
    table.create = create;
    table.destroy = destroy;
    table.last_error = last_error;
    table.devices = devices;
    table.supports = supports;
    table.compile = compile;
    table.load = load;
    table.unload = unload;
    table.describe = describe;
    table.open = open;
    table.close = close;
    table.set_input = set_input;
    table.set_output = set_output;
    table.execute = execute;
    table.start = start;
    table.wait = wait;
    table.get_output = get_output;
    table.profile = profile;
    table.explain = explain;
    table.memory_bytes = memory_bytes;
    return table;
}

}  // namespace

const quern_backend_api* quern::builtin_backend(std::string_view name) {
    static const quern_backend_api cpu = make_table("cpu", cpu_doc, create_cpu), ref = make_table("ref", ref_doc, create_ref);
    return name == "cpu" ? &cpu : name == "ref" ? &ref : nullptr;
}
