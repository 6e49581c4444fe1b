// Forms read backwards: Gelu by the erfc that front ends spell out.
#include <boost/test/unit_test.hpp>

#include <array>
#include <cmath>

#include "libcore/passes/decompose/math.h"
#include "libcore/passes/passes.h"
#include "libcore/passes/recognise/form.h"
#include "tests/unit/made_of_operators.h"

using namespace quern;
using decompose::Term;

namespace {

constexpr std::array floats{DType::f32, DType::f16, DType::f64};

// A graph of one input and `make` of it.
template <class Fn>
Graph graph_of(DType dtype, const Fn& make) {
    Graph graph;
    Appender builder(graph);
    graph.inputs = {graph.add_value("x", Type::tensor(dtype, Shape::of(Dims{3, 4})))};
    graph.outputs = {make(Term{&builder, graph.inputs[0]}).id};
    verify(graph);
    return graph;
}

int gelus_in(Graph graph) {
    run_passes(graph, std::array{&fuse_gelu, &drop_dead});
    int count = 0;
    for (const NodeId id : graph.order()) count += graph.node(id).is(ops::Gelu);
    return count == 1 && graph.order().size() == 1 ? 1 : -count;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(form_test)

BOOST_AUTO_TEST_CASE(a_form_finds_its_argument) {
    for (const DType dtype : floats) {
        const Form form(decompose::erfc, dtype);
        const Graph graph = graph_of(dtype, [](const Term& x) { return decompose::erfc(x * 2.0); });
        const ValueId doubled = form.argument_of(graph, graph.outputs[0]);
        BOOST_TEST_REQUIRE((doubled != ValueId::none));
        BOOST_TEST(graph.node(graph.value(doubled).producer).is(ops::Mul));
        BOOST_TEST((form.argument_of(graph, doubled) == ValueId::none));
        BOOST_TEST((Form(decompose::expm1, dtype).argument_of(graph, graph.outputs[0]) == ValueId::none));
    }
}

BOOST_AUTO_TEST_CASE(another_constant_is_another_form) {
    Graph graph = graph_of(DType::f32, [](const Term& x) { return decompose::erfc(x); });
    for (size_t i = 0; i < graph.value_count(); ++i) {
        Value& value = graph.value(static_cast<ValueId>(i));
        if (!value.constant() || value.type.dtype != DType::f64) continue;
        const double other = 0.25;
        value.data = Bytes::copy(&other, sizeof other);
        break;
    }
    BOOST_TEST((Form(decompose::erfc, DType::f32).argument_of(graph, graph.outputs[0]) == ValueId::none));
}

BOOST_AUTO_TEST_CASE(gelu_by_erfc_is_recognised) {
    const double root = std::sqrt(0.5);
    for (const DType dtype : floats) {
        BOOST_TEST(gelus_in(graph_of(dtype, [&](const Term& x) { return x * 0.5 * decompose::erfc(-x * root); })) == 1);
        BOOST_TEST(gelus_in(graph_of(dtype, [&](const Term& x) { return decompose::erfc(x * -root) * x * 0.5; })) == 1);
        BOOST_TEST(gelus_in(graph_of(dtype, [&](const Term& x) { return x * 0.5 * decompose::erfc(x * root); })) == 0);
        BOOST_TEST(gelus_in(graph_of(dtype, [&](const Term& x) { return x * 0.5 * decompose::erfc(-x); })) == 0);
    }
}

BOOST_AUTO_TEST_SUITE_END()
