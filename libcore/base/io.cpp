#include "libcore/base/io.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <set>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/base/mapped.h"
#include "libcore/base/standard_output.h"

namespace quern {
namespace {

// Files are written in pieces of a huge page, from memory (not from a mapping, which the system may copy in smaller pieces): where it keeps
// files in pages as large as what was written at once, they are mapped much faster.
constexpr size_t piece = size_t{2} << 20;

using FileId = std::pair<dev_t, ino_t>;

// The files that are mapped, each as often as it is.
class MappedFiles {
   public:
    void add(FileId id) {
        const std::scoped_lock lock(mutex_);
        ids_.insert(id);
    }
    void remove(FileId id) {
        const std::scoped_lock lock(mutex_);
        ids_.erase(ids_.find(id));
    }
    bool has(FileId id) {
        const std::scoped_lock lock(mutex_);
        return ids_.contains(id);
    }

   private:
    std::mutex mutex_;
    std::multiset<FileId> ids_;
};
MappedFiles& mapped_files() {
    static auto* files = new MappedFiles;  // mappings may outlive static objects
    return *files;
}

struct Mapping {
    void* address = nullptr;
    size_t size = 0;
    FileId id = {};
    ~Mapping() {
        if (!size) return;
        ::munmap(address, size);
        mapped_files().remove(id);
    }
};

struct Descriptor {
    int fd;
    ~Descriptor() {
        if (fd >= 0) ::close(fd);
    }
};

int product_output = STDOUT_FILENO;

std::string reason() { return std::strerror(errno); }

void write_all(int fd, const char* data, size_t size, const std::string& name) {
    while (size > 0) {
        const ssize_t done = ::write(fd, data, size);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0 && errno == EPIPE) throw ClosedPipe{};
        if (done <= 0) throw io_error("{}: cannot write: {}", name, reason());
        data += done;
        size -= static_cast<size_t>(done);
    }
}

void copy_descriptor(int from, int to, const std::string& from_name, const std::string& to_name) {
    std::array<char, 1 << 16> chunk;
    for (;;) {
        const ssize_t got = ::read(from, chunk.data(), chunk.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) throw io_error("{}: cannot read: {}", from_name, reason());
        if (got == 0) return;
        write_all(to, chunk.data(), static_cast<size_t>(got), to_name);
    }
}

bool is_regular(int fd) {
    struct stat info {};
    return ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
}

Bytes map_stdin() {
    static std::atomic<bool> taken = false;
    if (taken.exchange(true)) throw usage_error("standard input cannot be read twice: only one input may be -");
    // A redirected file is mapped as it stands, unless something has been read from it already.
    if (is_regular(STDIN_FILENO) && ::lseek(STDIN_FILENO, 0, SEEK_CUR) == 0) return map_descriptor(STDIN_FILENO, "<stdin>");
    const Descriptor spool{open_spool()};
    copy_descriptor(STDIN_FILENO, spool.fd, "<stdin>", "temporary file");
    return map_descriptor(spool.fd, "<stdin>");
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
    const char* folder = std::getenv("TMPDIR");
    std::string pattern = std::string(folder && *folder ? folder : "/tmp") + "/quern-XXXXXX";
    const int fd = ::mkostemp(pattern.data(), O_CLOEXEC);
    if (fd < 0) throw io_error("{}: cannot create a temporary file: {}", pattern, reason());
    ::unlink(pattern.c_str());
    return fd;
}

Bytes map_descriptor(int fd, const std::string& name) {
    struct stat info {};
    if (::fstat(fd, &info) != 0) throw io_error("{}: {}", name, reason());
    const auto size = static_cast<size_t>(info.st_size);
    if (size == 0) return {};
    void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (address == MAP_FAILED) throw io_error("{}: cannot map: {}", name, reason());
    auto mapping = std::make_shared<Mapping>();
    mapping->address = address;
    mapping->size = size;
    mapping->id = {info.st_dev, info.st_ino};
    mapped_files().add(mapping->id);
    return {mapping, static_cast<const std::byte*>(address), size, true};
}

std::string display_name(const std::string& path) { return path == "-" ? "<stdin>" : path; }

Bytes map_input(const std::string& path) {
    if (path == "-") return map_stdin();
    const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    if (file.fd < 0) throw io_error("{}: {}", path, reason());
    struct stat info {};
    if (::fstat(file.fd, &info) == 0 && S_ISDIR(info.st_mode)) throw io_error("{}: is a folder, need a file", path);
    if (is_regular(file.fd)) return map_descriptor(file.fd, path);
    const Descriptor spool{open_spool()};
    copy_descriptor(file.fd, spool.fd, path, "temporary file");
    return map_descriptor(spool.fd, path);
}

Bytes spooled(const Bytes& bytes) {
    const Descriptor spool{open_spool()};
    write_all(spool.fd, reinterpret_cast<const char*>(bytes.data()), bytes.size(), "temporary file");
    return map_descriptor(spool.fd, "temporary file");
}

OutputFile::OutputFile(std::function<void(const void*, size_t)> to) : to_(std::move(to)) {}

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
    if (path_ == "-") {
        fd_ = open_spool();
        return;
    }
    // A device or pipe cannot be renamed over: it is spooled like standard output.
    struct stat info {};
    if (::stat(path_.c_str(), &info) == 0) {
        if (S_ISDIR(info.st_mode)) throw io_error("{}: is a folder, need a file name", path_);
        if (!S_ISREG(info.st_mode)) {
            fd_ = open_spool();
            return;
        }
    }
    temporary_ = path_ + ".tmp-XXXXXX";
    fd_ = ::mkostemp(temporary_.data(), O_CLOEXEC);
    if (fd_ < 0) {
        const std::string why = reason();
        temporary_.clear();
        throw io_error("{}: cannot create: {}", path_, why);
    }
}

OutputFile::~OutputFile() {
    if (fd_ >= 0) ::close(fd_);
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::write(const void* data, size_t size) {
    const char* from = static_cast<const char*>(data);
    position_ += size;
    while (size > 0) {
        const size_t part = std::min(size, piece - buffer_.size());
        buffer_.append(from, part);
        if (buffer_.size() == piece) flush();
        from += part;
        size -= part;
    }
}

void OutputFile::pad_to(size_t alignment) {
    static constexpr std::array<char, 64> zeros{};
    size_t missing = (alignment - position_ % alignment) % alignment;
    while (missing > 0) {
        const size_t step = std::min(missing, zeros.size());
        write(zeros.data(), step);
        missing -= step;
    }
}

void OutputFile::pass_on(const void* data, size_t size) {
    if (to_)
        to_(data, size);
    else
        write_all(fd_, static_cast<const char*>(data), size, path_);
}

void OutputFile::flush() {
    if (!buffer_.empty()) pass_on(buffer_.data(), buffer_.size());
    buffer_.clear();
}

void OutputFile::commit() {
    flush();
    if (to_) return;
    if (path_ == "-") {
        if (::lseek(fd_, 0, SEEK_SET) != 0) throw io_error("temporary file: {}", reason());
        copy_descriptor(fd_, standard_output(), "temporary file", "<stdout>");
        return;
    }
    if (temporary_.empty()) {
        const Descriptor target{::open(path_.c_str(), O_WRONLY | O_CLOEXEC)};
        if (target.fd < 0) throw io_error("{}: {}", path_, reason());
        if (::lseek(fd_, 0, SEEK_SET) != 0) throw io_error("temporary file: {}", reason());
        copy_descriptor(fd_, target.fd, "temporary file", path_);
        return;
    }
    const mode_t mask = ::umask(0);
    ::umask(mask);
    if (::fchmod(fd_, 0666 & ~mask) != 0 || ::close(std::exchange(fd_, -1)) != 0) throw io_error("{}: cannot finish: {}", path_, reason());
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) throw io_error("{}: cannot rename into place: {}", path_, reason());
    temporary_.clear();
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
    return ::stat(path.c_str(), &info) == 0 && mapped_files().has({info.st_dev, info.st_ino});
}

bool file_exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

void remove_file(const std::string& path) {
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) throw io_error("{}: cannot remove: {}", path, reason());
}

void write_output(const std::string& path, std::string_view contents) {
    OutputFile file(path);
    file.write(contents);
    file.commit();
}

void refuse_terminal(const std::string& path) {
    if (path == "-" && ::isatty(standard_output()) == 1)
        throw usage_error("will not write binary data to a terminal").with_hint("give -o FILE, or pipe the output");
}

void make_folder(const std::string& path) {
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (error) throw io_error("{}: cannot create folder: {}", path, error.message());
}

}  // namespace quern
