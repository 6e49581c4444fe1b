#include "tools/onert_run/report.h"

#include <fmt/core.h>

#include <numeric>
#include <optional>

namespace quern::onert_run {
namespace {

constexpr std::string_view ruler = "===================================\n";

double ms(double seconds) { return seconds * 1e3; }

// Memory while warming up stands for that of executing.
constexpr std::array<std::pair<std::string_view, Phase>, 3> memory_phases{
    {{"MODEL_LOAD", Phase::load}, {"PREPARE", Phase::prepare}, {"EXECUTE", Phase::warmup}}};

std::string memory_block(std::string_view title, const std::function<uint64_t(const MemoryKib&)>& part,
                         const std::vector<std::pair<std::string_view, MemoryKib>>& rows) {
    std::string text = fmt::format("{}\n", title);
    for (const auto& [name, memory] : rows) text += fmt::format("- {:<10} : {} kb\n", name, part(memory));
    return text;
}

std::string csv_text(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
    return out + "\"";
}

}  // namespace

double Report::measure(Phase phase, const std::function<void()>& body) {
    Measured& measured = phases_[static_cast<size_t>(phase)];
    std::optional<MemoryPoll> poll;
    if (poll_memory && phase != Phase::execute) poll.emplace();
    const Stopwatch watch;
    body();
    const double seconds = watch.seconds();
    measured.seconds.push_back(seconds);
    if (poll) measured.memory.raise_to(poll->stop());
    return seconds;
}

double Report::total(Phase phase) const {
    const auto& seconds = phases_[static_cast<size_t>(phase)].seconds;
    return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

MemoryKib Report::peak() const {
    MemoryKib max;
    for (const Measured& phase : phases_) max.raise_to(phase.memory);
    return max;
}

std::string Report::memory_text() const {
    std::vector<std::pair<std::string_view, MemoryKib>> rows;
    for (const auto& [name, phase] : memory_phases) rows.emplace_back(name, memory(phase));
    rows.emplace_back("PEAK", peak());
    std::string text(ruler);
    text += memory_block(
        "RSS", [](const MemoryKib& m) { return m.rss; }, rows);
    text += memory_block(
        "HWM", [](const MemoryKib& m) { return m.hwm; }, rows);
    text += memory_block(
        "PSS", [](const MemoryKib& m) { return m.pss; }, rows);
    const uint64_t after = memory_now().hwm;
    return text + fmt::format("Used Peak Memory : {} kb\n- HWM after run   : {} kb\n- HWM before init : {} kb\n", after - before_.hwm,
                              after, before_.hwm);
}

std::string Report::text(bool verbose) const {
    const TimeSummary execute = summarize(phases_[static_cast<size_t>(Phase::execute)].seconds);
    std::string text(ruler);
    if (!calibration.empty()) text += calibration + "\n";
    text += fmt::format("MODEL_LOAD   takes {:.3f} ms\n", ms(total(Phase::load)));
    text += fmt::format("PREPARE      takes {:.3f} ms\n", ms(total(Phase::prepare)));
    if (verbose && total(Phase::warmup) > 0) text += fmt::format("WARMUP       takes {:.3f} ms\n", ms(total(Phase::warmup)));
    text += fmt::format("EXECUTE      takes {:.3f} ms\n", ms(execute.total));
    text += fmt::format("- MEAN     :  {:.3f} ms\n- MAX      :  {:.3f} ms\n- MIN      :  {:.3f} ms\n- GEOMEAN  :  {:.3f} ms\n",
                        ms(execute.mean), ms(execute.max), ms(execute.min), ms(execute.geomean));
    if (poll_memory) text += memory_text();
    return text.append(ruler);
}

std::string Report::csv(std::string_view model, std::string_view backend) const {
    std::string head = "Model,Backend,ModelLoad_Time,Prepare_Time,Execute_Time_Min,Execute_Time_Max,Execute_Time_Mean";
    const TimeSummary execute = summarize(phases_[static_cast<size_t>(Phase::execute)].seconds);
    std::string row = fmt::format("{},{},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f}", csv_text(model), csv_text(backend), ms(total(Phase::load)),
                                  ms(total(Phase::prepare)), ms(execute.min), ms(execute.max), ms(execute.mean));
    const std::array<MemoryKib, 4> rows{memory(Phase::load), memory(Phase::prepare), memory(Phase::warmup), peak()};
    for (const std::string_view kind : {"RSS", "HWM", "PSS"}) {
        for (const std::string_view phase : {"ModelLoad", "Prepare", "Execute", "Peak"}) head += fmt::format(",{}_{}", phase, kind);
        for (const MemoryKib& memory : rows)
            row += fmt::format(",{}", kind == "RSS" ? memory.rss : kind == "HWM" ? memory.hwm : memory.pss);
    }
    return fmt::format("{},Calibration\n{},{}\n", head, row, csv_text(calibration));
}

}  // namespace quern::onert_run
