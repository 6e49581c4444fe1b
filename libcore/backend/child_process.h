// A program started anew (not a copy of this process), and the descriptors that it is given.
#pragma once

#include <sys/types.h>

#include <span>
#include <string>
#include <utility>

namespace quern {

class ChildDescriptor {
   public:
    // Takes `fd`, and moves it above those that a child finds open: they are put there one after the other.
    explicit ChildDescriptor(int fd);
    ~ChildDescriptor() { close(); }
    ChildDescriptor(const ChildDescriptor&) = delete;
    ChildDescriptor& operator=(const ChildDescriptor&) = delete;
    int get() const { return fd_; }
    void close();

   private:
    int fd_;
};

// Runs until this object goes, at the latest.
class ChildProcess {
   public:
    // `places`: our descriptors, and where the program finds them. Its standard output is our standard error.
    ChildProcess(const std::string& program, std::string job, std::span<const std::pair<int, int>> places);
    ~ChildProcess();
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    void kill();
    // `how`: WNOHANG asks, 0 waits.
    bool ended(int how);
    int status() const { return status_; }

   private:
    pid_t id_ = 0;
    int status_ = 0;
    bool ended_ = false;
};

}  // namespace quern
