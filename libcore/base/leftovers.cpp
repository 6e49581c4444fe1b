#include "libcore/base/leftovers.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace quern {
namespace {

struct Kept {
    std::mutex mutex;
    std::vector<std::string> paths;
    std::vector<pid_t> children;
    std::once_flag watched;
};

// Never destroyed: a signal may come while the process ends.
Kept& kept() {
    static Kept& all = *new Kept;
    return all;
}

int pipe_ends[2] = {-1, -1};
std::atomic<int> count = 0;

void die_of(int signal) {
    std::signal(signal, SIG_DFL);
    ::kill(::getpid(), signal);
}

// In the handler only what may be called there: the rest is the watcher's.
void caught(int signal) {
    const int before = errno;
    const auto byte = static_cast<unsigned char>(signal);
    if (count.load() == 0 || ::write(pipe_ends[1], &byte, 1) != 1) die_of(signal);
    errno = before;
}

// A child that has just been ended may still make a file while the folder is emptied.
void remove_all(const std::string& path) {
    std::error_code error;
    for (int tries = 0; tries < 100; ++tries) {
        std::filesystem::remove_all(path, error);
        if (!std::filesystem::exists(std::filesystem::symlink_status(path, error))) return;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
}

void watch() {
    unsigned char signal = 0;
    while (::read(pipe_ends[0], &signal, 1) != 1)
        if (errno != EINTR) return;
    kept().mutex.lock();  // for good: nobody forgets or adds anything any more
    for (const pid_t child : kept().children) ::kill(child, SIGTERM);
    for (const std::string& path : kept().paths) remove_all(path);
    die_of(signal);
}

template <class Item>
void keep(std::vector<Item>& items, Item item) {
    if (pipe_ends[0] < 0) return;
    std::call_once(kept().watched, [] { std::thread(watch).detach(); });
    const std::lock_guard lock(kept().mutex);
    items.push_back(std::move(item));
    ++count;
}

template <class Item>
void forget(std::vector<Item>& items, const Item& item) {
    if (pipe_ends[0] < 0) return;
    const std::lock_guard lock(kept().mutex);
    items.erase(std::ranges::find(items, item));
    --count;
}

}  // namespace

void remove_leftovers_at_signals() {
    if (::pipe2(pipe_ends, O_CLOEXEC) != 0) return;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction action = {};
        if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
        action.sa_handler = caught;
        action.sa_flags = SA_RESTART;
        ::sigaction(signal, &action, nullptr);
    }
}

Leftover::Leftover(std::string path) : path_(std::move(path)) { keep(kept().paths, path_); }
Leftover::~Leftover() { forget(kept().paths, path_); }
LeftoverChild::LeftoverChild(pid_t child) : child_(child) { keep(kept().children, child_); }
LeftoverChild::~LeftoverChild() { forget(kept().children, child_); }

}  // namespace quern
