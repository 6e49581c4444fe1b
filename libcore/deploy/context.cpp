#include "libcore/deploy/context.h"

#include <algorithm>
#include <future>
#include <set>

#include "formats/context/sections.h"
#include "formats/native/native.h"
#include "libcore/backend/builtin.h"
#include "libcore/backend/program_blob.h"
#include "libcore/backend/shared_arrays.h"
#include "libcore/base/digest.h"
#include "libcore/base/few.h"
#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "libcore/graph/device.h"
#include "libcore/graph/op.h"
#include "libcore/kernels/isa.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/os/prefetch.h"

namespace quern {
namespace {

using context_format::Section;
using context_format::Sections;

constexpr std::string_view magic = "QUERNCTX";

// What operators there are, with their arities and attributes.
std::string digest_of_operators() {
    Digest digest;
    for (const Op* op : all_ops()) {
        digest.update(fmt::format("{} {} {} {} {} {}\n", op->domain, op->name, op->in.min, op->in.max, op->out.min, op->out.max));
        for (const AttrDef& attr : op->attrs) digest.update(fmt::format(" {}\n", attr.name));
    }
    return digest.hex();
}

// The nodes that make values at the borders: an input list may name them.
Json makers_of(const MixedProgram& program) {
    const Graph& graph = program.graph();
    std::set<ValueId> borders(graph.outputs.begin(), graph.outputs.end());
    for (const MixedPart& part : program.parts()) borders.insert(part.outputs.begin(), part.outputs.end());
    Json out = Json::object();
    for (const NodeId id : graph.order()) {
        const Node& node = graph.node(id);
        Json values = Json::array();
        for (const ValueId value : node.out)
            if (borders.contains(value)) values.push_back(graph.value(value).name);
        if (!node.name.empty() && !values.empty()) out[node.name] = std::move(values);
    }
    return out;
}

Json names_of(const Graph& graph, const std::vector<ValueId>& ids) {
    Json out = Json::array();
    for (const ValueId id : ids) out.push_back(graph.value(id).name);
    return out;
}

// The values at the borders of the parts.
Bytes values_section(const ContextSource& source) {
    const MixedProgram& program = *source.program;
    const Graph& from = program.graph();
    Model model;
    model.facts = source.facts;
    Graph& to = model.graph;
    to.name = from.name;
    if (const auto profile = from.metadata.find(profile_key); profile != from.metadata.end()) to.metadata.insert(*profile);
    const auto copied = [&](ValueId id) {
        const Value& value = from.value(id);
        if (const ValueId known = to.find(value.name); known != ValueId::none) return known;
        const ValueId copy = to.add_value(value.name, value.type);
        to.value(copy).enc = value.enc;
        to.value(copy).data = value.data;
        to.value(copy).permutation = value.permutation;
        return copy;
    };
    for (const ValueId id : from.inputs) to.inputs.push_back(copied(id));
    for (const ValueId id : from.outputs) to.outputs.push_back(copied(id));
    for (const MixedPart& part : program.parts()) {
        for (const ValueId id : part.inputs) copied(id);
        for (const ValueId id : part.outputs) copied(id);
    }
    SpoolFile spool;
    native_format::write(model, spool.file());
    return spool.finish();
}

bool is_built_in(const std::string& backend) { return builtin_backend(backend) != nullptr; }

ContextPart part_from(const JsonView& view, const Sections& sections) {
    ContextPart part{view["device"].text(), view["backend"].text(), view["version"].text(), {}, {}, {}, {}};
    for (const char* key : {"device", "backend"})
        if (!is_device_name(view[key].text())) view[key].fail(fmt::format("is \"{}\", {}", escape(view[key].text()), device_name_rule));
    if (view.has("options")) part.options = view["options"].text();
    if (!part.options.empty() && !parse_json(part.options).is_object()) view["options"].fail("need a JSON object");
    for (size_t i = 0; i < view["inputs"].size(); ++i) part.inputs.push_back(view["inputs"].at(i).text());
    for (size_t i = 0; i < view["outputs"].size(); ++i) part.outputs.push_back(view["outputs"].at(i).text());
    const uint64_t blob = view["blob"].natural();
    if (blob >= sections.count("blob")) throw bad_input("there is no blob {}", blob);
    part.blob = sections.need("blob", static_cast<uint32_t>(blob));
    return part;
}

Mode mode_from(const JsonView& view) {
    const auto found = std::find(context_modes.begin(), context_modes.end(), view.text());
    if (found == context_modes.end()) view.fail("need float, fake or int");
    return static_cast<Mode>(found - context_modes.begin());
}

std::vector<ValueId> find_all(const Graph& graph, const std::vector<std::string>& names) {
    std::vector<ValueId> ids;
    for (const std::string& name : names) {
        ids.push_back(graph.find(name));
        if (ids.back() == ValueId::none) throw bad_input("value \"{}\" is not described", escape(name));
    }
    return ids;
}

// Each value that is read is an input, a constant or a result of an earlier part; each result is new.
void check_order(const ContextGraph& graph) {
    std::set<ValueId> known(graph.values.inputs.begin(), graph.values.inputs.end());
    const auto need = [&](ValueId id) {
        if (!known.contains(id) && !graph.values.value(id).constant())
            throw bad_input("\"{}\" is not computed before it is read", escape(graph.values.value(id).name));
    };
    for (const ContextPart& part : graph.parts) {
        for (const ValueId id : find_all(graph.values, part.inputs)) {
            need(id);
            if (graph.values.value(id).constant())
                throw bad_input("\"{}\" is a constant between parts", escape(graph.values.value(id).name));
        }
        for (const ValueId id : find_all(graph.values, part.outputs))
            if (!known.insert(id).second) throw bad_input("\"{}\" is computed twice", escape(graph.values.value(id).name));
    }
    for (const ValueId id : graph.values.outputs) need(id);
}

void check_same(std::string_view what, const std::string& have, const std::string& want) {
    if (have == want) return;
    throw unsupported("was made with {} {}, here is {}", what, escape(have), escape(want)).with_hint("make it again with quern codegen");
}

bool all_built_in(const ContextGraph& graph) {
    return std::ranges::all_of(graph.parts, [](const ContextPart& part) { return is_built_in(part.backend); });
}

bool names_path(const Json& json) {
    if (json.is_string()) return json.get_ref<const std::string&>().find('/') != std::string::npos;
    return json.is_structured() && std::ranges::any_of(json, [](const Json& item) { return names_path(item); });
}

// A context is a file of anybody: paths that its options have may lead to libraries, and are the user's to give.
void check_own_options(const ContextPart& part, const std::string& given) {
    if (part.options.empty()) return;
    const Json made = parse_json(part.options), now = given.empty() ? Json::object() : parse_json(given);
    for (const auto& [key, member] : made.items())
        if (!now.contains(key) && names_path(member))
            throw bad_input("its option \"{}\" is {}: a file does not name paths", escape(key), one_line(json_line(member)))
                .with_hint(fmt::format("--backend-options '{{{}: ...}}' gives it for this run", json_text(key)));
}

// As it was when it compiled the part, but for what is `given` now.
std::shared_ptr<Backend> backend_of(const ContextPart& part, const std::string& given) {
    if (is_built_in(part.backend)) return Backend::open(part.backend);
    const auto options = at_place([&] { return fmt::format("back end \"{}\"", escape(part.backend)); },
                                  [&] {
                                      check_backend_options(given);
                                      check_own_options(part, given);
                                      return merged_backend_options(part.options, given);
                                  });
    return Backend::open(part.backend, options);
}

// Beside the loading and the first run: the libraries of the kernels, the pages of the weights, and whether they are what was written.
std::future<void> prepare(const ContextGraph& graph) {
    std::vector<std::pair<size_t, Bytes>> blobs;
    for (size_t i = 0; i < graph.parts.size(); ++i)
        if (is_built_in(graph.parts[i].backend)) blobs.emplace_back(i, graph.parts[i].blob);
    return std::async(std::launch::async, [blobs = std::move(blobs)] {
        const std::byte* end = nullptr;  // of what is fetched: parts that share weights end where the first of them does
        for (const auto& [part, blob] : blobs) {
            context_format::load_kernels(blob);
            if (blob.data() + blob.size() != end) prefetch(blob);
            end = blob.data() + blob.size();
        }
        std::set<std::pair<const std::byte*, size_t>> checked;
        for (const auto& item : blobs)
            at_place(fmt::format("part {}", item.first), [&] { context_format::check_weights(item.second, checked); });
    });
}

}  // namespace

void write_context(const std::vector<ContextSource>& graphs, OutputFile& file) {
    Json list = Json::array();
    std::vector<Section> sections(1), programs;
    uint32_t blobs = 0;
    for (const ContextSource& source : graphs) {
        const MixedProgram& program = *source.program;
        Json parts = Json::array();
        for (const MixedPart& part : program.parts()) {
            parts.push_back({{"device", part.device},
                             {"backend", part.backend},
                             {"version", part.version},
                             {"inputs", names_of(program.graph(), part.inputs)},
                             {"outputs", names_of(program.graph(), part.outputs)},
                             {"blob", blobs}});
            if (!part.options.empty()) parts.back()["options"] = part.options;
            // Those of the built-in back ends have digests of their own, looked at when they are loaded.
            const bool program = is_built_in(part.backend);
            (program ? programs : sections).push_back({"blob", blobs++, {part.blob}, program});
        }
        sections.push_back({"values", static_cast<uint32_t>(list.size()), {values_section(source)}});
        list.push_back({{"name", source.name},
                        {"lineage", source.lineage},
                        {"mode", context_modes[static_cast<size_t>(program.mode())]},
                        {"parts", std::move(parts)},
                        {"nodes", makers_of(program)}});
    }
    const std::string info = json_line({{"kind", "context"},
                                        {"version", 1},
                                        {"tool", QUERN_VERSION},
                                        {"operators", digest_of_operators()},
                                        {"backend_abi", QUERN_BACKEND_ABI},
                                        {"isa", graphs.front().program->isa()},
                                        {"graphs", std::move(list)}});
    sections[0] = {"info", 0, {Bytes::copy(info.data(), info.size())}};
    programs = context_format::with_shared_arrays(programs);
    sections.insert(sections.end(), programs.begin(), programs.end());
    context_format::write_sections(magic, sections, file);
}

bool is_context(const Bytes& bytes) { return context_format::has_magic(bytes, magic); }

Context::Context(const Bytes& bytes) {
    const Sections sections(magic, bytes);
    const Json info = parse_json(sections.need("info").text());
    const JsonView view(info);
    view.check_kind("context", 1);
    tool_ = view["tool"].text();
    isa_ = view["isa"].text();
    check_same("version", tool_, QUERN_VERSION);
    check_same("operators", view["operators"].text(), digest_of_operators());
    if (view["backend_abi"].natural() != QUERN_BACKEND_ABI)
        throw unsupported("was made for version {} of the interface of back ends, here is {}", view["backend_abi"].natural(),
                          QUERN_BACKEND_ABI);
    std::set<std::string> names;
    for (size_t i = 0; i < view["graphs"].size(); ++i) {
        const JsonView row = view["graphs"].at(i);
        ContextGraph graph{row["name"].text(), row["lineage"].text(), mode_from(row["mode"]), {}, {}, {}, {}};
        if (row.has("nodes"))
            row["nodes"].each([&](const std::string& node, const JsonView& values) {
                for (size_t k = 0; k < values.size(); ++k) graph.nodes[node].push_back(values.at(k).text());
            });
        if (!names.insert(graph.name).second) throw bad_input("two graphs are named \"{}\"", escape(graph.name));
        for (size_t p = 0; p < row["parts"].size(); ++p) graph.parts.push_back(part_from(row["parts"].at(p), sections));
        Model borders = native_format::read(sections.need("values", static_cast<uint32_t>(i)), "");
        graph.values = std::move(borders.graph);
        graph.facts = std::move(borders.facts);
        if (!graph.values.order().empty()) throw bad_input("section \"values\" {} has nodes", i);
        check_order(graph);
        graphs_.push_back(std::move(graph));
    }
    if (graphs_.empty()) throw bad_input("has no graph");
}

const ContextGraph& Context::graph(const std::string& name) const {
    std::vector<std::string> names;
    for (const ContextGraph& graph : graphs_) {
        if (name.empty() || graph.name == name) return graph;
        names.push_back(graph.name);
    }
    throw usage_error("the context has no graph \"{}\"{}", escape(name), did_you_mean(name, names))
        .with_hint("its graphs: " + escape(join(names, ", ")));
}

std::shared_ptr<const MixedProgram> Context::load(const ContextGraph& graph, const std::string& backend_options,
                                                  const PartLoaded& loaded) const {
    if (std::ranges::any_of(graph.parts, [](const ContextPart& part) { return is_built_in(part.backend); })) need_isa(isa_);
    std::vector<MixedPart> parts;
    // A back end that is a library is asked in a child process first: no thread may be there then.
    std::future<void> preparation = all_built_in(graph) ? prepare(graph) : std::future<void>();
    for (const ContextPart& part : graph.parts) {
        const auto backend = backend_of(part, backend_options);
        check_same(fmt::format("back end \"{}\" of version", escape(part.backend)), part.version, backend->version());
        MixedPart own;
        own.device = part.device;
        own.backend = part.backend;
        own.version = part.version;
        own.options = backend->options();
        own.inputs = find_all(graph.values, part.inputs);
        own.outputs = find_all(graph.values, part.outputs);
        own.blob = part.blob;
        try {
            const std::string label =
                part.outputs.empty() ? std::string() : part_label(parts.size(), part.outputs.front(), part.outputs.back());
            own.executable = backend->load(part.blob, label);
            if (loaded) own.executable = loaded(part, own.executable, fmt::format("back end \"{}\": {}", escape(part.backend), label));
        } catch (...) {
            if (preparation.valid()) preparation.get();  // damaged weights are what is wrong, if they are
            throw;
        }
        parts.push_back(std::move(own));
    }
    if (!preparation.valid()) preparation = prepare(graph);
    return MixedProgram::restore(graph.values, graph.mode, std::move(parts), std::move(preparation));
}

void Context::check_digests(const Bytes& bytes) {
    const Sections sections(magic, bytes);
    sections.check_digests();
    for (uint32_t i = 0; i < sections.count("blob"); ++i)
        if (const Bytes blob = sections.need("blob", i); context_format::is_program(blob)) context_format::check_program(blob);
}

}  // namespace quern
