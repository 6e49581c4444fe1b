// Weights that are stored as float16 are numbers to the quantizer: plain, sparse, and behind operators that hand them on.
#include <boost/test/unit_test.hpp>

#include "formats/tflite/tflite.h"
#include "libcore/graph/op.h"
#include "libcore/graph/short_floats.h"
#include "libcore/quantize/quantize_model.h"
#include "tests/unit/tflite_files.h"

using namespace quern;
using namespace quern::test;
using Code = tflite::BuiltinOperator;

namespace {

const std::vector<uint16_t> halves{0x3c00, 0x4000, 0xc200, 0x4400, 0x3800, 0xbc00};  // 1 2 -3 4 0.5 -1

// FULLY_CONNECTED of two units on three numbers.
Model product(TfliteFile& file, int weights) {
    const int x = file.tensor("x", {1, 3}), y = file.tensor("y", {1, 2});
    file.op(Code::FULLY_CONNECTED, {x, weights, -1}, {y}, tflite::BuiltinOptions::FullyConnectedOptions,
            tflite::CreateFullyConnectedOptions(file.builder).Union());
    file.end_graph({x}, {y});
    const std::string bytes = file.finish();
    Model model = tflite_format::read(Bytes::copy(bytes.data(), bytes.size()), "-");
    infer_types(model.graph);
    return model;
}

void check_quantized(Model model) {
    for (const char* type : {"wo-i8", "wo-i4", "dynamic-i8"}) {
        Model copy{.graph = model.graph, .lineage = {}, .facts = {}};
        BOOST_TEST(!has_codes(copy.graph));
        ThreadPool pool(1);
        const QuantReport report = quantize_model(copy, nullptr, {.scheme = &scheme_named(type)}, pool);
        BOOST_TEST(report.values.size() == 1u, type);
        BOOST_TEST(has_codes(copy.graph), type);
    }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(short_floats)

BOOST_AUTO_TEST_CASE(constants_behind_dequantize) {
    TfliteFile file;
    const int h = file.tensor("h", {2, 3}, file.buffer(halves), {.type = tflite::TensorType::FLOAT16}), w = file.tensor("w", {2, 3});
    file.op(Code::DEQUANTIZE, {h}, {w});
    check_quantized(product(file, w));
}

BOOST_AUTO_TEST_CASE(sparse_constants) {
    TfliteFile file;
    fb::FlatBufferBuilder& to = file.builder;
    const std::vector<uint8_t> starts{0, 3, 6}, columns{0, 1, 2, 0, 1, 2};
    const auto segments = tflite::CreateUint8VectorDirect(to, &starts), indices = tflite::CreateUint8VectorDirect(to, &columns);
    const auto dense = tflite::CreateDimensionMetadata(to, tflite::DimensionType::DENSE, 2);
    const auto rows = tflite::CreateDimensionMetadata(to, tflite::DimensionType::SPARSE_CSR, 0, tflite::SparseIndexVector::Uint8Vector,
                                                      segments.Union(), tflite::SparseIndexVector::Uint8Vector, indices.Union());
    const std::vector<int32_t> order{0, 1};
    const std::vector<fb::Offset<tflite::DimensionMetadata>> dims{dense, rows};
    const auto sparsity = tflite::CreateSparsityParametersDirect(to, &order, nullptr, &dims);
    const int s = file.tensor("s", {2, 3}, file.buffer(halves), {.type = tflite::TensorType::FLOAT16, .sparsity = sparsity});
    const int h = file.tensor("h", {2, 3}, 0, {.type = tflite::TensorType::FLOAT16}), w = file.tensor("w", {2, 3});
    file.op(Code::DENSIFY, {s}, {h});
    file.op(Code::DEQUANTIZE, {h}, {w});
    check_quantized(product(file, w));
}

BOOST_AUTO_TEST_SUITE_END()
