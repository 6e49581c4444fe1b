// A program of ours beside this process, for work with code of others: it may crash or hang without harm.
#pragma once

#include <sys/types.h>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace quern {

// Runs until this object goes, at the latest.
class Process {
   public:
    // `places`: our descriptors, and where the program finds them. Its standard output is our standard error, if nothing else is stated,
    // and its signals are as at the start of a program. `environment`: "NAME=value", in place of ours.
    Process(const std::string& program, const std::vector<std::string>& words, std::span<const std::pair<int, int>> places,
            const std::vector<std::string>& environment = {});
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    void kill();
    // `how`: WNOHANG asks, 0 waits.
    bool ended(int how);
    int status() const { return status_; }

   private:
    pid_t id_ = 0;
    int status_ = 0;
    bool ended_ = false;
};

// "NAME=first:what our environment has:last", of those that are not empty.
std::string extended_variable(const char* name, std::string_view first, std::string_view last);

}  // namespace quern
