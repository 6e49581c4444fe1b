// What libquern and quern-hdf5 say to each other over a socket, which is the program's standard input and output.
//
// quern-hdf5 read FILE BYTES: reads FILE with at most BYTES of memory. Request after request is answered until the socket is closed.
// quern-hdf5 write BYTES: answers `Request::write`.
// A request is a RequestHead and `size` bytes, an answer is an AnswerHead and `size` bytes: what was asked for, or the text of an error.
#pragma once

#include <sys/socket.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace quern::hdf5 {

enum class Request : uint32_t {
    list,  // answer: for each dataset its path, type, dims ("3,224") and why it cannot be read, each with a NUL behind it
    rows,  // data: a dataset's path; answer: `count` rows of its leading dim, from `first` on; of a scalar: itself
    write  // data: of `count` arrays path, type and dims, a NUL behind each and one more, then their elements; answer: an image of the file
};

struct RequestHead {
    Request what = Request::list;
    uint32_t reserved = 0;
    uint64_t first = 0, count = 0;
    uint64_t size = 0;
};

struct AnswerHead {
    uint64_t failed = 0;  // an error of the file
    uint64_t size = 0;
};

inline bool send_all(int to, const void* data, size_t size) {
    const char* at = static_cast<const char*>(data);
    while (size > 0) {
        const ssize_t sent = ::send(to, at, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) return false;
        at += sent;
        size -= static_cast<size_t>(sent);
    }
    return true;
}

// False: the other side has closed it, or is silent for longer than it may be (errno: EAGAIN).
inline bool receive_all(int from, void* data, size_t size) {
    char* at = static_cast<char*>(data);
    while (size > 0) {
        errno = 0;
        const ssize_t got = ::recv(from, at, size, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        size -= static_cast<size_t>(got);
    }
    return true;
}

inline constexpr uint64_t max_datasets = 1'000'000, max_text = uint64_t{256} << 20;

}  // namespace quern::hdf5
