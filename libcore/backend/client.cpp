#include "libcore/backend/client.h"

#include <mutex>

#include "formats/foreign/child.h"
#include "libcore/backend/builtin.h"
#include "libcore/backend/compile_options.h"
#include "libcore/backend/library.h"
#include "libcore/backend/question.h"
#include "libcore/backend/remote.h"
#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "libcore/graph/device.h"

namespace quern {
namespace {

// The longest that create, devices or supports may take, in seconds.
int time_limit() {
    const BackendRuns runs = backend_runs();
    return runs.apart ? runs.seconds : child_seconds("QUERN_BACKEND_TIMEOUT");
}

class OwnBackend : public Backend {
   public:
    // `path` "": built in.
    OwnBackend(std::string name, std::string path, std::string options)
        : name_(std::move(name)), path_(std::move(path)), options_(std::move(options)) {
        placed([&] { probe(); });
    }
    const std::string& name() const override { return name_; }
    const std::string& version() const override { return version_; }
    const std::string& path() const override { return path_; }
    const std::string& options() const override { return options_; }
    const std::vector<DeviceInfo>& devices() const override { return devices_; }
    const std::string& doc() const { return doc_; }

    std::vector<std::optional<std::string>> refusals(const Graph& graph, const CompileOptions& options) override {
        return placed([&] {
            const Bytes bytes = ask({"supports", &graph, options}, time_limit());
            std::vector<std::optional<std::string>> out;
            for (const Json& item : parse_json(bytes.text()))
                out.push_back(item.is_null() ? std::nullopt : std::optional(item.get<std::string>()));
            return out;
        });
    }
    Bytes compile(const Graph& partition, const BlobOptions& options) override {
        return placed([&] { return ask({"compile", &partition, options}, 0); });
    }
    std::shared_ptr<Executable> load(Bytes blob, const std::string& part) override {
        return placed([&] {
            if (const auto apart = helper()) return load_remotely(apart, blob, "", part);
            return here().load(std::move(blob), part);
        });
    }
    std::shared_ptr<Executable> load_file(const std::string& path) override {
        return placed([&] {
            return at_place(path, [&] {
                if (const auto apart = helper()) return load_remotely(apart, {}, path, "");
                return here().load_file(path);
            });
        });
    }

   private:
    template <class Body>
    std::invoke_result_t<Body> placed(const Body& body) {
        return at_place(fmt::format("back end \"{}\"", escape(name_)), body);
    }

    void probe() {
        const Json json = parse_json(ask({"devices"}, time_limit()).text());
        const std::string own = json["name"].get<std::string>();
        if (!path_.empty() && name_.find('/') == name_.npos && own != name_)
            throw unsupported("its table has the name \"{}\"", escape(own));
        if (!is_device_name(own)) throw unsupported("its table has the name \"{}\", {}", escape(own), device_name_rule);
        name_ = own;
        version_ = json["version"].get<std::string>();
        doc_ = json["doc"].get<std::string>();
        for (const Json& d : json["devices"])
            devices_.push_back(
                {d["name"].get<std::string>(), d["doc"].get<std::string>(), d["memory_bytes"].get<uint64_t>(), d["simulated"].get<bool>()});
    }

    // The answer. A foreign back end gives it in a child process, with an instance of its own.
    Bytes ask(const Question& question, int seconds) {
        if (path_.empty()) {
            SpoolFile spool;
            answer(here(), question, spool.file());
            return spool.finish();
        }
        const std::string options = question.graph ? compile_options_json(question.options) : "";
        return run_in_child({.job = "backend",
                             .request = {std::string(question.name), path_, name_, options_, options},
                             .graph = question.graph,
                             .seconds = seconds,
                             .log = [this](int level, const std::string& text) { log_of_backend(level, name_, text); }});
    }

    // The process where it runs; none: this one.
    std::shared_ptr<Helper> helper() {
        const BackendRuns runs = backend_runs();
        if (path_.empty() || !runs.apart) return nullptr;
        const std::scoped_lock lock(mutex_);
        if (!helper_) helper_ = start_helper({name_, path_, options_, runs.seconds});
        return helper_;
    }

    Instance& here() {
        const std::scoped_lock lock(mutex_);
        if (!instance_)
            instance_ = std::make_shared<Instance>(path_.empty() ? *builtin_backend(name_) : open_backend(path_), name_, options_);
        return *instance_;
    }

    std::string name_, path_, options_, version_, doc_;
    std::vector<DeviceInfo> devices_;
    std::mutex mutex_;
    std::shared_ptr<Instance> instance_;
    std::shared_ptr<Helper> helper_;
};

std::mutex runs_mutex;
BackendRuns runs_now;

// The options with the device that the name has. Throws Exit::usage if they name another.
std::string with_device(const std::string& options, const std::string& device) {
    check_backend_options(options);
    if (device.empty()) return options;
    Json all = options.empty() ? Json::object() : parse_json(options);
    if (all.contains("device") && all["device"] != device)
        throw usage_error("its options {} name another device than \"{}\"", printable(options), escape(device));
    all["device"] = device;
    return json_line(all);
}

std::shared_ptr<OwnBackend> open_own(const std::string& name, const std::string& options) {
    if (builtin_backend(name)) return std::make_shared<OwnBackend>(name, "", options);
    const BackendName asked = split_backend_name(name);
    const std::string& library = asked.library;
    if (const std::string path = backend_path(name); !path.empty()) {
        const std::string all =
            at_place(fmt::format("back end \"{}\"", escape(library)), [&] { return with_device(options, asked.device); });
        return std::make_shared<OwnBackend>(library, path, all);
    }
    std::vector<std::string> names{"cpu", "ref"};
    for (const BackendFile& file : installed_backends()) names.push_back(file.name);
    Error missing = unsupported("there is no back end \"{}\"{}", escape(name), did_you_mean(library, names));
    if (library.find('/') != library.npos) throw missing;
    throw missing.with_hint(fmt::format("libquern_{}.so is looked for in {}", escape(library), join(backend_folders(), ", ")));
}

}  // namespace

void set_backend_runs(const BackendRuns& runs) {
    const std::scoped_lock lock(runs_mutex);
    runs_now = runs;
}

BackendRuns backend_runs() {
    const std::scoped_lock lock(runs_mutex);
    return runs_now;
}

std::shared_ptr<Backend> Backend::open(const std::string& name, const std::string& options) { return open_own(name, options); }

// They go to the library as they are; that they are an object is checked here, once for all of them.
void check_backend_options(const std::string& options) {
    if (options.empty()) return;
    try {
        if (parse_json(options).is_object()) return;
    } catch (const Error& error) {
        throw usage_error("options {}: {}", options, error.message()).with_hint("{\"device\": \"npu1\"}");
    }
    throw usage_error("options {}: need a JSON object", options).with_hint("{\"device\": \"npu1\"}");
}

std::string merged_backend_options(const std::string& made, const std::string& given) {
    if (made.empty() || given.empty()) return made.empty() ? given : made;
    check_backend_options(given);
    Json all = parse_json(made);
    all.merge_patch(parse_json(given));
    return json_line(all);
}

std::string backend_options_unused(const std::string& options) {
    return fmt::format("the options {} of back ends have no effect: nothing runs on one that is a library", printable(options));
}

bool Backend::exists(const std::string& name) { return builtin_backend(name) || !backend_path(name).empty(); }

bool Backend::installed(const std::string& name) { return builtin_backend(name) || !installed_backend(name).empty(); }

std::vector<std::string> backend_names(std::string_view list) {
    std::vector<std::string> names;
    for (const std::string& name : split(list, ';'))
        if (const std::string_view text = trim(name); !text.empty()) names.emplace_back(text);
    return names;
}

std::vector<BackendSummary> all_backends() {
    std::vector<BackendFile> files{{"cpu", ""}, {"ref", ""}};
    for (BackendFile& file : installed_backends()) files.push_back(std::move(file));
    std::vector<BackendSummary> out;
    for (const BackendFile& file : files) {
        BackendSummary line{file.name, {}, {}, file.path, {}, {}};
        try {
            const auto backend = open_own(file.name, {});
            line.version = backend->version();
            line.doc = backend->doc();
            line.devices = backend->devices();
        } catch (const Error& error) {
            line.problem = error.message();
        }
        out.push_back(std::move(line));
    }
    return out;
}

}  // namespace quern
