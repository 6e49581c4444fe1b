#include "tools/quantize/report.h"

#include <algorithm>
#include <filesystem>

#include "libcore/base/text.h"
#include "libcore/check/budget.h"
#include "libcore/os/io.h"

namespace quern {
namespace {

// As a shell takes it for one word.
std::string word(const std::string& text) {
    if (!text.empty() && text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+=.,/:@%") == text.npos)
        return text;
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
    return out + "'";
}

EndToEnd end_to_end(const Evaluation& e) {
    EndToEnd out{.samples = e.results, .outputs = {}, .agreement = {}, .top1 = {}, .float_top1 = {}};
    for (const ComparedValue& value : e.outputs)
        if (value.difference.count() > 0 && value.difference.mismatch.empty()) out.outputs.push_back({value.key, value.difference.sqnr()});
    if (e.compared > 0) out.agreement = e.agreement();
    if (e.quantized) out.top1 = top1_percent(*e.quantized);
    if (e.exact) out.float_top1 = top1_percent(*e.exact);
    return out;
}

}  // namespace

void ReportFlags::add(Options& add) { add.output(file_, "--report", "FILE", "a report: one page of HTML, or JSON if FILE ends in .json"); }

void ReportFlags::check_usage() const {
    static constexpr std::string_view suffixes[] = {".html", ".htm", ".json"};
    check_suffix("--report", file_, suffixes);
}

void ReportFlags::write(QuantizeFileOutcome outcome, const QuantRequest& request, const std::string& output,
                        const std::optional<Evaluation>& evaluation) const {
    QuantReport& report = outcome.report;
    if (evaluation) report.end_to_end = end_to_end(*evaluation);
    report.measure_by = fmt::format("quern check {} {} --input-list SAMPLES.txt", report.sizes->file_before ? word(report.model) : "MODEL",
                                    report.sizes->file_after ? word(std::filesystem::path(output).filename()) : "QUANTIZED");
    const std::vector<const Scheme*> types = usual_types(*request.scheme, QuantWork(request, outcome.model.graph));
    for (auto type = std::ranges::find(types, request.scheme) + 1; type < types.end() - 1; ++type) report.finer.push_back(*type);
    write_output(file_, file_.ends_with(".json") ? report_json(report) : report_html(report));
}

std::string weights_lost_text(const QuantReport& report) {
    constexpr double few_db = 15;
    const ValueReport* worst = nullptr;
    size_t all = 0;
    for (const ValueReport& value : report.values) {
        const DType storage = value.encoding.storage;
        if (value.role != "weight" || !is_integer(storage) || bits_of(storage) > 3 || !(value.sqnr_db < few_db)) continue;
        ++all;
        if (!worst || value.sqnr_db < worst->sqnr_db) worst = &value;
    }
    if (!worst) return "";
    return fmt::format("weight \"{}\" keeps only {:.2f} dB in {}{}: check shows what that costs the outputs", escape(worst->key),
                       worst->sqnr_db, name_of(worst->encoding.storage), all > 1 ? fmt::format(", the worst of {}", all) : "");
}

}  // namespace quern
