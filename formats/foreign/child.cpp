#include "formats/foreign/child.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "formats/foreign/child_descriptor.h"
#include "formats/foreign/child_protocol.h"
#include "formats/native/native.h"
#include "libcore/base/error.h"
#include "libcore/base/memory_limit.h"
#include "libcore/base/text.h"
#include "libcore/os/foreign_code.h"
#include "libcore/os/io.h"
#include "libcore/os/own_library.h"
#include "libcore/os/process.h"

namespace quern {
namespace {

void fill(const ChildDescriptor& spool, const std::function<void(OutputFile&)>& write) {
    OutputFile file([&](const void* data, size_t size) {
        if (!child::write_all(spool.get(), data, size)) throw io_error("temporary file: {}", std::strerror(errno));
    });
    write(file);
    file.commit();
}

// What the child has said so far.
class Reports {
   public:
    explicit Reports(const ChildTask& task) : task_(task) {}
    void take(const char* data, size_t size) {
        pending_.append(data, size);
        size_t at = 0;
        child::RecordHead head;
        while (pending_.size() - at >= sizeof head) {
            std::memcpy(&head, pending_.data() + at, sizeof head);
            if (head.size > child::longest_text)
                throw unsupported("wrote to descriptor {}, which is not its own", child::report_descriptor);
            if (pending_.size() - at - sizeof head < head.size) break;
            take(head, pending_.substr(at + sizeof head, head.size));
            at += sizeof head + head.size;
        }
        pending_.erase(0, at);
    }
    const std::string& stage() const { return stage_; }
    const std::optional<Error>& failure() const { return failure_; }
    bool done() const { return done_; }
    size_t count() const { return count_; }
    Error dead(std::string_view how) const {
        Error error = unsupported("{}", how);
        if (!last_words_.empty()) error.with_details({printable(last_words_)});
        return error;
    }

   private:
    void take(const child::RecordHead& head, const std::string& text) {
        ++count_;
        switch (head.kind) {
            case child::Report::stage: stage_ = text; return;
            case child::Report::last_words: last_words_ = text; return;
            case child::Report::log:
                if (task_.log) task_.log(head.number, text);
                return;
            case child::Report::told:
                if (task_.told) task_.told(text);
                return;
            case child::Report::failure: failure_.emplace(static_cast<Exit>(head.number), text); return;
            case child::Report::hint:
                if (failure_) failure_->with_hint(printable(text));
                return;
            case child::Report::done: done_ = true; return;
        }
    }
    const ChildTask& task_;
    std::string pending_, stage_ = "start", last_words_;
    std::optional<Error> failure_;
    bool done_ = false;
    size_t count_ = 0;
};

// False: there is nothing more to come.
bool read_some(int from, Reports& reports) {
    char buffer[4096];
    for (;;) {
        const ssize_t got = ::read(from, buffer, sizeof buffer);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return got < 0;
        reports.take(buffer, static_cast<size_t>(got));
    }
}

// Listens until the process has ended; true: it was ended here, because it took longer than it may.
bool follow(Process& process, int pipe, Reports& reports, const ChildTask& task) {
    using Clock = std::chrono::steady_clock;
    auto limit = Clock::now() + std::chrono::seconds(task.seconds);
    size_t heard = 0;
    bool open = true, late = false;
    while (!process.ended(WNOHANG)) {
        pollfd more{pipe, POLLIN, 0};
        ::poll(&more, open ? 1 : 0, open ? 20 : 1);  // processes that it left behind may hold the pipe open
        if (open) open = read_some(pipe, reports);
        if (task.each_report && reports.count() != std::exchange(heard, reports.count()))
            limit = Clock::now() + std::chrono::seconds(task.seconds);
        if (task.seconds <= 0 || late || Clock::now() < limit) continue;
        late = true;
        process.kill();
    }
    if (open) read_some(pipe, reports);
    return late;
}

void check_end(int status, bool late, const ChildTask& task, const Reports& reports) {
    if (late) throw reports.dead(fmt::format("did not finish {} within {} s", reports.stage(), task.seconds));
    if (WIFSIGNALED(status))
        throw reports.dead(fmt::format("crashed in {} (signal {}, {})", reports.stage(), WTERMSIG(status), ::strsignal(WTERMSIG(status))));
    if (!reports.done()) throw reports.dead(fmt::format("ended its process in {} (exit code {})", reports.stage(), WEXITSTATUS(status)));
    if (reports.failure()) throw *reports.failure();
}

}  // namespace

std::string foreign_program() { return own_program("quern-foreign", "which runs foreign code"); }

Bytes run_in_child(const ChildTask& task) {
    need_foreign_code();
    const ChildDescriptor request(open_spool()), model(open_spool()), product(open_spool());
    fill(request, [&](OutputFile& file) {
        for (const std::string& word : task.request) file.write(std::string_view(word.c_str(), word.size() + 1));
    });
    if (task.graph)
        fill(model, [&](OutputFile& file) {
            Model whole;
            whole.graph = *task.graph;
            native_format::write(whole, file);
        });
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw io_error("cannot start a child process: {}", std::strerror(errno));
    const ChildDescriptor reading(ends[0]);
    ChildDescriptor writing(ends[1]);
    ::fcntl(reading.get(), F_SETFL, O_NONBLOCK);
    Process process(task.program, {std::string(task.job), std::to_string(memory_limit())},
                    std::array{std::pair{request.get(), STDIN_FILENO}, std::pair{model.get(), child::model_descriptor},
                               std::pair{product.get(), child::product_descriptor}, std::pair{writing.get(), child::report_descriptor}},
                    task.environment);
    writing.close();
    Reports reports(task);
    const bool late = follow(process, reading.get(), reports, task);
    check_end(process.status(), late, task, reports);
    return map_descriptor(product.get(), "temporary file");
}

int child_seconds(const char* variable) {
    const char* text = std::getenv(variable);
    const auto seconds = text ? parse_int(text) : std::nullopt;
    return seconds && *seconds >= 0 && *seconds <= 86400 ? static_cast<int>(*seconds) : 60;
}

}  // namespace quern
