#include "libcore/os/output_target.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <random>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/os/descriptors.h"
#include "libcore/os/standard_output.h"

namespace quern {
namespace {

namespace fs = std::filesystem;

constexpr int max_links = 40;
constexpr unsigned any_mode = 0666, own_mode = 0600;

// N of /proc/self/fd/N and of what leads there but for its last part: /dev/fd/N.
std::optional<int> own_descriptor(const fs::path& path) {
    std::error_code error;
    const std::string folder = fs::canonical(path.has_parent_path() ? path.parent_path() : ".", error).string();
    const std::string own = fmt::format("/proc/{}/", ::getpid());
    if (error || !folder.starts_with(own) || !folder.ends_with("/fd")) return std::nullopt;
    const std::string number = path.filename().string();
    if (number.empty() || number.size() > 9 || number.find_first_not_of("0123456789") != number.npos) return std::nullopt;
    return std::stoi(number);
}

// Those that this process opened for itself are nobody's to name.
OutputTarget stream_target(int number, const std::string& path) {
    const int fd = number == STDOUT_FILENO ? standard_output() : number;
    const int flags = number == STDOUT_FILENO ? 0 : ::fcntl(fd, F_GETFD);
    if (flags < 0 || (flags & FD_CLOEXEC) != 0) throw io_error("{}: no such descriptor was given to this program", path);
    return {OutputTarget::Kind::stream, fd, {}, path};
}

// Mode and owner of a file that stays what it was.
void take_over(int fd, const struct stat& from) {
    unsigned mode = from.st_mode & 07777;
    struct stat now {};
    ::fstat(fd, &now);
    const bool same_owner = now.st_uid == from.st_uid || ::fchown(fd, from.st_uid, static_cast<gid_t>(-1)) == 0;
    const bool same_group = now.st_gid == from.st_gid || ::fchown(fd, static_cast<uid_t>(-1), from.st_gid) == 0;
    if (!same_group) mode = (mode & ~070u) | (mode & 7u) << 3;  // another group gets what everybody has
    if (!same_owner || !same_group) mode &= 0777;
    ::fchmod(fd, mode);
}

}  // namespace

std::string OutputTarget::folder() const {
    const fs::path parent = fs::path(path).parent_path();
    return parent.empty() ? "." : parent.string();
}

bool OutputTarget::terminal() const {
    if (kind == Kind::stream) return ::isatty(stream) == 1;
    if (kind != Kind::device || !existing || !S_ISCHR(existing->st_mode)) return false;
    const Descriptor device{::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)};
    return device.fd >= 0 && ::isatty(device.fd) == 1;
}

OutputTarget output_target(const std::string& path) {
    if (path == "-") return {OutputTarget::Kind::stream, standard_output(), {}, "<stdout>"};
    OutputTarget target{.kind = OutputTarget::Kind::file, .path = path, .shown = path};
    std::error_code error;
    for (int links = 0;; ++links) {
        if (links > max_links) throw io_error("{}: too many symbolic links", path);
        if (const auto number = own_descriptor(target.path)) return stream_target(*number, path);
        if (!fs::is_symlink(target.path, error)) break;
        const fs::path to = fs::read_symlink(target.path, error);
        if (error) throw io_error("{}: {}", path, error.message());
        target.path = to.is_absolute() ? to.string() : (fs::path(target.path).parent_path() / to).string();
    }
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0) return target;
    if (S_ISDIR(info.st_mode)) throw io_error("{}: is a folder, need a file name", path);
    target.existing = info;
    if (!S_ISREG(info.st_mode)) {
        target.kind = OutputTarget::Kind::device;
        target.path = path;
    } else if (::faccessat(AT_FDCWD, target.path.c_str(), W_OK, AT_EACCESS) != 0) {
        throw io_error("{}: cannot write: {}", path, errno_text());
    }
    return target;
}

static std::string key_of(const struct stat& info) { return fmt::format("{}:{}", info.st_dev, info.st_ino); }

static std::string key_of_descriptor(int fd) {
    struct stat info {};
    return ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode) ? key_of(info) : fmt::format("descriptor {}", fd);
}

std::string output_key(const std::string& path) {
    OutputTarget target{.kind = OutputTarget::Kind::file, .path = path, .shown = path};
    try {
        target = output_target(path);
    } catch (const Error&) {  // a folder, or what whoever opens it will refuse
        struct stat info {};
        if (::stat(path.c_str(), &info) == 0) return key_of(info);
    }
    if (target.kind == OutputTarget::Kind::stream) return key_of_descriptor(target.stream);
    if (target.kind == OutputTarget::Kind::device) return {};
    if (target.existing) return key_of(*target.existing);
    std::error_code error;
    return fs::weakly_canonical(fs::absolute(target.path, error), error).string();
}

std::string input_key(const std::string& path) {
    struct stat info {};
    const int failed = path == "-" ? ::fstat(STDIN_FILENO, &info) : ::stat(path.c_str(), &info);
    return failed == 0 && S_ISREG(info.st_mode) ? key_of(info) : std::string();
}

StagedFile::StagedFile(const OutputTarget& target) : target_(target) {
    const unsigned mode = target.existing ? own_mode : any_mode;
    if (::access("/proc/self/fd", X_OK) == 0) fd_ = open_unnamed(target.folder(), mode);
    if (fd_ < 0) open_named(mode);
}

StagedFile::~StagedFile() {
    if (fd_ >= 0) ::close(fd_);
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void StagedFile::called(const std::string& name) {
    temporary_ = name;
    leftover_.emplace(name);
}

// For file systems whose files all have names.
void StagedFile::open_named(unsigned mode) {
    std::random_device random;
    for (int tries = 0; tries < 100; ++tries) {
        const std::string name = fmt::format("{}/.quern-{:08x}", target_.folder(), random());
        fd_ = ::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (fd_ >= 0) called(name);
        if (fd_ >= 0 || errno != EEXIST) break;
    }
    if (fd_ < 0) throw io_error("{}: cannot create: {}", target_.shown, errno_text());
}

void StagedFile::set_mode(bool executable) const {
    if (target_.existing) return take_over(fd_, *target_.existing);
    struct stat info {};
    if (executable && ::fstat(fd_, &info) == 0) ::fchmod(fd_, (info.st_mode | (info.st_mode & 0444) >> 2) & 07777);
}

bool StagedFile::link_to(const std::string& path) const {
    return ::linkat(AT_FDCWD, fmt::format("/proc/self/fd/{}", fd_).c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

// A link replaces no file: it gets a name for the moment until it is renamed, by a copy where there are no links.
void StagedFile::name_it(bool executable) {
    std::random_device random;
    for (int tries = 0; tries < 100; ++tries) {
        const std::string name = fmt::format("{}/.quern-{:08x}", target_.folder(), random());
        if (link_to(name)) called(name);
        if (!temporary_.empty() || errno != EEXIST) break;
    }
    if (!temporary_.empty()) return;
    const Descriptor unnamed{std::exchange(fd_, -1)};
    open_named(target_.existing ? own_mode : any_mode);
    ::lseek(unnamed.fd, 0, SEEK_SET);
    copy_descriptor(unnamed.fd, fd_, "temporary file", target_.shown);
    set_mode(executable);
    if (::close(std::exchange(fd_, -1)) != 0) throw io_error("{}: cannot finish: {}", target_.shown, errno_text());
}

void StagedFile::publish(bool executable) {
    set_mode(executable);
    if (temporary_.empty() && !target_.existing && link_to(target_.path)) {
        if (::close(std::exchange(fd_, -1)) != 0) throw io_error("{}: cannot finish: {}", target_.shown, errno_text());
        return;
    }
    if (temporary_.empty()) {
        name_it(executable);  // for as short a time as can be: who is killed now leaves the file under that name
    } else if (::close(std::exchange(fd_, -1)) != 0) {
        throw io_error("{}: cannot finish: {}", target_.shown, errno_text());
    }
    if (::rename(temporary_.c_str(), target_.path.c_str()) != 0)
        throw io_error("{}: cannot rename into place: {}", target_.shown, errno_text());
    temporary_.clear();
    leftover_.reset();
}

}  // namespace quern
