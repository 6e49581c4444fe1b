// Weights, biases and dynamic inputs of quantized nodes.
#include <algorithm>
#include <tuple>

#include "libcore/base/text.h"
#include "libcore/graph/op_ids.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/os/spool.h"
#include "libcore/quant/assign/assign.h"
#include "libcore/quant/assign/measure_weight.h"
#include "libcore/quant/plan/recurrent.h"
#include "libcore/support/runtime.h"

namespace quern {
namespace {

bool one(const Node& node, std::string_view attribute) { return NodeView(node).real(attribute) == 1.0f; }

class JobMaker {
   public:
    JobMaker(Graph& graph, const std::string& path, const GraphPlan& plan, const QuantWork& work, std::vector<WeightJob>& jobs)
        : graph_(graph), path_(path), plan_(plan), work_(work), jobs_(jobs), first_(jobs.size()) {}

    void run() {
        for (const NodeId id : graph_.order())
            for (const size_t at : weights_of(id)) wanted_[graph_.node(id).in[at]].push_back(spec_for(id, at));
        uses_ = graph_.all_uses();
        for (const NodeId id : graph_.order())
            for (const size_t at : weights_of(id)) add(id, at);
    }

   private:
    // Those of LSTMs on codes are not chosen here (recurrent.h), nor are tables that are moved on the grid of activations.
    std::vector<size_t> weights_of(NodeId id) const {
        if (!plan_.quantized(id) || plan_.nodes.at(id).scheme->weight == DType::f32) return {};
        const bool own = weight_input(graph_, graph_.node(id)) >= 0;
        if (!own && plan_.nodes.at(id).scheme->full()) return {};
        return weight_inputs(graph_, graph_.node(id));
    }

    WeightSpec spec_of(NodeId id, size_t at) const {
        const Node& node = graph_.node(id);
        const Scheme& scheme = *plan_.nodes.at(id).scheme;
        const Value& weight = graph_.value(node.in[at]);
        const size_t rank = weight.type.shape.rank();
        WeightSpec spec{.storage = scheme.weight, .symmetric = scheme.weight_symmetric};
        const Recipe& recipe = recipe_of(scheme, work_);
        choose_method(spec, plan_.nodes.at(id), recipe);
        const GridSpec grid = weight_spec(scheme, work_);
        spec.least_scale = grid.min_scale;
        spec.half_away = grid.half_away;
        if (const auto wanted = override_of(work_.overrides, path_ + weight.name, scheme.weight); wanted && wanted->scale.empty()) {
            spec.storage = wanted->storage;
            spec.symmetric = wanted->symmetric || spec.symmetric;
        }
        if (!is_scaled(spec.storage)) return spec;
        const bool readable = scheme.full() || recipe.runtime.empty() || spec.storage != DType::i16 ||
                              support::takes_form(support::runtime_named(recipe.runtime), "DEQUANTIZE", "int16[c] -> float32");
        // Hybrid kernels of recurrent operators have a matrix for each gate; weights alone are made real before.
        const bool hybrid = is_hybrid_recurrent(node, recipe);
        if (has_channel_scales(node, scheme, work_) && readable &&
            (scheme.blocks || hybrid || recipe.has_channels(*node.op, spec.symmetric)))
            spec.axis =
                one_scale_for_stack(node, scheme, rank) || one_scale_for_product(node, scheme, recipe) ? -1 : weight_axis_of(node, rank);
        if (spec.axis >= 0 && hybrid && scheme.activations == Scheme::Activations::dynamic) spec.gates = gates_of(graph_, node);
        put_in_blocks(spec, node, *weight.type.shape.concrete(), scheme, work_);
        return spec;
    }

    // A table that is a product's weight, too, is coded as the product wants it: one constant for both.
    const WeightSpec& spec_for(NodeId id, size_t at) {
        const auto [known, made] = specs_.try_emplace({id, at});
        if (!made) return known->second;
        known->second = spec_of(id, at);
        if (!is_table(graph_, graph_.node(id))) return known->second;
        for (const Use& use : graph_.uses(graph_.node(id).in[at])) {
            if (use.node == NodeId::none || !plan_.quantized(use.node) || weight_input(graph_, graph_.node(use.node)) != use.index)
                continue;
            const WeightSpec wanted = spec_of(use.node, static_cast<size_t>(use.index));
            if (wanted.storage == known->second.storage) known->second = wanted;
        }
        return known->second;
    }

    // Of a rule, or what goes with the method of the activations.
    void choose_method(WeightSpec& spec, const NodePlan& plan, const Recipe& recipe) const {
        const Method* method = plan.weight_method;
        spec.clip = method ? method == &default_method() : plan.search.method->clips && !recipe.by_runs;
        if (!method || method == &default_method() || method == &whole_range()) return;
        spec.method = method;
        spec.percentile = plan.search.percentile;
    }

    // onnxruntime's kernel for uint8 data takes a stack of matrices with one scale only, and is chosen for any.
    static bool one_scale_for_stack(const Node& node, const Scheme& scheme, size_t rank) {
        return node.is(ops::MatMul) && rank > 2 && scheme.activation == DType::u8 && scheme.full();
    }

    // Gemm and MatMul become products of this kind, whose kernel may take one scale only.
    bool one_scale_for_product(const Node& node, const Scheme& scheme, const Recipe& recipe) const {
        const std::string_view reader = (work_.for_products_runtime ? recipe_named("one") : recipe).products_runtime;
        if (reader.empty() || !node.is(ops::Gemm, ops::MatMul) || (!scheme.full() && !work_.for_products_runtime)) return false;
        const DType data = scheme.full() ? scheme.activation : DType::f32;
        return support::takes_one_scale(support::runtime_named(reader), "FULLY_CONNECTED", name_of(data), name_of(scheme.weight));
    }

    void add(NodeId id, size_t at) {
        const ValueId source = graph_.node(id).in[at];
        if (graph_.value(source).enc) return add_bias_of_coded(id, source);  // quantized by whoever made the model
        if (const auto wanted = override_of(work_.overrides, path_ + graph_.value(source).name, DType::none);
            wanted && wanted->storage == DType::f32)
            return;
        const WeightSpec spec = spec_for(id, at);
        WeightJob& job = job_for(source, spec, id);
        job.input_offset = std::max(job.input_offset, plan_.nodes.at(id).input_offset);
        job.least_scale = std::max(job.least_scale, least_scale_of(id, *job.recipe));
        graph_.node(id).in[at] = job.weight;
        if (!plan_.nodes.at(id).scheme->full() || is_float(spec.storage) || spec.block) return;
        add_bias(id, job);
    }

    // By the scales of what the product reads and of what its unit makes; 0: any will do.
    double least_scale_of(NodeId id, const Recipe& recipe) const {
        if (recipe.least_ratio <= 0) return 0;
        const auto scale_of = [&](ValueId value) {
            const auto& e = graph_.value(value).enc;
            return e && e->plain_integer() ? static_cast<double>(to_floats(e->scale)[0]) : 0;
        };
        const auto is_read_once = [&](ValueId value) {
            const auto& uses = uses_[index_of(value)];
            return !graph_.value(value).enc && uses.size() == 1 && uses[0].node != NodeId::none;
        };
        ValueId made = graph_.node(id).out[0];  // a recurrent operator may not have it
        while (made != ValueId::none && is_read_once(made)) made = graph_.node(uses_[index_of(made)][0].node).out[0];
        const double input = scale_of(graph_.node(id).in[0]);
        return made != ValueId::none && input > 0 ? recipe.least_ratio * scale_of(made) / input : 0;
    }

    // A model that was trained with fake quantization has codes for weights and numbers for biases.
    void add_bias_of_coded(NodeId id, ValueId weight) {
        const Encoding& e = *graph_.value(weight).enc;
        const bool plain = e.is_fixed() && !e.format && !e.min.defined() && e.block == 0 && is_integer(e.storage) && e.symmetric();
        const NodePlan& plan = plan_.nodes.at(id);
        if (!plain || !plan.scheme->full()) return;
        WeightSpec spec{.storage = e.storage, .axis = e.axis};
        WeightJob job{&graph_, weight, path_ + graph_.value(weight).name, plan.rule, spec, {}};
        job.recipe = &recipe_of(*plan.scheme, work_);
        job.coded = true;
        add_bias(id, job);
        if (job.biases.empty()) return;
        job.wide = bits_of(job.biases.front().input.storage) == 16;
        sources_.push_back(weight);
        jobs_.push_back(std::move(job));
    }

    WeightJob& job_for(ValueId source, const WeightSpec& spec, NodeId id) {
        for (size_t i = first_; i < jobs_.size(); ++i)
            if (sources_[i - first_] == source && !jobs_[i].coded && jobs_[i].spec == spec) return jobs_[i];
        const auto& specs = wanted_[source];
        const bool in_place = uses_[index_of(source)].size() == specs.size() &&
                              std::all_of(specs.begin(), specs.end(), [&](const WeightSpec& other) { return other == spec; });
        const ValueId weight = in_place ? source : copy(source);
        sources_.push_back(source);
        jobs_.push_back({&graph_,
                         weight,
                         path_ + graph_.value(source).name,
                         plan_.nodes.at(id).rule,
                         spec,
                         {},
                         weight_axis_of(graph_.node(id), graph_.value(source).type.shape.rank()),
                         &recipe_of(*plan_.nodes.at(id).scheme, work_),
                         bits_of(plan_.nodes.at(id).scheme->activation) == 16});
        return jobs_.back();
    }

    ValueId copy(ValueId source) { return graph_.add_constant(graph_.value(source).name + "_quantized", *graph_.constant(source)); }

    void add_bias(NodeId id, WeightJob& job) {
        const auto& input = graph_.value(graph_.node(id).in[0]).enc;
        if (!input || !input->is_fixed() || !input->per_tensor() || !is_integer(input->storage)) return;
        const auto [reader, at] = bias_of(id);
        if (reader == NodeId::none) return;
        ValueId bias = graph_.node(reader).in[at];
        if (graph_.value(bias).enc || graph_.value(bias).type.dtype != DType::f32) return;
        const auto dims = graph_.value(job.weight).type.shape.concrete(), bias_dims = graph_.value(bias).type.shape.concrete();
        const int axis = weight_axis_of(graph_.node(id), dims->size());
        if (axis < 0 && job.spec.axis >= 0) return;
        const int64_t channels = axis >= 0 ? (*dims)[static_cast<size_t>(axis)] : count_of(*bias_dims);
        if (bias_dims->empty() || count_of(*bias_dims) != channels || bias_dims->back() != channels) return;
        const std::string key = path_ + graph_.value(bias).name;
        if (const auto wanted = override_of(work_.overrides, key, DType::i32); wanted && is_float(wanted->storage)) return;
        if (graph_.uses(bias).size() > 1) graph_.node(reader).in[at] = bias = copy(bias);
        job.biases.push_back({bias, key, to_floats(input->scale).at(0), *input, plan_.nodes.at(id).scheme->bias_bits == 8});
    }

    // The node and input that hold the bias of an anchor: its own, or the Add that its unit goes on with.
    std::pair<NodeId, size_t> bias_of(NodeId id) const {
        const Node& node = graph_.node(id);
        if (const int own = node.op->quant.bias; own >= 0) {
            const auto at = static_cast<size_t>(own);
            if (at >= node.in.size() || node.in[at] == ValueId::none || !graph_.value(node.in[at]).constant()) return {NodeId::none, 0};
            if (node.is(ops::Gemm) && (!one(node, "alpha") || !one(node, "beta"))) return {NodeId::none, 0};
            return {id, at};
        }
        if (!plan_.inner[index_of(node.out[0])]) return {NodeId::none, 0};
        const auto& uses = uses_[index_of(node.out[0])];
        const Node& add = graph_.node(uses.at(0).node);
        const size_t at = add.in[0] == node.out[0] ? 1 : 0;
        if (!add.is(ops::Add) || !graph_.value(add.in[at]).constant()) return {NodeId::none, 0};
        return {uses[0].node, at};
    }

    Graph& graph_;
    const std::string& path_;
    const GraphPlan& plan_;
    const QuantWork& work_;
    std::vector<WeightJob>& jobs_;
    size_t first_;
    std::vector<ValueId> sources_;
    std::map<ValueId, std::vector<WeightSpec>> wanted_;
    std::map<std::pair<NodeId, size_t>, WeightSpec> specs_;
    std::vector<std::vector<Use>> uses_;
};

ValueReport constant_report(const std::string& key, const char* role, const WeightJob& job, const Encoding& encoding) {
    ValueReport report;
    report.key = key;
    report.role = role;
    report.rule = job.rule;
    report.method = whole_range().name;
    if (role == std::string_view("weight") && job.spec.clip) report.method = default_method().name;
    if (role == std::string_view("weight") && job.spec.method) report.method = job.spec.method->name;
    report.encoding = encoding;
    return report;
}

// The encoding that an overrides file gives to a bias; else it follows from the weight's.
std::optional<Encoding> pinned_bias(const WeightJob::Bias& bias, const QuantWork& work, const Dims& dims) {
    const auto wanted = override_of(work.overrides, bias.key, DType::i32);
    if (!wanted) return std::nullopt;
    if (!wanted->scale.empty()) return override_encoding(*wanted, dims, static_cast<int>(dims.size()) - 1, bias.key);
    if (wanted->storage == DType::i32) return std::nullopt;
    throw unsupported("bias \"{}\": {} without a scale, need int32", escape(bias.key), name_of(wanted->storage));
}

// Of a bias with a scale of its own.
Encoding narrow_encoding(const Tensor& bias) { return weight_encoding(bias, {.storage = DType::i8, .clip = false}); }

void code_bias(const WeightJob& job, const WeightJob::Bias& bias, const Encoding& encoding, std::vector<ValueReport>& reports) {
    Value& value = job.graph->value(bias.id);
    value.data = constant_codes(*job.graph->constant(bias.id), encoding, *job.recipe).data;
    value.enc = encoding;
    reports.push_back(constant_report(bias.key, "bias", job, encoding));
}

// Biases beside weights whose scales are given: those that would overflow stay float.
std::vector<ValueReport> run_coded(const WeightJob& job, const QuantWork& work) {
    std::vector<ValueReport> reports;
    for (const WeightJob::Bias& bias : job.biases) {
        const Tensor numbers = *job.graph->constant(bias.id);
        auto pinned = pinned_bias(bias, work, numbers.dims);
        if (!pinned && bias.narrow) {
            code_bias(job, bias, narrow_encoding(numbers), reports);
            continue;
        }
        const BiasEncoding found = bias_encoding(numbers, bias.input_scale, *job.graph->value(job.weight).enc, job.bias_storage());
        if (!pinned && !found.enlarged.empty()) continue;
        code_bias(job, bias, pinned ? *pinned : found.bias, reports);
        if (pinned) reports.back().method = "override";
    }
    return reports;
}

// Of channels whose bias would overflow the scales grow; these channels.
std::vector<size_t> enlarge_for_biases(const WeightJob& job, const QuantWork& work, const Tensor& real, Encoding& encoding) {
    std::vector<size_t> enlarged;
    if (encoding.block != 0 || is_float(encoding.storage)) return enlarged;
    for (const WeightJob::Bias& bias : job.biases) {
        const Tensor numbers = *job.graph->constant(bias.id);
        if (bias.narrow || pinned_bias(bias, work, numbers.dims)) continue;
        const BiasEncoding found =
            bias_encoding(numbers, bias.input_scale, encoding, job.bias_storage(), sum_bound(real, encoding, bias.input));
        encoding.scale = found.weight.scale;
        enlarged.insert(enlarged.end(), found.enlarged.begin(), found.enlarged.end());
    }
    return enlarged;
}

// Scales that are not less than the runtime's least; how many have grown.
size_t enlarge_for_runtime(const WeightJob& job, Encoding& encoding) {
    if (job.least_scale <= 0 || encoding.block != 0 || is_float(encoding.storage)) return 0;
    std::vector<float> scales = to_floats(encoding.scale);
    const auto least = static_cast<float>(job.least_scale);
    const auto grown = static_cast<size_t>(std::ranges::count_if(scales, [&](float scale) { return scale < least; }));
    for (float& scale : scales) scale = std::max(scale, least);
    if (grown > 0) encoding.scale = Tensor::make<float>(encoding.scale.dims, scales);
    return grown;
}

void code_biases(const WeightJob& job, const QuantWork& work, const Encoding& weight, std::vector<ValueReport>& reports) {
    for (const WeightJob::Bias& bias : job.biases) {
        const Tensor numbers = *job.graph->constant(bias.id);
        const auto pinned = pinned_bias(bias, work, numbers.dims);
        const Encoding own = pinned        ? *pinned
                             : bias.narrow ? narrow_encoding(numbers)
                                           : bias_encoding(numbers, bias.input_scale, weight, job.bias_storage()).bias;
        code_bias(job, bias, own, reports);
        if (pinned) reports.back().method = "override";
    }
}

void code_weight(WeightJob& job, const QuantWork& work, const Tensor& real, Spool& spool, std::vector<ValueReport>& reports) {
    const auto wanted = override_of(work.overrides, job.key, job.spec.storage);
    const bool pinned = wanted && !wanted->scale.empty();
    Encoding encoding =
        pinned ? override_encoding(*wanted, real.dims, job.channel_axis, job.key) : weight_encoding(real, job.spec, job.input_offset);
    const std::vector<size_t> enlarged = enlarge_for_biases(job, work, real, encoding);
    const size_t grown = pinned ? 0 : enlarge_for_runtime(job, encoding);
    Tensor codes = constant_codes(real, encoding, *job.recipe);
    ValueReport report = constant_report(job.key, "weight", job, encoding);
    if (pinned) report.method = "override";
    work.measured ? measure_weight(report, real, codes) : measure_few_bits(report, real, codes);
    if (!enlarged.empty())
        report.note = fmt::format("scale of {} channel{} enlarged: an {} bias would have overflowed", enlarged.size(),
                                  enlarged.size() > 1 ? "s" : "", name_of(job.bias_storage()));
    if (grown > 0)
        report.note = fmt::format("{}{}scale of {} channel{} enlarged: sums by less are 0 to {}", report.note,
                                  report.note.empty() ? "" : "; ", grown, grown > 1 ? "s" : "", job.recipe->doc);
    reports.push_back(std::move(report));
    Value& value = job.graph->value(job.weight);
    value.data = spool.put(std::move(codes.data));
    value.enc = encoding;
    code_biases(job, work, encoding, reports);
}

// The codes of one weight and its biases; the reports of both.
std::vector<ValueReport> run_job(WeightJob& job, const QuantWork& work, Spool& spool) {
    if (job.coded) return run_coded(job, work);
    const Tensor real = *job.graph->constant(job.weight);
    std::vector<ValueReport> reports;
    at_place(fmt::format("weight \"{}\"", escape(job.key)), [&] { code_weight(job, work, real, spool, reports); });
    real.data.release();
    return reports;
}

}  // namespace

bool has_channel_scales(const Node& node, const Scheme& scheme, const QuantWork& work) {
    return (node.is(ops::MatMul, ops::Gemm) ? scheme.per_row : scheme.per_channel) && !work.request.per_tensor;
}

void put_in_blocks(WeightSpec& spec, const Node& node, const Dims& dims, const Scheme& scheme, const QuantWork& work) {
    const int64_t block = scheme.block.value_or(work.block);
    const int axis = reduction_axis_of(node, dims.size());
    const bool whole = recipe_of(scheme, work).whole_blocks || work.for_products_runtime;
    if (!scheme.blocks || work.request.per_tensor || block <= 0 || axis < 0) return;
    if (whole && dims[static_cast<size_t>(axis)] % block != 0) return;
    spec.axis = axis;
    spec.block = block;
    spec.half_scales = work.half_scales;
    spec.two_level = scheme.two_level;
}

void add_weight_jobs(Graph& graph, const std::string& path, const GraphPlan& plan, const QuantWork& work, std::vector<WeightJob>& jobs) {
    JobMaker(graph, path, plan, work, jobs).run();
}

void assign_dynamic(Graph& graph, const GraphPlan& plan) {
    std::map<std::tuple<ValueId, DType, bool>, ValueId> made;
    for (const NodeId id : std::vector<NodeId>(graph.order())) {
        if (!plan.quantized(id) || plan.nodes.at(id).scheme->activations != Scheme::Activations::dynamic) continue;
        const Scheme& scheme = *plan.nodes.at(id).scheme;
        if (is_recurrent(graph.node(id)) && !scheme.activation_symmetric) graph.node(id).attrs[asymmetric_key] = int64_t{1};
        if (weight_input(graph, graph.node(id)) < 0) continue;  // a recurrent operator, which quantizes its data itself
        const ValueId source = graph.node(id).in[0];
        if (graph.value(source).enc) continue;
        const std::tuple kind{source, scheme.activation, scheme.activation_symmetric};
        auto found = made.find(kind);
        if (found == made.end()) {
            const std::string name = graph.value(source).name + "_dynamic";
            const ValueId value = graph.add_value(graph.unique_name(name), graph.value(source).type);
            Encoding encoding = make_encoding(scheme.activation, {}, {}, -1, scheme.activation_symmetric);
            encoding.kind = Encoding::Kind::dynamic;
            graph.value(value).enc = encoding;
            graph.add_node(find_op("Recode", "quern"), graph.unique_node_name(name + "_Recode"), {source}, {value}, {}, id);
            found = made.emplace(kind, value).first;
        }
        graph.node(id).in[0] = found->second;
    }
}

void run_weight_jobs(std::vector<WeightJob>& jobs, const QuantWork& work, QuantReport& report, ThreadPool& pool) {
    Spool spool;
    std::vector<std::vector<ValueReport>> reports(jobs.size());
    pool.run(jobs.size(), [&](size_t i) { reports[i] = run_job(jobs[i], work, spool); });
    for (auto& list : reports)
        for (ValueReport& entry : list) report.values.push_back(std::move(entry));
}

}  // namespace quern
