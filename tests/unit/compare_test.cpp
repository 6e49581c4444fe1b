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

Tensor tensor(Dims dims, const std::vector<float>& numbers) { return Tensor::make<float>(std::move(dims), numbers); }

Difference over(PartLayout parts) {
    Difference difference;
    difference.layout = std::move(parts);
    return difference;
}

const Type pieces = Type::tensor(DType::f32, Shape::of(std::vector<int64_t>{1, 2, 3}));

// y = Transpose(Relu(Concat(a, Concat(b, c)))), of which the parts lie along axis `axis` of the result.
Graph joined(int64_t axis) {
    Graph g;
    for (const char* name : {"a", "b", "c"}) g.inputs.push_back(g.add_value(name, pieces));
    const ValueId inner = g.add_value("inner", {}), all = g.add_value("all", {}), least = g.add_value("least", {}),
                  y = g.add_value("y", {});
    g.add_node(find_op("Concat"), "inner", {g.inputs[1], g.inputs[2]}, {inner}, {{"axis", int64_t{1}}});
    g.add_node(find_op("Concat"), "all", {g.inputs[0], inner}, {all}, {{"axis", int64_t{-2}}});
    g.add_node(find_op("Relu"), "relu", {all}, {least});
    std::vector<int64_t> perm{0, 1, 2};
    std::swap(perm[1], perm[static_cast<size_t>(axis)]);
    g.add_node(find_op("Transpose"), "turn", {least}, {y}, {{"perm", perm}});
    g.outputs = {y};
    infer_types(g);
    return g;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(compare)

BOOST_AUTO_TEST_CASE(parts_are_what_a_concat_joins_wherever_its_axis_goes) {
    for (const int64_t axis : {0, 1, 2}) {
        const Graph g = joined(axis);
        const PartLayout parts = parts_of(g, g.outputs[0]);
        BOOST_TEST(parts.axis == static_cast<int>(axis));
        BOOST_TEST(parts.ends == (std::vector<int64_t>{2, 4, 6}), boost::test_tools::per_element());
        BOOST_TEST(parts.names == (std::vector<std::string>{"a", "b", "c"}), boost::test_tools::per_element());
    }
    const Graph plain = chains(false, 1);
    BOOST_TEST(!parts_of(plain, plain.outputs[0]).given());
    BOOST_TEST(!parts_of(plain, plain.inputs[0]).given());
}

BOOST_AUTO_TEST_CASE(the_figure_is_that_of_the_worst_part) {
    Difference difference = over({.axis = 1, .ends = {1, 2, 3}, .names = {"large", "small", "zero"}});
    difference.add(tensor({1, 3, 2}, {300, 400, 0.3f, 0.4f, 0, 0}), tensor({1, 3, 2}, {300, 401, 0.3f, 0.4f, 0, 0}));
    difference.add(tensor({1, 3, 2}, {300, 400, 0.3f, 0.4f, 0, 0}), tensor({1, 3, 2}, {300, 400, 0, 0, 0.1f, 0}));
    BOOST_REQUIRE(difference.worst_part());
    BOOST_TEST(difference.worst_part()->name == "\"small\" (1 of axis 1)");
    BOOST_TEST(std::abs(difference.sqnr() - 3.0103) < 1e-3);
    BOOST_TEST(difference.whole_sqnr() > 50);
    BOOST_TEST(difference.worst_sample()->name == "sample 1");  // of that part
    BOOST_TEST(difference.spread().lowest == 0);
    BOOST_TEST(std::isinf(difference.spread().highest));
}

BOOST_AUTO_TEST_CASE(parts_of_one_size_are_one_figure) {
    Difference difference = over({.axis = 1, .ends = {1, 2}, .names = {"a", "b"}});
    difference.add(tensor({1, 2, 1}, {3, 4}), tensor({1, 2, 1}, {3, 5}));
    BOOST_TEST(!difference.worst_part());
    BOOST_TEST(difference.sqnr() == difference.whole_sqnr());
    BOOST_TEST(!difference.worst_sample());
    // Channels count where they have places, and not where they are classes of a batch.
    Difference classes = over({.axis = 1}), places = classes;
    classes.add(tensor({1, 2, 1}, {300, 0.3f}), tensor({1, 2, 1}, {300, 0}));
    places.add(tensor({1, 2, 2}, {300, 300, 0.3f, 0.3f}), tensor({1, 2, 2}, {300, 300, 0, 0}));
    BOOST_TEST(!classes.worst_part());
    BOOST_REQUIRE(places.worst_part());
    BOOST_TEST(places.worst_part()->name == "channel 1");
    BOOST_TEST(places.sqnr() == 0);
}

BOOST_AUTO_TEST_CASE(moved_values_are_compared_in_the_order_of_their_source) {
    Graph a, b;
    for (Graph* g : {&a, &b}) {
        g->inputs = {g->add_value("x", pieces)};
        g->outputs = {g->add_value("y", {})};
    }
    a.add_node(find_op("Abs"), "abs", {a.inputs[0]}, {a.outputs[0]});
    const ValueId turned = b.add_value("turned", {});
    b.add_node(find_op("Transpose"), "turn", {b.inputs[0]}, {turned}, {{"perm", std::vector<int64_t>{0, 2, 1}}});
    b.add_node(find_op("Abs"), "abs", {turned}, {b.outputs[0]});
    b.value(b.outputs[0]).permutation = {0, 2, 1};
    infer_types(a), infer_types(b);
    const Comparison same = compare_models({a}, {b}, *random_samples(input_specs(a), 1, 3), true, 1, [] {});
    BOOST_REQUIRE(same.values.size() == 1);
    BOOST_TEST(same.values[0].difference.mismatch == "");
    BOOST_TEST(same.values[0].difference.identical());
}

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
        BOOST_TEST(bad->difference.count() == 50 * 64);
    }
}

BOOST_AUTO_TEST_SUITE_END()
