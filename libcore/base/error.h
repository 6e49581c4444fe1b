// How quern reports failure: one exception type that carries the exit code, the message and an optional hint.
//
// A message says place, got and want, never a function name: `node "conv_3" (Conv): input 1 is float16, need float32`.
// Outer layers prepend their place with `at()`, so the file name is added once, by whoever opened the file.
#pragma once

#include <fmt/core.h>

#include <exception>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace quern {

enum class Exit : int {
    ok = 0,
    no = 1,           // ran well, the answer is "no" (differs, no device)
    usage = 2,        // the command line is wrong
    bad_input = 3,    // a file or stream is broken
    unsupported = 4,  // well-formed, but not something quern can do
    io = 5,           // the system refused to read or write
    bug = 70,         // ours
};

class Error : public std::exception {
   public:
    // One line of text, whatever bytes of a file are quoted in it: control characters and invalid UTF-8 become escapes.
    Error(Exit exit, std::string_view message);

    Exit exit() const { return exit_; }
    const std::string& message() const { return message_; }
    const std::string& hint() const { return hint_; }
    const char* what() const noexcept override { return message_.c_str(); }

    // Prepends a place: "net.onnx: " + message.
    Error& at(std::string_view place) {
        message_ = fmt::format("{}: {}", place, message_);
        return *this;
    }
    // Detail lines below the message, one item each.
    Error& with_details(std::vector<std::string> lines);
    const std::vector<std::string>& details() const { return details_; }
    Error& with_hint(std::string hint) {
        hint_ = std::move(hint);
        return *this;
    }

   private:
    Exit exit_;
    std::string message_;
    std::string hint_;
    std::vector<std::string> details_;
};

// Standard output was closed early by its reader: not a failure. Ends a tool silently.
struct ClosedPipe {};

template <class... Args>
Error usage_error(fmt::format_string<Args...> text, Args&&... args) {
    return {Exit::usage, fmt::format(text, std::forward<Args>(args)...)};
}
template <class... Args>
Error bad_input(fmt::format_string<Args...> text, Args&&... args) {
    return {Exit::bad_input, fmt::format(text, std::forward<Args>(args)...)};
}
template <class... Args>
Error unsupported(fmt::format_string<Args...> text, Args&&... args) {
    return {Exit::unsupported, fmt::format(text, std::forward<Args>(args)...)};
}
template <class... Args>
Error io_error(fmt::format_string<Args...> text, Args&&... args) {
    return {Exit::io, fmt::format(text, std::forward<Args>(args)...)};
}
template <class... Args>
Error bug(fmt::format_string<Args...> text, Args&&... args) {
    return {Exit::bug, fmt::format(text, std::forward<Args>(args)...)};
}

// Runs `body`; an Error that leaves it gets `place` prepended: a text, or what makes one, which is called only then.
template <class Place, class Body>
decltype(auto) at_place(const Place& place, Body&& body) {
    try {
        return body();
    } catch (Error& error) {
        if constexpr (std::is_invocable_v<const Place&>)
            error.at(place());
        else
            error.at(place);
        throw;
    }
}

}  // namespace quern
