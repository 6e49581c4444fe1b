#include <boost/test/unit_test.hpp>

#include "formats/samples/random_source.h"
#include "libcore/graph/op.h"
#include "libcore/runs/compare.h"

using namespace quern;

namespace {

// Two independent chains over x, in either order; `factor` scales the second.
Graph chains(bool swapped, float factor) {
    Graph g;
    const Type type = Type::tensor(DType::f32, Shape::of(std::vector<int64_t>{64}));
    const ValueId x = g.add_value("x", type), p = g.add_value("p", type), q = g.add_value("q", type), y = g.add_value("y", type);
    const ValueId k = g.add_constant("k", Tensor::scalar(factor));
    g.inputs = {x};
    const auto first = [&] { g.add_node(find_op("Abs"), "abs", {x}, {p}); };
    const auto second = [&] { g.add_node(find_op("Mul"), "mul", {x, k}, {q}); };
    if (swapped)
        second(), first();
    else
        first(), second();
    g.add_node(find_op("Add"), "add", {p, q}, {y});
    g.outputs = {y};
    infer_types(g);
    return g;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(compare)

BOOST_AUTO_TEST_CASE(values_meet_whatever_the_order_and_the_limit) {
    const Graph a = chains(false, 1), b = chains(true, 1), c = chains(true, 1.5f);
    const auto source = random_samples(input_specs(a), 1, 50);
    for (const size_t limit : {size_t{0}, size_t{1} << 20}) {
        const Comparison same = compare_models(
            {a}, {b}, *source, false, 2, [] {}, limit);
        BOOST_TEST(same.values.size() == 4);
        BOOST_TEST(same.first_below(1000, false) == nullptr);
        const Comparison off = compare_models(
            {a}, {c}, *source, false, 2, [] {}, limit);
        const ComparedValue* bad = off.first_below(20, false);
        BOOST_REQUIRE(bad);
        BOOST_TEST(bad->key == "q");
        BOOST_TEST(std::abs(bad->difference.sqnr() - 6.0206) < 1e-3);
        BOOST_TEST(bad->difference.cosine() > 0.999999);
        BOOST_TEST(off.first_below(20, true)->key == "y");
        BOOST_TEST(bad->difference.count == 50 * 64);
    }
}

BOOST_AUTO_TEST_SUITE_END()
