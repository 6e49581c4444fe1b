#include "formats/hdf5/hdf5.h"

#include <fcntl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "formats/hdf5/protocol.h"
#include "libcore/base/error.h"
#include "libcore/base/memory_limit.h"
#include "libcore/base/text.h"
#include "libcore/os/io.h"
#include "libcore/os/own_library.h"
#include "libcore/os/process.h"

namespace quern {

using hdf5::AnswerHead, hdf5::Request, hdf5::RequestHead;

namespace {

// Two ends of a socket; the other one is the program's.
class Ends {
   public:
    explicit Ends(int seconds) {
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_.data()) != 0)
            throw io_error("cannot start a child process: {}", std::strerror(errno));
        for (int& end : ends_) lift(end);
        const timeval limit{seconds, 0};
        ::setsockopt(own(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        ::setsockopt(own(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    }
    ~Ends() {
        ::close(own());
        close_other();
    }
    Ends(const Ends&) = delete;
    Ends& operator=(const Ends&) = delete;
    int own() const { return ends_[0]; }
    int other() const { return ends_[1]; }
    void close_other() {
        if (ends_[1] >= 0) ::close(std::exchange(ends_[1], -1));
    }

   private:
    // Above what the program finds at 0 and 1, whatever this process has closed.
    static void lift(int& end) {
        const int above = ::fcntl(end, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        if (above >= 0) ::close(std::exchange(end, above));
    }
    std::array<int, 2> ends_{};
};

void check_size(uint64_t size, uint64_t most) {
    if (size > most) throw bad_input("HDF5: got an answer of {} bytes, at most {} were asked for", size, most);
}

std::vector<Hdf5Dataset> parse_list(std::string_view text) {
    constexpr size_t fields = 4;
    const std::vector<std::string> words = split(text, '\0');
    std::vector<Hdf5Dataset> all;
    for (size_t i = 0; i + fields < words.size(); i += fields) {
        Hdf5Dataset dataset{words[i], dtype_named(words[i + 1]).value_or(DType::none), {}, words[i + 3]};
        for (const std::string& dim : split(words[i + 2], ',')) dataset.dims.push_back(parse_int(dim).value_or(0));
        all.push_back(std::move(dataset));
    }
    std::ranges::sort(all, {}, &Hdf5Dataset::path);
    return all;
}

}  // namespace

class Hdf5Reader {
   public:
    Hdf5Reader(const std::string& program, const std::vector<std::string>& words, int seconds)
        : seconds_(seconds),
          ends_(seconds),
          process_(program, words, std::array{std::pair{ends_.other(), STDIN_FILENO}, std::pair{ends_.other(), STDOUT_FILENO}}) {
        ends_.close_other();
    }
    // Throws Exit::bad_input: what the program says of the file, or how it ended.
    Bytes ask(const RequestHead& head, uint64_t most, std::span<const std::string_view> data = {}) {
        if (dead_) throw bad_input("HDF5: {}", *dead_);
        bool sent = hdf5::send_all(ends_.own(), &head, sizeof head);
        for (const std::string_view part : data) sent = sent && hdf5::send_all(ends_.own(), part.data(), part.size());
        AnswerHead answer;
        if (!sent || !hdf5::receive_all(ends_.own(), &answer, sizeof answer)) throw lost();
        check_size(answer.size, answer.failed != 0 ? hdf5::max_text : most);
        MutableBytes bytes(answer.size);
        if (!hdf5::receive_all(ends_.own(), bytes.data(), bytes.size())) throw lost();
        Bytes answered = std::move(bytes).freeze();
        if (answer.failed != 0) throw bad_input("HDF5: {}", printable(answered.text()));
        return answered;
    }

   private:
    Error lost() {
        const bool late = errno == EAGAIN || errno == EWOULDBLOCK;
        if (late) process_.kill();
        process_.ended(0);
        const int status = process_.status();
        if (late)
            dead_ = fmt::format("libhdf5 has not read it within {} s", seconds_);
        else if (WIFSIGNALED(status))
            dead_ = fmt::format("libhdf5 crashed on it (signal {}, {})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
        else
            dead_ = fmt::format("libhdf5 ended its process on it (exit code {})", WEXITSTATUS(status));
        return bad_input("HDF5: {}", *dead_);
    }

    int seconds_;
    Ends ends_;
    Process process_;
    std::optional<std::string> dead_;
};

Hdf5Place hdf5_place(const std::string& text) {
    const size_t colon = text.find(":/");
    if (colon == std::string::npos || colon == 0 || colon + 2 == text.size() || file_exists(text)) return {text, ""};
    return {text.substr(0, colon), text.substr(colon + 2)};
}

bool is_hdf5(const Bytes& bytes) { return bytes.text().starts_with(std::string_view("\x89HDF\r\n\x1a\n", 8)); }

std::string Hdf5File::hdf5_program() { return own_program("quern-hdf5", "which reads HDF5 files"); }

Hdf5File::Hdf5File(const std::string& path, const std::string& program, int seconds)
    : path_(path),
      reader_(std::make_unique<Hdf5Reader>(program, std::vector<std::string>{"read", path, std::to_string(memory_limit())}, seconds)) {
    at_place(path_, [&] { datasets_ = parse_list(reader_->ask({Request::list}, hdf5::max_text).text()); });
}

Hdf5File::~Hdf5File() = default;

std::optional<size_t> Hdf5File::find(std::string_view path) const {
    const auto found = std::ranges::lower_bound(datasets_, path, {}, [](const Hdf5Dataset& d) { return std::string_view(d.path); });
    if (found == datasets_.end() || found->path != path) return std::nullopt;
    return static_cast<size_t>(found - datasets_.begin());
}

Tensor Hdf5File::rows(size_t dataset, uint64_t first, uint64_t count) const {
    const Hdf5Dataset& from = datasets_.at(dataset);
    return at_place(fmt::format("{}: dataset \"{}\"", path_, escape(from.path)), [&] {
        if (!from.refusal.empty()) throw unsupported("{}", from.refusal);
        Dims dims = from.dims;
        if (!dims.empty()) dims[0] = static_cast<int64_t>(count);
        const uint64_t bytes = storage_size(from.dtype, static_cast<uint64_t>(count_of(dims)));
        need_memory(bytes, "a sample");
        const std::string_view name = from.path;
        const std::scoped_lock lock(mutex_);
        const Bytes data = reader_->ask({Request::rows, 0, first, count, name.size()}, bytes, std::array{name});
        if (data.size() != bytes) throw bad_input("got {} bytes, need {}", data.size(), bytes);
        return Tensor{from.dtype, dims, data};
    });
}

Bytes hdf5_image(const std::vector<std::string>& paths, const std::vector<Tensor>& tensors) {
    std::string list;
    std::vector<std::string_view> parts{{}};
    uint64_t size = 0;
    for (size_t i = 0; i < paths.size(); ++i) {
        std::vector<std::string> dims;
        for (const int64_t dim : tensors[i].dims) dims.push_back(std::to_string(dim));
        for (const std::string& word : {paths[i], std::string(name_of(tensors[i].dtype)), join(dims, ",")}) (list += word) += '\0';
        parts.push_back(tensors[i].data.text());
        size += tensors[i].data.size();
    }
    list += '\0';
    parts[0] = list;
    constexpr int seconds = 600;
    Hdf5Reader writer(Hdf5File::hdf5_program(), {"write", std::to_string(memory_limit())}, seconds);
    return writer.ask({Request::write, 0, 0, paths.size(), size + list.size()}, memory_limit(), parts);
}

}  // namespace quern
