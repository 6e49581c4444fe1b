// The user's onnxruntime: found, loaded, asked. Nothing of it is part of quern.
#pragma once

#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "libcore/ort/api.h"
#include "libcore/ort/settings.h"

namespace quern::ort {

// Where the libraries are: QUERN_ORT is libonnxruntime.so itself, a name for the loader, or a folder: that of the library, a Python
// environment or its site-packages. Without it the loader is asked for libonnxruntime.so.1. A provider's library lies beside
// onnxruntime's, in its own package beside onnxruntime's, or where QUERN_ORT_PROVIDERS (folders, ":" between them) says.
inline constexpr const char* library_variable = "QUERN_ORT";
inline constexpr const char* providers_variable = "QUERN_ORT_PROVIDERS";

// The version of the library that QUERN_ORT leads to, without keeping it open beyond that; "" if there is none.
std::string installed_version();

class Runtime {
   public:
    // The one of this process. Throws Exit::unsupported if there is none, or one that is too old, saying where it was looked for.
    static Runtime& get();
    Runtime(const Runtime&) = delete;
    Runtime& operator=(const Runtime&) = delete;

    const Table& api() const { return api_; }
    const Table& compile_api() const { return compile_api_; }
    OrtEnv* env() const { return env_; }
    const std::string& version() const { return version_; }

    // Its devices; the provider's library is loaded when it is asked for the first time. Throws Exit::unsupported if it is not there, or
    // has none on this machine.
    std::vector<const OrtEpDevice*> devices(const Provider& provider);

    // What is logged while this lives, of the whole process: makers of sessions take turns.
    class Listening {
       public:
        explicit Listening(Runtime& runtime);
        ~Listening();
        Listening(const Listening&) = delete;
        Listening& operator=(const Listening&) = delete;
        std::vector<std::string> lines() const;

       private:
        Runtime& runtime_;
        std::unique_lock<std::mutex> turn_;
    };

   private:
    Runtime();
    static void log(void* self, Severity severity, const char* category, const char* id, const char* place, const char* text);
    std::string library_of(const Provider& provider) const;

    std::string path_, version_;  // path: "" where the loader found it by a name
    Table api_, compile_api_;
    OrtEnv* env_ = nullptr;
    std::mutex mutex_, turn_, registering_;  // of lines_; of those who listen; of registered_
    std::set<std::string> registered_;
    bool listening_ = false;
    std::vector<std::string> lines_;
};

}  // namespace quern::ort
