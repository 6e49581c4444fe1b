#include "libcore/backend/instance.h"

#include <atomic>
#include <cstdio>

#include "libcore/backend/builtin.h"
#include "libcore/backend/compile_options.h"
#include "libcore/backend/guard.h"
#include "libcore/backend/host.h"
#include "libcore/backend/view.h"
#include "libcore/base/text.h"
#include "libcore/graph/op.h"
#include "libcore/graph/summary.h"
#include "libcore/os/standard_error.h"

namespace quern {
namespace {

void log_to_stderr(int level, const std::string& backend, const std::string& text) {
    if (level <= QUERN_LOG_WARNING) write_standard_error(fmt::format("quern: back end \"{}\": {}\n", backend, printable(text)));
}
std::atomic<BackendLog> current_log = &log_to_stderr;

void host_log(const quern_host* host, int32_t level, const char* text) {
    std::string ignored;
    guarded(ignored, [&] { log_of_backend(level, static_cast<const Instance*>(host->self)->name(), text ? text : ""); });
}

Exit exit_of(quern_status status, bool foreign) {
    switch (status) {
        case QUERN_USAGE: return Exit::usage;
        case QUERN_BAD_INPUT: return Exit::bad_input;
        case QUERN_IO: return Exit::io;
        case QUERN_INTERNAL: return foreign ? Exit::unsupported : Exit::bug;
        default: return Exit::unsupported;
    }
}

}  // namespace

void set_backend_log(BackendLog log) { current_log = log ? log : &log_to_stderr; }
void log_of_backend(int level, const std::string& backend, const std::string& text) { current_log.load()(level, backend, text); }

Instance::Instance(const quern_backend_api& table, std::string name, const std::string& options)
    : table_(table), name_(std::move(name)), host_(c_host(this, host_log)) {
    check_call("create", [&] { return table_.create(&host_, options.c_str(), &backend_); });
    if (!backend_) throw unsupported("create gave nothing");
}

Instance::~Instance() {
    if (backend_) foreign_end("destroy", [&] { table_.destroy(backend_); });
}

void Instance::check(quern_status status, std::string_view what) {
    if (status == QUERN_OK) return;
    const char* text = foreign("last_error", [&] { return table_.last_error(backend_); });
    const Exit exit = exit_of(status, !builtin_backend(name_));
    throw Error(exit, text && *text ? std::string(text) : fmt::format("{} failed with status {}", what, status));
}

std::vector<DeviceInfo> Instance::devices() {
    const quern_device* const* list = nullptr;
    size_t count = 0;
    check_call("devices", [&] { return table_.devices(backend_, &list, &count); });
    std::vector<DeviceInfo> out;
    for (const quern_device* device : listed(list, count, "devices"))
        out.push_back({device->name ? device->name : "", device->doc ? device->doc : "",
                       QUERN_HAS(device, memory_bytes) ? device->memory_bytes : 0, QUERN_HAS(device, simulated) && device->simulated != 0});
    return out;
}

std::vector<std::optional<std::string>> Instance::refusals(const Graph& graph, const CompileOptions& options) {
    const GraphView view(graph);
    const std::string text = compile_options_json(options);
    std::vector<std::optional<std::string>> out;
    for (const NodeId id : graph.order()) {
        const quern_status status = foreign("supports", [&] { return table_.supports(backend_, view.get(), view.node(id), text.c_str()); });
        if (status == QUERN_OK) {
            out.emplace_back();
            continue;
        }
        if (status != QUERN_UNSUPPORTED) at_node(graph.node(id), [&] { check(status, "supports"); });
        const char* reason = foreign("last_error", [&] { return table_.last_error(backend_); });
        out.emplace_back(reason && *reason ? reason : "no reason given");
    }
    return out;
}

void Instance::compile(const Graph& graph, const BlobOptions& options, OutputFile& file) {
    const GraphView view(graph);
    const std::string text = compile_options_json(options);
    if (QUERN_HAS(&table_, supports_graph) && table_.supports_graph)
        check_call("supports_graph", [&] { return table_.supports_graph(backend_, view.get(), text.c_str()); });
    const quern_sink sink = c_sink(file);
    check_call("compile", [&] { return table_.compile(backend_, view.get(), text.c_str(), &sink); });
}

std::shared_ptr<Executable> Instance::load(Bytes blob, const std::string& part) {
    const auto loaded = [&] {
        quern_executable* handle = nullptr;
        check_call("load", [&] { return table_.load(backend_, blob.data(), blob.size(), &handle); });
        return make_executable(shared_from_this(), handle, std::move(blob), part);
    };
    return part.empty() ? loaded() : at_place(part, loaded);
}

std::shared_ptr<Executable> Instance::load_file(const std::string& path) {
    if (!QUERN_HAS(&table_, load_file) || !table_.load_file) return load(map_input(path));
    quern_executable* handle = nullptr;
    check_call("load_file", [&] { return table_.load_file(backend_, path.c_str(), &handle); });
    return make_executable(shared_from_this(), handle, {}, {});
}

}  // namespace quern
