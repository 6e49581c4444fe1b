// The back end "opencl": GPUs and other devices of OpenCL, by the interface of back ends and nothing else.
#include <mutex>

#include "libcore/opencl/blob.h"
#include "libcore/opencl/lowering.h"
#include "libcore/opencl/options.h"
#include "libcore/opencl/session.h"

namespace quern::opencl {
namespace {

thread_local std::string last_failure;

struct Backend {
    const quern_host* host;
    Options options;
    std::vector<quern_device> devices;
    std::vector<const quern_device*> device_list;

    const Found& found() const { return device_named(options.device); }
};

// What describe() shows of a value.
struct Port {
    quern_value value;
    quern_encoding encoding;
    quern_tensor scale, zero;
    int32_t zero_point;
};

struct Executable {
    Executable(Device& device, Net net, Tuning& tuning) : loaded(device, std::move(net), tuning) {}

    Loaded loaded;
    std::vector<std::unique_ptr<Port>> ports;
    std::vector<const quern_value*> inputs, outputs;
    quern_interface interface;
    std::vector<std::string> texts;
    std::vector<quern_choice> choices;
    std::vector<const quern_choice*> choice_list;
};

struct Session {
    Session(Executable& from, bool profiling) : executable(from), run(from.loaded, profiling) {}

    Executable& executable;
    Run run;
    std::vector<quern_profile_event> events;
    std::vector<const quern_profile_event*> event_list;
};

Backend& own(quern_backend* backend) { return *reinterpret_cast<Backend*>(backend); }
Executable& own(quern_executable* executable) { return *reinterpret_cast<Executable*>(executable); }
Session& own(quern_session* session) { return *reinterpret_cast<Session*>(session); }

template <class Body>
quern_status call(const Body& body) noexcept {
    return guarded(last_failure, body);
}

// ---- the back end ----

quern_status create(const quern_host* host, const char* options, quern_backend** out) {
    return call([&] {
        auto backend = std::make_unique<Backend>();
        backend->host = host;
        backend->options = options_of(options);
        *out = reinterpret_cast<quern_backend*>(backend.release());
    });
}

void destroy(quern_backend* backend) { delete &own(backend); }

const char* last_error(quern_backend*) { return last_failure.c_str(); }

quern_status devices(quern_backend* backend, const quern_device* const** list, size_t* count) {
    return call([&] {
        Backend& b = own(backend);
        b.found();  // says what is wrong if there are none
        if (b.devices.empty()) {
            for (const Found& found : found_devices()) {
                quern_device& device = b.devices.emplace_back();
                device.struct_size = sizeof device;
                device.name = found.name.c_str();
                device.doc = found.doc.c_str();
                device.memory_bytes = found.memory;
            }
            for (const quern_device& device : b.devices) b.device_list.push_back(&device);
        }
        *list = b.device_list.data();
        *count = b.device_list.size();
    });
}

quern_status supports(quern_backend* backend, const quern_graph* graph, const quern_node* node, const char* options) {
    return call([&] { lower(net_of(*graph, *node, is_integer_run(options)), own(backend).found().abilities); });
}

quern_status compile(quern_backend* backend, const quern_graph* graph, const char* options, const quern_sink* sink) {
    return call([&] {
        const Net net = net_of(*graph, is_integer_run(options));
        lower(net, own(backend).found().abilities);
        const std::vector<std::byte> blob = blob_of(net);
        const quern_status status = sink->write(sink, blob.data(), blob.size());
        if (status != QUERN_OK) throw Failure(status, "cannot write the blob");
    });
}

// ---- executables ----

quern_tensor scalar(quern_dtype dtype, const void* data, size_t size) {
    quern_tensor out{};
    out.struct_size = sizeof out;
    out.dtype = dtype;
    out.data = data;
    out.size = size;
    return out;
}

const quern_value* port_of(Executable& executable, int32_t id) {
    const Value& from = executable.loaded.net.values[static_cast<size_t>(id)];
    Port& port = *executable.ports.emplace_back(std::make_unique<Port>());
    port.value = {};
    port.value.struct_size = sizeof port.value;
    port.value.name = {from.name.c_str(), from.name.size()};
    port.value.dtype = from.dtype;
    port.value.rank = static_cast<int32_t>(from.dims.size());
    port.value.dims = from.dims.data();
    if (!from.encoding) return &port.value;
    const Encoding& e = *from.encoding;
    port.zero_point = static_cast<int32_t>(e.zero[0]);
    port.scale = scalar(QUERN_FLOAT32, e.scale.data(), sizeof(float));
    port.zero = scalar(e.storage, &port.zero_point, bits_of(e.storage) / 8);  // its low bytes
    port.encoding = {};
    port.encoding.struct_size = sizeof port.encoding;
    port.encoding.kind = QUERN_FIXED;
    port.encoding.storage = e.storage;
    port.encoding.real = from.dtype;
    port.encoding.qmin = e.qmin;
    port.encoding.qmax = e.qmax;
    port.encoding.axis = -1;
    port.encoding.scale = &port.scale;
    port.encoding.zero = &port.zero;
    port.value.encoding = &port.encoding;
    return &port.value;
}

void show_choices(Executable& executable) {
    const Program& program = executable.loaded.program;
    executable.texts.reserve(program.steps.size());
    for (size_t i = 0; i < program.steps.size(); ++i) {
        const Step& step = program.steps[i];
        executable.texts.push_back(step.blas ? "CLBlast" : fmt::format("{}.cl", step.family));
        quern_choice& choice = executable.choices.emplace_back();
        choice.struct_size = sizeof choice;
        choice.node = step.node.c_str();
        choice.op = step.op.c_str();
        choice.detail = executable.texts.back().c_str();
        choice.reasons = choice.real = "";
    }
    for (const quern_choice& choice : executable.choices) executable.choice_list.push_back(&choice);
}

quern_status load(quern_backend* backend, const void* blob, size_t size, quern_executable** out) {
    return call([&] {
        const Backend& b = own(backend);
        Net net = net_of_blob({static_cast<const std::byte*>(blob), size});
        const Found& found = b.found();
        Tuning tuning(found, b.options.tuning, b.options.tune);
        auto made = std::make_unique<Executable>(Device::of(found), std::move(net), tuning);
        Executable& e = *made;
        for (const int32_t id : e.loaded.net.inputs) e.inputs.push_back(port_of(e, id));
        for (const int32_t id : e.loaded.net.outputs) e.outputs.push_back(port_of(e, id));
        e.interface = {sizeof e.interface, e.inputs.size(), e.inputs.data(), e.outputs.size(), e.outputs.data()};
        show_choices(e);
        *out = reinterpret_cast<quern_executable*>(made.release());
    });
}

void unload(quern_executable* executable) { delete &own(executable); }

quern_status describe(quern_executable* executable, const quern_interface** out) {
    *out = &own(executable).interface;
    return QUERN_OK;
}

quern_status explain(quern_executable* executable, const quern_choice* const** choices, size_t* count) {
    *choices = own(executable).choice_list.data();
    *count = own(executable).choice_list.size();
    return QUERN_OK;
}

// ---- sessions ----

quern_status open(quern_executable* executable, const quern_session_options* options, quern_session** out) {
    return call([&] {
        const bool profiling = options && QUERN_HAS(options, profile) && options->profile != 0;
        *out = reinterpret_cast<quern_session*>(std::make_unique<Session>(own(executable), profiling).release());
    });
}

void close(quern_session* session) { delete &own(session); }

quern_status set_input(quern_session* session, size_t index, const quern_buffer* buffer) {
    return call([&] { own(session).run.set_input(index, *buffer); });
}

quern_status set_output(quern_session* session, size_t index, const quern_buffer* buffer) {
    return call([&] { own(session).run.set_output(index, *buffer); });
}

quern_status link_input(quern_session* session, size_t index, quern_session* from, size_t output) {
    return call([&] {
        if (!own(session).run.link_input(index, own(from).run, output))
            throw refused("input {} is of another kind than that output", index);
    });
}

quern_status keep_output(quern_session* session, size_t index) {
    return call([&] { own(session).run.keep_output(index); });
}

quern_status execute(quern_session* session) {
    return call([&] { own(session).run.execute(); });
}

quern_status get_output(quern_session* session, size_t index, quern_buffer* buffer) {
    return call([&] {
        const uint32_t room = buffer->struct_size;
        quern_buffer out = own(session).run.output(index);
        out.struct_size = room;
        std::memcpy(buffer, &out, std::min<size_t>(room, sizeof out));
    });
}

quern_status profile(quern_session* session, const quern_profile_event* const** events, size_t* count) {
    return call([&] {
        Session& s = own(session);
        const std::vector<Run::Time>& times = s.run.times();
        const Executable& e = s.executable;
        s.events.clear();
        s.event_list.clear();
        for (size_t i = 0; i < times.size(); ++i) {
            const bool transfer = i == e.choices.size();
            quern_profile_event& event = s.events.emplace_back();
            event.struct_size = sizeof event;
            event.node = transfer ? "" : e.choices[i].node;
            event.op = transfer ? "transfer" : e.choices[i].op;
            event.detail = transfer ? "" : e.choices[i].detail;
            event.seconds = times[i].seconds;
            event.calls = times[i].calls;
        }
        for (const quern_profile_event& event : s.events) s.event_list.push_back(&event);
        *events = s.event_list.data();
        *count = s.event_list.size();
    });
}

uint64_t memory_bytes(quern_session* session) { return own(session).run.bytes(); }

quern_backend_api make_table() {
    quern_backend_api table{};
    table.struct_size = sizeof table;
    table.abi = QUERN_BACKEND_ABI;
    table.name = "opencl";
    table.version = "1";
    table.doc = "GPUs and other devices of OpenCL";
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
    table.get_output = get_output;
    table.profile = profile;
    table.explain = explain;
    table.memory_bytes = memory_bytes;
    table.link_input = link_input;
    table.keep_output = keep_output;
    return table;
}

}  // namespace
}  // namespace quern::opencl

extern "C" QUERN_EXPORT const quern_backend_api* quern_backend_entry(uint32_t abi) {
    static const quern_backend_api table = quern::opencl::make_table();
    return abi == QUERN_BACKEND_ABI ? &table : nullptr;
}
