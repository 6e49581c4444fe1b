// OutputFile: what is written to a name, a stream or a device.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/os/descriptors.h"
#include "libcore/os/io.h"
#include "libcore/os/output_target.h"
#include "libcore/os/standard_output.h"

namespace quern {
namespace {

// Files are written in pieces of a huge page, from memory (not from a mapping, which the system may copy in smaller pieces): where it keeps
// files in pages as large as what was written at once, they are mapped much faster.
constexpr size_t piece = size_t{2} << 20;

Error for_terminal() { return usage_error("will not write binary data to a terminal").with_hint("give -o FILE, or pipe the output"); }

}  // namespace

OutputFile::OutputFile(std::function<void(const void*, size_t)> to) : to_(std::move(to)) {}

// NOLINTNEXTLINE(performance-unnecessary-value-param): callers give it away
OutputFile::OutputFile(std::string path) : target_(std::make_unique<const OutputTarget>(output_target(path))) {
    terminal_ = target_->terminal();
    if (target_->kind == OutputTarget::Kind::file)
        staged_ = std::make_unique<StagedFile>(*target_);
    else
        spool_ = open_spool();
}

OutputFile::~OutputFile() {
    if (spool_ >= 0) ::close(spool_);
}

void OutputFile::write(const void* data, size_t size) {
    const char* from = static_cast<const char*>(data);
    if (terminal_) stop_at_terminal(from, size);
    position_ += size;
    while (size > 0) {
        const size_t part = std::min(size, piece - buffer_.size());
        buffer_.append(from, part);
        if (buffer_.size() == piece) flush();
        from += part;
        size -= part;
    }
}

// No text has a zero in it, every binary format has.
void OutputFile::stop_at_terminal(const char* data, size_t size) const {
    if (size > 0 && std::memchr(data, 0, size)) throw for_terminal();
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
        write_all(staged_ ? staged_->fd() : spool_, static_cast<const char*>(data), size, target_->shown);
}

void OutputFile::flush() {
    if (!buffer_.empty()) pass_on(buffer_.data(), buffer_.size());
    buffer_.clear();
}

void OutputFile::commit() {
    flush();
    if (to_) return;
    if (staged_) {
        staged_->publish(executable_);
        return;
    }
    if (::lseek(spool_, 0, SEEK_SET) != 0) throw io_error("temporary file: {}", errno_text());
    if (target_->kind == OutputTarget::Kind::stream) return copy_descriptor(spool_, target_->stream, "temporary file", target_->shown);
    const Descriptor device{::open(target_->path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY)};
    if (device.fd < 0) throw io_error("{}: {}", target_->shown, errno_text());
    copy_descriptor(spool_, device.fd, "temporary file", target_->shown);
}

void OutputFile::complete() {
    if (!to_) flush();
}

void commit_together(std::span<OutputFile* const> files) {
    for (OutputFile* file : files) file->complete();
    for (OutputFile* file : files) file->commit();
}

void write_output(const std::string& path, std::string_view contents) {
    OutputFile file(path);
    file.write(contents);
    file.commit();
}

// The target of a path that is not a file.
static std::optional<OutputTarget> stream_at(const std::string& path) {
    try {
        OutputTarget target = output_target(path);
        if (target.kind != OutputTarget::Kind::file) return target;
    } catch (const Error&) {
        return std::nullopt;  // whoever writes to it says why not
    }
    return std::nullopt;
}

void refuse_terminal(const std::string& path) {
    if (const auto target = stream_at(path); target && target->terminal()) throw for_terminal();
}

void keep_model(const std::string& product, const std::string& model, std::string_view option) {
    std::error_code error;
    if (product == "-" || model == "-" || !std::filesystem::equivalent(product, model, error) || error) return;
    throw usage_error("{}: the output is the model itself", escape(product))
        .with_hint(fmt::format("{} says where the product goes", option));
}

bool is_stream(const std::string& path) { return stream_at(path).has_value(); }

bool is_standard_output(const std::string& path) {
    const auto target = stream_at(path);
    return target && target->stream == standard_output();
}

}  // namespace quern
