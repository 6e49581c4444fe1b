#include "tests/conformance/pairs.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "formats/format.h"
#include "libcore/exec/session.h"

namespace conformance {
namespace {

using quern::DType;
using quern::Graph;
using quern::Tensor;
using quern::ValueId;

// The numbers of a tensor in another type. Floats become whole numbers away from 0, positive for unsigned types.
Tensor converted(const Tensor& tensor, DType to) {
    auto numbers = to_doubles(tensor);
    if (is_float(tensor.dtype) && !is_float(to))
        for (double& x : numbers) {
            x = std::isfinite(x) ? std::clamp(std::round(x * 4), -100.0, 100.0) : 1;
            if (x == 0) x = 1;
            if (kind_of(to) == quern::NumberKind::unsigned_int) x = std::fabs(x);
            if (bits_of(to) < 8) x = x > 0 ? 1 : -1;
            if (to == DType::boolean) x = x > 0;
        }
    if (kind_of(to) != quern::NumberKind::complex) return from_doubles(to, tensor.dims, numbers);
    std::vector<double> pairs;  // real numbers as complex ones
    for (const double x : numbers) pairs.insert(pairs.end(), {x, 0});
    const DType part = to == DType::c64 ? DType::f32 : DType::f64;
    return {to, tensor.dims, from_doubles(part, {static_cast<int64_t>(pairs.size())}, pairs).data};
}

struct Variant {
    Graph graph;
    std::vector<Tensor> inputs;
};

// Which tensors follow input 0 to the new type: all of its type, or only itself.
Variant make_variant(const Graph& source, const std::vector<Tensor>& inputs, DType from, DType to, bool only_first) {
    Variant v{source, inputs};
    const quern::Node& node = v.graph.node(v.graph.order()[0]);
    const auto follows = [&](ValueId id) { return v.graph.value(id).type.dtype == from && (!only_first || id == node.in[0]); };
    for (size_t i = 0; i < v.graph.inputs.size(); ++i) {
        const ValueId id = v.graph.inputs[i];
        if (i >= v.inputs.size() || !follows(id)) continue;
        v.inputs[i] = converted(v.inputs[i], to);
        v.graph.value(id).type.dtype = to;
    }
    for (const ValueId id : node.in) {
        if (id == ValueId::none || !v.graph.value(id).constant() || !follows(id)) continue;
        v.graph.value(id).data = converted(*v.graph.constant(id), to).data;
        v.graph.value(id).type.dtype = to;
    }
    if (node.op->name == "BitCast") v.graph.node(v.graph.order()[0]).attrs["to"] = static_cast<int64_t>(quern::row_of(to).onnx);
    for (const ValueId id : node.out)
        if (id != ValueId::none) v.graph.value(id).type = {};
    return v;
}

std::vector<Tensor> run(const Graph& graph, const std::vector<Tensor>& inputs) {
    quern::ThreadPool pool(1);
    quern::Session session(quern::Program::compile(graph, {.reference = true}), pool);
    return session.run(inputs);
}

double tolerance_of(DType dtype) {
    switch (dtype) {
        case DType::f64: return 1e-4;
        case DType::f16: return 2e-2;
        case DType::bf16: return 1e-1;
        default: return -1;
    }
}

// Between float types the numbers must stay.
std::string compared(const std::vector<Tensor>& got, const std::vector<Tensor>& want, DType from, DType to) {
    if (from != DType::f32 || tolerance_of(to) < 0) return "";
    for (size_t i = 0; i < got.size() && i < want.size(); ++i) {
        if (got[i].dims != want[i].dims)
            return fmt::format("output {} is {}, need {}", i, quern::to_string(got[i].dims), quern::to_string(want[i].dims));
        if (got[i].dtype != to || want[i].dtype != from) continue;
        const auto a = to_doubles(got[i]), b = to_doubles(want[i]);
        double most = 1;
        for (const double x : b) most = std::isfinite(x) ? std::max(most, std::fabs(x)) : most;
        for (size_t k = 0; k < a.size(); ++k)
            if (std::isfinite(b[k]) && !(std::fabs(a[k] - b[k]) <= tolerance_of(to) * most))
                return fmt::format("output {}: element {} is {}, need {}", i, k, a[k], b[k]);
    }
    return "";
}

// "" if the pair runs in one of the variants.
std::string problem_of(const Graph& graph, const std::vector<Tensor>& inputs, DType from, DType to) {
    std::string problem;
    const auto want = run(graph, inputs);
    for (const bool only_first : {false, true}) {
        try {
            Variant v = make_variant(graph, inputs, from, to, only_first);
            infer_types(v.graph);
            problem = compared(run(v.graph, v.inputs), want, from, to);
        } catch (const quern::Error& error) {
            if (problem.empty()) problem = error.message();
            continue;
        }
        if (problem.empty()) return "";
    }
    return problem;
}

std::string full_name(const quern::Op& op) { return (op.domain.empty() ? "" : std::string(op.domain) + ".") + std::string(op.name); }

// Tries what the case's only operator claims beyond `shown`.
void try_case(const Case& test, std::set<std::string>& shown, std::map<std::string, std::string>& problems) {
    const quern::Model model = quern::read_model(test.folder / "model.onnx");
    const Graph& graph = model.graph;
    if (graph.order().size() != 1) return;
    const quern::Node& node = graph.node(graph.order()[0]);
    if (node.in.empty() || node.in[0] == ValueId::none || has(node.op->traits, quern::Trait::control_flow)) return;
    const DType from = graph.value(node.in[0]).type.dtype;
    if (from == DType::none || from == DType::string) return;
    const auto inputs = values_in(test.folder / "test_data_set_0", "input", graph, graph.inputs);
    if (inputs.empty()) return;
    for (const quern::DTypeRow& row : quern::dtype_rows()) {
        const std::string pair = full_name(*node.op) + " " + std::string(row.name);
        if (!node.op->types.has(row.dtype) || row.dtype == DType::string || row.dtype == from || shown.contains(pair)) continue;
        const Result result = in_child([&] {
            Result r;
            r.reason = problem_of(graph, inputs, from, row.dtype);
            r.verdict = r.reason.empty() ? Verdict::pass : Verdict::wrong;
            return r;
        });
        if (result.verdict == Verdict::pass) {
            shown.insert(pair);
            problems.erase(pair);
        } else {
            problems.try_emplace(pair, fmt::format("{} (as in {}): {}", pair, test.name, result.reason));
        }
    }
}

}  // namespace

PairReport check_pairs(const std::vector<Outcome>& outcomes) {
    PairReport report;
    std::map<std::string, std::string> problems;
    for (const auto& [test, result] : outcomes)
        if (result.verdict == Verdict::pass) report.shown.insert(result.pairs.begin(), result.pairs.end());
    for (const auto& [test, result] : outcomes)
        if (result.verdict == Verdict::pass) try_case(test, report.shown, problems);
    for (const auto& [pair, problem] : problems) report.problems.push_back(problem);
    for (const quern::Op* op : quern::all_ops())
        for (const quern::DTypeRow& row : quern::dtype_rows()) {
            const std::string pair = full_name(*op) + " " + std::string(row.name);
            if (op->eval && op->types.has(row.dtype) && !report.shown.contains(pair) && !problems.contains(pair))
                report.without_case.insert(pair);
        }
    return report;
}

}  // namespace conformance
