// What a helper process and the process that started it agree on: the descriptors it finds open, and the records of its reports.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace quern::child {

// Standard input is a file with the words of the request, each ended by a NUL.
inline constexpr int model_descriptor = 3;    // a file: the graph in the native format, or empty
inline constexpr int product_descriptor = 4;  // a file, empty
inline constexpr int report_descriptor = 5;   // a pipe

enum class Report : uint8_t { stage, last_words, log, told, failure, hint, done };  // hint: of the failure before it

// Longer texts are cut.
inline constexpr size_t longest_text = 1 << 20;

// Begins a record; `size` bytes of text follow. `number`: the level of a log, the exit code of a failure.
struct RecordHead {
    Report kind;
    int32_t number;
    uint32_t size;
};

inline bool write_all(int to, const void* data, size_t size) {
    const char* at = static_cast<const char*>(data);
    while (size > 0) {
        const ssize_t written = ::write(to, at, size);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        at += written;
        size -= static_cast<size_t>(written);
    }
    return true;
}

}  // namespace quern::child
