#include "libcore/backend/helper.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <thread>

#include "formats/foreign/child.h"
#include "libcore/backend/instance.h"
#include "libcore/backend/run_protocol.h"
#include "libcore/backend/shared_tensors.h"
#include "libcore/base/json.h"
#include "libcore/base/memory_limit.h"
#include "libcore/base/text.h"
#include "libcore/os/foreign_code.h"

namespace quern {
namespace {

std::mutex late_mutex;
std::optional<Error> late_failure;

int number_in(const Json& body, const char* key) {
    const auto found = body.find(key);
    return found != body.end() && found->is_number_integer() ? found->get<int>() : 0;
}

Exit exit_from(int number) {
    for (const Exit exit : {Exit::no, Exit::usage, Exit::bad_input, Exit::io})
        if (number == static_cast<int>(exit)) return exit;
    return Exit::unsupported;
}

std::string text_in(const Json& body, const char* key) {
    const auto found = body.find(key);
    return found != body.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::string signal_name(int number) {
    const char* name = ::sigabbrev_np(number);
    return name ? fmt::format("SIG{}", name) : fmt::format("signal {}", number);
}

}  // namespace

std::optional<Error> late_backend_failure() {
    const std::scoped_lock lock(late_mutex);
    return std::exchange(late_failure, std::nullopt);
}

Helper::Helper(const RemoteBackend& backend) : backend_(backend), states_(make_shared_memory("quern-states")) {
    need_foreign_code();
    if (::ftruncate(states_.get(), sizeof(run_protocol::States)) != 0) throw io_error("shared memory: {}", std::strerror(errno));
    const auto [ours, theirs] = Wire::pair();
    first_.emplace(ours, 0, "");
    ChildDescriptor socket(theirs);
    process_.emplace(foreign_program(),
                     std::vector<std::string>{backend.computes ? "operators" : "execute", std::to_string(memory_limit())},
                     std::array{std::pair{socket.get(), run_protocol::socket_descriptor}});
    socket.close();
    lanes_.push_back(&*first_);
    made_ = ask({{"ask", backend.operators ? "operators" : "create"},
                 {"version", run_protocol::version},
                 {"path", backend.path},
                 {"name", backend.name},
                 {"options", backend.options}},
                "", std::array{states_.get()});
    if (number_in(made_, "version") != run_protocol::version) throw unsupported("its process speaks another version of the protocol");
}

Helper::~Helper() {
    end([&] { ask({{"ask", "destroy"}}, ""); });
}

Json Helper::ask(const Json& request, const std::string& part, std::span<const int> descriptors) {
    const std::scoped_lock lock(asking_);
    first_->part = part;
    send(*first_, request, descriptors);
    return answer(*first_);
}

void Helper::send(Lane& lane, const Json& request, std::span<const int> descriptors) {
    if (const WireEnd end = lane.wire.send(request, descriptors, limit()); end != WireEnd::open) fail(lane, end);
}

Json Helper::answer(Lane& lane) {
    const WireTime until = limit();
    for (;;) {
        WireMessage message;
        WireEnd end;
        try {
            end = lane.wire.receive(message, until);
            if (end == WireEnd::open && !message.body.is_object()) throw unsupported("gave no answer");
        } catch (const Error& error) {
            fail(lane, error.message());
        }
        const ReceivedDescriptors unwanted(std::move(message.descriptors));
        if (end != WireEnd::open) fail(lane, end);
        if (const auto log = message.body.find("log"); log != message.body.end()) {
            log_of_backend(number_in(message.body, "level"), backend_.name, log->is_string() ? log->get<std::string>() : "");
            continue;
        }
        if (message.body.contains("error")) {
            Error error(exit_from(number_in(message.body, "exit")), text_in(message.body, "error"));
            throw error.with_hint(text_in(message.body, "hint"));
        }
        return std::move(message.body);
    }
}

void Helper::end(const std::function<void()>& body) noexcept {
    try {
        if (!failed()) body();
    } catch (const Error& caught) {
        const std::scoped_lock lock(late_mutex);
        if (!late_failure) late_failure = Error(caught).at(fmt::format("back end \"{}\"", escape(backend_.name)));
    } catch (...) {
        return;
    }
}

std::unique_ptr<Lane> Helper::add_lane(int fd, const std::string& part) {
    const std::scoped_lock lock(mutex_);
    int slot = 1;
    const auto taken = [&] { return std::ranges::any_of(lanes_, [&](const Lane* lane) { return lane->slot == slot; }); };
    while (slot < run_protocol::slots - 1 && taken()) ++slot;
    auto lane = std::make_unique<Lane>(fd, slot, part);
    lanes_.push_back(lane.get());
    return lane;
}

void Helper::remove_lane(const Lane& lane) {
    const std::scoped_lock lock(mutex_);
    std::erase(lanes_, &lane);
}

// The first one to notice says how it was; the process is gone afterwards, and the others say the same.
void Helper::give_up(const std::function<Error()>& describe) {
    const std::scoped_lock lock(mutex_);
    if (!failure_) {
        failure_ = describe();
        process_->kill();
        process_->ended(0);
    }
    throw Error(*failure_);
}

void Helper::fail(const Lane& lane, WireEnd end) {
    give_up([&] { return described(lane, end); });
}

void Helper::fail(const Lane& lane, const std::string& what) {
    give_up([&] { return unsupported("{}{}: {}", lane.part.empty() ? "" : lane.part + ": ", call_in(lane.slot), what); });
}

bool Helper::failed() {
    const std::scoped_lock lock(mutex_);
    return failure_.has_value();
}

Error Helper::described(const Lane& lane, WireEnd end) {
    const std::string how = end == WireEnd::late ? fmt::format("did not return within {} s", backend_.seconds) : how_it_ended();
    int32_t ended = -1;
    ::pread(states_.get(), &ended, sizeof ended, offsetof(run_protocol::States, ended));
    const auto other = std::ranges::find_if(lanes_, [&](const Lane* one) { return end == WireEnd::closed && one->slot == ended; });
    const Lane& where = other == lanes_.end() ? lane : **other;
    const std::string part = where.part.empty() ? "" : where.part + ": ";
    Error error = unsupported("{}{}: {}", part, call_in(where.slot), how);
    if (end == WireEnd::late)
        error.with_hint(backend_.operators ? "QUERN_BACKEND_TIMEOUT gives it more time" : "--backend-timeout gives it more time");
    return error;
}

// Of a process that has closed its sockets; one that lives on all the same is ended.
std::string Helper::how_it_ended() {
    for (int i = 0; i < 200 && !process_->ended(WNOHANG); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    if (!process_->ended(WNOHANG)) return "closed the connection to its process";
    const int status = process_->status();
    if (WIFSIGNALED(status)) return "killed by " + signal_name(WTERMSIG(status));
    return fmt::format("ended its process (exit code {})", WEXITSTATUS(status));
}

std::string Helper::call_in(int slot) const {
    std::array<char, sizeof run_protocol::States{}.call[0] + 1> text{};
    const off_t at =
        static_cast<off_t>(offsetof(run_protocol::States, call) + static_cast<size_t>(slot) * sizeof run_protocol::States{}.call[0]);
    if (::pread(states_.get(), text.data(), text.size() - 1, at) < 0 || !text[0]) return "between calls";
    return printable(text.data());
}

}  // namespace quern
