#include "libcore/check/evaluate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>

#include "formats/samples/results.h"
#include "libcore/base/text.h"
#include "libcore/check/input_scale.h"
#include "libcore/check/probe_parts.h"
#include "libcore/exec/meaning.h"
#include "libcore/graph/quantize.h"
#include "libcore/runs/runner.h"

namespace quern {
namespace {

size_t argmax(std::span<const float> scores) {
    size_t best = 0;
    for (size_t i = 1; i < scores.size(); ++i)
        if (scores[i] > scores[best] || std::isnan(scores[best])) best = i;
    return best;
}

const Tensor* tokens_of(const std::vector<Tensor>& inputs) {
    const auto found = std::ranges::find_if(inputs, [](const Tensor& t) { return is_integer(t.dtype); });
    return found == inputs.end() ? nullptr : &*found;
}

// Samples in another order of inputs.
class Reordered : public SampleSource {
   public:
    Reordered(const SampleSource& source, std::vector<size_t> order) : source_(source), order_(std::move(order)) {}
    uint64_t count() const override { return source_.count(); }
    std::vector<Tensor> sample(uint64_t i) const override {
        const std::vector<Tensor> all = source_.sample(i);
        std::vector<Tensor> out;
        for (const size_t k : order_) out.push_back(all[k]);
        return out;
    }
    std::string place(uint64_t i) const override { return source_.place(i); }
    uint64_t index(uint64_t i) const override { return source_.index(i); }
    uint64_t results(uint64_t i) const override { return source_.results(i); }
    uint64_t batch(uint64_t i) const override { return source_.batch(i); }
    std::string digest() const override { return source_.digest(); }

   private:
    const SampleSource& source_;
    std::vector<size_t> order_;
};

// Are these the numbers that were rounded? Those of another layout, or scaled by channel, differ by more than there is.
bool is_rounded_of(const Tensor& codes, const Encoding& encoding, const Tensor& numbers) {
    if (codes.dims != numbers.dims) return false;
    const std::vector<float> rounded = to_floats(dequantize(codes, encoding)), exact = to_floats(numbers);
    double signal = 0, noise = 0;
    for (size_t i = 0; i < exact.size(); ++i) {
        const double number = static_cast<double>(exact[i]), error = static_cast<double>(rounded[i]) - number;
        signal += number * number;
        noise += error * error;
    }
    return noise <= signal;
}

// A quantized constant of `graph` as the float model has it; nothing if that is not known.
std::optional<Tensor> number_of(const Graph& exact, const Graph& graph, ValueId id) {
    const Value& constant = graph.value(id);
    const ValueId own = exact.find(constant.name);
    const auto tensor = own == ValueId::none ? std::nullopt : exact.constant(own);
    if (!tensor || exact.value(own).enc || !is_float(tensor->dtype)) return std::nullopt;
    return is_rounded_of(*graph.constant(id), *constant.enc, *tensor) ? tensor : std::nullopt;
}

void give_numbers(const Graph& exact, Graph& graph, NodeId id) {
    for (size_t i = 0; i < graph.node(id).in.size(); ++i) {
        const ValueId read = graph.node(id).in[i];
        if (read == ValueId::none || !graph.value(read).constant() || !graph.value(read).enc) continue;
        if (const auto tensor = number_of(exact, graph, read)) graph.node(id).in[i] = graph.add_constant(graph.value(read).name, *tensor);
    }
}

// Of a body all or nothing, as of the node that holds it.
void keep_codes(const Graph& exact, Graph& graph, const KeptCodes& kept) {
    for (const NodeId id : graph.order())
        if (!kept.weights(graph.node(id))) give_numbers(exact, graph, id);
    for (size_t i = 0; i < graph.value_count(); ++i) {
        Value& value = graph.value(static_cast<ValueId>(i));
        if (!value.erased && !value.constant() && !kept.values(value.name)) value.enc.reset();
    }
    for (const NodeId id : graph.order()) {
        Node& node = graph.node(id);
        const NodeId own = exact.find_node(node.name);
        if (node.bodies.empty() || own == NodeId::none || exact.node(own).bodies.size() != node.bodies.size()) continue;
        const bool weights = kept.weights(node);
        const bool values = !node.out.empty() && node.out[0] != ValueId::none && kept.values(graph.value(node.out[0]).name);
        for (size_t b = 0; b < node.bodies.size(); ++b) {
            Graph& body = node.bodies[b];
            std::map<std::string, bool> captured;
            for (const Graph::Capture& capture : body.captures)
                captured[body.value(capture.inner).name] = kept.values(graph.value(capture.outer).name);
            const KeptCodes inside{[=](const Node&) { return weights; },
                                   [&](const std::string& name) { return captured.contains(name) ? captured.at(name) : values; }};
            keep_codes(exact.node(own).bodies[b], body, inside);
        }
    }
}

}  // namespace

double top1_percent(const Score& score) {
    return score.scored > 0 ? 100.0 * static_cast<double>(score.top1) / static_cast<double>(score.scored) : 0;
}

std::string scores_text(const Evaluation& e) {
    std::vector<std::string> texts;
    if (e.exact && e.quantized)
        texts.push_back(fmt::format("top-1 {:.2f} % (float {:.2f} %)", top1_percent(*e.quantized), top1_percent(*e.exact)));
    if (e.compared > 0) texts.push_back(fmt::format("agreement {:.2f} % ({} of {})", e.agreement(), e.agreeing, e.compared));
    return join(texts, ", ");
}

const ComparedValue* Evaluation::worst() const {
    const auto found = std::ranges::min_element(outputs, {}, [](const ComparedValue& value) { return value.difference.sqnr(); });
    return found == outputs.end() ? nullptr : &*found;
}

double Evaluation::worst_db() const { return worst() ? worst()->difference.sqnr() : std::numeric_limits<double>::infinity(); }

double Evaluation::drop_points() const { return exact && quantized ? top1_percent(*exact) - top1_percent(*quantized) : 0; }

std::vector<std::string> Goal::missed(const Evaluation& evaluation) const {
    std::vector<std::string> lines;
    for (const ComparedValue& value : evaluation.outputs)
        if (const double db = value.difference.sqnr(); min_sqnr_db && !(db >= *min_sqnr_db))
            lines.push_back(fmt::format("output \"{}\" has {}, wanted at least {:g} dB", escape(value.key), figure_text(value.difference),
                                        *min_sqnr_db));
    if (max_drop_points && evaluation.drop_points() > *max_drop_points + 1e-9)
        lines.push_back(fmt::format("top-1 falls by {:.2f} points, wanted at most {:g}", evaluation.drop_points(), *max_drop_points));
    if (min_agreement && evaluation.compared == 0)
        lines.push_back("agreement is not known: the output with the scores is not [batch, classes]");
    if (min_agreement && evaluation.agreement() < *min_agreement - 1e-9)
        lines.push_back(fmt::format("agreement is {:.2f} %, wanted at least {:g} %", evaluation.agreement(), *min_agreement));
    const double metric = evaluation.metric ? evaluation.metric->quantized : std::nan("");
    if (min_metric && !(metric >= *min_metric))
        lines.push_back(fmt::format("the metric is {}, wanted at least {:g}", number_text(metric), *min_metric));
    if (max_metric && !(metric <= *max_metric))
        lines.push_back(fmt::format("the metric is {}, wanted at most {:g}", number_text(metric), *max_metric));
    const double drop = evaluation.metric ? evaluation.metric->drop_percent() : std::nan("");
    if (max_metric_drop && !(drop <= *max_metric_drop + 1e-9))
        lines.push_back(fmt::format("the metric falls by {} %, wanted at most {:g} %", number_text(drop), *max_metric_drop));
    return lines;
}

double Goal::metric_missed_by(const Evaluation& evaluation) const {
    if (!of_metric()) return 0;
    if (!evaluation.metric || !std::isfinite(evaluation.metric->quantized)) return std::numeric_limits<double>::infinity();
    const double metric = evaluation.metric->quantized, drop = evaluation.metric->drop_percent();
    double by = 0;
    if (min_metric) by = std::max(by, *min_metric - metric);
    if (max_metric) by = std::max(by, metric - *max_metric);
    if (max_metric_drop) by = std::max(by, drop - *max_metric_drop);
    return by;
}

Evaluator::Evaluator(const Graph& exact, const SampleSource& source, const EvaluateOptions& options)
    : exact_(exact), source_(source), options_(options), metric_(options.metric ? options.metric() : nullptr), pool_(options.threads) {
    if (options.labels) options.labels->check(source);
    if (options.scored.empty()) return;
    const auto found = std::ranges::find_if(exact.outputs, [&](ValueId id) { return exact.value(id).name == options.scored; });
    if (found == exact.outputs.end()) throw usage_error("--score-output: the model has no output \"{}\"", escape(options.scored));
    scored_ = static_cast<size_t>(found - exact.outputs.begin());
}

const std::vector<Tensor>& Evaluator::exact_outputs(uint64_t sample, const std::vector<Tensor>& inputs) {
    if (sample < kept_.size() && !kept_[sample].empty()) return kept_[sample];
    if (!session_) session_.emplace(Program::compile(exact_, {.mode = Mode::floating}), pool_);
    current_ = at_place("float model", [&] { return session_->run(inputs); });
    size_t bytes = 0;
    for (const Tensor& tensor : current_) bytes += tensor.data.size();
    if (kept_bytes_ + bytes > kept_limit) return current_;
    kept_bytes_ += bytes;
    if (kept_.size() <= sample) kept_.resize(sample + 1);
    return kept_[sample] = std::move(current_);
}

// Is it one set of scores, [batch, classes], or that as an image of one place?
static bool holds_classes(const Dims& dims) {
    const size_t classes = dims.size() > 1 ? 1 : 0;
    return !dims.empty() && dims[classes] != 1 &&
           std::ranges::all_of(dims.begin() + classes + 1, dims.end(), [](int64_t dim) { return dim == 1; });
}

void Evaluator::compare_classes(const Tensor& wanted, const Tensor& got, Evaluation& to) const {
    if (!options_.each_row && !holds_classes(wanted.dims)) return;
    const std::vector<float> a = to_floats(wanted), b = to_floats(got);
    const size_t length = options_.each_row && !wanted.dims.empty() ? static_cast<size_t>(wanted.dims.back()) : a.size();
    for (size_t at = 0; length > 0 && at + length <= std::min(a.size(), b.size()); at += length) {
        ++to.compared;
        to.agreeing += argmax(std::span(a).subspan(at, length)) == argmax(std::span(b).subspan(at, length));
    }
}

void Evaluator::compare_scores(const Tensor& wanted, const Tensor& got, const Asked& asked, Evaluation& to) const {
    if (is_float(wanted.dtype)) compare_classes(wanted, got, to);
    if (!options_.labels) return;
    options_.labels->add(*to.exact, asked.row, wanted, asked.tokens);
    options_.labels->add(*to.quantized, asked.row, got, asked.tokens);
}

namespace {

// A metric, if there is one, over the results of a model.
class Measured {
   public:
    Measured(Metric* metric, const std::string& name, size_t outputs) : metric_(metric) {
        if (!metric_) return;
        metric_->begin(name);
        exact_.resize(outputs);
        quantized_.resize(outputs);
    }
    // `output`: in the order of the float model's.
    void see(size_t output, const Tensor& exact, const Tensor& quantized) {
        if (!metric_) return;
        exact_[output] = exact;
        quantized_[output] = quantized;
    }
    void add(const Result& result, size_t scored) {
        if (metric_) metric_->add({result.number, result.row, exact_, quantized_, scored});
    }
    void finish(Evaluation& to) {
        if (metric_) to.metric = metric_->finish(to.exact, to.quantized);
    }

   private:
    Metric* metric_;
    std::vector<Tensor> exact_, quantized_;
};

}  // namespace

Evaluation Evaluator::evaluate(const Graph& quantized, std::optional<Mode> mode, const std::string& name) {
    const Graph graph = as_encoded(options_.as_read && !mode ? options_.as_read(quantized) : quantized);
    const std::vector<size_t> places = places_of(exact_, exact_.inputs, graph, graph.inputs, "input");
    const Reordered source(source_, places);
    InputScale scale(graph, places);
    const std::vector<size_t> outputs = places_of(exact_, exact_.outputs, graph, graph.outputs, "output");
    Evaluation all;
    for (const ValueId id : graph.outputs) all.outputs.push_back({graph.value(id).name, true, {}});
    for (size_t o = 0; o < outputs.size(); ++o) all.outputs[o].difference.layout = parts_of(exact_, exact_.outputs[outputs[o]]);
    if (options_.labels) all.exact.emplace(), all.quantized.emplace();
    const StatePlan states = plan_states(graph, false, {});
    const CompileOptions compile{.mode = mode ? *mode : own_mode(graph, options_.profile), .profile = options_.profile};
    RunSettings settings{.compile = compile, .threads = options_.threads};
    if (!mode) settings.mixed = options_.mixed;
    uint64_t sample = 0, part = 0;
    std::vector<Tensor> inputs;
    Measured measured(mode ? nullptr : metric_.get(), name, outputs.size());
    const auto consume = [&](const Result& result) {
        if (part == 0) scale.see(inputs = source_.sample(sample));
        const std::vector<Tensor>& exact = exact_outputs(sample, inputs);
        ++all.results;
        for (size_t o = 0; o < outputs.size(); ++o) {
            const Tensor wanted = part_of(exact[outputs[o]], part, source_.batch(sample));
            measured.see(outputs[o], wanted, result.outputs[o]);
            if (is_float(wanted.dtype) && is_float(result.outputs[o].dtype)) all.outputs[o].difference.add(wanted, result.outputs[o]);
            if (outputs[o] == scored_) compare_scores(wanted, result.outputs[o], {result.row, tokens_of(inputs)}, all);
        }
        measured.add(result, scored_);
        if (++part < source_.results(sample)) return;
        part = 0;
        ++sample;
    };
    run_samples(graph, source, states, settings, consume, options_.step);
    ++count_;
    measured.finish(all);
    all.contradictions = scale.contradictions();
    return all;
}

Graph partly_quantized(const Graph& exact, const Graph& quantized, const KeptCodes& kept) {
    Graph graph = quantized;
    keep_codes(exact, graph, kept);
    return graph;
}

std::vector<std::string> missing_constants(const Graph& exact, const Graph& quantized) {
    std::vector<std::string> names;
    for (size_t i = 0; i < quantized.value_count(); ++i) {
        const Value& value = quantized.value(static_cast<ValueId>(i));
        if (!value.erased && value.constant() && value.enc && !number_of(exact, quantized, static_cast<ValueId>(i)))
            names.push_back(value.name);
    }
    return names;
}

}  // namespace quern
