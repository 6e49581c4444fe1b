#include <algorithm>
#include <filesystem>

#include "libcore/base/text.h"
#include "libcore/cli/command_line.h"
#include "libcore/kernels/context_isa.h"
#include "libcore/kernels/isa.h"
#include "libcore/os/io.h"
#include "libcore/os/threads.h"

namespace quern {
namespace {

// Options of files are declared as such: see Options::input.
void refuse_file(std::string_view names, std::string_view value) {
    for (const std::string_view word : {"FILE", "FOLDER", "DIR", "PATH", "PREFIX"})
        if (value.find(word) != value.npos) throw bug("{} {}: is neither declared as an input nor as an output", names, value);
}

CLI::Option* add_text(CommandLine& line, std::string_view names, std::string_view value, std::string_view doc,
                      const std::function<void(const std::string&)>& take) {
    line.rows.push_back({line.group, std::string(names), std::string(value), std::string(doc)});
    return line.app.add_option_function<std::string>(spelled_for_parser(std::string(names)), take);
}

void add_texts(CommandLine& line, std::vector<std::string>& to, std::string_view names, std::string_view value, std::string_view doc) {
    line.rows.push_back({line.group, std::string(names), std::string(value), std::string(doc), false, true});
    line.app.add_option(std::string(names), to)->allow_extra_args(false);
}

void add_flag(CommandLine& line, std::string& to, std::string_view name, std::string_view value, std::string_view otherwise,
              std::string_view doc) {
    line.rows.push_back({line.group, std::string(name), fmt::format("[={}]", value), std::string(doc)});
    line.app.add_flag(fmt::format("{}{{{}}}", spelled_for_parser(std::string(name)), otherwise), to);
}

// The long name for messages: "--threads" of "-t,--threads".
std::string spoken(std::string_view names) { return split(names, ',').back(); }

void add_file(CommandLine& line, std::string_view names, FileRole role, const std::function<std::vector<std::string>()>& paths) {
    const std::string option = spoken(names);
    const bool always = role == FileRole::model;  // standard input if it is not given
    line.files.push_back(
        {option, role, [&line, option, paths, always] { return always || line.is_given(option) ? paths() : std::vector<std::string>(); }});
}

std::vector<std::string> paths_in(const std::vector<std::string>& texts, const PathsOf& paths) {
    if (!paths) return texts;
    std::vector<std::string> all;
    for (const std::string& text : texts)
        for (std::string& path : paths(text)) all.push_back(std::move(path));
    return all;
}

int64_t number_within(std::string_view names, const std::string& text, int64_t min, int64_t max) {
    const auto number = parse_int(text);
    if (!number || *number < min) throw usage_error("{}: got \"{}\", need an integer of at least {}", spoken(names), escape(text), min);
    if (*number > max) throw usage_error("{}: got \"{}\", need an integer of at most {}", spoken(names), escape(text), max);
    return *number;
}

std::string stated(const NumberBounds& bounds) {
    return fmt::format("{} {} to {}", bounds.above ? "above" : "from", bounds.min, bounds.max);
}

double number_within(std::string_view names, const std::string& text, const NumberBounds& bounds) {
    const auto number = parse_double(text);
    const bool fits = number && *number >= bounds.min && *number <= bounds.max && !(bounds.above && *number == bounds.min);
    if (fits) return *number;
    Error error = usage_error("{}: got \"{}\", need a number {}", spoken(names), escape(text), stated(bounds));
    throw number && !bounds.hint.empty() ? error.with_hint(std::string(bounds.hint)) : error;
}

void add_choice(CommandLine& line, std::string_view names, std::span<const std::string_view> choices, std::string_view doc,
                const std::function<void(const std::string&)>& take) {
    const std::vector<std::string> allowed(choices.begin(), choices.end());
    add_text(line, names, join(allowed, "|"), doc, [take, allowed, name = std::string(names)](const std::string& text) {
        if (std::find(allowed.begin(), allowed.end(), text) == allowed.end())
            throw usage_error("{}: unknown \"{}\"{}", spoken(name), escape(text), did_you_mean(text, allowed))
                .with_hint(fmt::format("one of {}", join(allowed, ", ")));
        take(text);
    });
}

}  // namespace

void check_suffix(std::string_view option, const std::string& path, std::span<const std::string_view> suffixes) {
    const std::string suffix = std::filesystem::path(path).extension().string();
    if (suffix.empty() || is_stream(path) || std::ranges::find(suffixes, suffix) != suffixes.end()) return;
    const std::vector<std::string> known(suffixes.begin(), suffixes.end());
    throw usage_error("{} {}: \"{}\" is not a report format", option, path, escape(suffix)).with_hint("one of " + join(known, ", "));
}

bool CommandLine::is_given(std::string_view option) const { return app.get_option(spelled_for_parser(std::string(option)))->count() > 0; }

void CommandLine::note_given() const {
    for (const auto& [option, other] : needs)
        if (is_given(option) && !is_given(other)) throw usage_error("{} is for {}", option, other);
    for (const HelpRow& row : rows) {
        if (row.positional() || row.group == common_options) continue;
        const std::string name = spoken(row.names);
        if (!is_given(name)) continue;
        for (GivenOptions* to : given) to->add(name);
    }
}

void Options::model(std::string& to) {
    positional(to, "MODEL", "model file of any format; - or nothing: standard input", false, FileRole::model);
}

void Options::signature(std::string& to) {
    text(to, "--signature", "NAME",
         "the graph that this signature of a TFLite, Circle, .pt2 or SavedModel file names (default: the first)");
}

void Options::shapes(std::vector<std::string>& to) {
    texts(to, "--shape", "NAME=DIMS", "fix the shape of an input: x=1,3,224,224; may repeat");
}

void Options::shapes(FixedInputs& to) {
    shapes(to.shapes);
    pins(to.pins);
}

void Options::pins(std::vector<std::string>& to) {
    texts(to, "--pin", "NAME=NUMBER", "the input always has this value: sr=16000; what follows from it is folded; may repeat");
}

void Options::positional(std::string& to, std::string_view name, std::string_view doc, bool required, FileRole role) {
    line_.rows.push_back({line_.group, std::string(name), {}, std::string(doc), required});
    line_.app.add_option(std::string(name), to)->required(required);
    add_file(line_, name, role, [&to] { return std::vector{to}; });
}

void Options::positionals(std::vector<std::string>& to, std::string_view name, std::string_view doc, FileRole role) {
    line_.rows.push_back({line_.group, std::string(name), {}, std::string(doc), false, true});
    line_.app.add_option(std::string(name), to);
    add_file(line_, name, role, [&to] { return to; });
}

void Options::input(std::string& to, std::string_view names, std::string_view value, std::string_view doc, const PathsOf& paths) {
    add_text(line_, names, value, doc, [&to](const std::string& text) { to = text; });
    add_file(line_, names, FileRole::input, [&to, paths] { return paths_in({to}, paths); });
}

void Options::inputs(std::vector<std::string>& to, std::string_view names, std::string_view value, std::string_view doc,
                     const PathsOf& paths) {
    add_texts(line_, to, names, value, doc);
    add_file(line_, names, FileRole::input, [&to, paths] { return paths_in(to, paths); });
}

void Options::output(std::string& to, std::string_view names, std::string_view value, std::string_view doc, FileRole role) {
    add_text(line_, names, value, doc, [&to](const std::string& text) { to = text; });
    add_file(line_, names, role, [&to] { return std::vector{to}; });
}

void Options::output_flag(std::string& to, std::string_view name, std::string_view value, std::string_view otherwise,
                          std::string_view doc) {
    add_flag(line_, to, name, value, otherwise, doc);
    const std::string none(otherwise);
    add_file(line_, name, FileRole::output, [&to, none] { return to == none ? std::vector<std::string>() : std::vector{to}; });
}

void Options::beside(std::string_view option, const std::function<std::vector<std::string>()>& paths) {
    add_file(line_, option, FileRole::output, paths);
}

void Options::flag(bool& to, std::string_view names, std::string_view doc) {
    line_.rows.push_back({line_.group, std::string(names), {}, std::string(doc)});
    line_.app.add_flag(spelled_for_parser(std::string(names)), to)->disable_flag_override();
}

void Options::flag(std::string& to, std::string_view name, std::string_view value, std::string_view otherwise, std::string_view doc) {
    refuse_file(name, value);
    add_flag(line_, to, name, value, otherwise, doc);
}

void Options::text(std::string& to, std::string_view names, std::string_view value, std::string_view doc) {
    refuse_file(names, value);
    add_text(line_, names, value, doc, [&to](const std::string& text) { to = text; });
}

void Options::text(std::optional<std::string>& to, std::string_view names, std::string_view value, std::string_view doc) {
    refuse_file(names, value);
    add_text(line_, names, value, doc, [&to](const std::string& text) { to = text; });
}

void Options::texts(std::vector<std::string>& to, std::string_view names, std::string_view value, std::string_view doc) {
    refuse_file(names, value);
    add_texts(line_, to, names, value, doc);
}

void Options::list(std::vector<std::string>& to, std::string_view names, std::string_view value, std::string_view doc) {
    add_text(line_, names, value, doc, [&to](const std::string& text) { to = split(text, ','); });
}

void Options::integer(int64_t& to, std::string_view names, std::string_view value, std::string_view doc, int64_t min, int64_t max) {
    add_text(line_, names, value, doc,
             [&to, min, max, name = std::string(names)](const std::string& text) { to = number_within(name, text, min, max); });
}

void Options::integer(std::optional<int64_t>& to, std::string_view names, std::string_view value, std::string_view doc, int64_t min,
                      int64_t max) {
    add_text(line_, names, value, doc,
             [&to, min, max, name = std::string(names)](const std::string& text) { to = number_within(name, text, min, max); });
}

void Options::real(double& to, std::string_view names, std::string_view value, std::string_view doc, const NumberBounds& bounds) {
    const std::string all = fmt::format("{}; {}", doc, stated(bounds));
    add_text(line_, names, value, all,
             [&to, bounds, name = std::string(names)](const std::string& text) { to = number_within(name, text, bounds); });
}

void Options::real_or_percent(double& to, double& percent, std::string_view names, std::string_view value, std::string_view doc,
                              const NumberBounds& bounds) {
    add_text(line_, names, value, fmt::format("{}; {}", doc, stated(bounds)),
             [&to, &percent, bounds, name = std::string(names)](const std::string& text) {
                 if (text.ends_with('%'))
                     percent = number_within(name, text.substr(0, text.size() - 1), bounds);
                 else
                     to = number_within(name, text, bounds);
             });
}

void Options::choice(std::string& to, std::string_view names, std::span<const std::string_view> choices, std::string_view doc) {
    add_choice(line_, names, choices, doc, [&to](const std::string& text) { to = text; });
}

void Options::isa() {
    const auto limit = [](const std::string& text) {
        limit_isa(static_cast<Isa>(std::find(isa_names.begin(), isa_names.end(), text) - isa_names.begin()));
    };
    add_choice(line_, "--isa", isa_names, "widest instruction set of float kernels (default: the machine's)", limit);
}

void Options::isa(std::string& to) {
    const auto aim = [&to](const std::string& text) {
        if (text == context_isa()) return;
        if (runs_isa(text))
            limit_isa(static_cast<Isa>(std::ranges::find(isa_names, text) - isa_names.begin()));
        else
            to = text;
    };
    add_choice(line_, "--isa", context_isas, "instruction set of the machine that it is for, any of them (default: this machine's)", aim);
}

void Options::threads(int64_t& to) {
    if (to == 0) to = default_threads();
    integer(to, "--threads", "N", "threads to use (default: all processors of this process)", 1, 4096);
}

void Options::needs(std::initializer_list<std::string_view> options, std::string_view other) {
    for (const std::string_view option : options) line_.needs.emplace_back(option, other);
}

void Options::given(GivenOptions& to) { line_.given.push_back(&to); }

void Options::group(std::string_view title) { line_.group = title; }

}  // namespace quern
