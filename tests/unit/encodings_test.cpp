// AIMET encodings files: what is written reads back, signs of offsets, broken files.
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/base/json.h"
#include "libcore/quant/encodings/compare_encodings.h"
#include "libcore/quant/encodings/encodings_json.h"

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

constexpr std::array<std::string_view, 3> aimet_versions{"0.6.1", "1.0.0", "2.0.0"};

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
    for (const std::string_view version : aimet_versions) {
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
    for (const std::string_view version : aimet_versions)
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

BOOST_AUTO_TEST_CASE(lists_may_lack_their_version) {
    const Overrides read = parse_encodings(R"({"activation_encodings": [
        {"name": "x", "bw": 8, "dtype": "INT", "enc_type": "PER_TENSOR", "is_sym": false, "scale": [0.5], "offset": [-3]}],
        "param_encodings": []})");
    BOOST_TEST((read.at("x").storage == DType::u8));
    BOOST_TEST(read.at("x").zero.at(0) == 3);
    BOOST_TEST(message_of(R"({"activation_encodings": {"conv1": {"input": {"0": {"bitwidth": 8}}}}, "param_encodings": {}})",
                          Exit::unsupported) == "activation_encodings.conv1: are encodings by modules of PyTorch");
}

// onnxruntime's zero points are in the range of the type, as ours are: no sign changes.
BOOST_AUTO_TEST_CASE(tensor_quant_overrides_say_what_they_were_given) {
    Graph graph;
    add(graph, "i", encoding(DType::i8, {0.5f}, {-28}));
    add(graph, "u", encoding(DType::u8, {0.5f}, {100}));
    add(graph, "n", encoding(DType::i4, {0.25f, 0.1f}, {-8, 7}, 1), true);
    add(graph, "wide", encoding(DType::u16, {1.5e-7f}, {65535}));
    add(graph, "bias", encoding(DType::i32, {0.01f, 0.02f}, {0, 0}, 0), true);
    const std::string text = write_encodings(graph, "ort");
    const Json json = parse_json(text);
    BOOST_TEST(json["i"] == (Json::array({{{"quant_type", "QInt8"}, {"scale", 0.5}, {"zero_point", -28}}})));
    BOOST_TEST(json["u"][0]["zero_point"] == 100);
    BOOST_TEST(json["n"][1]["axis"] == 1);
    BOOST_TEST(!json.contains("bias"));  // onnxruntime makes it of the scales of input and weight
    const Overrides read = parse_encodings(text);
    BOOST_TEST(read.size() == 4u);
    for (const auto& [key, wanted] : read) {
        const Encoding& e = *graph.value(graph.find(key)).enc;
        BOOST_TEST((wanted.storage == e.storage));
        BOOST_TEST(!wanted.any_sign);
        BOOST_TEST(wanted.scale == to_floats(e.scale), boost::test_tools::per_element());
        BOOST_TEST(wanted.zero == to_ints(e.zero), boost::test_tools::per_element());
        BOOST_TEST(wanted.axis == e.axis);
    }
    BOOST_TEST(parse_encodings("{\"TensorQuantOverrides\":" + text + "}").size() == 4u);
    BOOST_TEST(parse_encodings("{\"a\":[],\"b\":[{}]}").empty());
}

// Vectors by the formulas of onnxruntime: 0 belongs to a range, signed symmetric codes leave out the least one, reduced ones half.
BOOST_AUTO_TEST_CASE(tensor_quant_overrides_by_range) {
    const auto one = [](const std::string& entry) { return parse_encodings("{\"x\":[" + entry + "]}").at("x"); };
    const auto is = [](const Override& got, float scale, int64_t zero) {
        BOOST_TEST(std::abs(got.scale.at(0) - scale) <= 1e-6f * scale);
        BOOST_TEST(got.zero.at(0) == zero);
    };
    is(one(R"({"quant_type": "QUInt8", "rmin": -1.0, "rmax": 1.55})"), 0.01f, 100);
    is(one(R"({"quant_type": "QInt8", "rmin": -1.0, "rmax": 1.55})"), 0.01f, -28);
    is(one(R"({"quant_type": "QInt8", "rmin": 1.0, "rmax": 2.55})"), 0.01f, -128);
    is(one(R"({"quant_type": "QInt8", "rmin": -1.0, "rmax": 2.54, "symmetric": true})"), 0.02f, 0);
    is(one(R"({"quant_type": "QUInt8", "rmin": -1.0, "rmax": 2.55, "symmetric": true})"), 0.02f, 128);
    is(one(R"({"quant_type": "QInt4", "rmin": -1.0, "rmax": 1.5, "symmetric": true})"), 0.2f, 0);
    is(one(R"({"quant_type": "QUInt8", "rmin": 0, "rmax": 1.27, "reduce_range": true})"), 0.01f, 0);
    is(one(R"({"quant_type": "QInt8", "rmin": -0.64, "rmax": 0.1, "reduce_range": true, "symmetric": true})"), 0.01f, 0);
    const Override weight = parse_encodings(R"({"w": [{"quant_type": "QInt8", "axis": 1, "rmin": -1.27, "rmax": 0.5},
        {"axis": 1, "rmin": -0.1, "rmax": 2.54}]})")
                                .at("w");
    is(weight, 0.01f, 0);
    BOOST_TEST(std::abs(weight.scale.at(1) - 0.02f) < 1e-7f);
    BOOST_TEST(weight.axis == 1);
    is(parse_encodings(R"({"w": [{"quant_type": "QUInt8", "axis": 0, "rmin": 0, "rmax": 2.55}]})").at("w"), 0.02f,
       128);  // symmetric by default
    BOOST_TEST(one(R"({"quant_type": "QInt16", "symmetric": true})").symmetric);
    BOOST_TEST(one(R"({"quant_type": "QInt8", "scale": [0.5], "zero_point": [3]})").zero.at(0) == 3);
}

BOOST_AUTO_TEST_CASE(tensor_quant_overrides_that_are_broken_or_have_no_form) {
    const auto said = [](const std::string& list, Exit want = Exit::bad_input) { return message_of("{\"x\":[" + list + "]}", want); };
    const std::string grid = R"("quant_type":"QInt8","scale":0.1,"zero_point":0)";
    BOOST_TEST(said("{" + grid + ",\"convert\":{\"quant_type\":\"QUInt16\"}}", Exit::unsupported) ==
               "x[0].convert: a second type for some readers has no form here");
    BOOST_TEST(said("{\"scale\":0.1,\"zero_point\":0}", Exit::unsupported) ==
               "x[0]: has no quant_type, which is left to the call of onnxruntime.quantization");
    BOOST_TEST(said("{\"quant_type\":\"QFLOAT8E4M3FN\",\"rmin\":-1,\"rmax\":1}", Exit::unsupported) ==
               "x[0].rmin: of float8e4m3fn onnxruntime takes the scale from deviations, not from a range");
    BOOST_TEST(said("{\"quant_type\":\"QFLOAT8E4M3FN\",\"scale\":1,\"zero_point\":3}") ==
               "x[0].zero_point: means zero point 3, need 0 to 0");
    BOOST_TEST(said("{\"quant_type\":\"QInt8\",\"reduce_range\":true}", Exit::unsupported) ==
               "x[0].reduce_range: without rmin and rmax it has no form here");
    BOOST_TEST(said("{\"quant_type\":\"QInt8\",\"axis\":0}", Exit::unsupported).starts_with("x[0].axis: without scales"));
    BOOST_TEST(said("{" + grid + ",\"axis\":-1}", Exit::unsupported).starts_with("x[0].axis: is -1"));
    BOOST_TEST(said("{\"quant_type\":\"int8\"}") == "x[0].quant_type: is \"int8\", which is not a QuantType");
    BOOST_TEST(said("{" + grid + ",\"zeropoint\":1}") ==
               "x[0].zeropoint: is not a key of TensorQuantOverrides (did you mean \"zero_point\"?)");
    BOOST_TEST(said("{" + grid + ",\"rmin\":1}") == "x[0].rmin: stands beside scale and zero_point");
    BOOST_TEST(said("{\"quant_type\":\"QInt8\",\"scale\":1}") == "x[0]: has \"scale\" without \"zero_point\"");
    BOOST_TEST(said("{\"quant_type\":\"QInt8\",\"rmax\":1}") == "x[0]: has \"rmax\" without \"rmin\"");
    BOOST_TEST(said("{\"quant_type\":\"QUInt8\",\"scale\":1,\"zero_point\":-1}") == "x[0].zero_point: means zero point -1, need 0 to 255");
    BOOST_TEST(said("{" + grid + "},{" + grid + "}") == "x[0]: has no \"axis\", but there are several channels");
    BOOST_TEST(said("{" + grid + ",\"axis\":0},{\"quant_type\":\"QUInt8\",\"scale\":1,\"zero_point\":0}") ==
               "x[1].quant_type: differs from the first channel");
    BOOST_TEST(said("{" + grid + ",\"axis\":0},{}") == "x: gives a grid for some channels only");
    Graph graph;
    add(graph, "x", encoding(DType::i32, {0.5f}, {0}));
    BOOST_CHECK_EXCEPTION(write_encodings(graph, "ort"), Error, [](const Error& error) {
        return error.exit() == Exit::unsupported && error.message() == "value \"x\": encodings ort cannot say codes of int32";
    });
}

// QNN adds offsets to codes as they are stored: -100 is zero point 100 of uint8 (0x408), 0 that of int8 (0x308).
BOOST_AUTO_TEST_CASE(graphs_of_qnn) {
    const auto tensor = [](const std::string& name, int type, const std::string& params) {
        return fmt::format(R"("{}": {{"id": 1, "type": 3, "data_type": {}, "quant_params": {}}})", name, type, params);
    };
    const auto one = [](const std::string& scale, int offset) {
        return fmt::format(R"({{"definition": 1, "encoding": 0, "scale_offset": {{"scale": {}, "offset": {}}}}})", scale, offset);
    };
    const auto graph = [](const std::string& tensors) {
        return "{\"model.cpp\": \"N/A\", \"graph\": {\"tensors\": {" + tensors + "}, \"nodes\": {}}}";
    };
    const Overrides read = parse_encodings(graph(
        tensor("u", 1032, one("0.01", -100)) + "," + tensor("s", 0x308, one("0.02", 0)) + "," + tensor("h", 0x416, one("0.5", -65535)) +
        "," + tensor("f", 562, R"({"definition": 2147483647, "encoding": 2147483647, "scale_offset": {"scale": 0.0, "offset": 0}})") + "," +
        tensor("w", 0x308, R"({"definition": 1, "encoding": 4, "block": {"block_size": [1], "scale_offsets": []}}, "dims": [1])")));
    BOOST_TEST(read.size() == 3u);
    BOOST_TEST((read.at("u").storage == DType::u8));
    BOOST_TEST(read.at("u").zero.at(0) == 100);
    BOOST_TEST(read.at("u").scale.at(0) == 0.01f);
    BOOST_TEST((read.at("s").storage == DType::i8));
    BOOST_TEST(read.at("s").zero.at(0) == 0);
    BOOST_TEST(read.at("h").zero.at(0) == 65535);
    Graph written;
    add(written, "i", encoding(DType::i8, {0.02f}, {-28}));
    add(written, "u", encoding(DType::u8, {0.02f}, {100}));
    add(written, "n", encoding(DType::u4, {0.5f}, {15}), true);
    const std::string text = write_encodings(written, "qnn");
    const Json tensors = parse_json(text)["graph"]["tensors"];
    BOOST_TEST(tensors["i"]["quant_params"]["scale_offset"]["offset"] == 28);
    BOOST_TEST(tensors["i"]["data_type"] == 776);
    BOOST_TEST(tensors["u"]["quant_params"]["scale_offset"]["offset"] == -100);
    for (const auto& [key, wanted] : parse_encodings(text)) {
        const Encoding& e = *written.value(written.find(key)).enc;
        BOOST_TEST((wanted.storage == e.storage));
        BOOST_TEST(wanted.scale == to_floats(e.scale), boost::test_tools::per_element());
        BOOST_TEST(wanted.zero == to_ints(e.zero), boost::test_tools::per_element());
    }
    BOOST_TEST(parse_encodings(text).size() == 3u);
    BOOST_TEST(message_of(graph(tensor("u", 1032, one("0.01", 1)))) ==
               "graph.tensors.u.quant_params.scale_offset.offset: means zero point -1, need 0 to 255");
    BOOST_TEST(message_of(graph(tensor("u", 1032, one("0", 0)))) ==
               "graph.tensors.u.quant_params.scale_offset.scale: is 0, need a scale above 0");
    BOOST_TEST(message_of(graph(tensor("u", 1032, R"({"definition": 1, "encoding": 9})"))) ==
               "graph.tensors.u.quant_params.encoding: is 9, which is not an encoding of QNN");
    BOOST_TEST(message_of(graph("\"u\": {\"data_type\": 1032}")) == "graph.tensors.u: \"quant_params\" is missing");
}

// Axes and blocks count in QNN's layout: a filter [H, W, I, O] there is [O, I, H, W] here by the permutation (3, 2, 0, 1).
BOOST_AUTO_TEST_CASE(channels_and_blocks_of_qnn) {
    const auto graph = [](const std::string& params, const std::string& more) {
        return fmt::format(
            R"({{"graph": {{"nodes": {{}}, "tensors": {{"w": {{"data_type": {}, "quant_params": {{"definition": 1, {}}}}}}}}}}})", more,
            params);
    };
    const auto read = [&](const std::string& params, const std::string& more = "776") {
        return parse_encodings(graph(params, more)).at("w");
    };
    const std::string filter = R"(776, "dims": [1, 1, 4, 2], "permute_order_to_src": [3, 2, 0, 1])";
    const std::string axis = R"("encoding": 1, "axis_scale_offset": {"axis": 3, "num_scale_offsets": 2, "scale_offsets": [{"scale": 0.5, )"
                             R"("offset": 0}, {"scale": 0.25, "offset": -3}]})";
    Override w = read(axis, filter);
    BOOST_TEST(w.axis == 0);
    BOOST_TEST(w.scale == (std::vector<float>{0.5f, 0.25f}), boost::test_tools::per_element());
    BOOST_TEST(w.zero == (std::vector<int64_t>{0, 3}), boost::test_tools::per_element());
    BOOST_TEST(read(axis).axis == -1);  // the weight's own channels
    w = read(R"("encoding": 3, "bw_axis_scale_offset": {"bitwidth": 4, "axis": 0, "num_elements": 2, "scales": [1, 2], "offsets": []})");
    BOOST_TEST((w.storage == DType::i4));
    BOOST_TEST(w.zero == (std::vector<int64_t>{0, 0}), boost::test_tools::per_element());
    w = read(R"("encoding": 2, "bw_scale_offset": {"bitwidth": 4, "scale": 0.5, "offset": -8})", "1032");
    BOOST_TEST((w.storage == DType::u4));
    BOOST_TEST(w.zero.at(0) == 8);
    const std::string pairs = R"("scale_offsets": [{"scale": 1, "offset": 0}, {"scale": 2, "offset": 0}, {"scale": 3, "offset": 0}, )"
                              R"({"scale": 4, "offset": -1}])";
    w = read(R"("encoding": 4, "block": {"block_size": [1, 1, 2, 1], )" + pairs + "}", filter);
    BOOST_TEST(w.axis == 1);
    BOOST_TEST(w.block == 2);
    BOOST_TEST(w.scale == (std::vector<float>{1, 3, 2, 4}), boost::test_tools::per_element());
    BOOST_TEST(w.zero == (std::vector<int64_t>{0, 0, 0, 1}), boost::test_tools::per_element());
    w = read(R"("encoding": 5, "blockwise_expansion": {"axis": 3, "num_blocks_per_axis": 2, "block_scale_bitwidth": 4, "block_scales": )"
             R"([1, 2, 3, 16], "scale_offsets": [{"scale": 0.5, "offset": 0}, {"scale": 2, "offset": 0}]})",
             R"(772, "dims": [1, 1, 4, 2], "permute_order_to_src": [3, 2, 0, 1])");
    BOOST_TEST((w.storage == DType::i4));
    BOOST_TEST(w.block == 2);
    BOOST_TEST(w.scale == (std::vector<float>{0.5f, 1, 6, 32}), boost::test_tools::per_element());
    w = read(R"("encoding": 6, "vector": {"bw_axis_scale_offset": {"bitwidth": 8, "axis": 0, "num_elements": 1, "scales": [0.5]}, )"
             R"("rows_per_block": 2, "columns_per_block": 4, "vector_dimension": 2, "vector_stride": 1, "index_bitwidth": 6})");
    BOOST_TEST(w.scale.at(0) == 0.5f);
    BOOST_TEST(parse_encodings(graph(R"("encoding": 4, "block": {"block_size": [1, 2], )" + pairs + "}", "776, \"dims\": [2, 4]")).empty());
    BOOST_TEST(parse_encodings(graph(R"("encoding": 2, "bw_scale_offset": {"bitwidth": 5, "scale": 1, "offset": 0})", "776")).empty());
    const std::string place = "graph.tensors.w.quant_params.";
    BOOST_TEST(message_of(graph(R"("encoding": 1, "axis_scale_offset": {"axis": 4, "scale_offsets": [{"scale": 1, "offset": 0}]})",
                                filter)) == place + "axis_scale_offset.axis: is 4, need 0 to 3");
    BOOST_TEST(message_of(graph(R"("encoding": 4, "block": {"block_size": [1, 1, 3, 1], "scale_offsets": [{"scale": 1, "offset": 0}]})",
                                filter)) == place + "block.scale_offsets: has 1 scales for [1,1,2,2] blocks");
    BOOST_TEST(message_of(graph(axis, R"(776, "permute_order_to_src": [3, 3, 0, 1])")) ==
               "graph.tensors.w.permute_order_to_src: is not a permutation");
}

// What is written is read again: channels along any axis, blocks, two levels of scales, codes of 2 bits.
BOOST_AUTO_TEST_CASE(channels_and_blocks_to_qnn) {
    Graph graph;
    const auto add_weight = [&](const std::string& name, const Dims& dims, const Encoding& e) {
        const ValueId id =
            graph.add_constant(name, from_ints(e.storage, dims, std::vector<int64_t>(static_cast<size_t>(count_of(dims)), 0)));
        graph.value(id).type.dtype = DType::f32;
        graph.value(id).enc = e;
    };
    const auto blocks = [&](DType storage, const Dims& dims, int axis, int64_t block, const std::vector<float>& scales) {
        Encoding e = make_encoding(storage, Tensor::make<float>(dims, scales), {}, axis);
        e.block = block;
        return e;
    };
    add_weight("channels", {2, 3}, encoding(DType::i8, {0.5f, 0.25f, 2}, {0, -3, 5}, 1));
    add_weight("two", {2, 3}, encoding(DType::u2, {0.5f, 0.25f}, {1, 3}, 0));
    add_weight("blocks", {2, 2, 4}, blocks(DType::i8, {2, 2, 2}, 2, 2, {1, 2, 3, 4, 5, 6, 7, 8}));
    add_weight("levels", {2, 4}, blocks(DType::i4, {2, 2}, 1, 2, {0.5f, 8, 3, 16}));
    add_weight("columns", {4, 2}, blocks(DType::i4, {2, 2}, 0, 2, {0.5f, 16, 8, 3}));
    const std::string text = write_encodings(graph, "qnn");
    const Json tensors = parse_json(text)["graph"]["tensors"];
    BOOST_TEST(tensors["levels"]["quant_params"]["encoding"] == 5);
    BOOST_TEST(tensors["two"]["quant_params"]["bw_axis_scale_offset"]["bitwidth"] == 2);
    const EncodingsComparison comparison = compare_encodings(overrides_of(graph), parse_encodings(text));
    BOOST_TEST(comparison.same(), encodings_comparison_text(comparison, true));
    for (const ComparedEncoding& value : comparison.values) BOOST_TEST(value.first.axis == value.second.axis);
}

// The scale of 1.0 is 3f800000, of 127 codes on each side.
BOOST_AUTO_TEST_CASE(calibration_caches) {
    Graph graph;
    add(graph, "a: b", encoding(DType::i8, {1.0f}, {0}));
    add(graph, "x", encoding(DType::i8, {0.0078740157f}, {0}, -1, true));
    add(graph, "w", encoding(DType::i8, {1, 2}, {0, 0}, 0), true);
    const std::string text = write_encodings(graph, "tensorrt");
    BOOST_TEST(text == "TRT-8601-EntropyCalibration2\na: b: 3f800000\nx: 3c010204\n");
    const Overrides read = parse_encodings(text + "(Unnamed Layer* 3) [Convolution]_output: 3c010204\n");
    BOOST_TEST(read.size() == 2u);
    BOOST_TEST((read.at("x").storage == DType::i8));
    BOOST_TEST(read.at("x").symmetric);
    BOOST_TEST(read.at("x").scale.at(0) * 127 == 1.0f);
    BOOST_TEST(read.at("a: b").zero.at(0) == 0);
    BOOST_TEST(parse_encodings("TRT-7103-MinMaxCalibration\r\ny: 800000\r\n").at("y").scale.at(0) == std::ldexp(1.0f, -126));
    BOOST_TEST(message_of("TRT-1-E\nx 3f800000\n") == "line 2: need \"NAME: SCALE\"");
    BOOST_TEST(message_of("TRT-1-E\n\nx: 1.5\n") == "line 3: \"1.5\" is not the bits of a float32 in hexadecimal");
    BOOST_TEST(message_of("TRT-1-E\nx: 0\n") == "line 2: 0 is 0, need a scale above 0");
    BOOST_TEST(message_of("TRT-1-E\nx: bf800000\n") == "line 2: bf800000 is -1, need a scale above 0");
    BOOST_TEST(message_of("TRT-1-E\nx: 7f800000\n").starts_with("line 2: 7f800000 is inf"));
    BOOST_TEST(message_of("TRT-1-E\nx: 3f8000000\n").ends_with("is not the bits of a float32 in hexadecimal"));
    BOOST_TEST(message_of("TRT-1-E\nx: 3f800000\nx: 3f800000\n") == "line 3: \"x\" has a scale already");
    const auto refused = [](Encoding e, std::string_view what) {
        Graph other;
        add(other, "x", std::move(e));
        BOOST_CHECK_EXCEPTION(write_encodings(other, "tensorrt"), Error, [&](const Error& error) {
            return error.exit() == Exit::unsupported &&
                   error.message() == fmt::format("value \"x\": encodings tensorrt cannot say {}", what);
        });
    };
    refused(encoding(DType::i8, {1}, {3}), "zero points");
    refused(encoding(DType::u8, {1}, {128}), "codes of uint8");
    refused(encoding(DType::i16, {1}, {0}), "codes of int16");
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
    BOOST_TEST(message_of(old("{\"bitwidth\":-1,\"scale\":1,\"offset\":0}")) == "activation_encodings.x[0]: is -1, need 4 to 32");
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
    BOOST_TEST(message_of(list("{\"name\":\"w\",\"bw\":8,\"enc_type\":\"VECTOR\",\"scale\":[1,2],\"offset\":[0]}")) ==
               "param_encodings[0]: 2 scales and 1 offsets");
    BOOST_TEST(message_of(list("{\"name\":\"w\",\"bw\":8,\"enc_type\":\"LPBQ\"}")) == "param_encodings[0]: \"compressed_bw\" is missing");
    const auto levels = [&](const std::string& scale, const std::string& integers, const std::string& offset) {
        return message_of(
            list("{\"name\":\"w\",\"bw\":8,\"compressed_bw\":4,\"enc_type\":\"LPBQ\",\"is_sym\":true,\"block_size\":2,\"scale\":" + scale +
                 ",\"per_block_int_scale\":" + integers + ",\"offset\":" + offset + "}"));
    };
    BOOST_TEST(levels("[1,1]", "[1,2,3]", "[-128,-128]") == "param_encodings[0].per_block_int_scale: has 3 items for 2 scales");
    BOOST_TEST(levels("[1]", "[17]", "[-128]") == "param_encodings[0].per_block_int_scale[0]: is 17, need 1 to 16");
    BOOST_TEST(levels("[1]", "[0]", "[-128]") == "param_encodings[0].per_block_int_scale[0]: is 0, need 1 to 16");
    BOOST_TEST(levels("[1]", "[1]", "[-8]") == "param_encodings[0].offset[0]: is -8, need -128");
    BOOST_TEST(levels("[0]", "[1]", "[-128]") == "param_encodings[0].scale[0]: is 0, need a scale above 0");
    BOOST_TEST(message_of(onnx("{\"name\":\"x\",\"output_dtype\":\"int4\",\"axis\":1,\"block_size\":2,\"per_block_int_scale\":[[1,2]],"
                               "\"per_channel_float_scale\":[[1,1]]}")) ==
               "encodings[0].per_channel_float_scale: has another shape than per_block_int_scale with one item along the axis");
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
