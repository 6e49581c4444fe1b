#include "libcore/os/leftovers.h"

#include <algorithm>
#include <atomic>
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
    std::once_flag begun;
    void (*begin)() = nullptr;
};

// Never destroyed: a signal may come while the process ends.
Kept& kept() {
    static Kept& all = *new Kept;
    return all;
}

std::atomic<int> count = 0;

// A child that has just been ended may still make a file while the folder is emptied.
void remove_all(const std::string& path) {
    std::error_code error;
    for (int tries = 0; tries < 100; ++tries) {
        std::filesystem::remove_all(path, error);
        if (!std::filesystem::exists(std::filesystem::symlink_status(path, error))) return;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
}

template <class Item>
void keep(std::vector<Item>& items, Item item) {
    if (!kept().begin) return;
    std::call_once(kept().begun, kept().begin);
    const std::lock_guard lock(kept().mutex);
    items.push_back(std::move(item));
    ++count;
}

template <class Item>
void forget(std::vector<Item>& items, const Item& item) {
    if (!kept().begin) return;
    const std::lock_guard lock(kept().mutex);
    items.erase(std::ranges::find(items, item));
    --count;
}

}  // namespace

void keep_leftovers(void (*begin)()) { kept().begin = begin; }

bool has_leftovers() { return count.load() > 0; }

void remove_leftovers() {
    kept().mutex.lock();  // for good: nobody forgets or adds anything any more
    for (const pid_t child : kept().children) ::kill(child, SIGTERM);
    for (const std::string& path : kept().paths) remove_all(path);
}

Leftover::Leftover(std::string path) : path_(std::move(path)) { keep(kept().paths, path_); }
Leftover::~Leftover() { forget(kept().paths, path_); }
LeftoverChild::LeftoverChild(pid_t child) : child_(child) { keep(kept().children, child_); }
LeftoverChild::~LeftoverChild() { forget(kept().children, child_); }

}  // namespace quern
