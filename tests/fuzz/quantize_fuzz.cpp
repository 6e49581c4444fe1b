// The quantizer with settings and rules of any bytes, over nets of any bytes: refused in one line, or a graph that verifies, runs as its
// file says and keeps the shapes of its outputs, also when it is read back from the file that it is for. The first 32 bytes are the
// settings, the others the net, as in nets.h.
#include <array>

#include "libcore/graph/quantize.h"
#include "libcore/quant/collect/collect.h"
#include "libcore/quantize/quantize_model.h"
#include "tests/fuzz/nets.h"

namespace {

using namespace quern;
using random_graphs::Draw;

constexpr size_t settings_size = 32;

std::string algorithm_names(Draw& draw) {
    std::string names(draw.pick(all_algorithms()).name);
    while (draw.chance(30)) names += fmt::format("+{}", draw.pick(all_algorithms()).name);
    return names;
}

std::string value_of(const RuleKey& key, Draw& draw) {
    constexpr std::array numbers{"0", "1", "2", "3", "4", "8", "16", "32", "64", "-1", "0.001", "1e30", "9223372036854775807"};
    switch (key.kind) {
        case RuleKey::Kind::word: return std::string(draw.pick(all_methods()).name);
        case RuleKey::Kind::number: return draw.pick(numbers);
        case RuleKey::Kind::boolean: return draw.chance(50) ? "yes" : "no";
        case RuleKey::Kind::edge: return draw.pick(edge_names(false));
        case RuleKey::Kind::weights: return draw.pick(edge_names(true));
        case RuleKey::Kind::algorithms: return algorithm_names(draw);
    }
    return "";
}

// As a user may write it: mostly one that can be.
Rule drawn_rule(Draw& draw) {
    if (draw.chance(20)) return parse_rule("none");
    std::string text(draw.pick(all_schemes()).name);
    for (const RuleKey& key : rule_keys())
        if (draw.chance(5)) text += fmt::format(",{}={}", key.name, value_of(key, draw));
    return parse_rule(text);
}

Rules drawn_rules(Draw& draw, const Graph& graph) {
    Rules rules;
    if (draw.chance(20)) rules.global = drawn_rule(draw);
    if (draw.chance(15)) rules.io = drawn_rule(draw);
    while (!graph.order().empty() && draw.chance(40)) {
        const Node& node = graph.node(draw.pick(graph.order()));
        if (draw.chance(60))
            rules.node_names.insert_or_assign(node.name, drawn_rule(draw));
        else
            rules.op_types.insert_or_assign(std::string(node.op->name), drawn_rule(draw));
    }
    return rules;
}

QuantRequest drawn_request(Draw& draw, std::string_view format) {
    QuantRequest request{.destination = destination_of(format)};
    request.scheme = &draw.pick(all_schemes());
    request.search.method = &draw.pick(all_methods());
    request.search.percentile = draw.real(50, 100);
    request.search.optimum = draw.chance(20);
    request.per_tensor = draw.chance(20);
    request.full_integer = draw.chance(40);
    if (draw.chance(30)) request.block = draw.pick(std::array<int64_t, 6>{0, 1, 2, 16, 32, 1 << 20});
    if (draw.chance(20)) request.min_sqnr_db = draw.real(0, 60);
    request.allow_unmatched = draw.chance(50);
    request.measured = draw.chance(50);
    return request;
}

// Every sample is the same one.
SampleFeed feed_of(const Net& net) {
    constexpr uint64_t samples = 2;
    return {.count = samples,
            .sample = [&net](uint64_t) { return net.sample; },
            .place = [](uint64_t i) { return fmt::format("sample {}", i); },
            .index = [](uint64_t i) { return i; },
            .digest = "fuzz"};
}

std::vector<Dims> shapes_of(const std::vector<Stored>& outputs) {
    std::vector<Dims> shapes;
    for (const Stored& output : outputs) shapes.push_back(output.tensor.dims);
    return shapes;
}

void check(const Net& net, const Model& quantized, const std::vector<Dims>& wanted, const std::string& way) {
    const auto got = unless_refused([&] { return shapes_of(run_reference(quantized.graph, net.sample)); });
    if (!got && net.drawn) found(quantized, way + ": the reference refuses it");
    if (got && *got != wanted) found(quantized, way + ": outputs of other shapes");
}

void quantize(Net& net, Draw& draw) {
    const std::vector<Dims> wanted = shapes_of(run_reference(net.model.graph, net.sample));
    const auto format = draw.pick(std::array<std::string_view, 4>{"onnx", "native", "tflite", "circle"});
    const Rules rules = drawn_rules(draw, net.model.graph);
    QuantRequest request = drawn_request(draw, format);
    request.rules = &rules;
    const SampleFeed feed = feed_of(net);
    AlgorithmOptions algorithms{.feed = draw.chance(60) ? &feed : nullptr, .rows = 16, .iterations = 4};
    algorithms.alpha = draw.real(0, 1);
    algorithms.smooth_mul = static_cast<SmoothMul>(draw.number(0, 2));
    while (draw.chance(25)) algorithms.chosen.push_back(&draw.pick(all_algorithms()));
    const auto recorder = make_recorder(net.model.graph, "", {.per_channel = draw.chance(50)});
    recorder->run(net.sample);
    const Ranges ranges = recorder->ranges(true);
    Model model = net.model;
    ThreadPool pool(1);
    quantize_model(model, draw.chance(85) ? &ranges : nullptr, request, pool, "overrides", algorithms);
    verify(model.graph);
    check(net, model, wanted, "quantized");
    const auto file = unless_refused([&] { return written(model, format, {}); });
    if (!file) return;
    try {
        check(net, read_model(*file, ""), wanted, fmt::format("read back from {}", format));
    } catch (const Error& error) {
        found(model, fmt::format("what was written as {} is refused: {}", format, error.message()));
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size <= settings_size) return 0;
    expect_only_refusals([&] {
        Draw draw = Draw::of_bytes({reinterpret_cast<const char*>(data), settings_size});
        auto net = net_of(data + settings_size, size - settings_size);
        if (net && net->runs) quantize(*net, draw);
    });
    return 0;
}
