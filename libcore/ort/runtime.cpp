#include "libcore/ort/runtime.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "libcore/base/text.h"
#include "libcore/os/foreign_code.h"

namespace quern::ort {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view stem = "libonnxruntime.so";
constexpr size_t max_lines = 10000;

// The library of that folder: libonnxruntime.so, or with a version behind it.
std::string library_in(const fs::path& folder) {
    std::string found;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
        if (const std::string file = entry.path().filename(); file.starts_with(stem) && entry.is_regular_file(error))
            found = std::max(found, entry.path().string());
    return found;
}

// Site-packages of a Python environment.
std::vector<fs::path> packages_in(const fs::path& folder) {
    std::vector<fs::path> out{folder};
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder / "lib", error))
        if (entry.path().filename().string().starts_with("python")) out.push_back(entry.path() / "site-packages");
    return out;
}

std::string library_under(const fs::path& folder) {
    for (const fs::path& at : packages_in(folder))
        for (const char* inner : {"", "lib", "capi", "onnxruntime/capi"})
            if (std::string found = library_in(at / inner); !found.empty()) return found;
    throw unsupported("{} is {}: there is no {} in it, its lib, capi, onnxruntime/capi or site-packages", library_variable,
                      escape(folder.string()), stem);
}

const char* variable(const char* name) {
    const char* text = std::getenv(name);
    return text && *text ? text : nullptr;
}

// What dlopen is given.
std::vector<std::string> candidates() {
    const char* given = variable(library_variable);
    if (!given) return {"libonnxruntime.so.1", "libonnxruntime.so"};
    std::error_code error;
    if (fs::is_directory(given, error)) return {library_under(given)};
    return {given};
}

struct Opened {
    void* handle;
    std::string path;  // "": by a name
    const ApiBase* base;
};

// Not closed again: a library with threads of its own cannot be.
Opened open_library() {
    need_foreign_code();
    std::string why;
    for (const std::string& candidate : candidates()) {
        void* handle = ::dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!handle) {
            const char* reason = ::dlerror();
            why += fmt::format("{}{}", why.empty() ? "" : "; ", reason ? reason : "no reason given");
            continue;
        }
        const auto entry = reinterpret_cast<const ApiBase* (*)()>(::dlsym(handle, "OrtGetApiBase"));
        if (!entry) throw unsupported("{}: has no function OrtGetApiBase", escape(candidate));
        return {handle, candidate.find('/') == candidate.npos ? "" : candidate, entry()};
    }
    throw unsupported("onnxruntime cannot be loaded: {}", why)
        .with_hint(
            fmt::format("{} names libonnxruntime.so, or a folder with it: a Python environment that has onnxruntime", library_variable));
}

const Opened& opened() {
    static const Opened library = open_library();
    return library;
}

}  // namespace

std::string installed_version() try { return opened().base->version(); } catch (const Error&) {
    return {};
}

Runtime& Runtime::get() {
    static Runtime runtime;
    return runtime;
}

Runtime::Runtime() : path_(opened().path), version_(opened().base->version()) {
    const void* const* table = opened().base->table(api_version);
    if (!table) throw unsupported("this is onnxruntime {}, need {} or newer", version_, min_version);
    api_ = {table, table};
    compile_api_ = {api_.get<slot::GetCompileApi>(), table};
    api_.call<slot::CreateEnvWithCustomLogger>(&Runtime::log, static_cast<void*>(this), Severity::info, "quern", &env_);
}

void Runtime::log(void* self, Severity, const char*, const char*, const char*, const char* text) {
    auto& runtime = *static_cast<Runtime*>(self);
    const std::scoped_lock lock(runtime.mutex_);
    if (runtime.listening_ && text && runtime.lines_.size() < max_lines) runtime.lines_.emplace_back(trim(text));
}

Runtime::Listening::Listening(Runtime& runtime) : runtime_(runtime), turn_(runtime.turn_) {
    const std::scoped_lock lock(runtime_.mutex_);
    runtime_.lines_.clear();
    runtime_.listening_ = true;
}

Runtime::Listening::~Listening() {
    const std::scoped_lock lock(runtime_.mutex_);
    runtime_.listening_ = false;
}

std::vector<std::string> Runtime::Listening::lines() const {
    const std::scoped_lock lock(runtime_.mutex_);
    return runtime_.lines_;
}

std::string Runtime::library_of(const Provider& provider) const {
    std::vector<fs::path> folders;
    if (const char* given = variable(providers_variable))
        for (const std::string& folder : split(given, ':')) folders.emplace_back(folder);
    if (!path_.empty()) {
        const fs::path own = fs::path(path_).parent_path();
        folders.push_back(own);
        folders.push_back(own / ".." / ".." / provider.package);
    }
    std::error_code error;
    for (const fs::path& folder : folders)
        if (const fs::path file = folder / provider.library; fs::is_regular_file(file, error)) return fs::canonical(file, error);
    throw unsupported("{} of provider {} is not there", provider.library, provider.name)
        .with_hint(
            fmt::format("{} names the folder with it (pip install {} puts it beside onnxruntime)", providers_variable, provider.package));
}

std::vector<const OrtEpDevice*> Runtime::devices(const Provider& provider) {
    const std::scoped_lock lock(registering_);
    if (!provider.library.empty() && !registered_.contains(std::string(provider.name))) {
        const std::string path = library_of(provider);
        at_place(path, [&] { api_.call<slot::RegisterExecutionProviderLibrary>(env_, std::string(provider.own).c_str(), path.c_str()); });
        registered_.emplace(provider.name);
    }
    const OrtEpDevice* const* list = nullptr;
    size_t count = 0;
    api_.call<slot::GetEpDevices>(static_cast<const OrtEnv*>(env_), &list, &count);
    std::vector<const OrtEpDevice*> out;
    for (size_t i = 0; i < count; ++i)
        if (provider.own == api_.get<slot::EpDeviceEpName>(list[i])) out.push_back(list[i]);
    if (out.empty()) throw unsupported("onnxruntime {} has no device of provider {} on this machine", version_, provider.name);
    return out;
}

}  // namespace quern::ort
