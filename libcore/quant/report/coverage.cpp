#include "libcore/quant/report/coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "libcore/base/json.h"
#include "libcore/graph/op_ids.h"
#include "libcore/graph/short_floats.h"
#include "libcore/support/operands.h"
#include "libcore/support/units.h"

namespace quern {
namespace {

bool holds_numbers(const Value& value) { return value.type.kind == Type::Kind::tensor && is_float(value.type.dtype); }

Dims dims_of(const Value& value) {
    Dims dims;
    for (const Dim& dim : value.type.shape.dims) dims.push_back(dim.known() ? dim.value : 1);
    return dims;
}

double macs_of(const Graph& graph, const Node& node) {
    if (!node.op->cost) return 0;
    std::vector<Dims> in, out;
    for (const ValueId id : node.in) {
        if (id != ValueId::none && !graph.value(id).type.shape.ranked) return 0;
        in.push_back(id == ValueId::none ? Dims{} : dims_of(graph.value(id)));
    }
    for (const ValueId id : node.out) {
        if (id != ValueId::none && !graph.value(id).type.shape.ranked) return 0;
        out.push_back(id == ValueId::none ? Dims{} : dims_of(graph.value(id)));
    }
    return node.op->cost({node, in, out}).macs;
}

bool on_grid(const Graph& graph, ValueId id) { return graph.value(id).enc || support::inside_unit(graph, id); }

bool holds_codes(const Value& value) {
    return value.constant() && (value.type.dtype == DType::i8 || value.type.dtype == DType::u8) && value.type.shape.rank() > 1;
}

// Of operators that are written on codes: those of onnxruntime.
bool takes_codes(const Graph& graph, const Node& node) {
    return node.op->domain == ops::microsoft::DynamicQuantizeLSTM.domain &&
           std::ranges::any_of(node.in, [&](ValueId id) { return id != ValueId::none && holds_codes(graph.value(id)); });
}

// Are its weights codes, or all numbers that it reads and makes? Float operators, too, may have results that are stored as codes, and
// between codes there are operators on float weights.
bool is_quantized(const Graph& graph, const Node& node) {
    const std::vector<size_t> weights = weight_inputs(graph, node);
    if (std::ranges::any_of(weights, [&](size_t at) { return !graph.value(node.in[at]).enc; })) return false;
    bool reads_codes = false, reads_numbers = false;
    for (const ValueId id : node.in) {
        if (id == ValueId::none) continue;
        if (graph.value(id).constant() && graph.value(id).enc) return true;
        if (graph.value(id).constant() || !holds_numbers(graph.value(id))) continue;
        (on_grid(graph, id) ? reads_codes : reads_numbers) = true;
    }
    if (!node.internal.empty() || takes_codes(graph, node)) return true;
    const bool product = node.op->quant.weight >= 0;  // its sums are of codes, also where the result is real
    const auto is_on_grid = [&](ValueId id) { return id != ValueId::none && on_grid(graph, id); };
    return reads_codes && !reads_numbers && (product || std::ranges::any_of(node.out, is_on_grid));
}

bool has_codes(const Graph& graph, const Node& node) {
    return std::ranges::any_of(node.in, [&](ValueId id) {
        return id != ValueId::none && graph.value(id).constant() && (graph.value(id).enc || holds_codes(graph.value(id)));
    });
}

class Counter {
   public:
    explicit Counter(Coverage& to) : to_(to) {}

    void count(const Graph& graph, const std::string& path) {
        const bool body = !path.empty();
        to_.bodies = to_.bodies || body;
        for (const NodeId id : graph.order()) {
            const Node& node = graph.node(id);
            const auto result = std::ranges::find_if(node.out, [](ValueId out) { return out != ValueId::none; });
            if (node.is(ops::own::Recode) || result == node.out.end()) continue;
            const bool quantized = is_quantized(graph, node);
            if (takes_codes(graph, node)) count_codes(graph, node);
            count_weights(graph, node, path, quantized);
            if (holds_numbers(graph.value(*result))) {
                ++to_.operators;
                to_.quantized_operators += quantized;
                const double macs = body ? 0 : macs_of(graph, node);
                to_.macs += macs;
                to_.quantized_macs += quantized ? macs : 0;
                if (!weight_inputs(graph, node).empty()) to_.node_macs[path + node.name] += macs;
            }
        }
        for (size_t i = 0; i < graph.value_count(); ++i) count(graph, graph.value(static_cast<ValueId>(i)));
    }

   private:
    void count_weights(const Graph& graph, const Node& node, const std::string& path, bool quantized) {
        const std::vector<size_t> places = weight_inputs(graph, node);
        to_.weighted_operators += quantized ? has_codes(graph, node) : !places.empty();
        for (const size_t at : places) {
            const Value& weight = graph.value(node.in[at]);
            const uint64_t bytes = bytes_of(weight);
            if (quantized)
                to_.coded_weights[path + node.name][weight.data->data()] = bytes;
            else
                to_.float_weights[path + node.name] += bytes;
        }
    }
    static uint64_t bytes_of(const Value& weight) { return 4 * static_cast<uint64_t>(count_of(*weight.type.shape.concrete())); }
    void count_codes(const Graph& graph, const Node& node) {
        for (const ValueId id : node.in) {
            if (id == ValueId::none || !holds_codes(graph.value(id)) || !seen_.insert(graph.value(id).data->data()).second) continue;
            const uint64_t bytes = bytes_of(graph.value(id));
            to_.weight_bytes += bytes;
            to_.quantized_bytes += bytes;
        }
    }
    void count(const Graph& graph, const Value& value) {
        const auto dims = value.type.shape.concrete();
        if (value.erased || !value.constant() || !holds_numbers(value) || !dims) return;
        if (graph.uses(graph.find(value.name)).empty() || !seen_.insert(value.data->data()).second) return;
        const uint64_t bytes = 4 * static_cast<uint64_t>(count_of(*dims));
        to_.weight_bytes += bytes;
        to_.quantized_bytes += value.enc ? bytes : 0;
    }

    Coverage& to_;
    std::set<const std::byte*> seen_;
};

// Constants that stand for themselves as numbers, whatever stores them.
Graph without_short_floats(Graph graph) {
    for_each_graph(graph, [](Graph& part, const std::string&) {
        for (size_t i = 0; i < part.value_count(); ++i)
            if (Value& value = part.value(static_cast<ValueId>(i)); value.enc && value.constant() && is_short_float(*value.enc))
                value.enc.reset();
    });
    return graph;
}

double percent(double part, double all) { return all > 0 ? 100 * part / all : 0; }

}  // namespace

Coverage coverage_of(const Graph& graph, bool short_floats) {
    if (!short_floats) return coverage_of(without_short_floats(graph));
    Coverage all;
    Counter counter(all);
    for_each_graph(graph, [&](const Graph& part, const std::string& path) { counter.count(part, path); });
    return all;
}

double float_macs_percent(const Coverage& c) { return percent(c.macs - c.quantized_macs, c.macs); }

std::string weights_and_macs_text(const Coverage& c) {
    const std::string macs = fmt::format("{:.1f} % of the multiply-accumulates are quantized", percent(c.quantized_macs, c.macs));
    if (c.weight_bytes == 0) return macs;
    const bool few = c.weight_bytes < 10'000;
    const uint64_t unit = few ? 1 : 1024;
    return fmt::format("{:.1f} % of the weights ({} of {} {} as float32) and {}",
                       percent(static_cast<double>(c.quantized_bytes), static_cast<double>(c.weight_bytes)), c.quantized_bytes / unit,
                       c.weight_bytes / unit, few ? "bytes" : "KB", macs);
}

std::string coverage_text(const Coverage& c) {
    return fmt::format("{} of {} operators, {}", c.quantized_operators, c.operators, weights_and_macs_text(c));
}

std::string float_weights_text(const Coverage& c, const std::string& node) {
    const auto found = c.float_weights.find(node);
    if (found == c.float_weights.end()) return {};
    return fmt::format("; {:.1f} % of the weights", percent(static_cast<double>(found->second), static_cast<double>(c.weight_bytes)));
}

std::string share_text(const Coverage& c, const std::vector<std::string>& nodes) {
    std::map<const std::byte*, uint64_t> constants;
    double macs = 0;
    for (const std::string& node : nodes) {
        if (const auto found = c.coded_weights.find(node); found != c.coded_weights.end())
            constants.insert(found->second.begin(), found->second.end());
        if (const auto found = c.node_macs.find(node); found != c.node_macs.end()) macs += found->second;
    }
    uint64_t weights = 0;
    for (const auto& [constant, bytes] : constants) weights += bytes;
    return fmt::format("{:.1f} % of the weights and {:.1f} % of the multiply-accumulates",
                       percent(static_cast<double>(weights), static_cast<double>(c.weight_bytes)), percent(macs, c.macs));
}

Json coverage_json(const Coverage& c) {
    return {{"operators", c.operators},
            {"quantized_operators", c.quantized_operators},
            {"weight_bytes", c.weight_bytes},
            {"quantized_weight_bytes", c.quantized_bytes},
            {"macs", c.macs},
            {"quantized_macs", c.quantized_macs}};
}

uint64_t stored_bytes(const Graph& graph) {
    uint64_t bytes = 0;
    std::set<const std::byte*> seen;
    for_each_graph(graph, [&](const Graph& part, const std::string&) {
        for (size_t i = 0; i < part.value_count(); ++i) {
            const Value& value = part.value(static_cast<ValueId>(i));
            if (value.erased || !value.constant() || part.uses(static_cast<ValueId>(i)).empty()) continue;
            if (!seen.insert(value.data->data()).second) continue;
            bytes += value.data->size();
            if (value.enc && value.enc->scale.defined()) bytes += value.enc->scale.data.size();
            if (value.enc && value.enc->zero.defined()) bytes += value.enc->zero.data.size();
        }
    });
    return bytes;
}

}  // namespace quern
