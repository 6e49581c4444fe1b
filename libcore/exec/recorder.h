// What ran when: timed runs of the thread that has a recorder in use leave an event for each step.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "libcore/exec/types.h"

namespace quern {

// On the steady clock, in seconds (os/clock.h).
struct StepEvent {
    size_t line = 0;  // of StepLog::lines
    double start = 0, end = 0;
    uint64_t value_bytes = 0;  // that values of its graph hold, results included, before those go that nobody reads any more
    uint64_t arena_bytes = 0;  // as Session::arena_bytes
};

// Events as they ended: those of a body, and of a partition on this thread, before the step that they are a part of.
struct StepLog {
    std::vector<StepTime> lines;  // without times
    std::vector<StepEvent> events;
    uint64_t dropped = 0;  // events that there was no room for
};

class StepRecorder {
   public:
    explicit StepRecorder(size_t max_events) : max_(max_events) {}

    // `what` stands for the line: one for each.
    template <typename Line>
    void add(const void* what, StepEvent event, const Line& line) {
        if (log_.events.size() == max_) {
            ++log_.dropped;
            return;
        }
        const auto [known, fresh] = lines_.try_emplace(what, log_.lines.size());
        if (fresh) log_.lines.push_back(line());
        event.line = known->second;
        log_.events.push_back(event);
    }
    const StepLog& log() const { return log_; }

    static StepRecorder* current();  // of this thread; nullptr: none is in use

    class Use {
       public:
        explicit Use(StepRecorder* recorder);  // nullptr: as before
        ~Use();
        Use(const Use&) = delete;
        Use& operator=(const Use&) = delete;

       private:
        StepRecorder* before_;
    };

   private:
    size_t max_;
    std::map<const void*, size_t> lines_;
    StepLog log_;
};

}  // namespace quern
