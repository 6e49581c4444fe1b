// The border of the C interface: our exceptions become a status and a text, and those of others an Error.
#pragma once

#include <new>
#include <span>
#include <string>
#include <type_traits>

#include "include/quern/backend.h"
#include "libcore/base/error.h"

namespace quern {

// Runs `body`; what it throws is kept in `error` as one line.
template <class Body>
quern_status guarded(std::string& error, const Body& body) noexcept {
    try {
        body();
        return QUERN_OK;
    } catch (const Error& failure) {
        error = failure.message();
        return static_cast<quern_status>(failure.exit());
    } catch (const std::bad_alloc&) {
        error = "out of memory";
        return QUERN_IO;
    } catch (const std::exception& failure) {
        error = failure.what();
        return QUERN_INTERNAL;
    }
}

// Told the name of each function of somebody else's library before it is called, and "" when it has returned. A helper process sets it
// before its threads begin.
inline void (*foreign_call_watcher)(std::string_view function) noexcept = nullptr;

struct ForeignCall {
    explicit ForeignCall(std::string_view function) {
        if (foreign_call_watcher) foreign_call_watcher(function);
    }
    ~ForeignCall() {
        if (foreign_call_watcher) foreign_call_watcher("");
    }
    ForeignCall(const ForeignCall&) = delete;
    ForeignCall& operator=(const ForeignCall&) = delete;
};

// Calls a function of somebody else's library. What it throws, which it must not, is reported with the function's name.
template <class Call>
std::invoke_result_t<Call> foreign(std::string_view what, const Call& call) {
    const ForeignCall watched(what);
    try {
        return call();
    } catch (const std::exception& error) {
        throw unsupported("{} threw an exception: {}", what, error.what());
    } catch (...) {
        throw unsupported("{} threw an exception that is not a std::exception", what);
    }
}

// The same at the end of an object's life, where nothing is left to say.
template <class Call>
void foreign_end(std::string_view what, const Call& call) noexcept {
    const ForeignCall watched(what);
    try {
        call();
    } catch (...) {
        return;
    }
}

// A list that a library hands out, none of whose entries may be missing or shorter than its first two fields.
template <class Entry>
std::span<const Entry* const> listed(const Entry* const* list, size_t count, std::string_view what) {
    constexpr size_t limit = 1 << 24;
    if (count > limit || (count > 0 && !list)) throw unsupported("{} gave {} entries {}", what, count, list ? "" : "without a list");
    for (size_t i = 0; i < count; ++i)
        if (!list[i] || list[i]->struct_size < sizeof(uint32_t) + sizeof(void*)) throw unsupported("{}: entry {} is none", what, i);
    return {list, count};
}

}  // namespace quern
