// AIMET encodings files: what is written reads back, signs of offsets, broken files.
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/base/json.h"
#include "libcore/quant/encodings_json.h"

using namespace quern;

namespace {

Encoding encoding(DType storage, std::vector<float> scale, std::vector<int64_t> zero, int axis = -1, bool symmetric = false) {
    const Dims dims = axis < 0 ? Dims{} : Dims{static_cast<int64_t>(scale.size())};
    return make_encoding(storage, Tensor::make<float>(dims, scale), from_ints(storage, dims, zero), axis, symmetric);
}

ValueId add(Graph& graph, const std::string& name, Encoding e, bool constant = false) {
    const ValueId id = constant ? graph.add_constant(name, Tensor::make<float>({2}, std::vector<float>{1, 2}))
                                : graph.add_value(name, Type::tensor(DType::f32, Shape::of_rank(2)));
    graph.value(id).enc = std::move(e);
    return id;
}

// Encodings of every kind that all three versions can say.
Graph common_graph() {
    Graph graph;
    add(graph, "z/unsigned", encoding(DType::u8, {0.1f}, {128}));
    add(graph, "full", encoding(DType::i8, {0.3f}, {0}));
    add(graph, "narrow \"quoted\"", encoding(DType::i16, {1.5e-7f}, {0}, -1, true));
    add(graph, "positive", encoding(DType::u16, {3.0f}, {0}));
    add(graph, "four", encoding(DType::u4, {0.25f}, {7}));
    add(graph, "w4", encoding(DType::i4, {0.5f}, {0}), true);
    add(graph, "w8", encoding(DType::i8, {0.1f, 0.2f, 1e-12f}, {0, 0, 0}, 1, true), true);
    add(graph, "bias", encoding(DType::i32, {0.01f, 0.02f, 1e-13f}, {0, 0, 0}, 0), true);
    Encoding half;
    half.storage = DType::f16;
    half.scale = Tensor::scalar(1.0f);
    add(graph, "half", half, true);
    Encoding dynamic = make_encoding(DType::u8, {}, {});
    dynamic.kind = Encoding::Kind::dynamic;
    add(graph, "dynamic", dynamic);
    return graph;
}

// The grid of a value: storage may differ by sign, the real numbers of its codes may not.
void check_grid(const Override& got, const Encoding& want) {
    const auto scale = to_floats(want.scale);
    const auto zero = to_ints(want.zero);
    BOOST_TEST(got.scale == scale, boost::test_tools::per_element());
    for (size_t i = 0; i < zero.size(); ++i)
        BOOST_TEST(int_range(got.storage).min - got.zero.at(i) == int_range(want.storage).min - zero[i]);
}

std::string message_of(const std::string& json, Exit want = Exit::bad_input) {
    try {
        parse_encodings(json);
    } catch (const Error& error) {
        BOOST_TEST((error.exit() == want), error.message());
        return error.message();
    }
    return "no error";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(encodings_files)

BOOST_AUTO_TEST_CASE(every_version_says_what_it_was_given) {
    const Graph graph = common_graph();
    for (const std::string_view version : encodings_versions) {
        const std::string text = write_encodings(graph, version);
        BOOST_TEST(parse_json(text)["version"] == version);
        const Overrides read = parse_encodings(text);
        BOOST_TEST(read.size() == 9u);
        BOOST_TEST(!read.contains("dynamic"));
        for (const auto& [key, wanted] : read) {
            BOOST_TEST_INFO_SCOPE("version " << version << ", value " << key);
            const Encoding& e = *graph.value(graph.find(key)).enc;
            BOOST_TEST((wanted.storage == e.storage));
            if (is_float(e.storage))
                BOOST_TEST(wanted.scale.empty());
            else
                check_grid(wanted, e);
            BOOST_TEST(wanted.axis == (version == "2.0.0" ? e.axis : -1));
        }
        BOOST_TEST(read.at("narrow \"quoted\"").symmetric == (version != "2.0.0"));
        BOOST_TEST(!read.at("full").symmetric);
        BOOST_TEST(write_encodings(graph, version) == text);
    }
}

BOOST_AUTO_TEST_CASE(offsets_before_version_2_are_negative_zero_points_of_unsigned_codes) {
    Graph graph;
    add(graph, "u", encoding(DType::u8, {0.5f}, {3}));
    add(graph, "i", encoding(DType::i8, {0.5f}, {3}));
    add(graph, "s", encoding(DType::i8, {0.5f}, {0}, -1, true), true);
    const Json old = parse_json(write_encodings(graph, "0.6.1"));
    BOOST_TEST(old["activation_encodings"]["u"][0]["offset"] == -3);
    BOOST_TEST(old["activation_encodings"]["u"][0]["min"] == -1.5);
    BOOST_TEST(old["activation_encodings"]["u"][0]["max"] == 126.0);
    BOOST_TEST(old["activation_encodings"]["i"][0]["offset"] == -131);
    BOOST_TEST(old["activation_encodings"]["i"][0]["is_symmetric"] == "False");
    BOOST_TEST(old["param_encodings"]["s"][0]["offset"] == -128);
    BOOST_TEST(old["param_encodings"]["s"][0]["is_symmetric"] == "True");
    const Json list = parse_json(write_encodings(graph, "1.0.0"));
    BOOST_TEST(list["activation_encodings"][1]["name"] == "u");
    BOOST_TEST(list["activation_encodings"][1]["offset"] == Json::array({-3}));
    const Json onnx = parse_json(write_encodings(graph, "2.0.0"));
    BOOST_TEST(onnx["encodings"][0]["y_zero_point"] == 3);
    BOOST_TEST(onnx["encodings"][0]["output_dtype"] == "int8");
    BOOST_TEST(!onnx["encodings"][1].contains("y_zero_point"));
    BOOST_TEST(onnx["encodings"][2]["y_zero_point"] == 3);
    // Signed codes with a zero point become the unsigned codes of the same grid; version 2.0.0 keeps them.
    for (const std::string_view version : encodings_versions)
        check_grid(parse_encodings(write_encodings(graph, version)).at("i"), *graph.value(graph.find("i")).enc);
    BOOST_TEST((parse_encodings(write_encodings(graph, "2.0.0")).at("i").storage == DType::i8));
}

BOOST_AUTO_TEST_CASE(old_entries_may_lack_a_grid) {
    const Overrides read = parse_encodings(R"({"activation_encodings": {
        "range": [{"bitwidth": 8, "min": -1.8, "max": 0.5}], "symmetric": [{"bitwidth": 8, "is_symmetric": "True", "min": -1, "max": 2.54}],
        "type": [{"bitwidth": 16, "dtype": "int"}], "float": [{"bitwidth": 32, "dtype": "float"}],
        "signed0": [{"bitwidth": 8, "is_symmetric": "True", "min": -1.28, "max": 1.27, "scale": 0.01, "offset": 0}],
        "strict": [{"bitwidth": 8, "is_symmetric": true, "scale": 0.01, "offset": -127.0}]}, "param_encodings": {}})");
    BOOST_TEST((read.at("range").storage == DType::u8));
    BOOST_TEST(std::abs(read.at("range").scale.at(0) - 0.00902f) < 1e-6f);
    BOOST_TEST(read.at("range").zero.at(0) == 200);
    BOOST_TEST((read.at("symmetric").storage == DType::i8));
    BOOST_TEST(read.at("symmetric").scale.at(0) == 0.02f);
    BOOST_TEST(read.at("symmetric").zero.at(0) == 0);
    BOOST_TEST((read.at("type").storage == DType::u16));
    BOOST_TEST(read.at("type").scale.empty());
    BOOST_TEST((read.at("float").storage == DType::f32));
    BOOST_TEST((read.at("signed0").storage == DType::i8));
    BOOST_TEST(read.at("strict").symmetric);
    BOOST_TEST(read.at("strict").zero.at(0) == 0);
}

BOOST_AUTO_TEST_CASE(blocks_and_bodies) {
    Graph graph;
    Encoding blocks = make_encoding(DType::i4, Tensor::make<float>({2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6}), {}, 0);
    blocks.block = 32;
    add(graph, "w", blocks, true);
    const ValueId c = graph.add_value("c", Type::tensor(DType::boolean, Shape::of(Dims{}))),
                  y = graph.add_value("y", Type::tensor(DType::f32));
    Graph& body = graph.add_body(graph.add_node(find_op("If"), "if_1", {c}, {y}), "then_branch");
    add(body, "inner", encoding(DType::u8, {1}, {2}));
    const Overrides read = parse_encodings(write_encodings(graph, "2.0.0"));
    BOOST_TEST(read.at("if_1/then_branch/inner").zero.at(0) == 2);
    BOOST_TEST(read.at("w").block == 32);
    BOOST_TEST(read.at("w").axis == 0);
    BOOST_TEST(read.at("w").scale == to_floats(blocks.scale), boost::test_tools::per_element());
    const Overrides listed = parse_encodings(write_encodings(graph, "1.0.0"));
    BOOST_TEST(listed.at("w").block == 32);
    BOOST_CHECK_THROW(write_encodings(graph, "0.6.1"), Error);
    BOOST_CHECK_THROW(write_encodings(graph, "3"), Error);
}

BOOST_AUTO_TEST_CASE(broken_files_are_refused_with_their_place) {
    const auto old = [](const std::string& entry) { return "{\"activation_encodings\":{\"x\":[" + entry + "]}}"; };
    const auto list = [](const std::string& entry) { return "{\"version\":\"1.0.0\",\"param_encodings\":[" + entry + "]}"; };
    const auto onnx = [](const std::string& entry) { return "{\"version\":\"2.0.0\",\"encodings\":[" + entry + "]}"; };
    BOOST_TEST(message_of("{\"version\":\"1.0.0\"") == "not JSON: line 1, column 19");
    BOOST_TEST(message_of("{}") == "holds no encodings: \"encodings\" or \"activation_encodings\" is missing");
    BOOST_TEST(message_of("[1]") == "is an array, need an object");
    BOOST_TEST(message_of(std::string(100000, '[')) == "JSON nests deeper than 64 levels");
    BOOST_TEST(message_of("{\"version\":\"3.0.0\",\"encodings\":[]}") == "version: is \"3.0.0\", need 0.4.0 to 2.0.0");
    BOOST_TEST(message_of("{\"version\":\"2.0.0\",\"param_encodings\":[]}") ==
               "version: is \"2.0.0\", but the encodings are those of 1.0.0");
    BOOST_TEST(message_of(old("{\"scale\":1}")) == "activation_encodings.x[0]: \"bitwidth\" is missing");
    BOOST_TEST(message_of(old("{\"bitwidth\":64}")) == "activation_encodings.x[0].bitwidth: is 64, need 4 to 32");
    BOOST_TEST(message_of(old("{\"bitwidth\":8,\"scale\":0,\"offset\":0}")) ==
               "activation_encodings.x[0].scale: is 0, need a scale above 0");
    BOOST_TEST(message_of(old("{\"bitwidth\":8,\"scale\":1e60,\"offset\":0}")) ==
               "activation_encodings.x[0].scale: is not a finite float32");
    BOOST_TEST(message_of(old("{\"bitwidth\":8,\"scale\":1,\"offset\":1}")) ==
               "activation_encodings.x[0]: means zero point -1, need 0 to 255");
    BOOST_TEST(message_of(old("{\"bitwidth\":8,\"scale\":1,\"offset\":1e300}")) ==
               "activation_encodings.x[0].offset: is not a 32-bit integer");
    BOOST_TEST(message_of(old("{\"bitwidth\":8,\"is_symmetric\":\"maybe\"}")) ==
               "activation_encodings.x[0].is_symmetric: is \"maybe\", need True or False");
    BOOST_TEST(message_of(old("{\"bitwidth\":8,\"min\":1,\"max\":2}")) == "activation_encodings.x[0]: range is 1 to 2, need one around 0");
    BOOST_TEST(message_of("{\"activation_encodings\":{\"x\":[]}}") == "activation_encodings.x: is empty");
    BOOST_TEST(message_of(list("{\"name\":\"w\",\"bw\":8,\"scale\":[1,2],\"offset\":[0]}")) ==
               "param_encodings[0]: 2 scales and 1 offsets");
    BOOST_TEST(message_of(list("{\"name\":\"w\",\"bw\":8},{\"name\":\"w\",\"bw\":8}")) ==
               "param_encodings[1]: \"w\" has an encoding already");
    BOOST_TEST(message_of(list("{\"name\":\"w\",\"bw\":8,\"is_sym\":true,\"scale\":[1],\"offset\":[-3]}")) ==
               "param_encodings[0]: offset of a symmetric encoding is -3, need -128, -127 or 0");
    BOOST_TEST(message_of(list("{\"name\":\"w\",\"bw\":8,\"enc_type\":\"PER_BLOCK\",\"scale\":[1],\"offset\":[0],\"block_size\":0}")) ==
               "param_encodings[0].block_size: is not a block size");
    BOOST_TEST(message_of(list("{\"name\":\"w\",\"bw\":8,\"enc_type\":\"LPBQ\"}"), Exit::unsupported) ==
               "param_encodings[0].enc_type: encodings of type LPBQ");
    BOOST_TEST(message_of(list("{\"name\":\"w\",\"bw\":7}"), Exit::unsupported) ==
               "param_encodings[0].bw: integers of 7 bits, need 4, 8, 16 or 32");
    BOOST_TEST(message_of(onnx("{\"name\":\"x\",\"output_dtype\":\"string\"}")) ==
               "encodings[0].output_dtype: is \"string\", need a type of numbers");
    BOOST_TEST(message_of(onnx("{\"name\":\"x\",\"output_dtype\":\"int8\",\"y_scale\":[[1,2],[3]],\"block_size\":2}")) ==
               "encodings[0].y_scale[1]: has 1 items, need 2");
    BOOST_TEST(message_of(onnx("{\"name\":\"x\",\"output_dtype\":\"int8\",\"y_scale\":1,\"y_zero_point\":128}")) ==
               "encodings[0].y_zero_point: means zero point 128, need -128 to 127");
    BOOST_TEST(message_of(onnx("{\"name\":\"x\",\"output_dtype\":\"int8\",\"y_scale\":[1],\"axis\":-1}")) ==
               "encodings[0].axis: is -1, need 0 or more");
}

BOOST_AUTO_TEST_SUITE_END()
