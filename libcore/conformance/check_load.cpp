// Many at once, and many one after the other.
#include <malloc.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cmath>
#include <exception>
#include <filesystem>
#include <fstream>
#include <thread>

#include "libcore/base/text.h"
#include "libcore/conformance/calls.h"
#include "libcore/conformance/checks.h"
#include "libcore/conformance/part_check.h"

namespace quern::conformance {
namespace {

constexpr size_t threads_at_once = 4;

// Rounds that threads run beside each other: for half a second, eight of them if these take longer, of slow devices two.
struct Rounds {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point begun = Clock::now();
    bool go_on(size_t round) const {
        using std::chrono::milliseconds;
        const auto taken = Clock::now() - begun;
        return round < 2 || taken < milliseconds{500} || (round < 8 && taken < milliseconds{2000});
    }
};

// On each of several threads `made` by `make(number)` once all have theirs, round after round; what the first of them throws is thrown
// here.
void side_by_side(const std::function<std::function<void(size_t round)>(size_t number)>& make) {
    std::vector<std::exception_ptr> thrown(threads_at_once);
    std::barrier ready(static_cast<std::ptrdiff_t>(threads_at_once));
    std::vector<std::thread> threads;
    for (size_t i = 0; i < threads_at_once; ++i)
        threads.emplace_back([&, i] {
            bool waited = false;
            try {
                const auto body = make(i);
                ready.arrive_and_wait();
                waited = true;
                const Rounds rounds;
                for (size_t round = 0; rounds.go_on(round); ++round) body(round);
            } catch (...) {
                if (!waited) ready.arrive_and_drop();
                thrown[i] = std::current_exception();
            }
        });
    for (std::thread& thread : threads) thread.join();
    for (const std::exception_ptr& one : thrown)
        if (one) std::rethrow_exception(one);
}

std::vector<std::vector<Stored>> results_of(Executable& executable, const Part& part, int threads) {
    const auto session = executable.open({.threads = threads});
    std::vector<std::vector<Stored>> out;
    for (const Inputs& inputs : part.samples) out.push_back(session->run(inputs));
    return out;
}

// Of one thread: sessions that are all open, run one after the other.
void in_turn(Executable& executable, const Part& part, const std::vector<std::vector<Stored>>& want) {
    std::vector<std::shared_ptr<BackendSession>> sessions;
    for (size_t i = 0; i < part.samples.size(); ++i) sessions.push_back(executable.open({}));
    for (size_t round = 0; round < 2; ++round)
        for (size_t i = 0; i < sessions.size(); ++i)
            check_same(part, sessions[i]->run(part.samples[i]), want[i], "a session after another's run");
}

std::string threads(const Context& context, const Part& plain) {
    Part part = plain;
    for (size_t i = 1; i < threads_at_once; ++i) part.samples.push_back(rotated(turned_round(part.samples[i - 1]), i));
    const auto instance = instance_of(context);
    const auto executable = loaded(*instance, part);
    const auto want = results_of(*executable, part, 1);
    const auto more = results_of(*executable, part, threads_at_once);
    for (size_t i = 0; i < want.size(); ++i)
        at_place(fmt::format("with {} threads", threads_at_once), [&] { check_results(context, part, more[i], want[i]); });
    in_turn(*executable, part, want);
    side_by_side([&](size_t number) {
        const std::shared_ptr<BackendSession> session = executable->open({});
        return [&, session, number](size_t round) {
            const size_t sample = (number + round) % part.samples.size();
            check_same(part, session->run(part.samples[sample]), want[sample], "a session beside others");
        };
    });
    side_by_side([&](size_t number) {
        const auto own = instance_of(context);
        return [&, own, number](size_t) {
            check_same(part, loaded(*own, part)->open({})->run(part.samples[number]), want[number], "an instance beside others");
        };
    });
    return fmt::format("{} sessions, then {} instances at once", threads_at_once, threads_at_once);
}

// What the process holds.
struct Held {
    double heap, pages;  // bytes
    long files, tasks;

    static Held now() {
        const struct mallinfo2 info = ::mallinfo2();
        return {static_cast<double>(info.uordblks + info.hblkhd), resident(), entries("/proc/self/fd"), entries("/proc/self/task")};
    }

   private:
    static long entries(const char* folder) {
        return std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator());
    }
    static double resident() {
        std::ifstream file("/proc/self/statm");
        double whole = 0, own = 0;
        file >> whole >> own;
        return own * 4096;
    }
};

void round_trip(const Context& context, const Part& part) {
    const auto instance = instance_of(context);
    const auto executable = loaded(*instance, part);
    const auto session = executable->open({});
    for (int i = 0; i < 2; ++i) session->run(part.samples[0]);
}

// Bytes that a round leaves behind.
struct Growth {
    double heap, pages;
    size_t rounds;
};

Growth growth(const Context& context, const Part& part) {
    using Clock = std::chrono::steady_clock;
    constexpr size_t min = 5, max = 50;
    constexpr std::chrono::seconds time{3};
    const auto limit = Clock::now() + time;
    const Held before = Held::now();
    size_t rounds = 0;
    for (; rounds < max && (rounds < min || Clock::now() < limit); ++rounds) round_trip(context, part);
    const Held after = Held::now();
    const auto count = static_cast<double>(rounds);
    return {(after.heap - before.heap) / count, (after.pages - before.pages) / count, rounds};
}

// What is kept once, or grows now and then, is not a leak: all of some windows have to grow, by what the smallest block takes or more.
std::string memory(const Context& context, const Part& part) {
    constexpr size_t windows = 4;
    constexpr double smallest_block = 32, smallest_growth = 8192;
    growth(context, part);
    const Held before = Held::now();
    Growth all{HUGE_VAL, HUGE_VAL, 0};
    for (size_t i = 0; i < windows; ++i) {
        const Growth now = growth(context, part);
        all = {std::min(all.heap, now.heap), std::min(all.pages, now.pages), all.rounds + now.rounds};
    }
    const Held after = Held::now();
    const auto grown = [&](std::string_view what, double bytes) {
        return fault("from create to destroy, {} rounds: {} grows by {:.0f} bytes a round", all.rounds, what, bytes);
    };
    if (all.heap >= smallest_block) throw grown("the heap", all.heap);
    if (all.pages >= smallest_growth) throw grown("the process", all.pages);
    if (after.files > before.files) throw fault("{} rounds leave {} open files", all.rounds, after.files - before.files);
    if (after.tasks > before.tasks) throw fault("{} rounds leave {} threads", all.rounds, after.tasks - before.tasks);
    return fmt::format("{} rounds from create to destroy", all.rounds);
}

}  // namespace

std::vector<Step> threads_steps(const Context& context) { return steps_of_parts(context, 3, true, threads); }
std::vector<Step> memory_steps(const Context& context) { return steps_of_parts(context, 2, false, memory); }

}  // namespace quern::conformance
