// SavedModel folders: variables from a checkpoint, signatures, states; broken checkpoints, which are refused.
#include <boost/test/unit_test.hpp>

#include <sys/stat.h>

#include "formats/format.h"
#include "formats/tensorflow/file/crc32c.h"
#include "formats/tensorflow/file/slice_spec.h"
#include "libcore/exec/session.h"
#include "libcore/graph/op_ids.h"
#include "tests/unit/graph_def_file.h"
#include "tests/unit/onnx_files.h"

using namespace quern;
using namespace quern::test;

BOOST_AUTO_TEST_SUITE(saved_models)

namespace {

using tensorflow_format::masked_crc32c;

std::string fixed32(uint32_t number) {
    std::string text(4, '\0');
    std::memcpy(text.data(), &number, 4);
    return text;
}
uint32_t checksum(const std::string& text) { return masked_crc32c(Bytes::copy(text.data(), text.size())); }

// A block of a sorted table, short entries whose keys share nothing, with its checksum behind it.
std::string block(const std::vector<std::pair<std::string, std::string>>& entries) {
    std::string text;
    for (const auto& [key, value] : entries) {
        text += '\0';
        text += static_cast<char>(key.size());
        text += static_cast<char>(value.size());
        text += key + value;
    }
    text += fixed32(0) + fixed32(1) + '\0';
    return text + fixed32(checksum(text));
}
std::string handle(size_t offset, const std::string& of) { return {static_cast<char>(offset), static_cast<char>(of.size() - 5)}; }

struct Variable {
    std::string key, data;
    Message entry;
};
Variable variable(const std::string& key, const std::vector<float>& items) {
    std::string data(items.size() * sizeof(float), '\0');
    std::memcpy(data.data(), items.data(), data.size());
    Message entry;
    entry.number(1, 1).message(2, GraphDefFile::shape({static_cast<int64_t>(items.size())})).number(5, static_cast<int64_t>(data.size()));
    return {key, data, entry.fixed(6, checksum(data))};
}

std::string index_of(const Variable& of) {
    const std::string entries = block({{"", Message().number(1, 1).text()}, {of.key, of.entry.text()}}), none = block({});
    const std::string index = block({{of.key, handle(0, entries)}});
    std::string footer = handle(entries.size(), none) + handle(entries.size() + none.size(), index);
    footer.resize(40);
    return entries + none + index + footer + "\x57\xfb\x80\x8b\x24\x75\x47\xdb";
}

Message port(const std::string& key, const std::string& tensor, const std::vector<int64_t>& dims) {
    return Message().bytes(1, key).message(2, Message().bytes(1, tensor).number(2, 1).message(3, GraphDefFile::shape(dims)));
}

// y = x + w, and a signature "count" that adds x to w and gives it.
std::string saved_model() {
    GraphDefFile graph;
    graph.placeholder("in", {2})
        .placeholder("file", {}, 7)
        .node("v", "VarHandleOp", {}, {attr_type("dtype", 1), attr_s("shared_name", "layer/w")})
        .node("call", "StatefulPartitionedCall", {"in", "v"}, {attr_function("f", "serve")})
        .node("counting", "StatefulPartitionedCall", {"in", "v"}, {attr_function("f", "count")})
        .node("restore", "StatefulPartitionedCall", {"file", "v"}, {attr_function("f", "restore_function")})
        .function("serve", {"a", "r"}, {{"y", "sum:z:0"}},
                  {GraphDefFile::node_of("read", "ReadVariableOp", {"r"}), GraphDefFile::node_of("sum", "AddV2", {"a", "read:value:0"})})
        .function("count", {"a", "r"}, {{"y", "read:value:0"}},
                  {GraphDefFile::node_of("add", "AssignAddVariableOp", {"r", "a"}),
                   GraphDefFile::node_of("read", "ReadVariableOp", {"r", "^add"})})
        .function("restore_function", {"name", "r"}, {{"done", "name"}},
                  {GraphDefFile::texts_of("keys", {"w/.ATTRIBUTES/VARIABLE_VALUE"}), GraphDefFile::texts_of("slices", {""}),
                   GraphDefFile::node_of("restored", "RestoreV2", {"name", "keys:output:0", "slices:output:0"}),
                   GraphDefFile::node_of("value", "Identity", {"restored:tensors:0"}),
                   GraphDefFile::node_of("assign", "AssignVariableOp", {"r", "value:output:0"})});
    Message meta;
    meta.message(1, Message().bytes(4, "serve")).message(2, graph.message()).message(3, Message().bytes(3, "restore"));
    for (const auto& [key, node] : {std::pair("serving_default", "call:0"), std::pair("count", "counting:0")}) {
        Message signature;
        signature.message(1, port("x", "in:0", {2})).message(2, port("y", node, {2}));
        meta.message(5, Message().bytes(1, key).message(2, signature));
    }
    return Message().number(1, 1).message(2, meta).text();
}

const std::string key = "w/.ATTRIBUTES/VARIABLE_VALUE";

// The folder of a SavedModel whose checkpoint has the index and the shard.
class SavedModelFolder : public Folder {
   public:
    SavedModelFolder(const std::string& index, const std::string& shard) {
        std::filesystem::create_directories(file("variables"));
        write("saved_model.pb", saved_model());
        write("variables/variables.index", index);
        write("variables/variables.data-00000-of-00001", shard);
    }
    std::string path() const { return file(""); }
};

std::string refusal(const std::string& index, const std::string& shard) {
    const SavedModelFolder folder(index, shard);
    try {
        read_model(folder.path());
        return "";
    } catch (const Error& error) {
        return fmt::format("{}: {}", static_cast<int>(error.exit()), error.message());
    }
}
void expect_refusal(const std::string& index, const std::string& shard, const std::string& words) {
    const std::string got = refusal(index, shard);
    BOOST_TEST((got.find(words) != std::string::npos), got << " is not about " << words);
}

}  // namespace

BOOST_AUTO_TEST_CASE(checksums) {
    const uint32_t sum = 0xe3069283;  // of the digits, as the polynomial's definition has it
    BOOST_TEST(checksum("123456789") == ((sum >> 15) | (sum << 17)) + 0xa282ead8);
}

BOOST_AUTO_TEST_CASE(variables_come_from_the_checkpoint) {
    const Variable w = variable(key, {10, 20});
    const SavedModelFolder folder(index_of(w), w.data);
    for (const std::string& path : {folder.path(), folder.file("saved_model.pb")}) {
        const Model model = read_model(path);
        BOOST_TEST((model.graph.find("layer/w") != ValueId::none));
        BOOST_TEST(model.graph.value(model.graph.inputs.at(0)).name == "x");
        ThreadPool pool(1);
        Session session(Program::compile(model.graph, {}), pool);
        const std::vector<Tensor> x{Tensor::vector<float>(std::vector<float>{1, 2})};
        const Tensor y = session.run(x).at(0);
        BOOST_TEST(to_doubles(y) == (std::vector<double>{11, 22}), boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(variables_that_are_assigned_are_states) {
    const Variable w = variable(key, {10, 20});
    const SavedModelFolder folder(index_of(w), w.data);
    const Graph graph = read_model(folder.path(), "count").graph;
    const quern::Node* state = nullptr;
    for (const NodeId id : graph.order())
        if (graph.node(id).op->name == "State") state = &graph.node(id);
    BOOST_REQUIRE(state);
    BOOST_TEST((graph.find(std::get<std::string>(state->attrs.at("next"))) != ValueId::none));
    BOOST_CHECK_EXCEPTION(read_model(folder.path(), "serve"), Error, [](const Error& error) {
        return error.exit() == Exit::usage && error.hint().find("count, serving_default") != std::string::npos;
    });
}

BOOST_AUTO_TEST_CASE(broken_checkpoints_are_refused) {
    const Variable w = variable(key, {10, 20});
    const std::string index = index_of(w);
    BOOST_TEST(refusal(index, w.data) == "");
    std::string other = w.data;
    other[3] ^= 1;
    expect_refusal(index, other, "its checksum is");
    expect_refusal(index, w.data.substr(0, 7), "of a shard of 7");
    for (const size_t at : {size_t{2}, size_t{20}, index.size() / 2}) {
        std::string bent = index;
        bent[at] ^= 1;
        BOOST_TEST(refusal(bent, w.data) != "", "byte " << at);
    }
    for (size_t size = 1; size < index.size(); ++size) BOOST_TEST(refusal(index.substr(0, size), w.data).starts_with("3: "), size);
    expect_refusal(index_of(variable("other", {1, 2})), w.data, "is not in");
    Variable lying = w;
    lying.entry = Message().number(1, 1).message(2, GraphDefFile::shape({1 << 20})).number(5, 8);
    expect_refusal(index_of(lying), w.data, "has 8 bytes, need 4194304");
    lying.entry = Message().number(1, 1).message(2, GraphDefFile::shape({2})).number(3, 7).number(5, 8);
    expect_refusal(index_of(lying), w.data, "shard 7 of 1");
    lying.entry = Message().number(1, 1).message(2, GraphDefFile::shape({2})).number(4, int64_t{1} << 62).number(5, 8);
    expect_refusal(index_of(lying), w.data, "of a shard of 8");
}

// By a link that leads out, and by a pipe, which nobody writes to.
BOOST_AUTO_TEST_CASE(variables_lie_in_the_folder) {
    const Variable w = variable(key, {10, 20});
    for (const std::string name : {"variables/variables.index", "variables/variables.data-00000-of-00001"}) {
        const SavedModelFolder folder(index_of(w), w.data);
        const Folder other;
        const std::string text(map_input(folder.file(name)).text());
        std::filesystem::remove(folder.file(name));
        std::filesystem::create_symlink(other.write("elsewhere", text), folder.file(name));
        for (const std::string& path : {folder.path(), folder.file("saved_model.pb")})
            BOOST_CHECK_EXCEPTION(read_model(path), Error, [](const Error& error) {
                return error.exit() == Exit::bad_input && error.message().find("through a link") != std::string::npos &&
                       error.hint().find("--follow-links") != std::string::npos;
            });
        std::filesystem::remove(folder.file(name));
        BOOST_REQUIRE(::mkfifo(folder.file(name).c_str(), 0600) == 0);
        BOOST_CHECK_EXCEPTION(read_model(folder.path()), Error, [](const Error& error) { return error.exit() == Exit::bad_input; });
    }
}

BOOST_AUTO_TEST_CASE(parts_of_variables) {
    const Tensor whole = Tensor::make<float>({3, 2}, std::vector<float>{0, 1, 2, 3, 4, 5});
    const Tensor part = tensorflow_format::part_of(whole, "3 2 1,2:-");
    BOOST_TEST(part.dims == (Dims{2, 2}), boost::test_tools::per_element());
    BOOST_TEST(to_doubles(part) == (std::vector<double>{2, 3, 4, 5}), boost::test_tools::per_element());
    for (const std::string spec : {"", "3 2", "3 2 1,3:-", "3 3 -:-", "3 2 a,1:-", "3 2 -"})
        BOOST_CHECK_THROW(tensorflow_format::part_of(whole, spec), Error);
}

BOOST_AUTO_TEST_SUITE_END()
