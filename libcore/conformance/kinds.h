// Kinds of graphs: of real numbers, and quantized by the product's quantizer, computed by each arithmetic profile.
#pragma once

#include <functional>
#include <optional>

#include "libcore/conformance/grow.h"
#include "libcore/quant/types/scheme.h"

namespace quern::random_graphs {

struct Kind {
    std::string_view profile;        // "float", "net", "chain" (of real numbers, too), or an arithmetic profile
    const Scheme* scheme = nullptr;  // of quantized ones
    std::string name() const;        // "float", "tflite i8"
};

// The `i`-th of all profiles, with a type by chance.
Kind kind_at(size_t i, Draw& draw);
std::span<const std::string_view> profiles();

// A graph of float values, quantized as the kind says. Nothing if the quantizer refuses, or leaves all of it float.
std::optional<RandomGraph> quantized(RandomGraph random, const Kind& kind, Draw& draw);

// A drawn graph of that kind. Nothing if the quantizer refuses, or leaves all of it float. `watch` sees what is quantized before.
using Watch = std::function<void(const RandomGraph&)>;
std::optional<RandomGraph> draw_graph(Draw& draw, const Kind& kind, std::vector<const Op*> first, const Watch& watch = {});

}  // namespace quern::random_graphs
