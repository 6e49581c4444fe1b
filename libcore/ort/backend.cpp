// The back end "ort": execution providers of the user's onnxruntime, by the interface of back ends and nothing else.
#include <map>
#include <mutex>

#include "formats/context/sections.h"
#include "formats/native/native.h"
#include "libcore/backend/guard.h"
#include "libcore/backend/view.h"
#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "libcore/deploy/context.h"
#include "libcore/ort/otherwise.h"
#include "libcore/ort/question.h"
#include "libcore/ort/session.h"

using namespace quern;
using namespace quern::ort;

namespace {

constexpr std::string_view blob_magic = "QUERNORT";
thread_local std::string last_failure;

// Hints have no way of their own through the interface.
template <class Body>
quern_status guarded_call(const Body& body) noexcept {
    return guarded(last_failure, [&] {
        try {
            body();
        } catch (const Error& error) {
            if (error.hint().empty()) throw;
            throw Error(error.exit(), fmt::format("{} ({})", error.message(), error.hint()));
        }
    });
}

// The objects behind the interface's pointers, by other names than libquern's own.
struct Device {
    const quern_host* host;
    Settings settings;
    std::vector<quern_device> devices;
    std::vector<const quern_device*> device_list;

    // The graph that was asked about last, and what it got.
    std::mutex mutex;
    const quern_graph* asked = nullptr;
    std::string asked_options;
    std::map<std::string, std::string, std::less<>> refused;
};

struct Loaded {
    Device* device;
    Bytes model;
    Graph ends;
    std::vector<std::string> input_names, output_names;
    Views views;
    quern_interface interface;
    std::mutex mutex;
    std::map<int, std::shared_ptr<ProviderSession>> sessions;  // by their threads

    std::shared_ptr<ProviderSession> session(int threads) {
        const std::scoped_lock lock(mutex);
        auto& slot = sessions[threads];
        if (!slot) slot = std::make_shared<ProviderSession>(model, device->settings, threads);
        return slot;
    }
};

struct Opened {
    Opened(Loaded& from, std::shared_ptr<ProviderSession> own) : loaded(from), session(std::move(own)) {}

    Loaded& loaded;
    std::shared_ptr<ProviderSession> session;
    std::vector<Tensor> inputs;
    ProviderSession::Outputs outputs;
};

Device& own(quern_backend* device) { return *reinterpret_cast<Device*>(device); }
Loaded& own(quern_executable* executable) { return *reinterpret_cast<Loaded*>(executable); }
Opened& own(quern_session* session) { return *reinterpret_cast<Opened*>(session); }

quern_status create(const quern_host* host, const char* options, quern_backend** out) {
    return guarded_call([&] {
        auto device = std::make_unique<Device>();
        device->host = host;
        device->settings = parse_settings(options ? options : "");
        *out = reinterpret_cast<quern_backend*>(device.release());
    });
}

void destroy(quern_backend* backend) { delete &own(backend); }

const char* last_error(quern_backend*) { return last_failure.c_str(); }

bool is_present(const Provider& provider) try {
    return provider.name == "cpu" || !Runtime::get().devices(provider).empty();
} catch (const Error&) {
    return false;
}

quern_status devices(quern_backend* backend, const quern_device* const** list, size_t* count) {
    return guarded_call([&] {
        Runtime::get();  // says what is wrong with it
        Device& device = own(backend);
        if (device.devices.empty()) {
            for (const Provider& provider : providers())
                if (is_present(provider)) {
                    quern_device& row = device.devices.emplace_back(sized<quern_device>());
                    row.name = provider.device.data();
                    row.doc = provider.doc.data();
                    row.simulated = provider.simulated ? 1 : 0;
                }
            for (const quern_device& row : device.devices) device.device_list.push_back(&row);
        }
        *list = device.device_list.data();
        *count = device.device_list.size();
    });
}

std::vector<int> units_of(const quern_graph& graph) {
    std::vector<int> out;
    for (size_t i = 0; i < graph.node_count; ++i) out.push_back(graph.nodes[i]->unit);
    return out;
}

// A question goes over the nodes of a graph: the first one is answered for all of them.
void answer(Device& device, const quern_graph& graph, const quern_node& node, const char* options) {
    const std::string text = options ? options : "";
    const std::scoped_lock lock(device.mutex);
    if (device.asked != &graph || device.asked_options != text || &node == graph.nodes[0]) {
        device.asked = nullptr;
        device.refused.clear();
        for (auto& [name, why] : refusals(graph_of(*device.host, graph), units_of(graph), arithmetic_of(options), device.settings))
            device.refused.emplace(name, std::move(why));
        device.asked = &graph;
        device.asked_options = text;
    }
    const auto found = device.refused.find(std::string_view(node.name.data, node.name.size));
    if (found != device.refused.end()) throw unsupported("{}", found->second);
}

quern_status supports(quern_backend* backend, const quern_graph* graph, const quern_node* node, const char* options) {
    return guarded_call([&] { answer(own(backend), *graph, *node, options); });
}

// The provider's binaries where it has such and they are not there already, else the model, which it takes as a whole.
Bytes model_for(const Graph& graph, Arithmetic arithmetic, const Settings& settings) {
    Bytes onnx = onnx_of(graph, arithmetic);
    if (settings.provider->contexts && !holds_context(graph)) return compiled(onnx, settings);
    const ProviderSession tried(onnx, settings, 1);
    return onnx;
}

void write_blob(const Settings& settings, const Graph& graph, Arithmetic arithmetic, OutputFile& file) {
    Model ends;
    ends.graph = ends_of(graph, arithmetic);
    SpoolFile spool;
    native_format::write(ends, spool.file());
    const std::string about = json_line({{"provider", std::string(settings.provider->name)}});
    context_format::write_sections(blob_magic,
                                   {{"about", 0, {Bytes::copy(about.data(), about.size())}},
                                    {"ends", 0, {spool.finish()}},
                                    {"model", 0, {model_for(graph, arithmetic, settings)}}},
                                   file);
}

Graph sharing_graph(const std::string& path, const Provider& provider) {
    Graph graph = native_format::read(map_input(path), path).graph;
    refuse_otherwise(provider, graph);
    return graph;
}

// A model, or sections of those that have one binary.
void write_contexts(const Settings& settings, const Graph& graph, Arithmetic arithmetic, OutputFile& file) {
    if (settings.sharing.empty()) return file.write(compiled(onnx_of(graph, arithmetic), settings));
    std::vector<Bytes> models{onnx_of(graph, arithmetic)};
    for (const std::string& path : settings.sharing) models.push_back(onnx_of(sharing_graph(path, *settings.provider), arithmetic));
    std::vector<context_format::Section> sections;
    for (Bytes& model : compiled_together(models, settings))
        sections.push_back({"model", static_cast<uint32_t>(sections.size()), {std::move(model)}});
    context_format::write_sections(shared_contexts_magic, sections, file);
}

quern_status compile(quern_backend* backend, const quern_graph* view, const char* options, const quern_sink* sink) {
    return guarded_call([&] {
        const Device& device = own(backend);
        const Graph graph = graph_of(*device.host, *view);
        const Arithmetic arithmetic = arithmetic_of(options);
        refuse_otherwise(*device.settings.provider, graph);
        OutputFile file([&](const void* data, size_t size) {
            if (sink->write(sink, data, size) != QUERN_OK) throw io_error("cannot write the blob");
        });
        switch (device.settings.product) {
            case Product::blob: write_blob(device.settings, graph, arithmetic, file); break;
            case Product::context: write_contexts(device.settings, graph, arithmetic, file); break;
            case Product::dlc: file.write(dlc_of(onnx_of(graph, arithmetic), device.settings)); break;
        }
        file.commit();
    });
}

// ---- executables ----

const quern_value* const* ports(Views& views, const Graph& ends, const std::vector<ValueId>& ids, std::vector<std::string>& names) {
    std::vector<const quern_value*> list;
    for (const ValueId id : ids) {
        const auto& value = ends.value(id);
        names.push_back(value.name);
        list.push_back(views.value(value.name, value.type, value.enc ? &*value.enc : nullptr, nullptr));
    }
    return views.list(std::move(list));
}

void check_provider(const context_format::Sections& sections, const Settings& settings) {
    const Json about = parse_json(sections.need("about").text());
    const std::string& provider = JsonView(about)["provider"].text();
    if (provider != settings.provider->name)
        throw unsupported("was made for provider {}, this is {}", escape(provider), settings.provider->name);
}

quern_status load(quern_backend* backend, const void* data, size_t size, quern_executable** out) {
    return guarded_call([&] {
        const Bytes blob = Bytes::borrow(data, size);
        if (!context_format::has_magic(blob, blob_magic)) throw bad_input("is not a blob of this back end");
        const context_format::Sections sections(blob_magic, blob);
        check_provider(sections, own(backend).settings);
        auto loaded = std::make_unique<Loaded>();
        loaded->device = &own(backend);
        loaded->model = sections.need("model");
        loaded->ends = native_format::read(sections.need("ends"), "-").graph;
        Loaded& l = *loaded;
        l.interface = sized<quern_interface>();
        l.interface.input_count = l.ends.inputs.size();
        l.interface.inputs = ports(l.views, l.ends, l.ends.inputs, l.input_names);
        l.interface.output_count = l.ends.outputs.size();
        l.interface.outputs = ports(l.views, l.ends, l.ends.outputs, l.output_names);
        *out = reinterpret_cast<quern_executable*>(loaded.release());
    });
}

void unload(quern_executable* executable) { delete &own(executable); }

quern_status describe(quern_executable* executable, const quern_interface** out) {
    *out = &own(executable).interface;
    return QUERN_OK;
}

// ---- sessions ----

quern_status open(quern_executable* executable, const quern_session_options* options, quern_session** out) {
    return guarded_call([&] {
        Loaded& loaded = own(executable);
        const int threads = options ? std::max(1, options->threads) : 1;
        auto opened = std::make_unique<Opened>(loaded, loaded.session(threads));
        opened->inputs.resize(loaded.input_names.size());
        *out = reinterpret_cast<quern_session*>(opened.release());
    });
}

void close(quern_session* session) { delete &own(session); }

quern_status set_input(quern_session* session, size_t index, const quern_buffer* buffer) {
    return guarded_call([&] {
        check_index(index, own(session).inputs.size());
        own(session).inputs[index] = borrowed_from(*buffer);
    });
}

quern_status execute(quern_session* session) {
    return guarded_call([&] {
        Opened& s = own(session);
        for (size_t i = 0; i < s.inputs.size(); ++i)
            if (!s.inputs[i].defined()) throw usage_error("input {} is not set", i);
        s.outputs = s.session->run(s.loaded.input_names, s.inputs, s.loaded.output_names);
    });
}

quern_status get_output(quern_session* session, size_t index, quern_buffer* buffer) {
    return guarded_call([&] {
        const std::vector<Tensor>& outputs = own(session).outputs.tensors;
        check_index(index, outputs.size());
        give_buffer(buffer_of(outputs[index]), *buffer);
    });
}

// Blobs of one release of onnxruntime are not another's.
const char* version() {
    static const std::string text = fmt::format("1-{}", installed_version());
    return text.c_str();
}

quern_backend_api make_table() {
    auto table = sized<quern_backend_api>();
    table.abi = QUERN_BACKEND_ABI;
    table.name = "ort";
    table.version = version();
    table.doc = "execution providers of onnxruntime, the one that QUERN_ORT leads to";
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
    table.execute = execute;
    table.get_output = get_output;
    return table;
}

}  // namespace

extern "C" QUERN_EXPORT const quern_backend_api* quern_backend_entry(uint32_t abi) {
    static const quern_backend_api table = make_table();
    return abi == QUERN_BACKEND_ABI ? &table : nullptr;
}
