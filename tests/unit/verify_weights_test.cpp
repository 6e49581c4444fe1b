#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <random>
#include <span>

#include "libcore/check/verify_weights.h"
#include "libcore/graph/block_encoding.h"
#include "libcore/graph/op.h"
#include "libcore/graph/op_ids.h"
#include "libcore/passes/onnx/lower_encodings.h"
#include "tests/unit/gguf_files.h"

using namespace quern;

namespace {

constexpr int64_t depth = 512;
const std::vector<std::string> both{"matrix.weight", "table.weight"};

// Random blocks whose numbers are finite.
Bytes random_rows(const BlockFormat& format, int64_t rows, std::mt19937& random) {
    const auto blocks = static_cast<size_t>(rows * depth / format.elements);
    MutableBytes out(blocks * format.bytes);
    std::vector<float> numbers(static_cast<size_t>(format.elements));
    for (size_t i = 0; i < blocks; ++i) do {
            for (size_t k = 0; k < format.bytes; ++k) out.data()[i * format.bytes + k] = static_cast<std::byte>(random());
            format.decode(out.data() + i * format.bytes, 1, numbers.data());
        } while (!std::ranges::all_of(numbers, [](float x) { return std::isfinite(x); }));
    return std::move(out).freeze();
}

ValueId constant(Graph& graph, const std::string& name, const Dims& dims, const BlockFormat& format, int axis, std::mt19937& random) {
    const ValueId id = graph.add_value(name, Type::tensor(DType::f32, Shape::of(dims)));
    graph.value(id).enc = block_encoding(format, axis);
    graph.value(id).data = random_rows(format, 3, random);
    return id;
}

// A matrix that is multiplied, and a table whose rows are looked up.
Graph net(const BlockFormat& format, std::mt19937& random) {
    Graph graph;
    const ValueId x = graph.add_value("x", Type::tensor(DType::f32, Shape::of(Dims{1, depth})));
    const ValueId ids = graph.add_value("ids", Type::tensor(DType::i64, Shape::of(Dims{1, 2})));
    const ValueId y = graph.add_value("y", Type::tensor(DType::f32)), rows = graph.add_value("rows", Type::tensor(DType::f32));
    graph.inputs = {x, ids};
    graph.outputs = {y, rows};
    const ValueId matrix = constant(graph, both[0], {depth, 3}, format, 0, random);
    const ValueId table = constant(graph, both[1], {3, depth}, format, 1, random);
    graph.add_node(need_op(ops::MatMul), "product", {x, matrix}, {y});
    graph.add_node(need_op(ops::Gather), "look_up", {table, ids}, {rows});
    infer_types(graph);
    return graph;
}

// The first constant of this name, or with something behind it, gets another last byte.
void spoil(Graph& graph, std::string_view name) {
    for (size_t i = 0; i < graph.value_count(); ++i) {
        Value& value = graph.value(static_cast<ValueId>(i));
        if (value.erased || !value.constant() || !value.name.starts_with(name)) continue;
        MutableBytes bytes(value.data->size());
        std::ranges::copy(std::span(value.data->data(), value.data->size()), bytes.data());
        bytes.data()[bytes.size() - 1] ^= std::byte{64};
        value.data = std::move(bytes).freeze();
        return;
    }
    BOOST_ERROR("no constant " << name);
}

std::string answer(const Graph& source, const Graph& written) {
    return test::refusal([&] { verify_weights(source, source, written, both); });
}

void check_format(const BlockFormat& format, std::mt19937& random) {
    BOOST_TEST_INFO_SCOPE(format.name);
    const Graph source = net(format, random);
    BOOST_TEST(answer(source, source) == "read");
    Graph spelled = source;
    lower_encodings(spelled, "qdq", 21);
    infer_types(spelled);
    BOOST_TEST(answer(source, spelled) == "read");
    for (const std::string& name : both) {
        Graph other = spelled;
        spoil(other, name);
        BOOST_TEST(answer(source, other).starts_with("1: tensor \"" + name + "\": "));
    }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(verifying_weights)

BOOST_AUTO_TEST_CASE(every_format_as_it_is_and_spelled) {
    std::mt19937 random(1);
    for (const BlockFormat& format : block_formats())
        if (format.quantized() || format.encode) check_format(format, random);  // not integers and doubles, which no weight is made of
}

BOOST_AUTO_TEST_CASE(what_differs_is_named) {
    std::mt19937 random(1);
    const Graph source = net(need_block_format("f32"), random);
    Graph other = source;
    spoil(other, "matrix.weight");
    BOOST_TEST(answer(source, other).starts_with("1: tensor \"matrix.weight\": 1 of 1536 numbers differ, the first is element "));
    Graph without = source;
    without.rename(without.find("matrix.weight"), "renamed");
    BOOST_TEST(answer(source, without).starts_with("4: tensor \"matrix.weight\": is written in a form that is not read back"));
}

BOOST_AUTO_TEST_SUITE_END()
