#include "libcore/tokens/pattern.h"

#include <algorithm>
#include <optional>

#include "libcore/tokens/pattern_parser.h"

namespace quern::tokens {

Pattern::Pattern(std::string_view text) { parse_pattern(text, classes_, steps_); }

Pattern::Memory Pattern::memory() const {
    Memory memory;
    memory.runs.resize(steps_.size());
    memory.failed.resize(steps_.size());
    return memory;
}

namespace {

// One search for a match. Positions only grow from search to search, so that what Memory knows of earlier ones stays true.
class Search {
   public:
    Search(const std::vector<CharClass>& classes, const std::vector<PatternStep>& steps, std::u32string_view text, size_t end,
           Pattern::Memory& memory)
        : classes_(classes), steps_(steps), text_(text), end_(end), memory_(memory) {}

    // The end of the match that begins at `begin`.
    std::optional<size_t> match(size_t begin) {
        memory_.choices.clear();
        at_ = begin;
        step_ = 0;
        while (steps_[step_].kind != PatternStep::done)
            if (!advance() && !back()) return std::nullopt;
        return at_;
    }

   private:
    const PatternStep& current() const { return steps_[step_]; }
    bool seen(size_t at) const { return at < end_ && classes_[current().charset].has(text_[at]); }

    // Takes the current step; false: it does not match here.
    bool advance() {
        const PatternStep& step = current();
        switch (step.kind) {
            case PatternStep::repeat: return repeat(step);
            case PatternStep::not_ahead:
                if (seen(at_)) return false;
                break;
            case PatternStep::at_end:
                if (at_ != end_) return false;
                break;
            case PatternStep::either:
                memory_.choices.push_back({.step = step.second, .of_repeat = false, .at = at_});
                step_ = step.first;
                return true;
            case PatternStep::go_to: step_ = step.first; return true;
            case PatternStep::done: return true;
        }
        ++step_;
        return true;
    }

    bool repeat(const PatternStep& step) {
        const auto& failed = memory_.failed[step_];
        if (at_ >= failed.from && at_ < failed.to) return false;
        const size_t begin = at_, stop = run_end(step), low = begin + step.min;
        if (stop < low) return false;
        if (stop > low) memory_.choices.push_back({.step = step_, .of_repeat = true, .at = stop, .low = low, .begin = begin});
        at_ = stop;
        ++step_;
        return true;
    }

    size_t run_end(const PatternStep& step) {
        auto& run = memory_.runs[step_];
        if (at_ >= run.from && at_ < run.to) return run.to;
        const size_t limit = step.max >= end_ - at_ ? end_ : at_ + step.max;
        size_t stop = at_;
        while (stop < limit && seen(stop)) ++stop;
        if (step.max == PatternStep::unlimited) run = {at_, stop};
        return stop;
    }

    // To the last place where something else can be tried.
    bool back() {
        while (!memory_.choices.empty()) {
            auto& choice = memory_.choices.back();
            step_ = choice.step;
            if (!choice.of_repeat) {
                at_ = choice.at;
                memory_.choices.pop_back();
                return true;
            }
            if (choice.at > choice.low) {
                at_ = --choice.at;
                ++step_;
                return true;
            }
            if (current().max == PatternStep::unlimited) memory_.failed[step_] = {choice.begin, memory_.runs[step_].to};
            memory_.choices.pop_back();
        }
        return false;
    }

    const std::vector<CharClass>& classes_;
    const std::vector<PatternStep>& steps_;
    std::u32string_view text_;
    size_t end_;
    Pattern::Memory& memory_;
    size_t at_ = 0;
    uint32_t step_ = 0;
};

}  // namespace

void Pattern::cut(std::u32string_view text, size_t begin, size_t end, Memory& memory, std::vector<size_t>& ends) const {
    Search search(classes_, steps_, text, end, memory);
    size_t rest = begin;  // where the text begins that is in no word yet
    for (size_t at = begin; at < end;) {
        const auto stop = search.match(at);
        if (!stop || *stop == at) {
            ++at;
            continue;
        }
        if (at > rest) ends.push_back(at);
        ends.push_back(*stop);
        at = rest = *stop;
    }
    if (rest < end) ends.push_back(end);
}

}  // namespace quern::tokens
