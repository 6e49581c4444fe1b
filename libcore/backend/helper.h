// The process in which an outside back end runs, seen by the tool: requests by run_protocol.h, and what became of it.
#pragma once

#include <functional>
#include <mutex>
#include <optional>

#include "formats/foreign/child_descriptor.h"
#include "libcore/backend/wire.h"
#include "libcore/base/error.h"
#include "libcore/os/process.h"

namespace quern {

struct RemoteBackend {
    std::string name, path, options;
    int seconds = 60;        // that a call may take; 0: no limit
    bool operators = false;  // its operators are what is asked for, and no instance is created
    bool computes = false;   // it is not a driver: its process starts no programs and has no sockets
};

// A socket of the helper with what it is for.
struct Lane {
    Lane(int fd, int number, std::string name) : wire(fd), slot(number), part(std::move(name)) {}
    Wire wire;
    int slot;
    std::string part;  // "partition 2 'conv1..relu3'", "" for none
};

class Helper {
   public:
    explicit Helper(const RemoteBackend& backend);
    ~Helper();
    Helper(const Helper&) = delete;
    Helper& operator=(const Helper&) = delete;

    const std::string& name() const { return backend_.name; }
    // The answer to the first request, which created the back end or opened the operators.
    const Json& made() const { return made_; }
    // One request on the first socket. `part` is for messages.
    Json ask(const Json& request, const std::string& part, std::span<const int> descriptors = {});
    // The two halves of a request on a session's. Throw what the back end answered, as it says it, or how the process ended.
    void send(Lane& lane, const Json& request, std::span<const int> descriptors = {});
    Json answer(Lane& lane);
    // The end of something that cannot throw: failures are kept for late_backend_failure().
    void end(const std::function<void()>& body) noexcept;

    std::unique_ptr<Lane> add_lane(int fd, const std::string& part);
    void remove_lane(const Lane& lane);

   private:
    WireTime limit() const { return wire_limit(backend_.seconds); }
    [[noreturn]] void fail(const Lane& lane, WireEnd end);
    [[noreturn]] void fail(const Lane& lane, const std::string& what);
    [[noreturn]] void give_up(const std::function<Error()>& describe);
    bool failed();
    Error described(const Lane& lane, WireEnd end);
    std::string how_it_ended();
    std::string call_in(int slot) const;

    RemoteBackend backend_;
    ChildDescriptor states_;
    std::mutex asking_;
    std::optional<Process> process_;
    std::optional<Lane> first_;
    Json made_;
    std::mutex mutex_;  // of what follows
    std::optional<Error> failure_;
    std::vector<const Lane*> lanes_;
};

// What went wrong when a session or executable was given back, where nothing can be thrown: the first failure since the last call.
std::optional<Error> late_backend_failure();

}  // namespace quern
