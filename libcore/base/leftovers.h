// What must not stay when a signal ends the process: temporary folders and files that have a name, and children that write into them.
#pragma once

#include <sys/types.h>

#include <string>

namespace quern {

// For programs, not for libraries: SIGINT, SIGTERM and SIGHUP, unless they are ignored, remove what is there of the kinds below, and end
// the process as if they had not been caught.
void remove_leftovers_at_signals();

// A path that is removed, with all below it, if the process is ended by a signal while this lives.
class Leftover {
   public:
    explicit Leftover(std::string path);
    ~Leftover();
    Leftover(const Leftover&) = delete;
    Leftover& operator=(const Leftover&) = delete;

   private:
    std::string path_;
};

// A child that is ended with the process.
class LeftoverChild {
   public:
    explicit LeftoverChild(pid_t child);
    ~LeftoverChild();
    LeftoverChild(const LeftoverChild&) = delete;
    LeftoverChild& operator=(const LeftoverChild&) = delete;

   private:
    pid_t child_;
};

}  // namespace quern
