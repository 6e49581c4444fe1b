// The tool's side: one process after the other, until every step has an answer.
#include "libcore/conformance/conformance.h"

#include <algorithm>
#include <set>

#include "formats/foreign/child.h"
#include "libcore/base/text.h"
#include "libcore/conformance/check.h"
#include "libcore/conformance/request.h"
#include "libcore/conformance/thread_sanitizer.h"
#include "libcore/os/process.h"

namespace quern::conformance {
namespace {

constexpr size_t max_ends = 5;  // of the process, in one check

// Blocks that a thread has freed and its cache still holds would count as kept, and a driver's threads fill theirs for hundreds of rounds:
// glibc keeps no such caches where memory is measured. The user's tunables hold, too.
std::string without_caches_of_threads() { return extended_variable("GLIBC_TUNABLES", "", "glibc.malloc.tcache_count=0"); }

class Maker {
   public:
    Maker(const Settings& settings, const std::function<void(const Finding&)>& found)
        : settings_(settings), found_(found), sanitizer_(settings.path) {}

    // False: the library cannot be opened.
    bool make(const Check& check) {
        request_ = {settings_, std::string(check.name), 0, outcome_.claimed};
        operators_ = 0;
        std::vector<std::string> environment = sanitizer_.environment();
        if (check.name == memory_check) environment.push_back(without_caches_of_threads());
        for (size_t ends = 0; ends < max_ends; ++ends) {
            step_.reset();
            try {
                run_in_child({.job = "conformance",
                              .request = {to_text(request_)},
                              .seconds = settings_.seconds,
                              .each_report = true,
                              .told = [&](const std::string& text) { hear(report_in(text)); },
                              .environment = environment});
                break;
            } catch (const Error& error) {
                if (error.exit() == Exit::bug || error.exit() == Exit::io) throw;
                add(ended(error));
                if (!step_) return false;
                request_.first = step_->number + 1;
                if (ends + 1 == max_ends) add({request_.check, "", fmt::format("is given up after {} such ends", max_ends), false});
            }
        }
        if (check.name == claims_check) sum_up_claims();
        return true;
    }
    void add(Finding finding) {
        outcome_.failed += !finding.ok;
        found_(finding);
        outcome_.findings.push_back(std::move(finding));
    }
    Outcome take() { return std::move(outcome_); }
    bool has_claims() const { return !outcome_.claimed.empty(); }

   private:
    void hear(Report report) {
        step_ = report;
        if (!report.finding) return;
        Finding finding = std::move(*report.finding);
        finding.check = request_.check;
        if (finding.ok && finding.check == claims_check) {
            operators_ += !is_unit(finding.subject);
            for (CaseId& id : claims_in(finding.detail)) outcome_.claimed.push_back(std::move(id));
            return;
        }
        add(std::move(finding));
    }

    // The step that the process did not survive.
    Finding ended(const Error& error) const {
        Finding finding{request_.check, step_ ? step_->subject : "", error.message(), false, sanitizer_.take_report()};
        if (const std::string race = summary_of(finding.report); !race.empty()) finding.detail += ": ThreadSanitizer: " + race;
        return finding;
    }

    void sum_up_claims() {
        std::set<std::string> names;
        for (const CaseId& id : outcome_.claimed)
            if (!is_unit(id.op) || operators_ == 0) names.insert(id.op);
        const std::vector<std::string> list(names.begin(), names.end());
        const std::string what = fmt::format("{} of {} operators{}{}", names.size(), std::max(operators_, names.size()),
                                             names.empty() ? "" : ": ", join(list, ", "));
        add({std::string(claims_check), "", names.empty() ? what + ": nothing more can be tried" : what, !names.empty()});
    }

    const Settings& settings_;
    const std::function<void(const Finding&)>& found_;
    const ThreadSanitizer sanitizer_;
    Outcome outcome_;
    Request request_;
    std::optional<Report> step_;
    size_t operators_ = 0;  // that were asked about
};

}  // namespace

Outcome run_conformance(const Settings& settings, const std::vector<std::string>& skipped,
                        const std::function<void(const Finding&)>& found) {
    const auto left_out = [&](std::string_view name) {
        return std::ranges::find(skipped, name) != skipped.end() || (name == target_check && settings.target.empty());
    };
    for (const Check& check : all_checks())
        if (check.needs_claims && !left_out(check.name) && left_out(claims_check))
            throw usage_error("the check {} needs what the check {} finds, which is left out", check.name, claims_check);
    Maker maker(settings, found);
    for (const Check& check : all_checks()) {
        if (left_out(check.name) || (check.needs_claims && !maker.has_claims())) continue;
        if (!maker.make(check)) break;
    }
    return maker.take();
}

}  // namespace quern::conformance
