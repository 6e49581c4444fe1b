// What goes wrong in this library: a status of the interface and one line of text.
#pragma once

#include <fmt/format.h>

#include <new>
#include <stdexcept>
#include <string>

#include "include/quern/backend.h"

namespace quern::opencl {

class Failure : public std::runtime_error {
   public:
    Failure(quern_status status, const std::string& text) : std::runtime_error(text), status_(status) {}
    quern_status status() const { return status_; }

   private:
    quern_status status_;
};

template <class... Args>
Failure refused(fmt::format_string<Args...> text, Args&&... args) {
    return {QUERN_UNSUPPORTED, fmt::format(text, std::forward<Args>(args)...)};
}
template <class... Args>
Failure broken(fmt::format_string<Args...> text, Args&&... args) {
    return {QUERN_BAD_INPUT, fmt::format(text, std::forward<Args>(args)...)};
}
template <class... Args>
Failure misused(fmt::format_string<Args...> text, Args&&... args) {
    return {QUERN_USAGE, fmt::format(text, std::forward<Args>(args)...)};
}

// One line of UTF-8: what is none, as names in broken files, is replaced by question marks.
inline std::string one_line(std::string text) {
    for (size_t i = 0; i < text.size();) {
        const auto first = static_cast<unsigned char>(text[i]);
        const size_t more = first < 0x80 ? 0 : first >= 0xc2 && first < 0xe0 ? 1 : first >= 0xe1 && first < 0xed ? 2 : 4;
        bool valid = first >= ' ' && first != 0x7f && more < 4 && i + more < text.size();
        for (size_t k = 1; valid && k <= more; ++k) valid = (static_cast<unsigned char>(text[i + k]) & 0xc0) == 0x80;
        if (!valid) text[i] = '?';
        i += valid ? more + 1 : 1;
    }
    return text;
}

// Runs `body` on the border of the C interface; what it throws is kept in `error` as one line.
template <class Body>
quern_status guarded(std::string& error, const Body& body) noexcept {
    try {
        body();
        return QUERN_OK;
    } catch (const Failure& failure) {
        error = one_line(failure.what());
        return failure.status();
    } catch (const std::bad_alloc&) {
        error = "out of memory";
        return QUERN_IO;
    } catch (const std::exception& failure) {
        error = failure.what();
        return QUERN_INTERNAL;
    }
}

}  // namespace quern::opencl
