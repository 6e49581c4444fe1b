// Instance: one created back end of a table, in this process. What client.h offers stands on it.
#pragma once

#include "libcore/backend/compile_options.h"
#include "libcore/backend/guard.h"
#include "libcore/backend/interface.h"
#include "libcore/os/io.h"

namespace quern {

class Instance : public std::enable_shared_from_this<Instance> {
   public:
    // Calls create(). `name` is for messages.
    Instance(const quern_backend_api& table, std::string name, const std::string& options);
    ~Instance();
    Instance(const Instance&) = delete;
    Instance& operator=(const Instance&) = delete;

    std::vector<DeviceInfo> devices();
    std::vector<std::optional<std::string>> refusals(const Graph& graph, const CompileOptions& options);
    void compile(const Graph& graph, const BlobOptions& options, OutputFile& file);
    // `part` names the partition in messages, "" for none.
    std::shared_ptr<Executable> load(Bytes blob, const std::string& part = {});
    std::shared_ptr<Executable> load_file(const std::string& path);

    const quern_backend_api& table() const { return table_; }
    const std::string& name() const { return name_; }
    // Throws what last_error() says unless `status` is QUERN_OK; `what` is the function that was called.
    void check(quern_status status, std::string_view what);
    template <class Call>
    void check_call(std::string_view what, const Call& call) {
        check(foreign(what, call), what);
    }

   private:
    const quern_backend_api& table_;
    std::string name_;
    quern_host host_;
    quern_backend* backend_ = nullptr;
};

// An executable that `handle` stands for, of `instance`; `blob` is kept as long as it.
std::shared_ptr<Executable> make_executable(std::shared_ptr<Instance> instance, quern_executable* handle, Bytes blob,
                                            const std::string& part);

// Where messages of back ends go: at first warnings and errors, as lines of standard error.
using BackendLog = void (*)(int level, const std::string& backend, const std::string& text);
void set_backend_log(BackendLog log);
void log_of_backend(int level, const std::string& backend, const std::string& text);

}  // namespace quern
