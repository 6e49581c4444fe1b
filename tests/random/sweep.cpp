#include "tests/random/sweep.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <set>

#include "libcore/base/text.h"
#include "libcore/exec/session.h"
#include "libcore/graph/summary.h"
#include "libcore/os/io.h"
#include "tests/random/in_c.h"
#include "tests/random/reduce.h"
#include "tests/random/ways.h"

namespace quern::random_graphs {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// ---- a crash is said with the graph that it happened on ----

std::string current;

void say_crash(int signal) {
    static_cast<void>(!write(STDERR_FILENO, current.data(), current.size()));
    _exit(128 + signal);
}

void watch_crashes() {
    for (const int signal : {SIGSEGV, SIGFPE, SIGABRT, SIGBUS, SIGILL}) std::signal(signal, say_crash);
}

// ---- failures ----

// Smaller, if that fails in the same way: by the same way of running, and refused if it was.
RandomGraph smallest(const RandomGraph& drawn, const Trouble& trouble) {
    const bool refused = trouble.what.starts_with("is refused");
    if (trouble.way == "c")
        return reduced(
            drawn, [](const RandomGraph& one) { return reference_of(one), !difference_in_c(one).empty(); }, 250);
    for (const Way& way : ways())
        if (way.name == trouble.way)
            return reduced(drawn, [&](const RandomGraph& one) {
                const Trouble now = trouble_of(one, way, reference_of(one));
                return now.any() && now.what.starts_with("is refused") == refused;
            });
    return drawn;
}

void report(const std::string& name, const RandomGraph& drawn, const Trouble& trouble) {
    fmt::print("\n{}: by \"{}\": {}\n", name, trouble.way, trouble.what);
    std::fflush(stdout);
    const RandomGraph small = smallest(drawn, trouble);
    const std::string text = text_with_sample(small);
    const std::string path = (fs::temp_directory_path() / fmt::format("quern-{}-{}.mlir", getpid(), percent_escape(name))).string();
    write_output(path, text);
    fmt::print("the smallest graph that fails so ({} nodes of {}):\n{}repeat: random_graphs --text {}\n", small.graph.order().size(),
               drawn.graph.order().size(), text, path);
    std::fflush(stdout);
}

// ---- what was covered ----

struct Covered {
    std::map<std::string, size_t> graphs, refused, kernels, net_kernels, not_in_c;
    std::set<const Op*> ops, codes;
    size_t nodes = 0, nodes_of_codes = 0, in_c = 0, nodes_in_c = 0, failures = 0;

    void add(const RandomGraph& drawn, const Kind& kind) {
        ++graphs[std::string(kind.profile)];
        nodes += drawn.graph.order().size();
        nodes_of_codes += kind.scheme ? drawn.graph.order().size() : 0;
        (kind.scheme ? codes : ops).insert(drawn.ops.begin(), drawn.ops.end());
        count_kernels(drawn, kind.profile == "net" ? net_kernels : kernels);
    }
};

struct Least {
    std::string_view what;
    size_t found, wanted;
};

size_t steps_of(const std::map<std::string, size_t>& kernels, std::string_view family) {
    size_t count = 0;
    for (const auto& [name, steps] : kernels) count += name.starts_with(family) ? steps : 0;
    return count;
}

// Figures of a run of the usual length; all of them must be able to fail.
bool is_enough(const Covered& covered, bool in_c) {
    const size_t fast = steps_of(covered.net_kernels, "onednn conv") + steps_of(covered.net_kernels, "direct conv");
    size_t fused = 0;
    for (const auto& [name, steps] : covered.kernels) fused += name.starts_with("avx") && name.find('+') != name.npos ? steps : 0;
    std::vector<Least> all{{"operators in graphs of real numbers", covered.ops.size(), 200},
                           {"operators in quantized graphs", covered.codes.size(), 100},
                           {"nodes", covered.nodes, 5000},
                           {"nodes in C", in_c ? covered.nodes_in_c : 500, 500},
                           {"steps by rows of profiles, or by kernels for them",
                            steps_of(covered.kernels, "profile") + steps_of(covered.kernels, "codes"), 800},
                           {"steps by tables", steps_of(covered.kernels, "lookup"), 200},
                           {"steps on oneDNN", steps_of(covered.kernels, "onednn"), 100},
                           {"convolutions of nets", fast, 100},
                           {"fused elementwise chains", fused, 100},
                           {"of these on fast kernels", fast, fast + steps_of(covered.net_kernels, "reference Conv")}};
    for (const std::string_view kind : profiles()) {
        const auto found = covered.graphs.find(std::string(kind));
        all.push_back({kind, found == covered.graphs.end() ? 0 : found->second, 80});
    }
    bool enough = true;
    for (const Least& one : all) {
        fmt::print("{}: {} of at least {}{}\n", one.what, one.found, one.wanted, one.found < one.wanted ? ": TOO FEW" : "");
        enough &= one.found >= one.wanted;
    }
    return enough;
}

void say(const Covered& covered) {
    const auto all = drawable_ops();
    fmt::print("{} of {} rows drawn; not: ", covered.ops.size(), all.size());
    for (const Op* op : all)
        if (!covered.ops.contains(op)) fmt::print("{} ", full_name(*op));
    fmt::print("\n");
    for (const auto& [kind, count] : covered.graphs) {
        const auto refused = covered.refused.find(kind);
        fmt::print("{} graphs of {}, {} refused by the quantizer\n", count, kind, refused == covered.refused.end() ? 0 : refused->second);
    }
    for (const auto* kernels : {&covered.kernels, &covered.net_kernels}) {
        for (const auto& [kernel, count] : *kernels) fmt::print("{} {}, ", count, kernel);
        fmt::print("\n");
    }
    fmt::print("\n");
    for (const auto& [reason, count] : covered.not_in_c) fmt::print("not in C {} times: {}\n", count, reason);
    fmt::print("{} nodes, {} of them in quantized graphs; {} graphs of {} nodes in C; {} failures\n", covered.nodes, covered.nodes_of_codes,
               covered.in_c, covered.nodes_in_c, covered.failures);
}

// ---- the sweep ----

class Sweep {
   public:
    explicit Sweep(const SweepOptions& options) : options_(options) {}

    void run() {
        const auto start = Clock::now();
        for (size_t i = options_.first; goes_on(i, start); ++i) {
            try {
                one(i);
            } catch (const std::exception& error) {  // drawing and quantizing refuse by themselves what they must
                ++covered.failures;
                fmt::print("\n{}{}\n", current, error.what());
            }
            if (waiting_.size() >= 240) compare_in_c();
        }
        compare_in_c();
    }
    Covered covered;

   private:
    struct Waiting {
        std::string name;
        RandomGraph drawn;
    };

    bool goes_on(size_t i, Clock::time_point start) const {
        if (options_.seconds == 0) return i < options_.first + options_.graphs;
        return Clock::now() - start < std::chrono::seconds(options_.seconds);
    }

    // Every drawable row in turn, so that each is there at least once; in quantized graphs those with a rule.
    static std::vector<const Op*> ops_at(size_t i, const Kind& kind) {
        static const auto all = drawable_ops();
        const size_t round = i / profiles().size();
        if (kind.profile == "net" || kind.profile == "chain") return {};
        if (!kind.scheme) return {all[2 * round % all.size()], all[(2 * round + 1) % all.size()]};
        for (size_t step = 0; step < all.size(); ++step)
            if (const Op* op = all[(5 * round + i + 7 * step) % all.size()]; op->quant.kind != QuantRule::Kind::keep_float) return {op};
        return {};
    }

    void one(size_t i) {
        Draw draw(options_.seed * 1000003 + i);
        const Kind kind = kind_at(i, draw);
        if (!options_.kind.empty() && kind.profile != options_.kind) return;
        const std::string name = fmt::format("seed {} graph {} ({})", options_.seed, i, kind.name());
        current = name + ", while it is drawn\n";
        const auto watch = [&](const RandomGraph& before) { current = name + ", while it is quantized\n" + text_with_sample(before); };
        auto drawn = draw_graph(draw, kind, ops_at(i, kind), watch);
        if (!drawn) return static_cast<void>(++covered.refused[std::string(kind.profile)]);
        if (drawn->graph.order().empty()) return;
        current = name + "\n" + text_with_sample(*drawn);
        if (const Trouble trouble = trouble_of(*drawn); trouble.any()) {
            ++covered.failures;
            return report(name, *drawn, trouble);
        }
        covered.add(*drawn, kind);
        if (options_.c_every > 0 && i / profiles().size() % options_.c_every == 0) waiting_.push_back({name, std::move(*drawn)});
    }

    void compare_in_c() {
        if (waiting_.empty()) return;
        InC all(fs::temp_directory_path() / fmt::format("quern-random-{}-all{}", getpid(), batch_++));
        for (const Waiting& one : waiting_) all.add(one.drawn);
        const auto found = all.differences();
        covered.in_c += all.generated();
        fmt::print("{} graphs compared in C\n", covered.in_c);
        std::fflush(stdout);
        covered.nodes_in_c += all.nodes();
        for (const auto& [reason, count] : all.refusals()) covered.not_in_c[reason] += count;
        for (size_t i = 0; i < found.size(); ++i) {
            if (found[i].empty()) continue;
            ++covered.failures;
            report(waiting_[i].name, all.graph(i), {"c", found[i]});
        }
        waiting_.clear();
    }

    const SweepOptions& options_;
    std::vector<Waiting> waiting_;
    int batch_ = 0;
};

}  // namespace

bool sweep(const SweepOptions& options) {
    watch_crashes();
    Sweep sweep(options);
    sweep.run();
    say(sweep.covered);
    const bool usual = options.kind.empty() && options.seconds == 0 && options.graphs >= SweepOptions{}.graphs;
    return (!usual || is_enough(sweep.covered, options.c_every > 0)) && sweep.covered.failures == 0;
}

bool judge_folder(const std::string& folder) {
    size_t graphs = 0, good = 0;
    for (const auto& entry : fs::directory_iterator(folder)) {
        const bool same = judge_text(map_input(entry.path()).text());
        if (!same) fmt::print("{} differs\n", entry.path().string());
        ++graphs;
        good += same;
    }
    fmt::print("{} of {} graphs that differed once are equal\n", good, graphs);
    return graphs > 0 && good == graphs;
}

bool judge_text(std::string_view text) {
    watch_crashes();
    const RandomGraph drawn = from_text(text);
    Trouble trouble = trouble_of(drawn);
    if (!trouble.any()) trouble = {"c", difference_in_c(drawn)};
    if (trouble.what.empty()) return true;
    fmt::print("by \"{}\": {}\n", trouble.way, trouble.what);
    return false;
}

}  // namespace quern::random_graphs
