// What stays float because rounding would leave nothing of it: what feeds a logarithm, products whose input a few great numbers stretch.
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "libcore/quant/quantize.h"
#include "libcore/quant/sensitivity.h"

using namespace quern;

namespace {

ValueRange spread(float least, float greatest) {  // as many numbers in each octave
    ValueRange range{.min = least, .max = greatest};
    for (float x = least; x < greatest; x *= 1.01f, ++range.count) ++range.histogram.bins[Histogram::bin_of(x)];
    return range;
}

QuantReport front_end(float least, float greatest) {
    Graph graph;
    const ValueId x = graph.add_value("x", Type::tensor(DType::f32, Shape::of(Dims{2, 2})));
    const ValueId w = graph.add_constant("w", Tensor::make<float>({2, 2}, std::vector<float>{1, 0.5f, 0.25f, 1}));
    const ValueId y = graph.add_value("y", Type{}), z = graph.add_value("z", Type{});
    graph.add_node(need_op("MatMul"), "product", {x, w}, {y}, {});
    graph.add_node(need_op("Log"), "log", {y}, {z}, {});
    graph.inputs = {x};
    graph.outputs = {z};
    infer_types(graph);
    Ranges ranges;
    ranges.values["x"] = ranges.values["y"] = spread(least, greatest);
    ranges.values["z"] = {.min = std::log(least), .max = std::log(greatest), .count = 4};
    QuantOptions options;
    options.scheme = &scheme_named("i8");
    ThreadPool pool(1);
    return quantize_graph(graph, &ranges, options, pool);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(quant_sensitivity)

BOOST_AUTO_TEST_CASE(response) {
    const GridSpec spec = grid_spec(DType::i8, false);
    const auto log = [](double x) { return std::log(x); };
    const auto db = [&](float least, float greatest) {
        const ValueRange range = spread(least, greatest);
        return response_db(masses_of(range), grid_of({0, greatest}, spec), spec, log);
    };
    BOOST_TEST(db(1, 4) > 30);
    BOOST_TEST(db(1e-6f, 100) < 5);
    BOOST_TEST(std::isinf(response_db({}, {}, spec, log)));
}

BOOST_AUTO_TEST_CASE(what_feeds_a_logarithm) {
    const QuantReport wide = front_end(1e-6f, 100), narrow = front_end(1, 4);
    BOOST_TEST(!wide.nodes.at(0).quantized);
    BOOST_TEST(wide.nodes.at(0).reason.find("Log \"log\", whose input must not be rounded") != std::string::npos);
    BOOST_TEST(narrow.nodes.at(0).quantized);
}

BOOST_AUTO_TEST_SUITE_END()
