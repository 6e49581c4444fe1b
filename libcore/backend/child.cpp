#include "libcore/backend/child.h"

#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <new>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace quern {
namespace {

// What the child tells its parent, in memory that both see.
struct Note {
    char stage[64];
    char last_words[1000];
    char message[4000];
    int exit;
    bool done;
};

void set_text(std::span<char> to, std::string_view text) {
    const size_t size = std::min(text.size(), to.size() - 1);
    std::copy_n(text.data(), size, to.data());
    to[size] = 0;
}

class SharedNote {
   public:
    SharedNote() : note_(static_cast<Note*>(::mmap(nullptr, sizeof(Note), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
        if (note_ == MAP_FAILED) throw io_error("cannot share memory with a child process: {}", std::strerror(errno));
    }
    ~SharedNote() { ::munmap(note_, sizeof(Note)); }
    SharedNote(const SharedNote&) = delete;
    SharedNote& operator=(const SharedNote&) = delete;
    Note* operator->() { return note_; }
    Note& operator*() { return *note_; }

   private:
    Note* note_;
};

class Work : public ChildWork {
   public:
    Work(Note& note, OutputFile& out) : note_(note), out_(out) {}
    void stage(std::string_view name) override { set_text(note_.stage, name); }
    void remember(std::string_view message) override { set_text(note_.last_words, message); }
    OutputFile& out() override { return out_; }

   private:
    Note& note_;
    OutputFile& out_;
};

void fail(Note& note, Exit exit, std::string_view message) {
    note.exit = static_cast<int>(exit);
    set_text(note.message, message);
}

[[noreturn]] void live(Note& note, SpoolFile& file, int seconds, const std::function<void(ChildWork&)>& body) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM, SIGPIPE, SIGTERM}) std::signal(signal, SIG_DFL);
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
    if (seconds > 0) ::alarm(static_cast<unsigned>(seconds));
    try {
        Work work(note, file.file());
        body(work);
        file.file().commit();
    } catch (const Error& error) {
        fail(note, error.exit(), error.message());
    } catch (const std::bad_alloc&) {
        fail(note, Exit::io, "out of memory");
    } catch (const std::exception& error) {
        fail(note, Exit::bug, error.what());
    } catch (...) {
        fail(note, Exit::unsupported, "threw an exception that is no std::exception");
    }
    std::fflush(nullptr);
    note.done = true;
    ::_exit(0);
}

Error dead(std::string_view how, const Note& note) {
    Error error = unsupported("{}", how);
    if (note.last_words[0]) error.with_details({printable(note.last_words)});
    return error;
}

// Waits until the child ends; one that does not heed its alarm is ended here, and true comes back.
bool end_after(pid_t child, int seconds) {
    const int process = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
    if (process < 0) return false;
    pollfd ends{process, POLLIN, 0};
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(seconds) + std::chrono::milliseconds(500);
    bool late = false;
    for (;;) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(limit - std::chrono::steady_clock::now()).count();
        const int got = ::poll(&ends, 1, static_cast<int>(std::max<int64_t>(left, 0)));
        if (got < 0 && errno == EINTR) continue;
        late = got == 0;
        break;
    }
    if (late) ::kill(child, SIGKILL);
    ::close(process);
    return late;
}

int wait_for(pid_t child) {
    int status = 0;
    while (::waitpid(child, &status, 0) < 0)
        if (errno != EINTR) throw io_error("cannot wait for a child process: {}", std::strerror(errno));
    return status;
}

}  // namespace

Bytes run_in_child(int seconds, const std::function<void(ChildWork&)>& body) {
    SharedNote note;
    SpoolFile file;
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child < 0) throw io_error("cannot make a child process: {}", std::strerror(errno));
    if (child == 0) live(*note, file, seconds, body);
    const bool late = seconds > 0 && end_after(child, seconds);
    const int status = wait_for(child);
    const std::string stage = note->stage[0] ? note->stage : "start";
    if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGALRM || late) && seconds > 0)
        throw dead(fmt::format("did not finish {} within {} s", stage, seconds), *note);
    if (WIFSIGNALED(status))
        throw dead(fmt::format("crashed in {} (signal {}, {})", stage, WTERMSIG(status), ::strsignal(WTERMSIG(status))), *note);
    if (!note->done) throw dead(fmt::format("ended its process in {} (exit code {})", stage, WEXITSTATUS(status)), *note);
    if (note->exit != 0 || note->message[0]) throw Error(static_cast<Exit>(note->exit), note->message);
    return file.finish();
}

int child_seconds(const char* variable) {
    const char* text = std::getenv(variable);
    const auto seconds = text ? parse_int(text) : std::nullopt;
    return seconds && *seconds >= 0 && *seconds <= 86400 ? static_cast<int>(*seconds) : 60;
}

}  // namespace quern
