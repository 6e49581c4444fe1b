// safetensors: what is read and written, and broken files, which are refused in one line with the right exit code.
#include "formats/safetensors/safetensors.h"

#include <boost/test/unit_test.hpp>

#include "formats/read.h"
#include "formats/safetensors/weights.h"
#include "libcore/graph/op_ids.h"
#include "tests/unit/onnx_files.h"
#include "tests/unit/parsed_graph.h"

using namespace quern;
using namespace quern::test;

BOOST_AUTO_TEST_SUITE(safetensors_files)

namespace {

std::string file_of(const std::string& json, const std::string& data, int64_t lie = 0) {
    std::string text;
    const auto size = static_cast<uint64_t>(static_cast<int64_t>(json.size()) + lie);
    for (int i = 0; i < 8; ++i) text += static_cast<char>(size >> 8 * i & 255);
    return text + json + data;
}

safetensors::Container parsed(const std::string& text) { return safetensors::parse(Bytes::copy(text.data(), text.size())); }

void expect_refused(const std::string& text, const std::string& part, Exit exit = Exit::bad_input) {
    try {
        parsed(text);
        BOOST_ERROR("read, but need: " + part);
    } catch (const Error& error) {
        BOOST_TEST((error.exit() == exit), error.message());
        BOOST_TEST(error.message().find(part) != std::string::npos, error.message() << " lacks " << part);
    }
}
// The header's JSON before 8 bytes of data.
void expect_json_refused(const std::string& json, const std::string& part, Exit exit = Exit::bad_input) {
    expect_refused(file_of(json, "01234567"), part, exit);
}

const std::string two = R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[2,2],"data_offsets":[4,8]}})";

Graph graph_of_weights() {
    Graph graph;
    graph.add_constant("w", Tensor::make<float>({2}, std::vector<float>{1, 2}));
    graph.add_constant("n", Tensor::make<int64_t>({1}, std::vector<int64_t>{3}));
    return graph;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_size_alone_is_no_file) {
    expect_refused(std::string(8, '\x7f'), "is not a safetensors file");
    expect_refused(std::string(8, '\0'), "JSON");
}

BOOST_AUTO_TEST_CASE(tensors_are_found_by_name) {
    const safetensors::Container container = parsed(file_of(two, "01234567"));
    BOOST_TEST(container.tensors.size() == 2);
    BOOST_TEST((container.tensors.at("b").dims == Dims{2, 2}));
    BOOST_TEST(container.tensors.at("b").data.text() == "4567");
    BOOST_TEST((container.tensors.at("a").dtype == DType::f32));
    const auto marked =
        parsed(file_of(R"({"__metadata__":{"format":"pt"}, "s":{"shape":[],"dtype":"I16","data_offsets":[0,2]}}    )", "ab"));
    BOOST_TEST(marked.metadata.at("format") == "pt");
    BOOST_TEST(marked.tensors.at("s").dims.empty());
    BOOST_TEST(parsed(file_of("{}", "")).tensors.empty());
}

BOOST_AUTO_TEST_CASE(what_is_written_is_read) {
    const Folder folder;
    const std::vector<safetensors::Named> tensors{{"byte", Tensor::make<uint8_t>({3}, std::vector<uint8_t>{1, 2, 3})},
                                                  {"quote \" and \xc3\xa9", Tensor::make<double>({1, 1}, std::vector<double>{0.5})},
                                                  {"none", Tensor{DType::bf16, {0, 4}, {}}},
                                                  {"float", Tensor::make<float>({2}, std::vector<float>{-1, 2})}};
    const std::string path = folder.file("w.safetensors");
    safetensors::write(path, tensors, {{"made", "here"}});
    const safetensors::Container container = safetensors::open(path);
    BOOST_TEST(container.metadata.at("made") == "here");
    BOOST_TEST(container.tensors.size() == tensors.size());
    for (const auto& [name, tensor] : tensors) BOOST_TEST(identical(container.tensors.at(name), tensor), name);
    for (const auto& [name, tensor] : container.tensors)
        BOOST_TEST(reinterpret_cast<uintptr_t>(tensor.data.data()) % (tensor.data.empty() ? 1 : bits_of(tensor.dtype) / 8) == 0u, name);
    BOOST_CHECK_EXCEPTION(safetensors::write(path, {{"t", Tensor::strings({1}, std::vector<std::string>{"x"})}}), Error,
                          [](const Error& error) {
                              return error.exit() == Exit::unsupported && error.message() == "constant \"t\": safetensors has no string";
                          });
    BOOST_TEST(safetensors::open(path).tensors.size() == tensors.size());  // is still there
}

BOOST_AUTO_TEST_CASE(several_files_have_an_index) {
    const Folder folder;
    folder.write("1.safetensors", file_of(two, "01234567"));
    folder.write("2.safetensors", file_of(R"({"c":{"dtype":"BOOL","shape":[1],"data_offsets":[0,1]}})", "\1"));
    const auto index = [&](const std::string& map) { return folder.write("m.safetensors.index.json", R"({"weight_map":)" + map + "}"); };
    BOOST_TEST(safetensors::open(index(R"({"a":"1.safetensors","c":"2.safetensors"})")).tensors.size() == 2);
    for (const auto& [map, part] :
         std::vector<std::pair<std::string, std::string>>{{R"({"d":"2.safetensors"})", "2.safetensors has no tensor \"d\""},
                                                          {R"({"a":"../1.safetensors"})", "../1.safetensors"},
                                                          {R"({"a":"3.safetensors"})", "3.safetensors"},
                                                          {R"({"a":1})", "need a string"},
                                                          {"[]", "need an object"}}) {
        const auto says = [what = std::string_view(part)](const Error& error) {
            return error.message().find(what) != std::string::npos &&
                   error.message().find("m.safetensors.index.json: ") != std::string::npos;
        };
        BOOST_CHECK_EXCEPTION(safetensors::open(index(map)), Error, says);
    }
}

BOOST_AUTO_TEST_CASE(broken_files_are_refused) {
    expect_refused("1234567", "7 bytes, need 8");
    expect_refused(file_of("{}", "", 1), "a header of 3 bytes, but the file has 10");
    expect_refused(std::string(8, '\xff') + "{}", "a header of 18446744073709551615 bytes");
    expect_refused(file_of(two, "01234567", -3), "not JSON at byte");
    expect_refused(file_of(two, "0123456"), "its bytes are 4 to 8, but the file has 7 of data");
    expect_refused(file_of(two, "012345678"), "tensors end at byte 8 of 9 of data");
    for (size_t size = 0; size < two.size(); size += 5)
        expect_refused(file_of(two.substr(0, size), "01234567"), "header is not JSON at byte");

    const auto entry = [](const std::string& text) { return R"({"a":{)" + text + "}}"; };
    expect_json_refused("7", "the header is a number, need an object");
    expect_json_refused("[]", "the header is an array");
    expect_json_refused(R"({"a":[]})", "\"a\" is an array, need an object");
    expect_json_refused(R"({"a":{}})", "tensor \"a\" has no dtype");
    expect_json_refused(entry(R"("dtype":"F32","shape":[2])"), "has no data_offsets");
    expect_json_refused(entry(R"("dtype":"F32","shape":[2],"data_offsets":[0,8,9])"), "has 3 numbers, need 2");
    expect_json_refused(entry(R"("dtype":"F32","shape":[2],"data_offsets":[8,0])"), "its bytes are 8 to 0");
    expect_json_refused(entry(R"("dtype":"F32","shape":[3],"data_offsets":[0,8])"), "8 bytes, need 12 for float32[3]");
    expect_json_refused(entry(R"("dtype":"F32","shape":[-2],"data_offsets":[0,8])"), "shape of \"a\" is negative");
    expect_json_refused(entry(R"("dtype":"F32","shape":[2.5],"data_offsets":[0,8])"), "a number with a fraction, need an integer");
    expect_json_refused(entry(R"("dtype":"F32","shape":[[2]],"data_offsets":[0,8])"), "shape of \"a\" is an array");
    expect_json_refused(entry(R"("dtype":["F32"])"), "dtype of \"a\" is an array, need a string");
    expect_json_refused(entry(R"("dtype":"F32","shape":"2")"), "shape of \"a\" is a string, need an array");
    expect_json_refused(entry(R"("shape":[4294967296,4294967296],"dtype":"F32","data_offsets":[0,8])"), "2^63");
    expect_json_refused(entry(R"("shape":[2305843009213693952],"dtype":"F64","data_offsets":[0,8])"), "2^64 bits");
    expect_json_refused(entry(R"("shape":[99999999999999999999])"), "a number with a fraction");
    expect_json_refused(entry(R"("stride":[1])"), "has a member \"stride\"");
    expect_json_refused(entry(R"("dtype":"F32","dtype":"F16")"), "has \"dtype\" twice");
    expect_json_refused(R"({"a":{"dtype":"U8","shape":[8],"data_offsets":[0,8]},"a":{}})", "has \"a\" twice");
    expect_json_refused(R"({"__metadata__":{"k":"v","k":"v"}})", "has \"k\" twice");
    expect_json_refused(R"({"__metadata__":{},"__metadata__":{}})", "has \"__metadata__\" twice");
    expect_json_refused(R"({"__metadata__":{"k":1}})", "k of \"__metadata__\" is a number, need a string");
    expect_json_refused(entry(R"("dtype":"F6_E2M3","shape":[8],"data_offsets":[0,8])"), "element type \"F6_E2M3\"", Exit::unsupported);
    const auto both = [](const std::string& first, const std::string& second) {
        return R"({"a":{"dtype":"U8","shape":[4],"data_offsets":)" + first + R"(},"b":{"dtype":"U8","shape":[4],"data_offsets":)" + second +
               "}}";
    };
    expect_json_refused(both("[0,4]", "[2,6]"), "\"b\" begins at byte 2 of the data, need 4: it overlaps");
    expect_json_refused(both("[0,4]", "[0,4]"), "overlaps");
    expect_json_refused(both("[4,8]", "[1,5]"), "\"b\" begins at byte 1 of the data, need 0: it leaves a hole");
    expect_json_refused(both("[0,4]", "[5,9]"), "its bytes are 5 to 9");
    expect_json_refused("{}", "tensors end at byte 0 of 8");
}

BOOST_AUTO_TEST_CASE(deep_and_large_headers_are_refused_at_once) {
    expect_json_refused(std::string(1 << 20, '['), "the header is an array");
    expect_json_refused(R"({"a":)" + std::string(1 << 20, '{'), "the header is not JSON");
    std::string many = R"({"a":{"shape":[)";
    for (int i = 0; i < 1 << 18; ++i) many += "1,";
    expect_json_refused(many + "1]}}", "has more than 64 numbers");
}

BOOST_AUTO_TEST_CASE(models_are_not_read_from_it) {
    const std::string file = file_of(two, "01234567");
    BOOST_CHECK_EXCEPTION(read_model(Bytes::copy(file.data(), file.size()), "", ""), Error, [](const Error& error) {
        return error.exit() == Exit::unsupported && error.message().find("weights without a graph") != std::string::npos;
    });
}

BOOST_AUTO_TEST_CASE(graphs_take_their_constants) {
    Graph graph = graph_of_weights();
    safetensors::Container container;
    container.tensors.emplace("w", Tensor::make<uint16_t>({2}, std::vector<uint16_t>{0x4040, 0xbf80}));
    container.tensors.at("w").dtype = DType::bf16;
    container.tensors.emplace("other", Tensor::scalar(1.0f));
    const auto result = safetensors::take_weights(graph, container);
    BOOST_TEST(result.taken == 1);
    BOOST_TEST(result.unused == std::vector<std::string>{"other"}, boost::test_tools::per_element());
    BOOST_TEST((to_floats(*graph.constant(graph.find("w"))) == std::vector<float>{3, -1}));
    BOOST_TEST(to_ints(*graph.constant(graph.find("n")))[0] == 3);

    const auto refused = [&](const std::string& name, const Tensor& tensor, const std::string& part) {
        safetensors::Container wrong;
        wrong.tensors.emplace(name, tensor);
        BOOST_CHECK_EXCEPTION(safetensors::take_weights(graph, wrong), Error, [&](const Error& error) {
            return error.exit() == Exit::bad_input && error.message().find(part) != std::string::npos;
        });
    };
    refused("w", Tensor::make<float>({3}, std::vector<float>{1, 2, 3}), "tensor \"w\": got float32[3], need float32[2]");
    refused("n", Tensor::make<float>({1}, std::vector<float>{1}), "got float32[1], need int64[1]");
    refused("x", Tensor::scalar(1.0f), "none of its 1 tensors");
}

BOOST_AUTO_TEST_SUITE_END()
