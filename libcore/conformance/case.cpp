#include "libcore/conformance/case.h"

#include <algorithm>
#include <limits>

#include "libcore/backend/custom_op.h"
#include "libcore/base/text.h"
#include "libcore/conformance/kinds.h"
#include "libcore/conformance/pattern.h"
#include "libcore/exec/meaning.h"
#include "libcore/graph/op_ids.h"
#include "libcore/graph/summary.h"
#include "libcore/passes/pipelines.h"
#include "libcore/place/partition.h"
#include "libcore/place/partitioning.h"

namespace quern::conformance {
namespace {

constexpr std::string_view own_device = "own", other_device = "cpu";

// The same on every machine.
uint64_t mixed(uint64_t seed, std::string_view text) {
    uint64_t hash = 0xcbf29ce484222325 ^ seed;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return hash;
}

// int8 first, then others that have ranges of activations.
const Scheme& some_scheme(random_graphs::Draw& draw, bool other) {
    if (!other) return scheme_named("i8");
    std::vector<const Scheme*> full;
    for (const Scheme& scheme : all_schemes())
        if (scheme.full()) full.push_back(&scheme);
    return *draw.pick(full);
}

std::optional<random_graphs::RandomGraph> grown(const random_graphs::Wish& wish, uint64_t seed, bool other_scheme) {
    random_graphs::Draw draw(seed);
    random_graphs::RandomGraph made = random_graphs::grow(draw, wish);
    if (made.ops.size() < wish.min || made.ops.empty()) return std::nullopt;
    if (!wish.for_codes) {
        if (is_quantized(made.graph)) return std::nullopt;  // operators on codes run in int mode
        return made;
    }
    auto quantized = random_graphs::quantized(std::move(made), {"onnx", &some_scheme(draw, other_scheme)}, draw);
    if (!quantized) return std::nullopt;
    quantized->graph = as_folded(std::move(quantized->graph));
    return quantized;
}

// Does the node of that operator read codes?
bool is_encoded(const random_graphs::RandomGraph& random, const Op& op) {
    const Graph& graph = random.graph;
    return std::ranges::any_of(graph.order(), [&](NodeId id) {
        const Node& node = graph.node(id);
        return node.op == &op && !node.in.empty() && node.in[0] != ValueId::none && graph.value(node.in[0]).enc;
    });
}

// The values as a run makes them.
Inputs values_of(const random_graphs::RandomGraph& random, const std::vector<ValueId>& ids, const CompileOptions& options) {
    std::vector<Stored> given;
    for (const Tensor& tensor : random.sample) given.push_back({tensor, {}});
    Graph graph = random.graph;
    graph.outputs.clear();
    for (const ValueId id : ids)
        if (!graph.is_input(id)) graph.outputs.push_back(id);
    std::vector<Stored> made;
    if (!graph.outputs.empty()) {
        CompileOptions plain = options;
        plain.reference = true;
        ThreadPool pool(1);
        Session session(Program::compile(graph, plain), pool);
        made = session.run_stored(given);
    }
    Inputs out;
    size_t next = 0;
    for (const ValueId id : ids) {
        const auto input = std::find(graph.inputs.begin(), graph.inputs.end(), id);
        out.push_back(input == graph.inputs.end() ? made.at(next++) : given.at(static_cast<size_t>(input - graph.inputs.begin())));
    }
    return out;
}

Tensor with_numbers(const Tensor& from, const std::vector<double>& numbers) { return from_doubles(from.dtype, from.dims, numbers); }

}  // namespace

std::string CaseId::subject() const { return fmt::format("{} {}", op, codes ? "int" : "float"); }
std::string CaseId::graph() const {
    if (!is_large()) return std::to_string(number);
    return number == large ? "large" : fmt::format("large{}", number - large);
}
std::string CaseId::text() const { return fmt::format("{} {}", subject(), graph()); }

CaseId CaseId::of(std::string_view text) {
    std::vector<std::string> words = split(text, ' ');
    const bool is_large = words.size() == 3 && words[2].starts_with("large");
    if (is_large) words[2].erase(0, 5);
    if (is_large && words[2].empty()) words[2] = "0";
    const auto number = words.size() == 3 ? parse_int(words[2]) : std::nullopt;
    if (!number || *number < 0 || (words[1] != "int" && words[1] != "float"))
        throw usage_error("\"{}\" names no graph: need OPERATOR float|int NUMBER, or large", escape(text));
    return {words[0], words[1] == "int", static_cast<size_t>(*number) + (is_large ? large : 0)};
}

CompileOptions options_of(bool codes) { return {.mode = codes ? Mode::integer : Mode::floating}; }

std::vector<const Op*> ops_to_try() {
    std::vector<const Op*> ops = random_graphs::drawable_ops(), own = custom_ops();
    ops.insert(ops.end(), own.begin(), own.end());
    return ops;
}

const Op* op_of(std::string_view full_name) {
    for (const Op* op : ops_to_try())
        if (quern::full_name(*op) == full_name) return op;
    return nullptr;
}

bool is_unit(std::string_view name) { return name.find('+') != name.npos; }

std::vector<const Op*> unit_of(std::string_view name) {
    std::vector<const Op*> ops;
    for (const std::string& part : split(name, '+')) {
        ops.push_back(op_of(part));
        if (!ops.back()) return {};
    }
    return ops;
}

std::vector<std::string> units_to_try() {
    std::vector<std::string> units;
    for (const OpId first : {ops::Conv, ops::ConvTranspose, ops::Gemm, ops::MatMul, ops::Add})
        for (const OpId then : {ops::Relu, ops::Clip})
            units.push_back(fmt::format("{}+{}", full_name(*need_op(first)), full_name(*need_op(then))));
    return units;
}

std::vector<CaseId> cases_of(const std::string& op, bool codes, size_t cases) {
    const size_t patterns = random_graphs::hints_of(*unit_of(op).at(0)).size();
    std::vector<CaseId> out;
    for (size_t i = 0; i < std::max(cases, codes ? 2 * patterns : patterns); ++i) out.push_back({op, codes, i});
    for (size_t i = 0; i < (codes ? CaseId::larges : 1); ++i) out.push_back({op, codes, CaseId::large + i});
    return out;
}

namespace {

// Each operator reads what the one before it makes.
bool is_chain(const Graph& graph) {
    const std::vector<NodeId>& order = graph.order();
    for (size_t i = 1; i < order.size(); ++i)
        if (graph.node(order[i]).in[0] != graph.node(order[i - 1]).out[0]) return false;
    return true;
}

}  // namespace

std::optional<random_graphs::RandomGraph> random_case(const CaseId& id, uint64_t seed) {
    constexpr int tries = 8;
    const std::vector<const Op*> unit = unit_of(id.op);
    if (unit.empty()) return std::nullopt;
    const size_t pattern = id.is_large() ? 0 : id.codes ? id.number / 2 : id.number;
    const bool other_scheme = id.is_large() ? id.number > CaseId::large : id.number % 2 != 0;
    const auto of = [&](const std::vector<const Op*>& ops) -> std::optional<random_graphs::RandomGraph> {
        const random_graphs::Wish wish{
            .for_codes = id.codes, .first = ops, .min = ops.size(), .max = ops.size(), .pattern = pattern, .large = id.is_large()};
        for (int i = 0; i < tries; ++i) {
            auto made = grown(wish, mixed(seed, i == 0 ? id.text() : fmt::format("{}, try {}", id.text(), i)), other_scheme);
            if (made && made->ops == ops && (unit.size() == 1 || is_chain(made->graph))) return made;
        }
        return std::nullopt;
    };
    auto made = of(unit);
    if (made || !id.codes || unit.size() > 1) return made;
    // What hands numbers on is quantized beside what computes with them.
    made = of({unit[0], need_op(ops::Sigmoid)});
    return made && is_encoded(*made, *unit[0]) ? made : std::nullopt;
}

std::optional<random_graphs::RandomGraph> random_graph(std::vector<const Op*> ops, bool codes, uint64_t seed) {
    const size_t count = ops.size();
    return grown({.for_codes = codes, .first = std::move(ops), .min = count, .max = count}, mixed(seed, codes ? "int" : "float"),
                 seed % 2 != 0);
}

std::vector<Part> parts_of(const random_graphs::RandomGraph& random, const std::vector<bool>& taken, bool codes) {
    random_graphs::RandomGraph placed = random;
    const std::vector<NodeId> order = placed.graph.order();
    for (size_t i = 0; i < order.size(); ++i) placed.graph.node(order[i]).device = taken.at(i) ? own_device : other_device;
    place::Target target;
    for (const std::string_view name : {other_device, own_device}) {
        target.devices.emplace_back();
        target.devices.back().name = name;
    }
    std::vector<Part> out;
    for (const place::Partition& part : place::partition(placed.graph, target)) {
        if (part.device != own_device) continue;
        Graph graph = place::extract_partition(placed.graph, part);
        for (const NodeId id : graph.order()) graph.node(id).device.clear();
        out.push_back({std::move(graph), {values_of(random, part.inputs, options_of(codes))}, options_of(codes)});
    }
    return out;
}

namespace {

// Numbers in another order; indices, shapes and conditions as they are.
template <class Reorder>
Inputs reordered(const Inputs& inputs, const Reorder& reorder) {
    Inputs out = inputs;
    for (Stored& stored : out) {
        if (!is_float(stored.tensor.dtype) && !stored.encoding) continue;
        std::vector<double> numbers = to_doubles(stored.tensor);
        reorder(numbers);
        stored.tensor = with_numbers(stored.tensor, numbers);
    }
    return out;
}

}  // namespace

Inputs turned_round(const Inputs& inputs) {
    return reordered(inputs, [](std::vector<double>& numbers) { std::reverse(numbers.begin(), numbers.end()); });
}

Inputs rotated(const Inputs& inputs, size_t places) {
    return reordered(inputs, [places](std::vector<double>& numbers) {
        if (!numbers.empty()) std::rotate(numbers.begin(), numbers.begin() + static_cast<int64_t>(places % numbers.size()), numbers.end());
    });
}

Inputs hostile(const Inputs& inputs, Hostile how) {
    constexpr double infinity = std::numeric_limits<double>::infinity(), tiny = std::numeric_limits<float>::denorm_min();
    std::vector<double> kinds{0.0, -0.0, 1, -1, tiny, -tiny, 1e4, -1e4};
    if (how != Hostile::finite) kinds.insert(kinds.end(), {infinity, -infinity});
    if (how == Hostile::nan) kinds.push_back(std::numeric_limits<double>::quiet_NaN());
    Inputs out = inputs;
    for (Stored& stored : out) {
        const bool encoded = stored.encoding && stored.encoding->is_fixed() && !is_float(stored.encoding->storage);
        if (!is_float(stored.tensor.dtype) && !encoded) continue;
        const std::vector<double> own =
            encoded ? std::vector<double>{static_cast<double>(stored.encoding->qmin), static_cast<double>(stored.encoding->qmax), 0}
                    : kinds;
        std::vector<double> numbers(static_cast<size_t>(stored.tensor.count()));
        for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = own[i % own.size()];
        stored.tensor = with_numbers(stored.tensor, numbers);
    }
    return out;
}

std::string nodes_text(const Graph& graph) {
    std::vector<std::string> names;
    for (const NodeId id : graph.order()) names.push_back(full_name(*graph.node(id).op));
    return join(names, ", ");
}

std::string inputs_text(const Graph& graph) {
    std::vector<std::string> parts;
    for (const ValueId id : graph.inputs) {
        const Value& value = graph.value(id);
        Type type = value.type;
        type.dtype = value.storage();
        parts.push_back(fmt::format("{}: {}", escape(value.name), to_string(type)));
    }
    return join(parts, ", ");
}

}  // namespace quern::conformance
