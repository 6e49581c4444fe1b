#include "libcore/quantize/quantize_file.h"

#include <algorithm>
#include <filesystem>

#include "libcore/graph/edit.h"
#include "libcore/graph/short_floats.h"
#include "libcore/os/io.h"
#include "libcore/passes/passes.h"
#include "libcore/quant/encodings/encodings_json.h"
#include "libcore/quantize/sample_feed.h"

namespace quern {
namespace {

std::optional<uint64_t> bytes_of(const std::string& path) {
    std::error_code error;
    if (path == "-" || !std::filesystem::is_regular_file(path, error)) return std::nullopt;
    const auto bytes = std::filesystem::file_size(path, error);
    return error ? std::nullopt : std::optional<uint64_t>(bytes);
}

std::optional<Overrides> read_overrides(const std::string& path) {
    if (path.empty()) return std::nullopt;
    const Bytes bytes = map_input(path);
    return at_place(display_name(path), [&] { return parse_encodings(bytes.text()); });
}

bool has_algorithms(const QuantReport& report) {
    return std::ranges::any_of(report.algorithms, [](const AlgorithmReport& algorithm) { return algorithm.changed() > 0; });
}

// Would a file of what was read, of the same format and by no option of its own, say again what it says?
bool can_be_copied(const QuantizeFileRequest& request, const Sizes& sizes) {
    const WriteOptions& options = request.write;
    const bool plain = options.opset == 0 && !options.external_data && options.quant_form.empty() && options.io.empty() &&
                       !options.stored_io && !options.strict && !options.contrib && !request.inputs.given() && request.signature.empty();
    if (!plain || request.model == "-" || !sizes.file_before || *sizes.file_before < sizes.before) return false;  // has weights beside it
    return format_for_writing(request.output, request.format).sniff(map_input(request.model));
}

void write(const QuantizeFileRequest& request, QuantizeFileOutcome& outcome) {
    if (!request.encodings.empty())
        write_encodings(outcome.model.graph, request.encodings_version, request.encodings, request.allow_missing_encodings);
    if (outcome.as_it_came) {
        const Bytes bytes = map_input(request.model);
        OutputFile file = request.write.outputs->open(request.output);
        file.write(bytes);
        file.commit();
    } else {
        write_model(outcome.model, request.output, request.format, request.write);
    }
    outcome.report.sizes->file_after = bytes_of(request.output);
}

// The model as it was read, and what is to be said of it later.
struct Source {
    Model model;
    std::string name;
    Sizes sizes;
    std::optional<WeightLedger> ledger;  // of a dry run
    bool says_encodings = true;          // does the file itself, rather than fake quantization that is spelled out?
    std::vector<std::string> taken;
};

Source read_source(const QuantizeFileRequest& request) {
    Source source{.model = read_model(request.model, request.signature), .name = {}, .sizes = {}, .ledger = {}, .taken = {}};
    source.name = request.model == "-" ? source.model.graph.name : std::filesystem::path(request.model).filename().string();
    source.sizes.before = stored_bytes(source.model.graph);
    source.sizes.file_before = bytes_of(request.model);
    if (request.dry_run) source.ledger.emplace(source.model);
    Graph folded = source.model.graph;
    source.says_encodings = !source.model.other_quantizers && fold_fake_quant.run(folded) == 0;
    at_place(display_name(request.model), [&] {
        fix_inputs(source.model.graph, request.inputs);
        if (!request.static_for.empty()) source.taken = make_static(source.model.graph, request.static_for);
    });
    return source;
}

QuantReport quantize(Model& model, const Ranges* ranges, const QuantizeFileRequest& request, QuantRequest quant) {
    ThreadPool pool(request.threads);
    AlgorithmOptions algorithms = request.algorithms;
    const auto source = request.samples ? request.samples(input_specs(model.graph)) : nullptr;
    const SampleFeed feed = source ? sample_feed(*source) : SampleFeed();
    if (source) algorithms.feed = &feed;
    SampleFeed chosen_feed;
    if (request.requantize) decode_weights.run(model.graph);
    return at_place(display_name(request.model), [&] {
        ChosenBySamples chosen = request.choose ? request.choose(model, ranges, quant, pool) : ChosenBySamples();
        if (chosen.made) {
            model.graph = std::move(chosen.made->graph);
            model.facts.erase("ranges");
            return std::move(chosen.made->report);
        }
        if (chosen.rules) quant.rules = &*chosen.rules;
        if (chosen.method) quant.search.method = chosen.method;
        if (chosen.algorithms) {
            algorithms = *chosen.algorithms;
            chosen_feed = sample_feed(*chosen.samples);
            algorithms.feed = &chosen_feed;
        }
        return quantize_model(model, ranges, quant, pool, display_name(request.overrides), std::move(algorithms));
    });
}

}  // namespace

QuantizeFileOutcome quantize_file(const QuantizeFileRequest& request) {
    check_output(request.output, request.format, request.write);
    QuantRequest quant = request.quant;
    const auto overrides = read_overrides(request.overrides);
    if (overrides) quant.overrides = &*overrides;
    Source source = read_source(request);
    const auto ranges = ranges_for(source.model, request.ranges, request.force);
    const DType widened = widen_for_codes(source.model.graph, quant);
    const QuantWork work(quant, source.model.graph);
    QuantizeFileOutcome outcome{.before = QuantizedBefore(source.model.graph), .model = std::move(source.model)};
    outcome.taken = std::move(source.taken);
    outcome.widened = widened;
    outcome.report = quantize(outcome.model, ranges ? &*ranges : nullptr, request, quant);
    outcome.report.model = source.name;
    outcome.report.sizes = source.sizes;
    outcome.report.coverage = coverage_of(outcome.model.graph, !asks_for_codes(quant));
    outcome.overrides = overrides ? overrides->size() : 0;
    outcome.recipe = &recipe_of(*quant.scheme, work);
    outcome.loss_unknown = !ranges && quant.scheme->activations == Scheme::Activations::dynamic && work.recipe;
    outcome.unchanged = outcome.report.values.empty() && !has_algorithms(outcome.report) && has_codes(outcome.model.graph);
    outcome.as_it_came = outcome.unchanged && !source.ledger && source.says_encodings && can_be_copied(request, *outcome.report.sizes);
    if (request.review) request.review(outcome);
    merge_common.run(outcome.model.graph);  // what is alike with its encodings, as when it is written again
    outcome.report.sizes->after = stored_bytes(outcome.model.graph);
    if (source.ledger)
        outcome.dry_run = source.ledger->dry_run(outcome.model, request.output, request.format, request.write);
    else
        write(request, outcome);
    return outcome;
}

}  // namespace quern
