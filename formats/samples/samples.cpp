#include "formats/samples/samples.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "formats/hdf5/hdf5.h"
#include "formats/samples/input_list.h"
#include "formats/samples/list_source.h"
#include "formats/samples/open_feed.h"
#include "formats/samples/picture_feed.h"
#include "formats/samples/random_source.h"
#include "formats/samples/results.h"
#include "formats/samples/sound_feed.h"
#include "formats/samples/stream.h"
#include "formats/tensors/map_sample.h"
#include "formats/tensors/named_steps.h"
#include "formats/tensors/npz.h"
#include "formats/tensors/sample_folder.h"
#include "libcore/base/file_kind.h"
#include "libcore/base/notice.h"
#include "libcore/base/text.h"
#include "libcore/os/io.h"

namespace quern {
namespace {

// `list`: the file that names the input; empty: the command line does.
Error no_input(const std::string& name, const std::vector<InputSpec>& specs, const std::string& list) {
    std::vector<std::string> typed;
    typed.reserve(specs.size());
    for (const InputSpec& spec : specs) typed.push_back(fmt::format("{} ({})", printable(spec.name), to_string(spec.type)));
    return Error(list.empty() ? Exit::usage : Exit::bad_input,
                 fmt::format("the model has no input \"{}\"{}", escape(name), did_you_mean(name, names_of(specs))))
        .with_hint(fmt::format("its inputs: {}", join(typed, ", ")));
}

size_t input_named(const std::string& name, const std::vector<InputSpec>& specs, const std::string& list) {
    const auto found = std::ranges::find(specs, name, &InputSpec::name);
    if (found == specs.end()) throw no_input(name, specs, list);
    return static_cast<size_t>(found - specs.begin());
}

// A path that is not there is probably something else: without the name of an input another name, or steps that are none.
void check_path(const ListToken& token, const std::vector<InputSpec>& specs, const std::string& list) {
    const std::string& text = token.text;
    const std::string path = sample_path(resolve_path(text, list));
    if (path == "-" || file_exists(path)) return;
    if (const size_t equals = sample_path(text).find('='); token.name.empty() && equals != text.npos && equals > 0)
        throw no_input(text.substr(0, equals), specs, list);
    const size_t colon = text.rfind(':');
    if (colon == text.npos || !file_exists(resolve_path(text.substr(0, colon), list))) return;
    const std::string_view form = std::string_view(text).substr(colon + 1), dtype = form.substr(0, form.find('('));
    if (dtype.size() < form.size() && std::ranges::all_of(dtype, [](unsigned char c) { return std::isalnum(c) != 0; }))
        throw usage_error("{}: the dims of rows stand in square brackets", text);
    throw usage_error("{}: \"{}\" is neither the form of rows (u8[96,96,3]) nor steps (resize=256,crop=224)", text, escape(form));
}

// A list's steps are those of its pictures and WAV files that have none of their own.
std::string with_steps(const std::string& text, const std::string& steps) {
    if (steps.empty() || sample_path(text) != text || !(is_folder(text) || is_picture(map_sample(text)) || is_sound(map_sample(text))))
        return text;
    return text + ":" + steps;
}

bool serves_all(const std::string& path) {
    return has_suffix(path, ".npz") || (file_exists(path) && !is_folder(path) && is_hdf5(map_sample(path)));
}

// One feed per input from tokens; a lone .npz or HDF5 file serves every input.
std::vector<std::unique_ptr<Feed>> feeds_of(const std::vector<ListToken>& tokens, const ListSource& source, const std::string& list,
                                            const std::string& steps = {}) {
    const auto& specs = source.specs();
    std::vector<std::unique_ptr<Feed>> feeds(specs.size());
    if (tokens.size() == 1 && tokens[0].name.empty() && specs.size() > 1 && serves_all(resolve_path(tokens[0].text, list))) {
        for (size_t i = 0; i < specs.size(); ++i)
            feeds[i] = open_feed(resolve_path(tokens[0].text, list), specs[i], source.native(), i, specs[i].name);
        return feeds;
    }
    size_t position = 0;
    for (const ListToken& token : tokens) {
        if (token.name.empty() && position >= specs.size())
            throw bad_input("has {} files, the model takes {}", tokens.size(), specs.size());
        check_path(token, specs, list);
        const size_t i = token.name.empty() ? position++ : input_named(token.name, specs, list);
        if (feeds[i]) throw bad_input("input \"{}\" twice", escape(specs[i].name));
        feeds[i] = open_feed(with_steps(resolve_path(token.text, list), steps), specs[i], source.native(), i);
    }
    for (size_t i = 0; i < specs.size(); ++i)
        if (!feeds[i]) throw bad_input("no file for input \"{}\"", escape(specs[i].name));
    return feeds;
}

std::unique_ptr<SampleSource> told(std::unique_ptr<ListSource> source) {
    for (const std::string& notice : source->notices()) say_notice(notice);
    return source;
}

std::unique_ptr<SampleSource> list_samples(const std::vector<InputSpec>& specs, const SampleOptions& options) {
    auto source = std::make_unique<ListSource>(specs, options.native, options.repeat_padding);
    const auto named = named_steps(options.list);
    const std::string path = named ? named->path : options.list, steps = named ? named->text : "";
    for (const ListLine& line : read_input_list(path, specs).lines) {
        const std::string place = fmt::format("{}: line {}", display_name(path), line.number);
        source->add_line(at_place(place, [&] { return feeds_of(line.tokens, *source, path, steps); }), place);
    }
    return told(std::move(source));
}

// "Result_3/y" of what run writes: names by the number of the sample.
std::map<uint64_t, std::set<std::string>> npz_samples(const std::string& path) {
    std::map<uint64_t, std::set<std::string>> samples;
    const Npz npz(map_sample(path));
    for (const std::string& name : npz.names()) {
        const size_t slash = name.find('/');
        const auto number =
            name.rfind("Result_", 0) == 0 && slash != std::string::npos ? parse_int(name.substr(7, slash - 7)) : std::nullopt;
        if (number && *number >= 0) samples[static_cast<uint64_t>(*number)].insert(name.substr(slash + 1));
    }
    return samples;
}

std::unique_ptr<SampleSource> flag_samples(const std::vector<InputSpec>& specs, const SampleOptions& options) {
    auto source = std::make_unique<ListSource>(specs, options.native, options.repeat_padding);
    std::vector<ListToken> tokens;
    for (const std::string& text : options.inputs) tokens.push_back(parse_token(text, specs));
    const bool archive = tokens.size() == 1 && tokens[0].name.empty() && has_suffix(tokens[0].text, ".npz");
    const auto numbered =
        archive ? at_place(tokens[0].text, [&] { return npz_samples(tokens[0].text); }) : std::map<uint64_t, std::set<std::string>>{};
    for (const auto& [number, names] : numbered) {
        std::vector<std::unique_ptr<Feed>> feeds;
        for (const InputSpec& spec : source->specs()) {
            const std::string name = names.contains(spec.name) ? spec.name : result_stem(spec.name);
            feeds.push_back(open_feed(tokens[0].text, spec, options.native, feeds.size(), fmt::format("Result_{}/{}", number, name)));
        }
        source->add_line(std::move(feeds), fmt::format("Result_{}", number));
    }
    if (numbered.empty()) source->add_line(feeds_of(tokens, *source, ""), "");
    return told(std::move(source));
}

// A run of another source's samples.
class Slice : public SampleSource {
   public:
    Slice(std::unique_ptr<SampleSource> source, uint64_t skip, uint64_t count) : source_(std::move(source)), skip_(skip), count_(count) {}
    uint64_t count() const override { return count_; }
    std::vector<Tensor> sample(uint64_t i) const override { return source_->sample(i + skip_); }
    std::string place(uint64_t i) const override { return source_->place(i + skip_); }
    uint64_t index(uint64_t i) const override { return source_->index(i + skip_); }
    uint64_t results(uint64_t i) const override { return source_->results(i + skip_); }
    uint64_t batch(uint64_t i) const override { return source_->batch(i + skip_); }
    std::string digest() const override { return fmt::format("{} {} {}", source_->digest(), skip_, count_); }

   private:
    std::unique_ptr<SampleSource> source_;
    uint64_t skip_, count_;
};

std::unique_ptr<SampleSource> open_all(const std::vector<InputSpec>& specs, const SampleOptions& options) {
    if (!options.list.empty()) return list_samples(specs, options);
    if (options.random) return random_samples(specs, static_cast<uint64_t>(*options.random), options.skip + options.rows.value_or(1));
    if (options.inputs.size() == 1 && options.inputs[0] == "-") return stream_samples(specs, map_input("-"), "<stdin>", options.native);
    if (options.inputs.empty() && specs.empty()) return random_samples(specs, 0, 1);  // nothing to feed
    if (options.inputs.empty()) throw usage_error("no samples").with_hint("give --input-list, --input or --random");
    return flag_samples(specs, options);
}

}  // namespace

std::unique_ptr<SampleSource> open_samples(const std::vector<InputSpec>& specs, const SampleOptions& options) {
    if (!options.list.empty() + !options.inputs.empty() + options.random.has_value() > 1)
        throw usage_error("give only one of --input-list, --input and --random");
    auto source = open_all(specs, options);
    const uint64_t total = source->items();
    if (options.skip >= total && total > 0) throw usage_error("--skip-rows {}: there are only {} samples", options.skip, total);
    const uint64_t count = std::min(total - options.skip, options.rows.value_or(total));
    if (options.rows && count < *options.rows)
        throw usage_error("--rows {}: only {} samples are left after --skip-rows {}", *options.rows, count, options.skip);
    if (count == 0) throw bad_input("there are no samples");
    if (count != total && !source->select(options.skip, count)) source = std::make_unique<Slice>(std::move(source), options.skip, count);
    source->listed = total;
    return source;
}

}  // namespace quern
