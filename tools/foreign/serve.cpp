#include "tools/foreign/serve.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>

#include "formats/native/native.h"
#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/os/standard_error.h"

namespace quern {
namespace {

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words = split(text, '\0');
    if (!words.empty()) words.pop_back();  // after the last NUL
    return words;
}

void write_product(const void* data, size_t size) {
    if (!child::write_all(child::product_descriptor, data, size)) throw io_error("temporary file: {}", std::strerror(errno));
}

// The parent's death is this process's; programs that foreign code starts do not see what is the parent's.
void settle() {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::signal(SIGPIPE, SIG_IGN);  // of standard error
    for (const int fd : {child::model_descriptor, child::product_descriptor, child::report_descriptor}) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
}

void run(ChildWork& work, const ChildJob& job) {
    const auto fail = [&](Exit exit, std::string_view message) { work.report(child::Report::failure, static_cast<int>(exit), message); };
    try {
        job.run(work);
        work.out().commit();
    } catch (const Error& error) {
        fail(error.exit(), error.message());
        if (!error.hint().empty()) work.report(child::Report::hint, 0, error.hint());
    } catch (const std::bad_alloc&) {
        fail(Exit::io, "out of memory");
    } catch (const std::exception& error) {
        fail(Exit::bug, error.what());
    } catch (...) {
        fail(Exit::unsupported, "threw an exception that is not a std::exception");
    }
}

}  // namespace

ChildWork::ChildWork() : request_(words_of(map_descriptor(STDIN_FILENO, "request").text())), out_(write_product) {
    const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::dup2(nothing, STDIN_FILENO);
    ::close(nothing);
}

const std::string& ChildWork::word(size_t i) const {
    if (i >= request_.size()) throw bug("the request has {} words", request_.size());
    return request_[i];
}

Graph ChildWork::graph() const { return native_format::read(map_descriptor(child::model_descriptor, "graph"), "graph").graph; }

void ChildWork::report(child::Report kind, int number, std::string_view text) {
    text = text.substr(0, child::longest_text);
    const child::RecordHead head{kind, number, static_cast<uint32_t>(text.size())};
    const std::scoped_lock lock(mutex_);
    if (child::write_all(child::report_descriptor, &head, sizeof head))
        child::write_all(child::report_descriptor, text.data(), text.size());
}

uint64_t memory_of(const char* word) {
    const auto bytes = parse_int(word);
    return bytes && *bytes > 0 ? static_cast<uint64_t>(*bytes) : UINT64_MAX;
}

int serve(int argc, char** argv, std::span<const ChildJob> jobs) {
    const auto job = std::find_if(jobs.begin(), jobs.end(), [&](const ChildJob& row) { return argc == 3 && row.name == argv[1]; });
    if (job == jobs.end() || ::fcntl(child::report_descriptor, F_GETFD) < 0) {
        write_standard_error("quern-foreign: is started by quern, for libraries of others\n");
        return static_cast<int>(Exit::usage);
    }
    settle();
    confine(job->confined, memory_of(argv[2]));
    ChildWork work;
    run(work, *job);
    std::fflush(nullptr);
    work.report(child::Report::done, 0, "");
    ::_exit(0);
}

}  // namespace quern
