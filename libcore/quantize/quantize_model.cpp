#include "libcore/quantize/quantize_model.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "libcore/graph/op_ids.h"
#include "libcore/graph/short_floats.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/os/io.h"
#include "libcore/passes/decompose/expand_attention.h"
#include "libcore/passes/decompose/split_recurrent.h"
#include "libcore/passes/decompose/unroll_recurrent.h"
#include "libcore/passes/make_gemm.h"
#include "libcore/passes/passes.h"
#include "libcore/passes/pipelines.h"
#include "libcore/passes/to_float32.h"
#include "libcore/quant/algorithms/apply.h"
#include "libcore/quant/algorithms/choice.h"
#include "libcore/quant/plan/apart.h"
#include "libcore/quant/plan/joined.h"
#include "libcore/quant/plan/spell.h"
#include "libcore/quant/types/asked.h"
#include "libcore/quant/types/followed.h"
#include "libcore/quant/types/overrides.h"

namespace quern {

namespace {

bool to_tflite(const QuantWork& work) { return work.recipe == &recipe_named("tflite") || work.for_products_runtime; }

// Of recipes that take no others.
void check_unsigned(const Scheme& scheme, const Recipe& recipe) {
    if (is_float(scheme.activation) || int_range(scheme.activation).min < 0)
        throw unsupported("type {} has {} activations, {} takes uint8 and uint16", scheme.name, name_of(scheme.activation), recipe.doc)
            .with_hint("--type u8i8 or w8u16");
    if (scheme.activation_symmetric)
        throw unsupported("type {} has symmetric activations: {} fuses no Relu whose zero point is not the least code", scheme.name,
                          recipe.doc);
    if (bits_of(scheme.activation) == 16 && !scheme.weight_symmetric)
        throw unsupported("type {} has asymmetric weights beside uint16, by which {} is up to 234 steps off", scheme.name, recipe.doc);
}

// What a recipe, or TFLite's specification, has no form for.
void check_type(const Scheme& scheme, const QuantWork& work) {
    const Recipe& recipe = recipe_of(scheme, work);
    if (scheme.bias_bits == 8 && &recipe != &recipe_named("onnx"))
        throw unsupported("type {} has biases of 8 bits, by the rules of {} they are int32", scheme.name, recipe.name);
    if (recipe.unsigned_only && scheme.full()) check_unsigned(scheme, recipe);
    // Weights alone are numbers to those who compute with them: what counts is the file.
    const bool to_file = to_tflite(work);
    if (scheme.two_level && to_file) throw unsupported("type {} has two-level scales of blocks, TFLite and Circle have none", scheme.name);
    const bool float8 = is_float(scheme.activation) || dtypes::float8s.has(scheme.weight);
    if (float8 && (to_file || (scheme.full() && &recipe == &recipe_named("tflite"))))
        throw unsupported("type {} has float8 codes, which no kernel of TFLite and Circle reads", scheme.name);
    if (scheme.activation == DType::u16 && (to_file || (scheme.full() && &recipe == &recipe_named("tflite"))))
        throw unsupported("type {} has uint16 activations, which no kernel of TFLite and Circle reads", scheme.name)
            .with_hint("--type w8a16 has int16 activations");
    if (scheme.full() ? &recipe != &recipe_named("tflite") : !to_file) return;
    if (scheme.activation == DType::i16 && !scheme.activation_symmetric)
        throw unsupported("type {} has asymmetric int16 activations, in TFLite they are symmetric", scheme.name);
    if ((scheme.weight != DType::u8 || !scheme.full()) && !scheme.weight_symmetric)
        throw unsupported("type {} has asymmetric {} weights, in TFLite they are symmetric", scheme.name, name_of(scheme.weight));
    if (bits_of(scheme.weight) < 4 || scheme.weight == DType::u4)
        throw unsupported("type {} has {} weights, which no kernel of TFLite reads", scheme.name, name_of(scheme.weight));
}

bool has_scales(const Overrides* overrides) {
    return overrides && std::ranges::any_of(*overrides, [](const auto& entry) { return !entry.second.scale.empty(); });
}

// Kernels of runtimes with rules of their own read and make codes of one type.
void check_edges(const std::string& place, const Scheme& scheme, const QuantWork& work) {
    const Recipe& recipe = recipe_of(scheme, work);
    if (!scheme.full() || recipe.edges_apart) return;
    const EdgeType usual{scheme.activation, scheme.activation_symmetric};
    const char* edge = scheme.weight == DType::f32  ? "weights"
                       : scheme.taken_as() != usual ? "inputs"
                       : scheme.made_as() != usual  ? "outputs"
                                                    : "";
    if (*edge)
        throw unsupported(
            "rule {}: {} in a type of their own: by {} an operator on codes reads and makes codes of one type and has weights of codes",
            place, edge, recipe.doc)
            .with_hint("ONNX and quern's own files can hold it; type none keeps the whole node float");
}

void check_types(const QuantWork& work) {
    check_type(*work.request.scheme, work);
    if (!work.request.rules) return;
    work.request.rules->each([&](const std::string& place, const Rule& rule) {
        if (!rule.scheme) return;
        check_type(*rule.scheme, work);
        check_edges(place, *rule.scheme, work);
    });
}

// Names and operators of a graph's nodes, as rules name them.
std::set<std::string> rule_names(const Graph& graph) {
    std::set<std::string> names;
    for_each_graph(graph, [&](const Graph& part, const std::string& path) {
        for (const NodeId id : part.order())
            names.insert({path + part.node(id).name, part.node(id).name, std::string(part.node(id).op->name)});
    });
    return names;
}

// Nodes that rules can name are there before anything is spelled out for the quantizer or put in by algorithms.
std::set<std::string> node_keys(const Graph& graph) {
    std::set<std::string> keys;
    for_each_graph(graph, [&](const Graph& part, const std::string& path) {
        for (const NodeId id : part.order()) keys.insert(path + part.node(id).name);
    });
    return keys;
}

// Names of values: those of the model as it was, which passes fuse away (such overrides are reported as unapplied), and what they make.
std::vector<std::string> all_names(std::vector<std::string> before, const Graph& graph) {
    const std::vector<std::string> now = value_keys(graph);
    before.insert(before.end(), now.begin(), now.end());
    std::ranges::sort(before);
    return before;
}

// Overrides that name nothing are an error, or counted.
void check_names(const QuantWork& work, const std::vector<std::string>& names, const std::string& place, QuantReport& report) {
    if (!work.request.allow_unmatched) return at_place(place, [&] { check_overrides(*work.overrides, names); });
    const std::vector<std::string> unknown = unknown_of(*work.overrides, names);
    if (unknown.empty()) return;
    report.unmatched.push_back(unknown_text(unknown));
    std::erase_if(report.unapplied, [&](const std::string& name) { return std::ranges::binary_search(unknown, name); });
}

std::map<std::string, DType> short_floats_of(const Graph& graph) {
    std::map<std::string, DType> found;
    for_each_graph(graph, [&](const Graph& part, const std::string& path) {
        for (size_t i = 0; i < part.value_count(); ++i)
            if (const Value& value = part.value(static_cast<ValueId>(i));
                !value.erased && value.constant() && value.enc && is_short_float(*value.enc))
                found.emplace(path + value.name, value.enc->storage);
    });
    return found;
}

// Parts of a node that is spelled out are called NAME/PART.
std::string rule_name_of(const std::string& key, const std::set<std::string>& nameable) {
    if (nameable.contains(key)) return key;
    const std::string whole = key.substr(0, std::min(key.rfind('/'), key.size()));
    return nameable.contains(whole) ? whole : "";
}

// What those files say by FULLY_CONNECTED is computed by its rounding here, too.
void make_products(Graph& graph) {
    for_each_graph(graph, [](Graph& part, const std::string&) { make_gemms(part, Products::on_codes); });
    infer_types(graph);
}

// Encodings of training or of a file need no ranges.
void check_ranges(const Graph& graph, const Ranges* ranges, const QuantWork& work, bool measured_here) {
    const bool by_rule = work.request.rules && work.request.rules->need_ranges();
    if (ranges || measured_here || (!work.request.scheme->full() && !by_rule)) return;
    if (has_codes(graph) || has_scales(work.overrides)) return;
    throw usage_error("{} needs ranges",
                      work.request.scheme->full() ? fmt::format("type {}", work.request.scheme->name) : "the type of a rule")
        .with_hint("give --ranges FILE from minmax-collect");
}

// The greatest number of a value that an operator reads or makes; nullopt: not known.
std::optional<std::pair<std::string, double>> greatest_at(const Graph& graph, const Node& node, const std::string& path,
                                                          const Ranges& ranges) {
    std::optional<std::pair<std::string, double>> out;
    for (const auto& ids : {std::vector<ValueId>(node.in.begin(), node.in.end()), std::vector<ValueId>(node.out.begin(), node.out.end())})
        for (const ValueId id : ids) {
            if (id == ValueId::none) continue;
            const std::string& name = graph.value(id).name;
            const auto found = ranges.values.find(path + name);
            if (found == ranges.values.end()) continue;
            const double max = std::max(std::fabs(found->second.min), std::fabs(found->second.max));
            if (!out || max > out->second) out.emplace(name, max);
        }
    return out;
}

// Float operators whose numbers are infinite in the floats of the runtime, as sentences.
std::vector<std::string> overflowing(const Graph& graph, const Ranges& ranges, const QuantReport& report, double greatest) {
    std::set<std::string> floats;
    for (const NodeReport& node : report.nodes)
        if (!node.quantized) floats.insert(node.key);
    std::vector<std::string> out;
    for_each_graph(graph, [&](const Graph& part, const std::string& path) {
        for (const NodeId id : part.order()) {
            const Node& node = part.node(id);
            if (!floats.contains(path + node.name)) continue;
            const auto found = greatest_at(part, node, path, ranges);
            if (found && found->second > greatest)
                out.push_back(fmt::format("{}{} ({}): \"{}\" reaches {:.6g}", path, node.name, node.op->name, found->first, found->second));
        }
    });
    return out;
}

// The ranges that were given, until they are changed, measured anew, or get those of parts: then a copy of them.
class RangesInUse {
   public:
    explicit RangesInUse(const Ranges* given) : given_(given) {}
    const Ranges* get() const { return own_ ? &*own_ : given_; }
    std::optional<Ranges>& own() {
        if (given_) own_ = *given_;
        given_ = nullptr;
        return own_;
    }

   private:
    const Ranges* given_;
    std::optional<Ranges> own_;
};

// What changes weights, ranges and the graph before it is quantized.
std::vector<AlgorithmReport> run_first(Model& model, RangesInUse& ranges, QuantWork& work, const AlgorithmChoice& choice,
                                       AlgorithmOptions& algorithms, ThreadPool& pool) {
    std::vector<AlgorithmReport> reports;
    const bool measures = algorithms.feed && !ranges.get();
    if (choice.any() || measures) reports = run_before(model.graph, ranges.own(), model.lineage.text(), work, algorithms, pool);
    if (recipe_of(*work.request.scheme, work).wholes) join_wholes(model.graph, ranges.get() ? &*ranges.own() : nullptr, work);
    if (ranges.get() && needs_spelling(work)) spell_for_runtime(model.graph, *ranges.own(), work);
    if (ranges.get() && choice.any())
        std::ranges::move(run_between(model.graph, *ranges.own(), work, algorithms, pool), std::back_inserter(reports));
    return reports;
}

}  // namespace

std::optional<Ranges> ranges_for(const Model& model, const std::string& path, bool force) {
    const auto embedded = model.facts.find("ranges");
    if (path.empty() && embedded == model.facts.end()) return std::nullopt;
    const std::string place = path.empty() ? "embedded ranges" : display_name(path);
    const Bytes bytes = path.empty() ? Bytes() : map_input(path);
    Ranges ranges = at_place(place, [&] { return parse_ranges(path.empty() ? std::string_view(embedded->second) : bytes.text()); });
    if (!force && !ranges.lineage.empty() && ranges.lineage != model.lineage.text())
        throw bad_input("measured on another model (lineage {}, this one is {})", ranges.lineage, model.lineage.text())
            .with_hint("--force takes them all the same")
            .at(place);
    return ranges;
}

DType widen_for_codes(Graph& graph, const QuantRequest& request) {
    const DType found = asks_for_codes(request) ? computed_in_half(graph) : DType::none;
    if (found == DType::none || to_float32.run(graph) == 0) return DType::none;
    infer_types(graph);
    return found;
}

void prepare_graph(Graph& graph, const QuantWork& work) {
    if (work.request.rules) work.request.rules->look_into(graph);  // before passes take nodes into others
    widen_for_codes(graph, work.request);
    run_pipeline(graph, pipelines::quantizer);
    if (!work.request.scheme) return;
    if (to_tflite(work) && absorb_factors(graph) > 0) infer_types(graph);
    if (!work.request.scheme->full()) {
        if (!to_tflite(work)) return;
        split_recurrent(graph);
        unroll_recurrent_where(graph, needs_steps);  // steps are products with weights, which TFLite has
        return;
    }
    const int expanded =
        expand_attention_where(graph, [&](const Node& node, const std::string& path) { return !kept_from_codes(node, path, work); });
    if (expanded == 0) return;
    infer_types(graph);
    run_pipeline(graph, pipelines::expanded);
}

QuantReport quantize_model(Model& model, const Ranges* ranges, const QuantRequest& request, ThreadPool& pool,
                           const std::string& overrides_place, AlgorithmOptions algorithms) {
    const AlgorithmChoice choice(algorithms.chosen, request.rules);
    check_samples(choice, algorithms.feed);
    const std::vector<std::string> names = request.overrides ? value_keys(model.graph) : std::vector<std::string>();
    QuantWork work(request, model.graph);
    check_types(work);
    if (request.rules) work.fused = rule_names(model.graph);
    if (choice.any()) algorithms.normals = normals_of(model.graph);
    work.short_floats = short_floats_of(model.graph);
    prepare_graph(model.graph, work);
    const std::set<std::string> nameable = request.measured ? node_keys(model.graph) : std::set<std::string>();
    check_ranges(model.graph, ranges, work, algorithms.feed != nullptr);
    RangesInUse in_use(ranges);
    std::vector<AlgorithmReport> reports = run_first(model, in_use, work, choice, algorithms, pool);
    const Graph reference = choice.any() ? model.graph : Graph();
    std::optional<Overrides> overrides;
    if (request.overrides) overrides = named_as_in(*request.overrides, all_names(names, model.graph));
    work.overrides = overrides ? &*overrides : nullptr;
    QuantReport report = quantize_graph(model.graph, in_use.get(), work, pool);
    if (const double greatest = recipe_of(*request.scheme, work).greatest_float; greatest > 0 && in_use.get())
        report.overflowing = overflowing(model.graph, *in_use.get(), report, greatest);
    for (NodeReport& node : report.nodes) node.rule_name = rule_name_of(node.key, nameable);
    report.algorithms = std::move(reports);
    std::ranges::move(run_after(reference, model.graph, work, algorithms, pool), std::back_inserter(report.algorithms));
    if (needs_spelling(work) || recipe_of(*request.scheme, work).gemms) make_products(model.graph);
    keep_apart(model.graph, report, work);
    if (overrides) check_names(work, all_names(names, model.graph), overrides_place, report);
    if (request.scheme->recipe == "nnpa" && own_profile_name(model.graph).empty()) model.graph.metadata[profile_key] = "nnpa";
    if (const Recipe& recipe = recipe_of(*request.scheme, work); request.scheme->full() && recipe.name != "onnx")
        model.graph.metadata[rules_key] = recipe.name;
    report.lineage = model.lineage.text();
    model.facts.erase("ranges");
    verify(model.graph);
    return report;
}

}  // namespace quern
