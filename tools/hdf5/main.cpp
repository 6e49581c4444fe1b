// quern-hdf5: reads and writes HDF5 files by libhdf5, started by libquern. The file may be anybody's: a crash, an endless loop or memory
// without end are this process's alone.
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <new>

#include "formats/hdf5/protocol.h"
#include "libcore/base/text.h"
#include "libcore/os/confine.h"
#include "tools/hdf5/handle.h"
#include "tools/hdf5/read.h"
#include "tools/hdf5/write.h"

namespace quern::hdf5 {
namespace {

using Answer = std::function<Bytes(const RequestHead&, const Bytes& data)>;

// The numbers as they lie in the file, and as they are sent.
uint64_t twice(const std::string& memory) {
    const auto bytes = parse_int(memory).value_or(0);
    return bytes > 0 ? 2 * static_cast<uint64_t>(bytes) : 0;
}

void settle(const std::string& memory) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int nothing = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    ::dup2(nothing, STDERR_FILENO);  // what the C library says of a broken heap
    ::close(nothing);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    H5PLset_loading_state(0);  // a file may name a filter; no library is loaded for it
    confine(Confined::reader, twice(memory));
}

void send(bool failed, std::string_view bytes) {
    const AnswerHead head{failed ? 1U : 0U, bytes.size()};
    if (send_all(STDOUT_FILENO, &head, sizeof head)) send_all(STDOUT_FILENO, bytes.data(), bytes.size());
}

void answer_all(const Answer& answer) {
    RequestHead head;
    while (receive_all(STDIN_FILENO, &head, sizeof head)) {
        try {
            MutableBytes data(head.size);
            if (!receive_all(STDIN_FILENO, data.data(), data.size())) return;
            send(false, answer(head, std::move(data).freeze()).text());
        } catch (const Error& error) {
            send(true, error.message());
        } catch (const std::bad_alloc&) {
            send(true, "takes more memory than there is");
        }
    }
}

std::string list_of(const std::vector<Dataset>& datasets) {
    std::string text;
    for (const Dataset& dataset : datasets) {
        std::vector<std::string> dims;
        for (const int64_t dim : dataset.dims) dims.push_back(std::to_string(dim));
        for (const std::string& word : {dataset.path, std::string(name_of(dataset.dtype)), join(dims, ","), dataset.refusal})
            (text += word) += '\0';
    }
    return text;
}

class Reading {
   public:
    explicit Reading(std::string path) : path_(std::move(path)) {}
    Bytes operator()(const RequestHead& head, const Bytes& data) {
        if (!file_) file_ = std::make_shared<Handle>(open_file(path_));
        if (head.what == Request::rows) return rows_of(*file_, std::string(data.text()), head.first, head.count);
        const std::string list = list_of(datasets_of(*file_, std::filesystem::file_size(path_)));
        return Bytes::copy(list.data(), list.size());
    }

   private:
    std::string path_;
    std::shared_ptr<Handle> file_;
};

}  // namespace
}  // namespace quern::hdf5

int main(int argc, char** argv) {
    using namespace quern::hdf5;
    const std::string_view job = argc > 1 ? argv[1] : "";
    const bool read = job == "read" && argc == 4, write = job == "write" && argc == 3;
    if (!read && !write) {
        std::fputs("quern-hdf5: is started by quern, for HDF5 files\n", stderr);
        return static_cast<int>(quern::Exit::usage);
    }
    settle(argv[argc - 1]);
    if (read) answer_all(Reading(argv[2]));
    if (write) answer_all([](const RequestHead& head, const quern::Bytes& data) { return image_of(data, head.count); });
    ::_exit(0);
}
