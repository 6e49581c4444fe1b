// The process in which foreign code is tried and run: what it is asked for by run_in_child() (formats/foreign/child.h), and how it answers.
#pragma once

#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/foreign/child_protocol.h"
#include "libcore/graph/graph.h"
#include "libcore/os/confine.h"
#include "libcore/os/io.h"

namespace quern {

class ChildWork {
   public:
    ChildWork();
    const std::vector<std::string>& request() const { return request_; }
    // Word `i` of the request. Throws Exit::bug if there is none.
    const std::string& word(size_t i) const;
    // The graph that came with the request.
    Graph graph() const;
    // What is done next, for the message if this process does not survive it: "create".
    void stage(std::string_view name) { report(child::Report::stage, 0, name); }
    // A message that has not been shown yet, which is, if this process does not survive: "" takes it back.
    void remember(std::string_view message) { report(child::Report::last_words, 0, message); }
    // What foreign code says, on any thread.
    void log(int level, std::string_view text) { report(child::Report::log, level, text); }
    OutputFile& out() { return out_; }

    void report(child::Report kind, int number, std::string_view text);

   private:
    std::mutex mutex_;
    std::vector<std::string> request_;
    OutputFile out_;
};

struct ChildJob {
    std::string_view name;
    void (*run)(ChildWork& work);
    Confined confined = Confined::programs;
};

// A limit as it is told to this program.
uint64_t memory_of(const char* word);

// Runs the job that argv[1] names in the memory that argv[2] says, and ends the process. Returns only if nobody is there who started it for
// that.
int serve(int argc, char** argv, std::span<const ChildJob> jobs);

}  // namespace quern
