// Back ends as the host uses them: the C table in C++ clothes. What a foreign one does on create, devices, supports and compile happens
// in a child process, so that a crash there is an error here; where it runs says set_backend_runs().
//
//     const auto backend = Backend::open("abc_back", "{}");
//     const Bytes blob = backend->compile(graph, options);
//     const auto executable = backend->load(blob);
//     const auto session = executable->open({.threads = 2});
//     const std::vector<Stored> outputs = session->run(inputs);
//
// Errors begin with: back end "abc_back".
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libcore/backend/compile_options.h"
#include "libcore/backend/interface.h"

namespace quern {

class Backend {
   public:
    // A built-in one, or the library of this name (library.h); options are JSON, "" for none. Exit::unsupported if there is none.
    static std::shared_ptr<Backend> open(const std::string& name, const std::string& options = {});
    static bool exists(const std::string& name);
    static bool installed(const std::string& name);  // of a name that a file gives: never a path
    virtual ~Backend() = default;

    virtual const std::string& name() const = 0;
    virtual const std::string& version() const = 0;
    virtual const std::string& path() const = 0;     // "": built in
    virtual const std::string& options() const = 0;  // as it was opened with
    virtual const std::vector<DeviceInfo>& devices() const = 0;
    // Why it does not run a node, in program order; nullopt: it does.
    virtual std::vector<std::optional<std::string>> refusals(const Graph& graph, const CompileOptions& options) = 0;
    virtual Bytes compile(const Graph& partition, const BlobOptions& options) = 0;
    // `part` names the partition in messages: "partition 2 'conv1..relu3'".
    virtual std::shared_ptr<Executable> load(Bytes blob, const std::string& part = {}) = 0;
    virtual std::shared_ptr<Executable> load_file(const std::string& path) = 0;
};

// Where outside back ends run: in this process, or in a helper process (remote.h), so that their crashes and hangs are errors that name the
// call. The tools choose the latter; a host of the library is left alone.
struct BackendRuns {
    bool apart = false;
    int seconds = 60;  // that one call may take there; 0: no limit
};
void set_backend_runs(const BackendRuns& runs);
BackendRuns backend_runs();

// For listings: name, version, doc and devices of every back end that can be opened, and what is wrong with the others.
struct BackendSummary {
    std::string name, version, doc, path, problem;
    std::vector<DeviceInfo> devices;
};
std::vector<BackendSummary> all_backends();

// What the user gives to libraries: "" or a JSON object; Exit::usage if it is neither.
void check_backend_options(const std::string& options);
// `made` as a context keeps them, with the members that `given` has another value for; null takes one away. Throws Exit::usage.
std::string merged_backend_options(const std::string& made, const std::string& given);
// Why options do nothing where no library runs anything: a line for the user.
std::string backend_options_unused(const std::string& options);

// The names in a list as --backend and BACKENDS have it, "a;b".
std::vector<std::string> backend_names(std::string_view list);

}  // namespace quern
