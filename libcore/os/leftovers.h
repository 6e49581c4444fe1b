// What must not stay when a signal ends the process: temporary folders and files that have a name, and children that write into them.
#pragma once

#include <sys/types.h>

#include <string>

namespace quern {

// For programs, before they have threads: from now on what is below is kept in mind, after `begin`, called once before the first.
void keep_leftovers(void (*begin)());
// May be asked in a signal handler.
bool has_leftovers();
// Removes them. Only for a process that ends now: whoever adds or forgets one waits for ever.
void remove_leftovers();

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
