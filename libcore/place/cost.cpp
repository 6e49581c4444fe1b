#include "libcore/place/cost.h"

#include <algorithm>
#include <cmath>

#include "libcore/exec/arithmetic.h"
#include "libcore/graph/op_ids.h"
#include "libcore/support/units.h"

namespace quern::place {
namespace {

double elements(const Dims& dims) {
    double count = 1;
    for (const int64_t length : dims) count *= static_cast<double>(std::max<int64_t>(length, 0));
    return count;
}

double bits_as_stored(const Value& value) {
    const DType storage = value.storage();
    return storage == DType::none ? 32 : std::max(bits_of(storage), 1);
}

struct Operands {
    std::vector<Dims> in, out;       // as the device counts them
    double stored = 0, at_four = 0;  // bytes
};

Operands operands_of(const Graph& graph, const Node& node, Tile tile) {
    Operands made;
    const auto add = [&](const std::vector<ValueId>& ids, std::vector<Dims>& all) {
        for (const ValueId id : ids) {
            all.push_back(id == ValueId::none ? Dims{} : tiled_dims(graph, node, id, tile));
            if (id == ValueId::none) continue;
            const Value& value = graph.value(id);
            made.at_four += 4 * elements(all.back());
            if (value.type.kind == Type::Kind::tensor) made.stored += elements(all.back()) * bits_as_stored(value) / 8;
        }
    };
    add(node.in, made.in);
    add(node.out, made.out);
    return made;
}

std::string_view width_of(DType dtype) {
    if (dtype == DType::none || dtype == DType::boolean || is_float(dtype)) return "float";
    const int bits = bits_of(dtype);
    return bits <= 8 ? "int8" : bits == 16 ? "int16" : "";
}

std::optional<double> own_seconds(const Device& device, const Graph& graph, const Node& node) {
    const CostRow* row = cost_row(device, graph, node);
    if (!row) return std::nullopt;
    const Cost work = work_of(graph, node, device.tile);
    const double compute = row->macs_per_second > 0 ? work.macs / row->macs_per_second : 0;
    const double memory = row->bytes_per_second > 0 ? work.bytes / row->bytes_per_second : 0;
    return std::max(row->seconds, 0.0) + std::max(compute, memory);
}

}  // namespace

double stored_bytes(const Value& value) {
    if (value.type.kind != Type::Kind::tensor) return 0;
    return elements(assumed_dims(value.type.shape)) * bits_as_stored(value) / 8;
}

uint64_t whole_bytes(const Value& value) {
    constexpr double max = 1e14;
    return static_cast<uint64_t>(std::ceil(std::min(stored_bytes(value), max)));
}

bool computes_reals(const Graph& graph, const Node& node) {
    const bool plain = node.op->known() && !node.in.empty() && !node.out.empty() && node.out[0] != ValueId::none;
    if (plain && decide_arithmetic(graph, node, nullptr).eval) return false;  // by profile onnx, whatever the file said
    if (plain && (inside_unit(graph, node.out[0]) || (node.in[0] != ValueId::none && inside_unit(graph, node.in[0])))) return false;
    if (!has(node.op->traits, Trait::data_movement)) return true;
    const Value* moved = node.in.empty() || node.in[0] == ValueId::none ? nullptr : &graph.value(node.in[0]);
    const Value* made = node.out.empty() || node.out[0] == ValueId::none ? nullptr : &graph.value(node.out[0]);
    return !moved || !made || moved->enc != made->enc;
}

std::string precision_of(const Graph& graph, const Node& node) {
    const Value* made = node.out.empty() || node.out[0] == ValueId::none ? nullptr : &graph.value(node.out[0]);
    const Value* read = node.in.empty() || node.in[0] == ValueId::none ? nullptr : &graph.value(node.in[0]);
    if (!made) return "float";
    if (!made->enc && inside_unit(graph, node.out[0])) made = &stored_value(graph, node.out[0]);
    std::string_view width = width_of(made->storage());
    if (width.empty() && read) width = width_of(read->storage());  // int32 sums, indices: what they are made of
    return std::string(width.empty() ? "float" : width);
}

Cost work_of(const Graph& graph, const Node& node, Tile tile) {
    const Operands operands = operands_of(graph, node, tile);
    Cost work{0, operands.stored};
    if (!node.op->cost) return work;
    try {
        const Cost own = node.op->cost({node, operands.in, operands.out});
        work.macs = std::max(own.macs, 0.0);
        if (operands.at_four > 0) work.bytes = std::max(own.bytes, 0.0) * operands.stored / operands.at_four;
    } catch (const std::exception&) {
        // The row cannot count with what is not known: bytes alone.
    }
    return work;
}

const CostRow* cost_row(const Device& device, const Graph& graph, const Node& node) {
    const std::string precision = precision_of(graph, node);
    for (const CostRow& row : device.costs)
        if ((row.op == "*" || row.op == node.op->name) && (row.precision == "*" || row.precision == precision)) return &row;
    return nullptr;
}

std::optional<double> node_seconds(const Device& device, const Graph& graph, NodeId id) {
    const Node& node = graph.node(id);
    std::optional<double> sum = own_seconds(device, graph, node);
    for (const Graph& body : node.bodies)
        for (const NodeId inner : body.order()) {
            const auto more = node_seconds(device, body, inner);
            if (!sum || !more) return std::nullopt;
            *sum += *more;
        }
    return sum;
}

double transfer_seconds(const Target& target, std::string_view from, std::string_view to, const Value& value) {
    if (from == to) return 0;
    const auto over = [&](const Link& link) {
        return std::max(link.seconds, 0.0) + (link.bytes_per_second > 0 ? stored_bytes(value) / link.bytes_per_second : 0);
    };
    if (const Link* link = find_link(target, from, to)) return over(*link);
    if (from == cpu_device || to == cpu_device) return 0;
    return transfer_seconds(target, from, cpu_device, value) + transfer_seconds(target, cpu_device, to, value);
}

double recode_seconds(const Device& device, const Value& value) {
    return device.recode_bytes_per_second > 0 ? stored_bytes(value) / device.recode_bytes_per_second : 0;
}

bool is_recode(const Node& node) { return node.is(ops::own::Recode); }

bool works_at_the_edge(const Graph& graph, const Node& node) { return !is_recode(node) && computes_reals(graph, node); }

double encoding_seconds(const Device& device, const Graph& graph, const Node& node) {
    if (!works_at_the_edge(graph, node)) return 0;
    double seconds = 0;
    for (const ValueId made : node.out)
        if (made != ValueId::none && graph.value(made).enc) seconds += recode_seconds(device, graph.value(made));
    return seconds;
}

}  // namespace quern::place
