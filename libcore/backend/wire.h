// Messages between a tool and the process in which a back end runs (run_protocol.h): JSON and descriptors over a socket. Neither side waits
// longer than it was told, whatever the other one does.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "formats/foreign/child_descriptor.h"
#include "libcore/base/json.h"

namespace quern {

using WireTime = std::optional<std::chrono::steady_clock::time_point>;  // none: no limit
WireTime wire_limit(int seconds);                                       // 0: none

struct WireMessage {
    Json body;
    std::vector<int> descriptors;  // the receiver's to close
};

enum class WireEnd { open, closed, late };  // closed: the other side is gone

class Wire {
   public:
    // Takes `fd`, a stream socket.
    explicit Wire(int fd) : socket_(fd) {}
    // Two ends of a new one, the second for a message.
    static std::pair<int, int> pair();
    int descriptor() const { return socket_.get(); }

    WireEnd send(const Json& body, std::span<const int> descriptors = {}, const WireTime& limit = {});
    // Throws Exit::unsupported if what comes is not one of the protocol's messages.
    WireEnd receive(WireMessage& message, const WireTime& limit = {});

   private:
    WireEnd wait(short events, const WireTime& limit);
    WireEnd read(void* to, size_t size, std::vector<int>& descriptors, const WireTime& limit);
    ChildDescriptor socket_;
};

// Closes what a message brought, unless it was taken.
class ReceivedDescriptors {
   public:
    explicit ReceivedDescriptors(std::vector<int> descriptors) : descriptors_(std::move(descriptors)) {}
    ~ReceivedDescriptors();
    ReceivedDescriptors(const ReceivedDescriptors&) = delete;
    ReceivedDescriptors& operator=(const ReceivedDescriptors&) = delete;
    int take(size_t i);  // throws Exit::unsupported if it did not come

   private:
    std::vector<int> descriptors_;
};

}  // namespace quern
