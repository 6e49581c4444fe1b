#include "libcore/backend/wire.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <string>

#include "libcore/backend/run_protocol.h"
#include "libcore/base/error.h"
#include "libcore/base/json.h"

namespace quern {
namespace {

using Clock = std::chrono::steady_clock;

struct Head {
    uint32_t magic, size;
};

constexpr size_t max_descriptors = 4;

struct Control {
    alignas(cmsghdr) std::array<char, CMSG_SPACE(max_descriptors * sizeof(int))> bytes{};
};

void attach(msghdr& message, Control& control, std::span<const int> descriptors) {
    if (descriptors.empty()) return;
    message.msg_control = control.bytes.data();
    message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
    cmsghdr* head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(descriptors.size_bytes());
    std::memcpy(CMSG_DATA(head), descriptors.data(), descriptors.size_bytes());
}

void collect(msghdr& message, std::vector<int>& descriptors) {
    for (cmsghdr* head = CMSG_FIRSTHDR(&message); head; head = CMSG_NXTHDR(&message, head)) {
        if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
        const size_t count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int), before = descriptors.size();
        descriptors.resize(before + count);
        std::memcpy(descriptors.data() + before, CMSG_DATA(head), count * sizeof(int));
    }
}

}  // namespace

WireTime wire_limit(int seconds) { return seconds > 0 ? WireTime(Clock::now() + std::chrono::seconds(seconds)) : std::nullopt; }

std::pair<int, int> Wire::pair() {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) throw io_error("cannot make a socket: {}", std::strerror(errno));
    return {ends[0], ends[1]};
}

WireEnd Wire::wait(short events, const WireTime& limit) {
    for (;;) {
        int patience = -1;
        if (limit) {
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(*limit - Clock::now()).count();
            if (left <= 0) return WireEnd::late;
            patience = static_cast<int>(std::min<long long>(left, INT_MAX));
        }
        pollfd one{socket_.get(), events, 0};
        const int ready = ::poll(&one, 1, patience);
        if (ready > 0) return WireEnd::open;
        if (ready < 0 && errno != EINTR) return WireEnd::closed;
    }
}

WireEnd Wire::send(const Json& body, std::span<const int> descriptors, const WireTime& limit) {
    const std::string text = json_line(body);
    if (text.size() > run_protocol::longest_message)
        throw unsupported("a message of {} bytes, need at most {}", text.size(), run_protocol::longest_message);
    const Head head{run_protocol::magic, static_cast<uint32_t>(text.size())};
    std::string bytes(reinterpret_cast<const char*>(&head), sizeof head);
    bytes += text;
    size_t at = 0;
    while (at < bytes.size()) {
        iovec piece{bytes.data() + at, bytes.size() - at};
        msghdr message{};
        message.msg_iov = &piece;
        message.msg_iovlen = 1;
        Control control;
        if (at == 0) attach(message, control, descriptors);
        const ssize_t sent = ::sendmsg(socket_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent >= 0) {
            at += static_cast<size_t>(sent);
            continue;
        }
        if (errno == EINTR) continue;
        if (errno != EAGAIN && errno != EWOULDBLOCK) return WireEnd::closed;
        if (const WireEnd end = wait(POLLOUT, limit); end != WireEnd::open) return end;
    }
    return WireEnd::open;
}

WireEnd Wire::read(void* to, size_t size, std::vector<int>& descriptors, const WireTime& limit) {
    size_t at = 0;
    while (at < size) {
        iovec piece{static_cast<char*>(to) + at, size - at};
        msghdr message{};
        Control control;
        message.msg_iov = &piece;
        message.msg_iovlen = 1;
        message.msg_control = control.bytes.data();
        message.msg_controllen = control.bytes.size();
        const ssize_t got = ::recvmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
        if (got > 0) {
            collect(message, descriptors);
            at += static_cast<size_t>(got);
            continue;
        }
        if (got == 0) return WireEnd::closed;
        if (errno == EINTR) continue;
        if (errno != EAGAIN && errno != EWOULDBLOCK) return WireEnd::closed;
        if (const WireEnd end = wait(POLLIN, limit); end != WireEnd::open) return end;
    }
    return WireEnd::open;
}

WireEnd Wire::receive(WireMessage& message, const WireTime& limit) {
    Head head{};
    WireEnd end = read(&head, sizeof head, message.descriptors, limit);
    if (end != WireEnd::open) return end;
    if (head.magic != run_protocol::magic || head.size > run_protocol::longest_message)
        throw unsupported("wrote to a descriptor that is not its own");
    std::string text(head.size, '\0');
    end = read(text.data(), text.size(), message.descriptors, limit);
    if (end != WireEnd::open) return end;
    try {
        message.body = parse_json(text);
    } catch (const Error&) {
        throw unsupported("wrote to a descriptor that is not its own");
    }
    return end;
}

ReceivedDescriptors::~ReceivedDescriptors() {
    for (const int fd : descriptors_)
        if (fd >= 0) ::close(fd);
}

int ReceivedDescriptors::take(size_t i) {
    if (i >= descriptors_.size() || descriptors_[i] < 0) throw unsupported("sent no descriptor");
    return std::exchange(descriptors_[i], -1);
}

}  // namespace quern
