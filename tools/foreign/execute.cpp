#include "tools/foreign/execute.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <functional>
#include <map>
#include <mutex>
#include <new>
#include <thread>

#include "formats/native/native.h"
#include "libcore/backend/instance.h"
#include "libcore/backend/library.h"
#include "libcore/backend/run_protocol.h"
#include "libcore/backend/shared_tensors.h"
#include "libcore/backend/wire.h"
#include "libcore/base/json.h"
#include "libcore/os/descriptors.h"
#include "libcore/os/io.h"
#include "libcore/os/standard_error.h"
#include "tools/foreign/last_call.h"
#include "tools/foreign/operators.h"

namespace quern {
namespace {

thread_local Wire* own_wire = nullptr;  // which the calling thread serves

// What is reported on other threads goes to standard error.
void pass_log_on(int level, const std::string& backend, const std::string& text) {
    if (own_wire)
        own_wire->send({{"log", text}, {"level", level}});
    else if (level <= QUERN_LOG_WARNING)
        write_standard_error(fmt::format("back end \"{}\": {}\n", backend, text));
}

Json failure(Exit exit, const std::string& message, const std::string& hint = {}) {
    return {{"error", message}, {"exit", static_cast<int>(exit)}, {"hint", hint}};
}

Json guarded_answer(const std::function<Json()>& body) {
    try {
        return body();
    } catch (const Error& error) {
        return failure(error.exit(), error.message(), error.hint());
    } catch (const std::bad_alloc&) {
        return failure(Exit::io, "out of memory");
    } catch (const std::exception& error) {
        return failure(Exit::unsupported, error.what());
    }
}

// Answers until `answer` says that it was the last one or the other end is gone.
using Answer = std::function<Json(const JsonView& request, ReceivedDescriptors& descriptors, bool& last)>;
void serve(Wire& wire, const Answer& answer) {
    own_wire = &wire;
    for (bool last = false; !last;) {
        WireMessage message;
        if (wire.receive(message) != WireEnd::open) break;
        ReceivedDescriptors descriptors(std::move(message.descriptors));
        const JsonView request(message.body, "request");
        if (wire.send(guarded_answer([&] { return answer(request, descriptors, last); })) != WireEnd::open) break;
    }
    own_wire = nullptr;
}

// Sessions that are open, by their slots.
class OpenSessions {
   public:
    void add(int slot, BackendSession* session) {
        const std::scoped_lock lock(mutex_);
        sessions_[slot] = session;
    }
    void remove(int slot) {
        const std::scoped_lock lock(mutex_);
        sessions_.erase(slot);
    }
    BackendSession* find(int slot) {
        const std::scoped_lock lock(mutex_);
        const auto found = sessions_.find(slot);
        return found == sessions_.end() ? nullptr : found->second;
    }

   private:
    std::mutex mutex_;
    std::map<int, BackendSession*> sessions_;
};
OpenSessions open_sessions;

class SessionServer {
   public:
    SessionServer(std::unique_ptr<BackendSession> session, Executable& executable, bool has_start, int slot, int in, int out)
        : session_(std::move(session)), executable_(executable), has_start_(has_start), slot_(slot), in_(in), out_(out) {
        open_sessions.add(slot_, session_.get());
    }
    ~SessionServer() { close(); }

    Json answer(const JsonView& request, bool& last) {
        const std::string& ask = request["ask"].text();
        if (ask == "run") return run(request);
        if (ask == "times") return times();
        if (ask == "memory") return {{"bytes", session_->memory_bytes()}};
        if (ask == "link") return link(request);
        if (ask == "keep") return session_->keep_output(request["index"].natural()), Json::object();
        last = ask == "close";
        if (last)
            close();
        else
            session_->set_timing(request["on"].boolean());
        return Json::object();
    }

   private:
    void close() {
        if (session_) open_sessions.remove(slot_);
        session_.reset();
    }
    Json run(const JsonView& request) {
        const std::vector<Stored> inputs = map_values(in_.fd, request["values"].json(), executable_.inputs());
        if (!has_start_ || !request["apart"].boolean()) return {{"values", write_values(out_.fd, session_->run(inputs))}};
        session_->start(inputs);
        return {{"values", write_values(out_.fd, session_->finish())}};
    }
    Json link(const JsonView& request) {
        BackendSession* const from = open_sessions.find(static_cast<int>(request["from"].integer()));
        return {{"linked", from && session_->link_input(request["index"].natural(), *from, request["output"].natural())}};
    }
    Json times() {
        Json list = Json::array();
        for (const StepTime& time : session_->step_times()) list.push_back({time.node, time.op, time.kernel, time.seconds, time.calls});
        return {{"times", list}};
    }
    std::unique_ptr<BackendSession> session_;
    Executable& executable_;
    bool has_start_;
    int slot_;
    Descriptor in_, out_;
};

class BackendServer {
   public:
    Json answer(const JsonView& request, ReceivedDescriptors& descriptors, bool& last) {
        const std::string& ask = request["ask"].text();
        if (ask == "create") return create(request, descriptors);
        if (ask == "operators") return operators(request, descriptors);
        if (ask == "infer") return infer_operator(descriptors);
        if (ask == "eval") return eval_operator(request, descriptors);
        if (ask == "load") return load(request, descriptors);
        if (ask == "choices") return choices(executable(request));
        if (ask == "open") return open(request, descriptors);
        if (ask == "unload") executables_.erase(request["executable"].integer());
        last = ask == "destroy";
        if (last) instance_.reset();
        return Json::object();
    }

   private:
    static void begin(const JsonView& request, ReceivedDescriptors& descriptors) {
        if (request["version"].integer() != run_protocol::version) throw unsupported("is of another version than the tool");
        const Descriptor states(descriptors.take(0));
        watch_calls(states.fd);
        serve_slot(0);
    }
    static Json operators(const JsonView& request, ReceivedDescriptors& descriptors) {
        begin(request, descriptors);
        return {{"version", run_protocol::version}, {"operators", open_operators(request)}};
    }
    Json create(const JsonView& request, ReceivedDescriptors& descriptors) {
        begin(request, descriptors);
        const quern_backend_api& table = open_backend(request["path"].text());
        instance_ = std::make_shared<Instance>(table, request["name"].text(), request["options"].text());
        has_start_ = QUERN_HAS(&table, wait) && table.start && table.wait;
        return {{"version", run_protocol::version}};
    }
    Json load(const JsonView& request, ReceivedDescriptors& descriptors) {
        const Descriptor blob(descriptors.take(0)), ports(descriptors.take(1));
        const std::string& path = request["path"].text();
        const auto loaded =
            path.empty() ? instance_->load(map_descriptor(blob.fd, "blob"), request["part"].text()) : instance_->load_file(path);
        executables_[++count_] = loaded;
        Json in = Json::array(), out = Json::array();
        Model described;
        for (const auto* list : {&loaded->inputs(), &loaded->outputs()})
            for (const Port& port : *list) {
                (list == &loaded->inputs() ? in : out).push_back(port.name);
                const ValueId id = described.graph.add_value(fmt::format("{}", described.graph.inputs.size()), port.type);
                described.graph.value(id).enc = port.encoding;
                described.graph.inputs.push_back(id);
            }
        OutputFile file([&](const void* data, size_t size) { write_all(ports.fd, static_cast<const char*>(data), size, "ports"); });
        native_format::write(described, file);
        file.commit();
        return {{"executable", count_}, {"inputs", in}, {"outputs", out}};
    }
    static Json choices(Executable& executable) {
        Json list = Json::array();
        for (const Choice& choice : executable.choices())
            list.push_back({choice.node, choice.op, choice.kernel, choice.refusals, choice.real});
        return {{"choices", list}};
    }
    Json open(const JsonView& request, ReceivedDescriptors& descriptors) {
        Executable& own = executable(request);
        const int socket = descriptors.take(0), slot = static_cast<int>(request["slot"].integer());
        auto wire = std::make_shared<Wire>(socket);
        const LaneOptions options{static_cast<int>(request["threads"].integer()), request["timing"].boolean(),
                                  request["guarded"].boolean()};
        auto session = own.open(options);
        auto server = std::make_shared<SessionServer>(std::move(session), own, has_start_, slot, descriptors.take(1), descriptors.take(2));
        std::thread([wire = std::move(wire), server = std::move(server), slot] {
            serve_slot(slot);
            serve(*wire, [&](const JsonView& asked, ReceivedDescriptors&, bool& last) { return server->answer(asked, last); });
        }).detach();
        return Json::object();
    }
    Executable& executable(const JsonView& request) {
        const auto found = executables_.find(request["executable"].integer());
        if (found == executables_.end()) request["executable"].fail("there is none");
        return *found->second;
    }

    std::shared_ptr<Instance> instance_;
    bool has_start_ = false;
    int64_t count_ = 0;
    std::map<int64_t, std::shared_ptr<Executable>> executables_;
};

// Nobody is left to run for: whatever the back end is doing, it ends.
void end_with(int socket) {
    std::thread([socket] {
        pollfd one{socket, POLLRDHUP, 0};
        while (::poll(&one, 1, -1) <= 0) continue;
        ::_exit(0);
    }).detach();
}

}  // namespace

int execute_backend(Confined confined, uint64_t memory) {
    constexpr int socket = run_protocol::socket_descriptor;
    if (::fcntl(socket, F_GETFD) < 0) {
        write_standard_error("quern-foreign: is started by quern, for libraries of others\n");
        return static_cast<int>(Exit::usage);
    }
    confine(confined, memory);
    std::signal(SIGPIPE, SIG_IGN);  // of standard error
    const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::dup2(nothing, STDIN_FILENO);
    ::close(nothing);
    Wire wire(::fcntl(socket, F_DUPFD_CLOEXEC, socket + 1));
    ::close(socket);
    set_backend_log(pass_log_on);
    end_with(wire.descriptor());
    BackendServer server;
    serve(wire,
          [&](const JsonView& request, ReceivedDescriptors& descriptors, bool& last) { return server.answer(request, descriptors, last); });
    std::fflush(nullptr);
    ::_exit(0);
}

}  // namespace quern
