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
    Difference classes = over({.axis = 1, .features = true}), places = over({.axis = 1});
    classes.add(tensor({1, 2, 1}, {300, 0.3f}), tensor({1, 2, 1}, {300, 0}));
    places.add(tensor({1, 2, 2}, {300, 300, 0.3f, 0.3f}), tensor({1, 2, 2}, {300, 300, 0, 0}));
    places.add(tensor({1, 2, 0}, {}), tensor({1, 2, 0}, {}));  // a sample without places
    BOOST_TEST(!classes.worst_part());
    BOOST_REQUIRE(places.worst_part());
    BOOST_TEST(places.worst_part()->name == "channel 1");
    BOOST_TEST(places.sqnr() == 0);
}

// y = what `ops` make of a product of [1, 2, 3] with a constant matrix: three channels.
Graph product_and(const std::vector<std::pair<const char*, std::vector<int64_t>>>& ops) {
    Graph g;
    g.inputs = {g.add_value("x", pieces)};
    ValueId value = g.add_value("m", {});
    g.add_node(find_op("MatMul"), "m", {g.inputs[0], g.add_constant("w", Tensor::make<float>({3, 3}, std::vector<float>(9, 1)))}, {value});
    for (const auto& [op, numbers] : ops) {
        const ValueId made = g.add_value(g.unique_name(op), {});
        if (std::string_view(op) == "Transpose")
            g.add_node(find_op(op), g.unique_node_name(op), {value}, {made}, {{"perm", numbers}});
        else
            g.add_node(find_op(op), g.unique_node_name(op), {value, g.add_constant(g.unique_name("n"), Tensor::vector<int64_t>(numbers))},
                       {made});
        value = made;
    }
    g.outputs = {value};
    infer_types(g);
    return g;
}

PartLayout layout_behind(const std::vector<std::pair<const char*, std::vector<int64_t>>>& ops) {
    const Graph g = product_and(ops);
    return parts_of(g, g.outputs[0]);
}

BOOST_AUTO_TEST_CASE(channels_are_followed_through_reshapes) {
    BOOST_TEST(layout_behind({}).axis == 2);
    BOOST_TEST(layout_behind({{"Transpose", {0, 2, 1}}}).axis == 1);
    BOOST_TEST(layout_behind({{"Reshape", {2, 3}}}).axis == 1);
    const PartLayout flat = layout_behind({{"Transpose", {0, 2, 1}}, {"Reshape", {1, 6}}});
    BOOST_TEST(flat.inner == 2);
    BOOST_TEST(flat.extent == 3);
    BOOST_TEST(layout_behind({{"Transpose", {0, 2, 1}}, {"Reshape", {1, 6}}, {"Reshape", {1, 3, 2}}}).axis == 1);
    BOOST_TEST(!layout_behind({{"Transpose", {0, 2, 1}}, {"Reshape", {1, 6}}, {"Transpose", {1, 0}}}).given());
    // Runs of two numbers, of three channels; features count where they differ by far.
    Difference difference = over(flat);
    for (int sample = 0; sample < 4; ++sample)
        difference.add(tensor({1, 6}, {300, 300, 3, 3, 300, 300}), tensor({1, 6}, {300, 300, 0, 0, 300, 301}));
    BOOST_REQUIRE(difference.worst_part());
    BOOST_TEST(difference.worst_part()->name == "channel 1");
    BOOST_TEST(difference.sqnr() == 0);
}

BOOST_AUTO_TEST_CASE(what_a_pad_lies_around_is_a_part) {
    const PartLayout parts = layout_behind({{"Pad", {0, 1, 0, 0, 0, 1}}, {"Transpose", {0, 2, 1}}});
    BOOST_TEST((parts.inside == std::vector<std::pair<int64_t, int64_t>>{{0, 1}, {0, 3}, {1, 3}}));
    Difference difference = over(parts);
    const std::vector<float> want{9, 1, 1, 9, 1, 1, 9, 1, 1, 900, 900, 900}, got{9, 1, 1, 9, 1, 1, 9, 1, 0, 900, 900, 901};
    difference.add(tensor({1, 4, 3}, want), tensor({1, 4, 3}, got));
    BOOST_REQUIRE(difference.worst_part());
    BOOST_TEST(difference.worst_part()->name == "\"m\" (within the padding)");
    BOOST_TEST(std::abs(difference.sqnr() - 10 * std::log10(6.0)) < 1e-9);
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
