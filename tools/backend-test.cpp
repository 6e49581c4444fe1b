// backend-test: what is wrong with a back end, found before a model is run on it.
#include <algorithm>

#include "formats/text/text.h"
#include "libcore/backend/builtin.h"
#include "libcore/backend/client.h"
#include "libcore/backend/custom_op.h"
#include "libcore/backend/library.h"
#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "libcore/cli/named_files.h"
#include "libcore/cli/tool.h"
#include "libcore/conformance/check.h"
#include "libcore/conformance/conformance.h"
#include "libcore/conformance/pattern.h"
#include "libcore/os/standard_error.h"
#include "libcore/place/target_file.h"

using namespace quern;

namespace {

class BackendTest : public Tool {
    std::string library_, show_;
    conformance::Settings settings_;
    std::vector<std::string> skipped_;
    std::optional<int64_t> timeout_;
    int64_t seed_ = 1, cases_ = 4;
    bool list_checks_ = false, json_ = false, asked_ = false;

    std::string_view name() const override { return "backend-test"; }
    std::string_view summary() const override {
        return "try a back end: every function, every operator that it takes, misuse, threads, memory";
    }
    std::vector<std::string_view> examples() const override {
        return {"quern backend-test ./libquern_abc_back.so",
                "quern backend-test ./libquern_abc_back.so --op Relu,Neg --skip memory --backend-timeout 600 --json"};
    }

    void options(Options& add) override {
        add.positional(library_, "LIB", "the library, or the name of a back end as in quern-run(1)", false);
        add.text(settings_.options, "--backend-options", "JSON", "for the back end: {\"device\": \"npu1\"}");
        add.group("What is tried");
        add.list(settings_.ops, "--op", "NAME,NAME", "graphs of these operators only (default: all public ones, and its own)");
        add.texts(settings_.hints, "--draw", "PATTERN", "draw an operator so: 'Conv: f[1,8,9,9] f[8,8,3,3]w'; may repeat");
        add.integer(
            cases_, "--cases", "N",
            "graphs of each operator, in float and in int mode, beside large ones, at least one for each of its patterns (default: 4)", 1,
            1000);
        add.integer(seed_, "--seed", "N", "other graphs and numbers (default: 1)");
        add.input(settings_.target, "--target", "TARGET",
                  "compare what the library takes with what this target says of its devices, as in quern-place(1)", target_files);
        add.list(skipped_, "--skip", "CHECK,CHECK", "leave these checks out");
        add.flag(list_checks_, "--list-checks", "print the checks, and exit");
        add.text(show_, "--show", "GRAPH", "print the graph that a line names, as text that run reads, and exit: 'Relu float 0'");
        add.group("Limits");
        add.real(settings_.verification.tolerance, "--verify-tolerance", "X",
                 "what float values may differ by, of the largest in their output (default: 0.001)", {0, 1});
        add.integer(settings_.verification.steps, "--verify-steps", "N", "what quantized values may differ by (default: 0)", 0, 65535);
        add.integer(timeout_, "--backend-timeout", "SECONDS", "the longest that a call may take; 0: no limit (default: 60)", 0, 86400);
        add.group("Report");
        add.flag(json_, "--json", "report as JSON");
    }

    void check_names() const {
        const std::vector<std::string_view> known = conformance::check_names();
        for (const std::string& name : skipped_)
            if (std::ranges::find(known, name) == known.end())
                throw usage_error("--skip: there is no check \"{}\"{}", escape(name),
                                  did_you_mean(name, std::vector<std::string>(known.begin(), known.end())));
    }

    // Names of operators may be those of the library, which is asked then alone: what is wrong with it is a finding.
    bool is_known(const std::string& name) {
        if (conformance::unit_of(name).empty() && !settings_.path.empty() && !asked_)
            asked_ = true, load_op_package(settings_.path, "back end");
        return !conformance::unit_of(name).empty();
    }

    void check_operators() {
        for (const std::string& name : settings_.ops)
            if (!is_known(name)) throw usage_error("--op: there is no operator \"{}\" that can be tried", escape(name));
        at_place("--draw", [&] {
            for (const std::string& hint : settings_.hints)
                if (const std::string name = random_graphs::add_hint(hint); !is_known(name))
                    throw usage_error("there is no operator \"{}\" that can be tried", escape(name));
        });
        settings_.packages = loaded_op_packages();
    }

    void find_library() {
        if (library_.empty())
            throw usage_error("need a library, or the name of a back end").with_hint("quern backend-test ./libquern_NAME.so");
        settings_.name = library_;
        if (builtin_backend(library_)) return;
        settings_.path = backend_path(library_);
        if (!settings_.path.empty()) return;
        if (library_.find('/') != library_.npos) throw io_error("{}: there is no such library", escape(library_));
        throw unsupported("there is no back end \"{}\"", escape(library_))
            .with_hint(fmt::format("libquern_{}.so is looked for in {}", escape(library_), join(backend_folders(), ", ")));
    }

    Exit show() {
        const conformance::CaseId id = conformance::CaseId::of(show_);
        const auto random = is_known(id.op) ? conformance::random_case(id, static_cast<uint64_t>(seed_)) : std::nullopt;
        if (!random) throw unsupported("--show: there is no graph \"{}\" with this --seed", escape(show_));
        print(print_text(random->graph));
        return Exit::ok;
    }

    static std::string line_of(const conformance::Finding& finding) {
        std::string line = fmt::format("{:<7} {:<11}", finding.ok ? "ok" : "FAILED", finding.check);
        if (!finding.subject.empty()) line += " " + finding.subject;
        if (!finding.detail.empty()) line += fmt::format("{} {}", finding.subject.empty() ? "" : ":", finding.detail);
        return line + "\n";
    }

    void print_report(const conformance::Outcome& outcome) const {
        if (!json_) {
            print(fmt::format("{} checks, {} failed\n", outcome.findings.size(), outcome.failed));
            return;
        }
        Json findings = Json::array(), claimed = Json::array();
        for (const conformance::Finding& f : outcome.findings)
            findings.push_back({{"check", f.check}, {"subject", f.subject}, {"ok", f.ok}, {"detail", f.detail}});
        for (const conformance::CaseId& id : outcome.claimed)
            if (!conformance::is_unit(id.op) && (claimed.empty() || claimed.back() != Json(id.op))) claimed.push_back(id.op);
        const Json json{{"backend", settings_.name}, {"path", settings_.path}, {"seed", settings_.seed},
                        {"operators", claimed},      {"checks", findings},     {"failed", outcome.failed}};
        print(json_document(json));
    }

    Exit run() override {
        if (list_checks_) {
            for (const conformance::Check& check : conformance::all_checks()) print(fmt::format("{:<11} {}\n", check.name, check.doc));
            return Exit::ok;
        }
        check_names();
        if (show_.empty() || !library_.empty()) find_library();
        check_operators();
        if (!show_.empty()) return show();
        if (!settings_.target.empty()) place::load_target(settings_.target);  // what is wrong with it is not the library's
        check_backend_options(settings_.options);
        settings_.seed = static_cast<uint64_t>(seed_), settings_.cases = static_cast<size_t>(cases_);
        settings_.seconds = timeout_ ? static_cast<int>(*timeout_) : backend_runs().seconds;
        const conformance::Outcome outcome = conformance::run_conformance(settings_, skipped_, [&](const conformance::Finding& finding) {
            if (!json_) print(line_of(finding));
            write_standard_error(finding.report);
        });
        print_report(outcome);
        return outcome.failed == 0 ? Exit::ok : Exit::unsupported;
    }
};

}  // namespace

int main(int argc, char** argv) {
    BackendTest tool;
    return tool_main(tool, argc, argv);
}
