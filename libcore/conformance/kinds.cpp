#include "libcore/conformance/kinds.h"

#include <array>

#include "libcore/exec/meaning.h"
#include "libcore/graph/summary.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/passes/passes.h"
#include "libcore/quant/collect/collect.h"
#include "libcore/quantize/quantize_model.h"

namespace quern::random_graphs {
namespace {

constexpr std::array<std::string_view, 7> every{"float", "onnx", "tflite", "net", "tflm", "one", "chain"};

std::string_view format_of(std::string_view profile) { return profile == "onnx" ? "onnx" : profile == "one" ? "circle" : "tflite"; }

Ranges ranges_of(const RandomGraph& random, Draw& draw) {
    const auto recorder = make_recorder(random.graph, "", {});
    recorder->run(random.sample);
    std::vector<Tensor> larger = random.sample;  // what comes later lies within
    for (Tensor& tensor : larger) {
        if (tensor.dtype != DType::f32) continue;
        auto items = to_floats(tensor);
        for (float& item : items) item *= static_cast<float>(draw.real(0.6, 1.0));
        tensor = Tensor::make<float>(tensor.dims, items);
    }
    recorder->run(larger);
    return recorder->ranges(true);
}

RandomGraph quantized_so(RandomGraph random, const Kind& kind, Draw& draw) {
    const Ranges ranges = ranges_of(random, draw);
    Model model;
    model.graph = std::move(random.graph);
    QuantRequest request{.scheme = kind.scheme, .destination = {.format = std::string(format_of(kind.profile))}};
    request.full_integer = draw.chance(60);
    request.per_tensor = draw.chance(20);
    ThreadPool pool(1);
    quantize_model(model, &ranges, request, pool);
    if (kind.profile != "onnx") model.graph.metadata[profile_key] = kind.profile;
    random.graph = std::move(model.graph);
    return random;
}

}  // namespace

std::string Kind::name() const { return scheme ? fmt::format("{} {}", profile, scheme->name) : std::string(profile); }

std::span<const std::string_view> profiles() { return every; }

Kind kind_at(size_t i, Draw& draw) {
    Kind kind{every[i % every.size()]};
    if (kind.profile == "float" || kind.profile == "net" || kind.profile == "chain") return kind;
    // Types with encoded activations more often.
    kind.scheme = &draw.pick(all_schemes());
    if (!kind.scheme->full() && draw.chance(50)) kind.scheme = &scheme_named("i8");
    if (kind.scheme->activation == DType::u16 && kind.profile != "onnx")
        kind.scheme = &scheme_named("w8a16");  // whose codes those files have
    return kind;
}

std::optional<RandomGraph> quantized(RandomGraph random, const Kind& kind, Draw& draw) {
    try {
        random = quantized_so(std::move(random), kind, draw);
    } catch (const Error& error) {
        if (error.exit() != Exit::bad_input && error.exit() != Exit::unsupported) throw;
        return std::nullopt;
    }
    if (!has_encodings(random.graph)) return std::nullopt;
    return random;
}

std::optional<RandomGraph> draw_graph(Draw& draw, const Kind& kind, std::vector<const Op*> first, const Watch& watch) {
    const bool net = kind.profile == "net" || (kind.scheme && draw.chance(40)), chain = kind.profile == "chain";
    Wish wish{.for_codes = kind.scheme || net || chain,
              .of = net     ? Wish::Of::net
                    : chain ? Wish::Of::chain
                            : Wish::Of::all,
              .first = std::move(first)};
    RandomGraph random = grow(draw, wish);
    if (!kind.scheme) {
        if (draw.chance(net ? 50 : 20))
            run_passes(random.graph, std::array{&move_layout, &drop_transpose_pairs, &fold_constants, &drop_dead});
        random.graph = as_encoded(std::move(random.graph));
        return random;
    }
    if (watch) watch(random);
    return quantized(std::move(random), kind, draw);
}

}  // namespace quern::random_graphs
