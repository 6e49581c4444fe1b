#include "libcore/conformance/answer.h"

#include <algorithm>
#include <mutex>

#include "libcore/backend/builtin.h"
#include "libcore/backend/custom_op.h"
#include "libcore/backend/instance.h"
#include "libcore/backend/library.h"
#include "libcore/conformance/checks.h"
#include "libcore/conformance/pattern.h"
#include "libcore/conformance/request.h"

namespace quern::conformance {
namespace {

constexpr Check checks[] = {
    {"table", "the table of functions, and versions of the interface that there are not", false, table_steps},
    {"create", "instances one after the other and at once, options that there are not", false, create_steps},
    {"devices", "its devices, and each of them as an option", false, devices_steps},
    {claims_check, "which nodes it takes: of each operator, in float and in int mode", false, claims_steps},
    {target_check, "with --target: what its devices list is what the library takes", true, target_steps},
    {"compile", "the same bytes of the same graph, sinks that refuse", true, compile_steps},
    {"blobs", "broken ones are refused or do no harm", true, blobs_steps},
    {"files", "load_file", true, files_steps},
    {"values", "results beside those of ref, again, and after a run of other numbers; what is written beside them", true, values_steps},
    {"rounding", "codes half way between two, of both signs, in float32 and beside them in float64", true, rounding_steps},
    {"shapes", "elementwise operators of empty, single, large and open dims", true, shapes_steps},
    {"hostile", "zeros of both signs, denormals, large numbers, infinities, NaN, the ends of codes", true, hostile_steps},
    {"partitions", "several nodes in one blob", true, partitions_steps},
    {"links", "values that stay on the device from one partition to the next", true, links_steps},
    {"misuse", "calls that are wrong, each answered by an error, and a right run after it", true, misuse_steps},
    {"orders", "the functions of a session in every order of four", true, orders_steps},
    {"threads", "sessions and instances side by side", true, threads_steps},
    {memory_check, "what rounds from create to destroy leave behind", true, memory_steps},
};

std::mutex place_mutex;
std::string place_now;
const Reporter* reporter_now = nullptr;

void say(const std::string& what) {
    const std::string place = current_place();
    reporter_now->at(place.empty() ? what : what + " of " + place);
}

void note_call(std::string_view function) noexcept {
    try {
        thread_local std::string last;
        if (!function.empty()) last = function;
        say(function.empty() ? "what follows " + last : last);
    } catch (const std::exception&) {
        return;  // a message is lost
    }
}

const quern_backend_api& opened(const Settings& settings) {
    const ForeignCall watched("entry");
    return settings.path.empty() ? *builtin_backend(settings.name) : open_backend(settings.path);
}

// What libraries and users add to what can be drawn. A table whose operators are broken is what its own check is about.
void add_own(const Settings& settings, const quern_backend_api& table) {
    for (const std::string& package : settings.packages) register_custom_ops(open_ops(package));
    for (const std::string& hint : settings.hints) random_graphs::add_hint(hint);
    if (!QUERN_HAS(&table, ops) || !table.ops) return;
    try {
        register_custom_ops(listed(table.ops, table.op_count, "ops"));
    } catch (const Error& error) {
        if (error.exit() == Exit::bug) throw;
    }
}

Finding outcome_of(const Step& step) {
    try {
        return {"", step.subject, step.run(), true};
    } catch (const Error& error) {
        if (error.exit() == Exit::bug) throw;
        return {"", step.subject, error.message(), false};
    }
}

}  // namespace

std::span<const Check> all_checks() { return checks; }

std::vector<std::string_view> check_names() {
    std::vector<std::string_view> names;
    for (const Check& check : checks) names.push_back(check.name);
    return names;
}

void set_place(std::string place) {
    const std::scoped_lock lock(place_mutex);
    place_now = std::move(place);
}
std::string current_place() {
    const std::scoped_lock lock(place_mutex);
    return place_now;
}

void answer_request(const std::string& request, const Reporter& reporter) {
    const Request asked = request_in(request);
    const Check* check = std::ranges::find(checks, asked.check, &Check::name);
    if (check == std::end(checks)) throw bug("there is no check \"{}\"", asked.check);
    reporter_now = &reporter;
    foreign_call_watcher = note_call;
    set_backend_log([](int, const std::string&, const std::string&) {});
    const Context context{asked.settings, opened(asked.settings), asked.claimed};
    if (check->needs_claims || check->name == claims_check) add_own(asked.settings, context.table);
    const std::vector<Step> steps = check->steps(context);
    for (size_t i = asked.first; i < steps.size(); ++i) {
        set_place("");
        reporter.tell(to_text(Report{i, steps[i].subject, {}}));
        reporter.tell(to_text(Report{i, steps[i].subject, outcome_of(steps[i])}));
    }
}

}  // namespace quern::conformance
