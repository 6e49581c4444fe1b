#include "libcore/api/loaded.h"
#include "libcore/exec/meaning.h"

#include <algorithm>
#include <filesystem>

#include "formats/read.h"
#include "libcore/base/text.h"
#include "libcore/deploy/context.h"
#include "libcore/exec/program.h"
#include "libcore/graph/edit.h"
#include "libcore/graph/short_floats.h"
#include "libcore/kernels/context_isa.h"
#include "libcore/passes/passes.h"

namespace quern {
namespace {

namespace fs = std::filesystem;

bool encoded(const Graph& graph, const std::vector<ValueId>& ids) {
    return std::ranges::any_of(ids, [&](ValueId id) { return graph.value(id).enc.has_value(); });
}

// A library's own file as a program of one part.
std::shared_ptr<const MixedProgram> load_product(const std::string& path, const std::string& name, const std::string& options) {
    const auto backend = Backend::open(name, options);
    MixedPart part;
    part.device = part.backend = backend->name();
    part.version = backend->version();
    part.options = options;
    part.executable = at_place(display_name(path), [&] { return backend->load_file(path); });
    Graph graph;
    std::map<std::string, ValueId> known;  // an input may be an output, too
    const auto add = [&](const std::vector<Port>& ports, std::vector<ValueId>& ids) {
        for (const Port& port : ports) {
            const auto found = known.find(port.name);
            const ValueId id = found == known.end() ? graph.add_value(port.name, port.type) : found->second;
            known.emplace(port.name, id);
            graph.value(id).enc = port.encoding;
            ids.push_back(id);
        }
    };
    add(part.executable->inputs(), part.inputs);
    add(part.executable->outputs(), part.outputs);
    graph.inputs = part.inputs;
    graph.outputs = part.outputs;
    const Mode mode = encoded(graph, graph.inputs) || encoded(graph, graph.outputs) ? Mode::integer : Mode::floating;
    std::vector<MixedPart> parts;
    parts.push_back(std::move(part));
    return MixedProgram::restore(std::move(graph), mode, std::move(parts));
}

std::string first_library(const std::vector<std::string>& backends) {
    for (const std::string& name : backends)
        if (name != "cpu" && name != "ref" && Backend::exists(name)) return name;
    return {};
}

std::shared_ptr<const MixedProgram> program_of(const LoadedModel& loaded, const SessionBackends& backends, const Note& note) {
    if (loaded.ready) return loaded.ready;
    if (!loaded.product.empty()) {
        if (const std::string name = first_library(backends.names); !name.empty())
            return load_product(loaded.product, name, backends.options);
        if (!loaded.has_graph()) throw unsupported("{}: none of the available back ends is a library that could load it", loaded.product);
        note(fmt::format("{}: no back end for it is available yet: the model that it was made of runs", loaded.product));
    }
    const Graph& graph = loaded.model.graph;
    if (backends.names.empty() && !is_placed(graph)) {
        if (!backends.options.empty()) note(backend_options_unused(backends.options));
        return nullptr;
    }
    MixedOptions options;
    options.preferred = backends.names;
    options.backend_options = backends.options;
    options.compile.mode = own_mode(graph);
    options.note = note;
    return at_place(loaded.name(), [&] { return MixedProgram::compile(graph, options); });
}

std::string tag_of(const Scheme& scheme) {
    constexpr std::pair<std::string_view, std::string_view> tags[] = {
        {"uint8", "q8"}, {"int16", "q16"}, {"int8_wo", "q8wo"}, {"int16_wo", "q16wo"}};
    for (const auto& [alias, tag] : tags)
        if (scheme.alias == alias) return std::string(tag);
    return std::string(scheme.name);
}

fs::path folder_of(const LoadedModel& loaded) {
    std::error_code failed;
    return fs::is_directory(loaded.beside, failed) ? fs::path(loaded.beside) : fs::path(loaded.beside).parent_path();
}

// Of the model, or of the package: its folder's name.
std::string own_stem(const LoadedModel& loaded) {
    std::error_code failed;
    if (!fs::is_directory(loaded.beside, failed)) return stem_of(loaded.beside);
    return fs::weakly_canonical(loaded.beside, failed).filename().string();
}

}  // namespace

std::string LoadedModel::name() const { return path.empty() ? "<memory>" : display_name(path); }

LoadedModel load_model(const Bytes& bytes, const std::string& path, const std::string& signature, const SessionBackends& backends) {
    LoadedModel loaded;
    loaded.path = loaded.beside = path;
    const std::string name = loaded.name();
    Bytes context = is_context(bytes) ? bytes : Bytes();
    if (context.empty()) {
        loaded.model = read_model(bytes, path, signature);
        const std::string place = path.empty() ? "-" : path;
        if (at_place(name, [&] { return embed_others_contexts(loaded.model.graph, place); }))
            return loaded;  // a node as any, for back ends
        context = at_place(name, [&] { return unwrap_context(loaded.model.graph, place); });
    }
    if (context.empty()) return loaded;
    at_place(name, [&] {
        const Context opened(context);
        const ContextGraph& graph = signature.empty() ? wrapped_graph(loaded.model.graph, opened) : opened.graph(signature);
        loaded.ready = opened.load(graph, backends.options);
        loaded.model.graph = loaded.ready->graph();
    });
    return loaded;
}

LoadedModel load_model(const std::string& path, const std::string& signature, const SessionBackends& backends) {
    const Bytes bytes = map_model(path);
    const std::string library = first_library(backends.names);
    if (is_context(bytes) || is_model(bytes, path) || library.empty()) return load_model(bytes, path, signature, backends);
    LoadedModel loaded;
    loaded.path = loaded.beside = loaded.product = path;
    loaded.model.graph = load_product(path, library, backends.options)->graph();
    return loaded;
}

static void take_ports(Runnable& runnable, const Graph& encoded) {
    runnable.inputs = input_specs(encoded);
    runnable.outputs = output_specs(encoded);
}

Runnable make_runnable(const LoadedModel& loaded, const SessionBackends& backends, int threads, const Note& note) {
    Runnable runnable;
    const auto program = program_of(loaded, backends, note);  // before any thread is made: back ends are asked in child processes
    runnable.pool = std::make_shared<ThreadPool>(threads);
    if (program) {
        runnable.engine = make_engine(program, LaneOptions{.threads = threads});
        set_ports(runnable, program->graph());
        return runnable;
    }
    at_place(loaded.name(), [&] {
        const Graph graph = as_encoded(loaded.model.graph);
        runnable.engine = make_engine(Program::compile(graph, {.mode = own_mode(graph)}), *runnable.pool);
        take_ports(runnable, graph);
    });
    return runnable;
}

void set_ports(Runnable& runnable, const Graph& graph) { take_ports(runnable, as_encoded(graph)); }

std::string quantized_path(const LoadedModel& loaded, const Scheme& scheme) {
    std::string suffix = fs::path(loaded.path).extension().string();
    const bool writable = std::ranges::any_of(all_formats(), [&](const Format& format) {
        const auto suffixes = split(format.suffixes, ' ');
        return format.write && std::ranges::find(suffixes, suffix) != suffixes.end();
    });
    if (!writable) suffix = ".circle";
    return (folder_of(loaded) / fmt::format("{}_quantized_{}{}", own_stem(loaded), tag_of(scheme), suffix)).string();
}

static std::string target_of(const LoadedModel& loaded, const QuantizeJob& job) {
    return job.path.empty() ? quantized_path(loaded, *job.scheme) : job.path;
}

static QuantRequest request_of(const QuantizeJob& job, const std::string& target) {
    return {.scheme = job.scheme,
            .destination = destination_of(job.format.empty() ? format_for_writing(target, "").name : job.format, job.runtime)};
}

bool quantizes_by_runs(const LoadedModel& loaded, const QuantizeJob& job) {
    const QuantRequest request = request_of(job, target_of(loaded, job));
    return goes_by_runs(QuantWork(request, loaded.model.graph));
}

LoadedModel quantize_to_file(const LoadedModel& loaded, const Ranges* recorded, const QuantizeJob& job, int threads, const Note& note) {
    const Scheme& scheme = *job.scheme;
    if (!loaded.has_graph()) throw usage_error("{}: compiled already, so it cannot be quantized", loaded.name());
    if (has_codes(as_encoded(loaded.model.graph))) throw usage_error("{}: quantized already", loaded.name());
    const std::string target = target_of(loaded, job);
    check_output(target, "", {});
    Model model = loaded.model;
    std::optional<Ranges> embedded;
    if (const auto found = model.facts.find("ranges"); !recorded && found != model.facts.end()) embedded = parse_ranges(found->second);
    const Ranges* ranges = recorded ? recorded : embedded ? &*embedded : nullptr;
    if (!ranges && scheme.full())
        throw usage_error("{}: type {} needs ranges, and no run was recorded", loaded.name(),
                          scheme.alias.empty() ? scheme.name : scheme.alias);
    const QuantRequest request = request_of(job, target);
    ThreadPool pool(threads);
    at_place(loaded.name(), [&] {
        if (!job.static_for.empty())
            for (const std::string& line : make_static(model.graph, job.static_for)) note(line);
        quantize_model(model, ranges, request, pool);
        merge_common.run(model.graph);  // what is alike with its encodings
    });
    write_model(model, target, "");
    LoadedModel made = load_model(target, "", SessionBackends());
    made.beside = loaded.beside;
    return made;
}

std::string generated_path(const LoadedModel& loaded, const Generator& generator) {
    return (folder_of(loaded) / product_name(generator, stem_of(loaded.path.empty() ? "model" : loaded.path))).string();
}

// The generator's own options, and for contexts what the session has for its back ends.
static std::map<std::string, std::string> codegen_options(const Generator& generator, const CodegenJob& job,
                                                          const SessionBackends& backends) {
    for (const auto& [name, text] : job.options) check_option(generator, name);
    std::map<std::string, std::string> all = job.options;
    if (generator.name != context_generator.name) return all;
    if (!backends.names.empty()) all.emplace("prefer", join(backends.names, ";"));
    if (!backends.options.empty()) all.emplace("backend-options", backends.options);
    return all;
}

LoadedModel generate_to_file(const LoadedModel& loaded, const CodegenJob& job, const SessionBackends& backends, const Note& note) {
    if (!loaded.has_graph()) throw usage_error("{}: compiled already", loaded.name());
    const auto generator = need_generator(job.target);
    GenerateRequest request{loaded.model, loaded.path.empty() ? "model" : loaded.path, job.path, job.preference,
                            codegen_options(*generator, job, backends)};
    if (job.path.empty()) {
        request.output = generated_path(loaded, *generator);
        std::error_code failed;
        if (fs::equivalent(request.output, request.model_path, failed) && !failed)
            throw usage_error("{}: the generated file would take the model's place: set a path for it", request.output);
    }
    const Generated made = at_place(loaded.name(), [&] { return generator->generate(request); });
    for (const std::string& line : made.decided) note(line);
    LoadedModel next = loaded;
    if (const auto isa = job.options.find("isa"); isa != job.options.end() && !runs_isa(isa->second)) {
        note(fmt::format("{} is for {}: the model that it was made of stays loaded", made.files.back(), isa->second));
        return next;
    }
    if (made.files.size() == 1 || !generator->suffixes.empty()) {
        const std::string& file = made.files.back();
        const Bytes bytes = map_input(file);
        if (is_context(bytes) || is_model(bytes, file)) {
            next = load_model(file, "", backends);
            next.beside = loaded.beside;
            return next;
        }
        if (!find_generator(generator->name)) {
            next.path = next.product = file;
            return next;
        }
    }
    const bool folder = made.files.size() > 1;
    note(fmt::format("{} made {}, to be {} elsewhere: the model that it was made of stays loaded", generator->name,
                     folder ? fs::path(made.files.back()).parent_path().string() : made.files.back(), folder ? "compiled" : "used"));
    return next;
}

}  // namespace quern
