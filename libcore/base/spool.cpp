#include "libcore/base/spool.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "libcore/base/error.h"

namespace quern {
namespace {

constexpr size_t small = size_t{1} << 20;

int temporary_file() {
    const char* folder = std::getenv("TMPDIR");
    std::string path = std::string(folder && *folder ? folder : "/tmp") + "/quern-XXXXXX";
    const int fd = ::mkstemp(path.data());
    if (fd < 0) throw io_error("cannot make a temporary file in {}: {}", path.substr(0, path.rfind('/')), std::strerror(errno));
    ::unlink(path.c_str());
    return fd;
}

void write_all(int fd, const Bytes& bytes) {
    for (size_t done = 0; done < bytes.size();) {
        const ssize_t n = ::write(fd, bytes.data() + done, bytes.size() - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            const int reason = errno;
            ::close(fd);
            throw io_error("cannot write a temporary file: {}", std::strerror(reason));
        }
        done += static_cast<size_t>(n);
    }
}

}  // namespace

Bytes Spool::put(Bytes bytes) {
    if (bytes.mapped() || bytes.size() < small || kept_.fetch_add(bytes.size()) + bytes.size() <= keep_) return bytes;
    const int fd = temporary_file();
    write_all(fd, bytes);
    void* data = ::mmap(nullptr, bytes.size(), PROT_READ, MAP_SHARED, fd, 0);
    const int reason = errno;
    ::close(fd);
    if (data == MAP_FAILED) throw io_error("cannot map a temporary file: {}", std::strerror(reason));
    const size_t size = bytes.size();
    return {std::shared_ptr<const void>(data, [size](const void* p) { ::munmap(const_cast<void*>(p), size); }), static_cast<const std::byte*>(data), size, true};
}

}  // namespace quern
