// quern minmax-collect: ranges and statistics of values over samples, and shards of them merged.
#include <algorithm>
#include <array>

#include "formats/circle/circle.h"
#include "formats/format.h"
#include "libcore/base/text.h"
#include "libcore/cli/progress.h"
#include "libcore/cli/sample_options.h"
#include "libcore/cli/tool.h"
#include "libcore/os/io.h"
#include "libcore/os/output_target.h"
#include "libcore/quant/collect/collect.h"
#include "libcore/quant/ranges/minmax_bin.h"
#include "libcore/quantize/importance.h"
#include "libcore/quantize/sample_feed.h"
#include "libcore/runs/state.h"
#include "libcore/text/language_source.h"
#include "libcore/text/token_feed.h"

using namespace quern;

namespace {

class MinmaxCollect : public Tool {
    std::string model_ = "-", signature_, output_ = "-", recorded_, format_ = "json", tokens_, imatrix_;
    std::vector<std::string> shards_, states_;
    FixedInputs fixed_;
    SampleFlags samples_;
    CollectOptions collect_;
    GivenOptions given_;
    int64_t threads_ = 0, context_ = 0, chunks_ = 0;
    bool no_histogram_ = false, stateful_ = false, keep_runs_ = false, embed_ = false, renumber_ = false;

    std::string_view name() const override { return "minmax-collect"; }
    std::string_view summary() const override {
        return "measure the range of every value of a model over samples; merge FILES: put shards together";
    }
    std::vector<std::string_view> examples() const override {
        return {"quern minmax-collect digits.onnx --input 'image=train.u8:u8[1,8,8]*0.0625-0' --rows 100 -o ranges.json",
                "quern minmax-collect digits.onnx --input 'image=train.u8:u8[1,8,8]*0.0625-0' --skip-rows 100 --rows 100 -o more.json"};
    }

    void options(Options& add) override {
        add.given(given_);
        add.model(model_);
        add.signature(signature_);
        add.shapes(fixed_);
        add.positionals(shards_, "FILES", "with \"merge\" as the model: ranges of shards of one model", FileRole::model);
        samples_.add(add);
        add.input(recorded_, "--minmax-bin", "FILE", "instead of samples: what onert recorded of this Circle model on a device");
        add.input(tokens_, "--tokens", "FILE",
                  "instead of samples, of a language model: a text (- is standard input), in windows as run --perplexity reads them");
        add.integer(context_, "--ctx", "N", "tokens of a window (default: 512, or what the model takes)", 3);
        add.integer(chunks_, "--chunks", "N", "windows to read (default: all)", 1);
        add.group("Collecting");
        add.flag(stateful_, "--stateful",
                 "samples are a sequence: carry the state of recurrent operators and variables, and outputs to inputs of similar names");
        add.texts(states_, "--state", "IN=OUT", "feed output OUT back to input IN");
        add.list(collect_.masks, "--masks", "A,B",
                 "values in which minus infinity is intended, beside those made from constants that contain it");
        add.flag(collect_.per_channel, "--per-channel", "minimum, maximum and sum per channel, too");
        add.flag(no_histogram_, "--no-histogram", "minima and maxima only");
        add.flag(
            keep_runs_, "--keep-runs",
            fmt::format("the extremes of each run of all samples, which moving-average and the percentiles of runs need of more than {}",
                        usual_runs));
        add.flag(collect_.until_converged, "--until-converged",
                 "stop when no range grew by more than the tolerance in two windows of 32 samples");
        add.real(collect_.tolerance, "--tolerance", "X",
                 "growth up to which a range counts as stable, as a fraction of its width (default: 0.01)", {0, 1});
        add.output(collect_.checkpoint, "--checkpoint", "FILE", "save the state there periodically, and resume from it");
        add.real(collect_.checkpoint_seconds, "--checkpoint-interval", "SECONDS", "time between checkpoints (default: 2)", {0, 1e6});
        add.threads(threads_);
        add.isa();
        add.group("Output");
        add.output(output_, "-o,--output", "FILE", "where the ranges go (default: standard output)", FileRole::product);
        static constexpr std::array<std::string_view, 2> formats{"json", "minmax-bin"};
        add.choice(format_, "-f,--format", formats,
                   "of the ranges; minmax-bin: extremes of each run of a Circle model, as onert records them (default: json)");
        add.output(imatrix_, "--imatrix", "FILE",
                   "instead of ranges: an importance matrix, squares of what each weight of a GGUF model is multiplied by, for quantize");
        add.flag(embed_, "--embed", "write the model in native format with the ranges inside");
        add.flag(renumber_, "--renumber", "merge: samples of each file follow those of the files before");
    }

    static void tell_left_out() {
        notice(fmt::format("the extremes of each run are left out of samples from {} on: --keep-runs keeps them", usual_runs));
    }

    Exit merge() {
        if (shards_.empty()) throw usage_error("merge: no files");
        static constexpr std::string_view read[] = {"--output", "--renumber", "--keep-runs"};
        given_.refuse_others(read, "is not for merge");
        Ranges all;
        bool left_out = false;
        for (size_t i = 0; i < shards_.size(); ++i) {
            const Bytes bytes = map_input(shards_[i]);
            at_place(display_name(shards_[i]), [&] {
                Ranges shard = parse_ranges(bytes.text());
                if (renumber_) shard.renumber(all.samples);
                if (!keep_runs_) left_out |= shard.leave_out_runs();
                if (i == 0)
                    all = std::move(shard);
                else
                    all.merge(shard);
            });
        }
        if (left_out) tell_left_out();
        OutputFile file(output_);
        write_ranges(all, [&](std::string_view text) { file.write(text); });
        file.commit();
        return Exit::ok;
    }

    using Writer = std::function<void(const TextSink&)>;

    void write(const Writer& json, Model& model, const onert::Places* places) const {
        if (embed_ || places) {
            std::string text;
            json([&](std::string_view part) { text += part; });
            if (places) return write_output(output_, onert::write_minmax(onert::minmax_of_ranges(parse_ranges(text), *places)));
            model.facts["ranges"] = std::move(text);
            return write_model(model, output_, "native");
        }
        OutputFile file(output_);
        json([&](std::string_view text) { file.write(text); });
        file.commit();
    }

    // minmax.bin numbers operators as the Circle file does.
    onert::Places places_of_model() const {
        if (model_ == "-") throw usage_error("minmax.bin speaks of places in a Circle file: give its name, not standard input");
        const Bytes bytes = map_input(model_);
        return at_place(display_name(model_), [&] {
            if (!circle_format::sniff(bytes)) throw unsupported("minmax.bin speaks of places in a Circle file, which this is not");
            return circle_format::recorded_places(bytes);
        });
    }

    Exit import_recorded(const onert::Places& places) {
        if (samples_.options().given()) throw usage_error("--minmax-bin takes the place of samples");
        Model model = read_model(model_, signature_);
        const Bytes bytes = map_input(recorded_);
        size_t skipped = 0;
        Ranges ranges =
            at_place(display_name(recorded_), [&] { return onert::ranges_of_minmax(onert::parse_minmax(bytes), places, skipped); });
        ranges.lineage = model.lineage.text();
        if (!keep_runs_ && format_ == "json" && ranges.leave_out_runs()) tell_left_out();
        if (skipped > 0) notice(fmt::format("{} records of other subgraphs are left out", skipped));
        write([&](const TextSink& sink) { write_ranges(ranges, sink); }, model, format_ == "json" ? nullptr : &places);
        return Exit::ok;
    }

    TokenWindows windows_of(const Model& model) const {
        const auto facts = model.facts.find("tokenizer");
        const LanguageSource source{.tokenizer = facts == model.facts.end() ? std::string() : facts->second};
        const auto tokenizer = source.make_tokenizer();
        const int64_t usual = usual_window(model.graph);  // first: a model without tokens is not a matter of its text
        return {read_token_text(tokenizer ? &*tokenizer : nullptr, tokens_), context_ > 0 ? context_ : usual};
    }

    Exit collect_importance(const Model& model, const TokenWindows& windows, int64_t count, SampleFeed& feed) const {
        Progress progress("collecting", feed.count);
        gguf::ImportanceSums sums = at_place(display_name(model_), [&] {
            return quern::collect_importance(model, feed, static_cast<int>(threads_), [&] { progress.step(); });
        });
        sums.dataset = display_name(tokens_);
        sums.chunks = static_cast<uint64_t>(count);
        sums.chunk_size = static_cast<uint64_t>(windows.length());
        OutputFile file(imatrix_);
        gguf::write_importance(sums, file);
        file.commit();
        return Exit::ok;
    }

    Exit collect_text() {
        if (samples_.options().given() || stateful_ || !states_.empty()) throw usage_error("--tokens takes the place of samples");
        if (format_ != "json") throw usage_error("--tokens is not for --format {}", format_);
        const bool ranges_only = embed_ || output_ != "-" || collect_.per_channel || no_histogram_ || keep_runs_ ||
                                 collect_.until_converged || !collect_.checkpoint.empty() || !collect_.masks.empty();
        if (!imatrix_.empty() && ranges_only) throw usage_error("--imatrix: options of ranges are not for it");
        if (!imatrix_.empty()) refuse_terminal(imatrix_);
        Model model = read_model(model_, signature_);
        at_place(display_name(model_), [&] { fix_inputs(model.graph, fixed_); });
        const TokenWindows windows = at_place(display_name(model_), [&] { return windows_of(model); });
        const int64_t count = chunks_ > 0 ? std::min(chunks_, windows.count()) : windows.count();
        SampleFeed feed = at_place(display_name(model_), [&] { return token_feed(model.graph, windows, count, display_name(tokens_)); });
        return imatrix_.empty() ? collect(model, model.graph, feed, nullptr) : collect_importance(model, windows, count, feed);
    }

    Exit collect(Model& model, const Graph& graph, const SampleFeed& feed, const onert::Places* places) {
        collect_.threads = static_cast<int>(threads_);
        collect_.histogram = !no_histogram_;
        collect_.all_runs = keep_runs_ || places;
        Progress progress("collecting", feed.count);
        const auto collection = collect_ranges(graph, model.lineage.text(), feed, collect_, [&](uint64_t n) { progress.step(n); });
        if (collection->converged())
            notice(fmt::format("ranges have converged after {} of {} samples", collection->head().samples, feed.count));
        std::vector<std::string> unvisited;
        for (const std::string& body : collection->head().unvisited)
            unvisited.push_back(fmt::format("body \"{}\" was never run", escape(body)));
        notice_few(unvisited);
        write([&](const TextSink& sink) { collection->write(sink); }, model, places);
        if (!collect_.checkpoint.empty() && output_key(collect_.checkpoint) != output_key(output_)) remove_file(collect_.checkpoint);
        return Exit::ok;
    }

    Exit run() override {
        if (model_ == "merge" && (!shards_.empty() || !file_exists(model_))) return merge();
        if (!shards_.empty()) throw usage_error("unexpected argument \"{}\"", escape(shards_[0]));
        if (embed_ && format_ != "json") throw usage_error("--embed is not for --format {}", format_);
        if (embed_ || format_ != "json") refuse_terminal(output_);
        std::optional<onert::Places> places;
        if (!recorded_.empty() || format_ != "json") places = places_of_model();
        if (!embed_) keep_model(output_, model_, "--output");
        if (!recorded_.empty()) return import_recorded(*places);
        if (!tokens_.empty()) return collect_text();
        if (context_ > 0 || chunks_ > 0 || !imatrix_.empty()) throw usage_error("--ctx, --chunks and --imatrix are for --tokens");
        SampleOptions options = samples_.options();
        if (!options.given()) throw usage_error("no samples").with_hint("give --input-list, --input or --tokens");
        options.repeat_padding = true;
        if (samples_.random()) notice("warning: ranges come from random inputs: a model that is quantized with them will not be accurate");
        Model model = read_model(model_, signature_);
        at_place(display_name(model_), [&] { fix_inputs(model.graph, fixed_); });
        Graph graph = model.graph;
        const StatePlan states = asked_states(graph, stateful_, states_);
        const auto source = samples_.open(fed_specs(graph, states), options);
        SampleFeed feed = sample_feed(*source);
        feed.sample = [&](uint64_t i) {
            std::vector<Tensor> given = source->sample(i), inputs(graph.inputs.size());
            if (!given.empty() && std::ranges::all_of(given, [](const Tensor& tensor) { return tensor.count() == 0; }))
                throw bad_input("{}: its inputs have no elements: {}", source->place(i), to_string(given[0].dims));
            for (size_t k = 0; k < given.size(); ++k) inputs[states.fed[k]] = std::move(given[k]);
            return inputs;
        };
        feed.feedback = {.loops = states.loops, .state = states.initial(graph)};
        return collect(model, graph, feed, places ? &*places : nullptr);
    }
};

}  // namespace

int main(int argc, char** argv) {
    MinmaxCollect tool;
    return tool_main(tool, argc, argv);
}
