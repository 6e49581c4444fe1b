#include "tools/quantize/algorithms.h"

#include <algorithm>

#include "libcore/base/text.h"

namespace quern {

namespace {

struct OwnOption {
    std::string_view option;
    std::vector<std::string> algorithms;
};

void check_own_options(const std::vector<const Algorithm*>& all, const GivenOptions& given) {
    static const std::vector<OwnOption> own{{"--iterations", {"adaround"}},
                                            {"--fit-rows", {"seqmse", "adaround", "gptq"}},
                                            {"--alpha", {"smoothquant"}},
                                            {"--smooth-mul", {"smoothquant"}}};
    for (const OwnOption& row : own) {
        const auto chosen = [&](const std::string& name) { return std::ranges::find(all, &algorithm_named(name)) != all.end(); };
        if (given.has(row.option) && std::ranges::none_of(row.algorithms, chosen))
            throw usage_error("{} is for --algorithms {}", row.option, join(row.algorithms, ", "));
    }
}

}  // namespace

void AlgorithmFlags::add(Options& add) {
    add.group("Algorithms");
    add.list(names_, "--algorithms", "A,B", "what improves the model for its type, in the order in which it runs (see --list-algorithms)");
    add.integer(iterations_, "--iterations", "N", "of adaround, per layer (default: 1000)", 1, 1'000'000);
    add.integer(rows_, "--fit-rows", "N",
                "rows of a layer's inputs that seqmse, adaround and gptq fit to and are judged by (default: 4096)", 16, 1 << 24);
    add.real(alpha_, "--alpha", "X", "how much of outliers smoothquant moves from activations to weights (default: 0.5)", {0, 1});
    add.flag(
        smooth_mul_, "--smooth-mul", "each", "shared",
        "smoothquant puts a Mul before products whose input nothing can take a factor from; each: before every product one of its own");
}

void AlgorithmFlags::add_list(Options& add) { add.flag(list_, "--list-algorithms", "print the algorithms and exit"); }

std::vector<const Algorithm*> AlgorithmFlags::chosen() const { return algorithms_named(names_); }

void AlgorithmFlags::check_usage(const AlgorithmChoice& choice, const GivenOptions& given) const {
    if (!smooth_mul_.empty() && smooth_mul_ != "each" && smooth_mul_ != "shared")
        throw usage_error("--smooth-mul: got \"{}\", need each, or nothing", escape(smooth_mul_));
    check_own_options(choice.all(), given);
}

AlgorithmOptions AlgorithmFlags::options(const std::vector<const Algorithm*>& chosen) const {
    return {.chosen = chosen,
            .rows = static_cast<size_t>(rows_),
            .iterations = static_cast<size_t>(iterations_),
            .alpha = alpha_,
            .smooth_mul = smooth_mul_.empty()     ? SmoothMul::none
                          : smooth_mul_ == "each" ? SmoothMul::each
                                                  : SmoothMul::shared};
}

void warn_of_random(const SampleFlags& flags) {
    if (flags.random()) notice("warning: random inputs: a model that is fitted to them will not be accurate");
}

std::unique_ptr<SampleSource> open_for_algorithms(const SampleFlags& flags, const std::vector<InputSpec>& specs) {
    SampleOptions options = flags.options();
    options.repeat_padding = true;
    warn_of_random(flags);
    return flags.open(specs, options);
}

Exit list_algorithms() {
    for (const Algorithm& row : all_algorithms())
        print(fmt::format("{:<26}{}\n{:<26}{}; cost: {}; for: {}\n", row.name, row.doc, "", row.paper, row.cost, row.when));
    return Exit::ok;
}

void say_what_algorithms_did(const QuantReport& report) {
    for (const AlgorithmReport& algorithm : report.algorithms) {
        if (verbosity() > 1 || algorithm.changed() == 0) {
            notice(verbosity() > 1 ? algorithm.text() : algorithm.text().substr(0, algorithm.text().find('\n')));
            if (verbosity() > 1) continue;
        }
        for (const std::string& note : algorithm.notes) notice(algorithm.name + ": " + note);
    }
}

}  // namespace quern
