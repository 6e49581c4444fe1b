#include "libcore/cli/verify_flags.h"

#include "libcore/base/text.h"
#include "libcore/os/io.h"

namespace quern {

void VerifyFlags::add(Options& add) {
    add.group("Verification");
    add.choice(runtime_, "--verify-with", other_runtimes,
               "run what was written in this runtime, too, where it is installed for Python, and compare the outputs; needs samples "
               "(default: in none)");
    add.real(sqnr_, "--verify-sqnr", "DB",
             "exit with 1 if an output has less than DB decibel against that runtime's (default: none is wanted)", {-300, 300});
    add.needs({"--verify-sqnr"}, "--verify-with");
}

void VerifyFlags::begin(std::string_view format, const std::string& output, bool dry_run, bool samples) {
    if (!given()) return;
    if (!samples) throw usage_error("--verify-with needs samples").with_hint("give --input-list or --input");
    if (dry_run) throw usage_error("--dry-run writes nothing that --verify-with could run");
    if (is_stream(output)) throw usage_error("--verify-with needs a file: -o names it");
    at_place("--verify-with " + runtime_, [&] {
        other_.emplace(runtime_);
        if (format != other_->format()) throw usage_error("runs {} files, the output is {}", other_->format(), format);
    });
}

Exit VerifyFlags::verify(const std::string& output, const SampleFlags& samples, int threads) const {
    const Comparison comparison = at_place(display_name(output), [&] {
        return other_->compare(
            output, [&](const std::vector<InputSpec>& specs) { return samples.open(specs); }, threads);
    });
    bool good = true;
    for (const ComparedValue& value : comparison.values) {
        const Difference& difference = value.difference;
        if (!difference.mismatch.empty() || (sqnr_ != unset && !(difference.sqnr() >= sqnr_))) good = false;
        notice(fmt::format("{}: output \"{}\" in {}: {} over {} samples", display_name(output), escape(value.key), other_->version(),
                           figure_text(difference), comparison.samples));
    }
    return good ? Exit::ok : Exit::no;
}

}  // namespace quern
