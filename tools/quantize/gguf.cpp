#include "tools/quantize/gguf.h"

#include <algorithm>
#include <filesystem>
#include <functional>

#include "formats/dry_run.h"
#include "formats/gguf/file/open.h"
#include "libcore/base/few.h"
#include "libcore/base/text.h"
#include "libcore/cli/progress.h"
#include "libcore/os/io.h"
#include "tools/quantize/gguf_report.h"

namespace quern {
namespace {

std::vector<gguf::TypeRule> rules_of(const std::vector<std::string>& texts) {
    std::vector<gguf::TypeRule> out;
    for (const std::string& text : texts) {
        const size_t equals = text.rfind('=');
        if (equals == std::string::npos || equals == 0) throw usage_error("--tensor-type {}: need NAME=TYPE", escape(text));
        out.push_back({text.substr(0, equals), text.substr(equals + 1)});
        if (!block_format_named(out.back().type))
            throw usage_error("--tensor-type {}: there is no type \"{}\"", escape(text), escape(out.back().type))
                .with_hint("--list-types prints them");
    }
    return out;
}

void say_fallbacks(const std::vector<gguf::TensorChange>& plan) {
    std::vector<std::string> which;
    int64_t elements = 0, all = 0;
    for (const gguf::TensorChange& change : plan) {
        all += change.elements;
        if (!change.fallback) continue;
        elements += change.elements;
        which.push_back(fmt::format("{} {}", escape(change.name), ggml_name(*change.to)));
    }
    if (!which.empty())
        notice(
            fmt::format("{} tensors, {:.1f} % of the parameters, have another type than asked for, as their rows are not whole blocks: {}",
                        which.size(), 100.0 * static_cast<double>(elements) / static_cast<double>(std::max<int64_t>(all, 1)),
                        join(few_of(which), ", ")));
}

void write_report(const GgufJob& job, const gguf::Mix& mix, const std::vector<gguf::TensorChange>& plan, uint64_t bytes) {
    GgufReport report{.model = std::filesystem::path(job.model).filename().string(), .mix = mix, .plan = plan};
    if (!is_stream(job.model)) report.file_before = bytes;
    if (!is_stream(job.output)) report.file_after = std::filesystem::file_size(job.output);
    write_output(job.report, job.report.ends_with(".json") ? report.json() : report.html());
}

DryRun figures_of(const gguf::File& file, const std::vector<gguf::TensorChange>& plan, const std::string& output, uint64_t size) {
    DryRun out;
    out.architecture = file.metadata.text("general.architecture").value_or("");
    out.told = true;
    out.files = {{output, size}};
    for (const gguf::TensorChange& change : plan) {
        const std::string from = ggml_name(*change.from), to = change.to == change.from ? "" : ggml_name(*change.to);
        auto found = std::ranges::find_if(out.types, [&](const DryRun::Type& type) { return type.name == from && type.to == to; });
        if (found == out.types.end()) found = out.types.insert(found, {.name = from, .to = to});
        ++found->tensors;
        found->elements += static_cast<uint64_t>(change.elements);
        found->before += stored_bytes(change, *change.from);
        found->after += stored_bytes(change, *change.to);
    }
    std::ranges::stable_sort(out.types, std::greater<>(), &DryRun::Type::before);
    return out;
}

}  // namespace

void GgufFlags::add(Options& add) {
    add.group("Types of ggml");
    add.flag(pure, "--pure", "every matrix in the type itself, also the output");
    add.texts(rules, "--tensor-type", "NAME=TYPE",
              "tensors with NAME in their name in this type, whatever --type says; may repeat, the first that fits counts");
    add.input(importance, "--imatrix", "FILE", "an importance matrix: how much each column of a weight counts");
    add.flag(allow_missing, "--allow-missing-importance", "quantize tensors that the importance matrix does not have");
    add.flag(allow_fallback, "--allow-fallback", "take another type, and say so, where rows are not whole blocks");
    add.flag(allow_requantize, "--allow-requantize",
             "quantize what is quantized already, whatever --type says; the error that it adds is told");
}

void list_gguf_types() {
    for (const gguf::Mix& mix : gguf::mixes()) {
        const BlockFormat& base = need_block_format(mix.base);
        const double bits = 8.0 * static_cast<double>(base.bytes) / static_cast<double>(base.elements);
        print(fmt::format("{:<14}GGUF: {}, {} bits a weight{}\n", mix.name, ggml_name(base), bits,
                          mix.rules.empty() ? "" : "; more where it counts"));
    }
}

Exit quantize_gguf(const gguf::Mix& mix, const GgufFlags& flags, const GgufJob& job) {
    if (!is_stream(job.output) && !job.output.ends_with(".gguf"))
        throw usage_error("--type {} writes GGUF, not {}", mix.name, job.output).with_hint("give -o NAME.gguf");
    refuse_terminal(job.output);
    static constexpr std::string_view reports[] = {".html", ".htm", ".json"};
    check_suffix("--report", job.report, reports);
    gguf::RequantizeOptions options{.mix = &mix,
                                    .pure = flags.pure,
                                    .allow_fallback = flags.allow_fallback,
                                    .allow_requantize = flags.allow_requantize,
                                    .measure = !job.report.empty(),
                                    .rules = rules_of(flags.rules),
                                    .importance = {},
                                    .allow_missing = flags.allow_missing};
    if (!flags.importance.empty())
        options.importance =
            at_place(display_name(flags.importance), [&] { return gguf::read_importance(map_input(flags.importance), flags.importance); });
    const Bytes bytes = map_input(job.model);
    return at_place(display_name(job.model), [&] {
        if (!gguf::has_magic(bytes))
            throw unsupported("--type {} is for GGUF files", mix.name)
                .with_hint("quern model-convert -f gguf writes one of a model that came from GGUF");
        const gguf::File file = gguf::open(bytes, job.model);
        std::vector<gguf::TensorChange> plan = gguf::plan_types(file, options);
        say_fallbacks(plan);
        if (job.dry_run) {
            const DryRun figures = figures_of(file, plan, job.output, gguf::planned_size(file, plan, options));
            print(job.json ? dry_run_json(figures) : dry_run_text(figures));
            return Exit::ok;
        }
        ThreadPool pool(job.threads);
        Progress progress("quantizing", plan.size());
        gguf::requantize(file, plan, options, job.output, pool, [&] { progress.step(); });
        if (!job.report.empty()) write_report(job, mix, plan, bytes.size());
        return Exit::ok;
    });
}

}  // namespace quern
