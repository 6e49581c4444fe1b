// Broken Circle files, ten by hand and every short one: refused in one line with the right exit code.
#include <boost/test/unit_test.hpp>

#include "formats/circle/circle.h"
#include "libcore/graph/op.h"
#include "tests/unit/tflite_files.h"

using namespace quern;
using namespace quern::test;
using tflite::TensorType;
using Code = tflite::BuiltinOperator;

BOOST_AUTO_TEST_SUITE(circle_broken)

namespace {

void refused(const std::string& file, const std::string& why) {
    const std::string said = answer(file, true);
    BOOST_TEST(said.find(why) != std::string::npos, "\"" << said << "\" does not say \"" << why << "\"");
}

// x -> code(x, more...) -> y
std::string one(Code code, Ints32 dims, const std::vector<Ints32>& operands) {
    TfliteFile file;
    const int x = file.tensor("x", std::move(dims)), y = file.tensor("y", {1});
    Ints32 in{x};
    for (const Ints32& shape : operands) {
        size_t count = 1;
        for (const int32_t dim : shape) count *= static_cast<size_t>(dim);
        in.push_back(file.floats("c" + std::to_string(in.size()), shape, std::vector<float>(count, 1)));
    }
    file.op(code, in, {y});
    file.end_graph({x}, {y});
    return file.finish("CIR0");
}

std::string with_tensor(Ints32 dims, TensorType type, size_t bytes) {
    TfliteFile file;
    const int x = file.tensor("x", {1}), y = file.tensor("y", {1});
    const int w = file.tensor("w", std::move(dims), file.buffer(std::vector<uint8_t>(bytes)), {.type = type});
    file.op(Code::ADD, {x, w}, {y});
    file.end_graph({x}, {y});
    return file.finish("CIR0");
}

}  // namespace

BOOST_AUTO_TEST_CASE(ten_files) {
    const std::string good = one(Code::NEG, {1}, {});
    BOOST_TEST(answer(good, true) == "read");
    std::string other = good;
    other[4] = 'X';
    refused(other, "not a valid FlatBuffer of Circle");
    refused(one(static_cast<Code>(-20), {1}, {}), "operator code -20 is not known");
    refused(with_tensor({32}, TensorType::GGML_Q4_1, 19), "need 20");
    refused(with_tensor({31}, TensorType::GGML_Q8_0, 34), "does not divide into blocks");
    refused(with_tensor({1}, static_cast<TensorType>(-9), 4), "element type -9 is not known");
    refused(with_tensor({5}, TensorType::CIRCLE_UINT4, 2), "need 3");
    refused(one(Code::INSTANCE_NORM, {1, 2, 2, 3}, {{3}}), "input 2 is absent");
    refused(one(Code::GRU, {2, 1, 1}, {{3}, {3}, {3, 1}, {3}, {1, 1}}), "weights are");
    refused(with_tensor({32}, TensorType::MXFP4, 16), "exponents are not in the file");
    TfliteFile lost;
    const int a = lost.tensor("a", {32}), m = lost.tensor("m", {32}, 0, {.type = TensorType::MXINT8}), b = lost.tensor("b", {32});
    lost.op(Code::NEG, {a}, {m});
    lost.op(Code::NEG, {m}, {b});
    lost.end_graph({a}, {b});
    refused(lost.finish("CIR0"), "MX elements without their axis");
    TfliteFile outside;
    outside.op(Code::NEG, {outside.tensor("x", {1})}, {outside.tensor("y", {1})});
    outside.end_graph({9}, {1});
    refused(outside.finish("CIR0"), "input is tensor 9 of 2");
    TfliteFile twice;
    const int x = twice.tensor("x", {1}), y = twice.tensor("y", {1});
    twice.op(Code::NEG, {x}, {y});
    twice.op(Code::ABS, {x}, {y});
    twice.end_graph({x}, {y});
    refused(twice.finish("CIR0"), "is computed twice");
}

BOOST_AUTO_TEST_CASE(cut_files) {
    const std::string good = one(Code::ADD, {1}, {{1}});
    for (size_t size = 0; size + 1 < good.size(); ++size) BOOST_TEST(answer(good.substr(0, size), true) != "read");
}

BOOST_AUTO_TEST_SUITE_END()
