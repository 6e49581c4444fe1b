#include "libcore/os/io.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/base/memory_limit.h"
#include "libcore/os/descriptors.h"
#include "libcore/os/mapped.h"
#include "libcore/os/standard_output.h"
#include "libcore/os/temporary.h"

namespace quern {
namespace {

using FileId = std::pair<dev_t, ino_t>;

struct Mapping {
    void* address = nullptr;
    size_t size = 0;
    FileId id = {};
    std::string name;
    ~Mapping();
};

// All that are mapped, by their address.
class Mappings {
   public:
    void add(const Mapping& mapping) {
        const std::scoped_lock lock(mutex_);
        all_.emplace(mapping.address, &mapping);
    }
    void remove(const Mapping& mapping) {
        const std::scoped_lock lock(mutex_);
        all_.erase(mapping.address);
    }
    bool has(FileId id) {
        const std::scoped_lock lock(mutex_);
        return std::ranges::any_of(all_, [&](const auto& item) { return item.second->id == id; });
    }
    // Who reads a mapping holds the lock of no other thread's for long, and not its own.
    const char* name_at(const void* address) {
        const std::scoped_lock lock(mutex_);
        const auto next = all_.upper_bound(address);
        if (next == all_.begin()) return nullptr;
        const Mapping& mapping = *std::prev(next)->second;
        return std::less<>()(address, static_cast<const std::byte*>(mapping.address) + mapping.size) ? mapping.name.c_str() : nullptr;
    }

   private:
    std::mutex mutex_;
    std::map<const void*, const Mapping*, std::less<>> all_;
};
Mappings& mappings() {
    static auto* all = new Mappings;  // mappings may outlive static objects
    return *all;
}

Mapping::~Mapping() {
    if (!size) return;
    mappings().remove(*this);
    ::munmap(address, size);
}

int product_output = STDOUT_FILENO;

bool is_regular(int fd) {
    struct stat info {};
    return ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
}

struct SpoolLimit {
    uint64_t bytes;
    std::string what;
};

SpoolLimit spool_limit() {
    constexpr uint64_t usual = 4'000'000'000;
    if (const char* wanted = std::getenv("QUERN_SPOOL_LIMIT"); wanted && *wanted)
        return {at_place("QUERN_SPOOL_LIMIT", [&] { return parse_memory_size(wanted); }), "the limit that QUERN_SPOOL_LIMIT sets"};
    const std::string folder = temporary_place();
    struct statvfs space {};
    const bool known = ::statvfs(folder.c_str(), &space) == 0;
    const uint64_t half = known ? static_cast<uint64_t>(space.f_bavail) * space.f_frsize / 2 : usual;
    if (half < usual) return {half, "half of what is free in " + folder};
    return {usual, "the limit"};
}

// Terminals have an end, which the user types, and /dev/null has one.
bool is_endless(int fd) {
    struct stat info {};
    struct stat null {};
    if (::fstat(fd, &info) != 0 || (!S_ISCHR(info.st_mode) && !S_ISBLK(info.st_mode)) || ::isatty(fd) == 1) return false;
    return ::stat("/dev/null", &null) != 0 || null.st_rdev != info.st_rdev;
}

// Pipes have an end, perhaps after more than there is room for.
Bytes map_stream(int fd, const std::string& name) {
    if (is_endless(fd)) throw io_error("{}: is a device, need a file or a pipe", name);
    const SpoolLimit limit = spool_limit();
    const Descriptor spool{open_spool()};
    if (!copy_at_most(limit.bytes, fd, spool.fd, name, "temporary file"))
        throw io_error("{}: is not a file and has more than {} bytes, {}", name, limit.bytes, limit.what)
            .with_hint("QUERN_SPOOL_LIMIT=SIZE sets another limit; a file has none");
    return map_descriptor(spool.fd, name);
}

Bytes map_stdin() {
    static std::atomic<bool> taken = false;
    if (taken.exchange(true)) throw usage_error("standard input cannot be read twice: only one input may be -");
    // A redirected file is mapped as it stands, unless something has been read from it already.
    if (is_regular(STDIN_FILENO) && ::lseek(STDIN_FILENO, 0, SEEK_CUR) == 0) return map_descriptor(STDIN_FILENO, "<stdin>");
    return map_stream(STDIN_FILENO, "<stdin>");
}

}  // namespace

int standard_output() { return product_output; }

void keep_standard_output() {
    if (product_output != STDOUT_FILENO) return;
    const int kept = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (kept < 0) return;  // there is none
    std::fflush(stdout);
    if (::dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        ::close(kept);
    else
        product_output = kept;
}

int open_spool() {
    const std::string where = temporary_place();
    if (const int unnamed = open_unnamed(where, 0600); unnamed >= 0) return unnamed;
    std::string pattern = where + "/quern-XXXXXX";
    const int fd = ::mkostemp(pattern.data(), O_CLOEXEC);
    if (fd < 0) throw io_error("{}: cannot create a temporary file: {}", where, errno_text());
    ::unlink(pattern.c_str());
    return fd;
}

Bytes map_descriptor(int fd, const std::string& name) {
    struct stat info {};
    if (::fstat(fd, &info) != 0) throw io_error("{}: {}", name, errno_text());
    const auto size = static_cast<size_t>(info.st_size);
    if (size == 0) return {};
    void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (address == MAP_FAILED) throw io_error("{}: cannot map: {}", name, errno_text());
    auto mapping = std::make_shared<Mapping>();
    mapping->address = address;
    mapping->size = size;
    mapping->id = {info.st_dev, info.st_ino};
    mapping->name = name;
    mappings().add(*mapping);
    return {mapping, static_cast<const std::byte*>(address), size, true};
}

std::string display_name(const std::string& path) { return path == "-" ? "<stdin>" : path; }

Bytes map_input(const std::string& path) {
    if (path == "-") return map_stdin();
    const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    if (file.fd < 0) throw io_error("{}: {}", path, errno_text());
    struct stat info {};
    if (::fstat(file.fd, &info) == 0 && S_ISDIR(info.st_mode)) throw io_error("{}: is a folder, need a file", path);
    return is_regular(file.fd) ? map_descriptor(file.fd, path) : map_stream(file.fd, path);
}

Bytes map_regular(const std::string& path) {
    const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
    if (file.fd < 0 && errno != ENXIO) throw io_error("{}", errno_text());  // which a socket has
    if (file.fd < 0 || !is_regular(file.fd)) throw bad_input("is not a regular file");
    return map_descriptor(file.fd, path);
}

Bytes spooled(const Bytes& bytes) {
    const Descriptor spool{open_spool()};
    write_all(spool.fd, reinterpret_cast<const char*>(bytes.data()), bytes.size(), "temporary file");
    return map_descriptor(spool.fd, "temporary file");
}

SpoolFile::SpoolFile()
    : fd_(open_spool()),
      file_([this](const void* data, size_t size) { write_all(fd_, static_cast<const char*>(data), size, "temporary file"); }) {}
SpoolFile::~SpoolFile() { ::close(fd_); }

Bytes SpoolFile::finish() {
    file_.commit();
    return map_descriptor(fd_, "temporary file");
}

bool is_mapped(const std::string& path) {
    struct stat info {};
    return ::stat(path.c_str(), &info) == 0 && mappings().has({info.st_dev, info.st_ino});
}

const char* mapped_at(const void* address) { return mappings().name_at(address); }

bool file_exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

void remove_file(const std::string& path) {
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) throw io_error("{}: cannot remove: {}", path, errno_text());
}

void make_folder(const std::string& path) {
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (error) throw io_error("{}: cannot create folder: {}", path, error.message());
}

}  // namespace quern
