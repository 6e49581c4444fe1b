// The table of a back end called function by function, out of order and wrongly, too. Each answer is looked at: its number is one of
// backend.h's, and last_error() says in one line what is wrong.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "libcore/backend/guard.h"
#include "libcore/backend/instance.h"
#include "libcore/conformance/check.h"

namespace quern::conformance {

// What a back end did wrong.
template <class... Args>
Error fault(fmt::format_string<Args...> format, Args&&... args) {
    return unsupported("{}", fmt::format(format, std::forward<Args>(args)...));
}

// What a function hands out, given back by another one, which is watched, too.
template <class Handle>
class Owned {
   public:
    using Free = void (*)(Handle*);
    Owned(Handle* handle, std::string_view name, Free free) : handle_(handle), name_(name), free_(free) {}
    Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)), name_(other.name_), free_(other.free_) {}
    Owned& operator=(Owned&&) = delete;
    ~Owned() {
        if (handle_) foreign_end(name_, [&] { free_(handle_); });
    }
    Handle* get() const { return handle_; }
    // What it throws is a fault.
    void end() {
        Handle* handle = std::exchange(handle_, nullptr);
        if (handle) foreign(name_, [&] { free_(handle); });
    }

   private:
    Handle* handle_;
    std::string_view name_;
    Free free_;
};
using OwnedExecutable = Owned<quern_executable>;
using OwnedSession = Owned<quern_session>;

// One quern_backend.
class Calls {
   public:
    explicit Calls(const Context& context);
    Calls(const Context& context, const std::string& options);
    // False: create() refuses the options, and says why. What it makes of them is destroyed again.
    static bool can_create(const Context& context, const std::string& options);
    Calls(const Calls&) = delete;
    Calls& operator=(const Calls&) = delete;

    const quern_backend_api& table() const { return table_; }
    quern_backend* handle() const { return backend_.get(); }
    void end() { backend_.end(); }

    // The status of a call, looked at.
    template <class Call>
    quern_status status(std::string_view function, const Call& call) const {
        const quern_status status = foreign(function, call);
        if (status != QUERN_OK) looked_at(handle(), function, status);
        return status;
    }
    // It must succeed.
    template <class Call>
    void need(std::string_view function, const Call& call) const {
        const quern_status got = foreign(function, call);
        if (got != QUERN_OK) throw fault("{} failed with status {}: {}", function, got, looked_at(handle(), function, got));
    }
    // It must not; `what` is what was wrong: "an input that there is not".
    template <class Call>
    void refused(std::string_view function, std::string_view what, const Call& call) const {
        if (status(function, call) == QUERN_OK) throw fault("{} took {}", function, what);
    }

    Bytes compile(const Part& part) const;
    OwnedExecutable load(const Bytes& blob) const;
    OwnedSession open(quern_executable* executable, int threads = 1) const;
    OwnedExecutable owned(quern_executable* handle) const { return {handle, "unload", table_.unload}; }
    OwnedSession owned(quern_session* handle) const { return {handle, "close", table_.close}; }

   private:
    Calls(const Context& context, const std::string& options, quern_status* refusal);
    // What last_error() says, which must be something fit to be shown. Throws fault().
    std::string looked_at(quern_backend* backend, std::string_view function, quern_status status) const;
    quern_backend* created(const std::string& options, quern_status* refusal) const;
    const quern_backend_api& table_;
    quern_host host_;
    Owned<quern_backend> backend_;
};

// An optional function; nullptr: the table has none.
#define QUERN_OPTIONAL(table, function) (QUERN_HAS(&(table), function) ? (table).function : nullptr)

}  // namespace quern::conformance
