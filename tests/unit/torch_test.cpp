// Programs of PyTorch: what is read, and broken and hostile ones, which are refused in one line with the right exit code.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <set>

#include "formats/format.h"
#include "formats/read.h"
#include "formats/torch/file/aliases.h"
#include "formats/torch/file/pickle.h"
#include "formats/torch/map/map.h"
#include "formats/torch/torch.h"
#include "libcore/base/text.h"
#include "libcore/exec/session.h"
#include "libcore/graph/op_ids.h"
#include "tests/unit/zip_file.h"

using namespace quern;
using namespace quern::test;

BOOST_AUTO_TEST_SUITE(torch_programs)

namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const size_t at = text.find(from);
    BOOST_REQUIRE_MESSAGE(at != std::string::npos, from);
    return text.replace(at, from.size(), to);
}

const std::string meta23 =
    R"({"dtype":7,"sizes":[{"as_int":2},{"as_int":3}],"strides":[{"as_int":3},{"as_int":1}],"storage_offset":{"as_int":0},"layout":7})";

// y = relu(x + w): x, w and y float32[2,3]
const std::string program =
    R"({"schema_version":{"major":8,"minor":20},"torch_version":"2.15.0","graph_module":{"graph":{
"inputs":[{"as_tensor":{"name":"p_w"}},{"as_tensor":{"name":"x"}}],"outputs":[{"as_tensor":{"name":"relu"}}],
"nodes":[{"target":"torch.ops.aten.add.Tensor","inputs":[{"name":"self","arg":{"as_tensor":{"name":"x"}}},{"name":"other","arg":{"as_tensor":{"name":"p_w"}}}],
"outputs":[{"as_tensor":{"name":"add"}}],"metadata":{"nn_module_stack":"L__self__,,m.Net;L__self__a,a.b,m.Part"}},
{"target":"torch.ops.aten.relu.default","inputs":[{"name":"self","arg":{"as_tensor":{"name":"add"}}}],"outputs":[{"as_tensor":{"name":"relu"}}],"metadata":{}}],
"tensor_values":{"x":META,"p_w":META,"add":META,"relu":META}},
"signature":{"input_specs":[{"parameter":{"arg":{"name":"p_w"},"parameter_name":"a.w"}},{"user_input":{"arg":{"as_tensor":{"name":"x"}}}}],
"output_specs":[{"user_output":{"arg":{"as_tensor":{"name":"relu"}}}}]}}})";

const std::string table = R"({"config":{"a.w":{"path_name":"weight_0","is_param":true,"use_pickle":false,"tensor_meta":META}}})";

std::string with_meta(std::string text) {
    for (size_t at = text.find("META"); at != std::string::npos; at = text.find("META")) text.replace(at, 4, meta23);
    return text;
}

std::string floats(const std::vector<float>& items) { return {reinterpret_cast<const char*>(items.data()), items.size() * sizeof(float)}; }

ZipFile package(const std::string& json = with_meta(program), const std::string& weights = with_meta(table)) {
    return ZipFile()
        .add("m/models/model.json", json)
        .add("m/data/weights/weight_0", floats({1, -2, 3, -4, 5, -6}))
        .add("m/data/weights/model_weights_config.json", weights);
}

// The message with its exit code in front.
std::string said(const Bytes& bytes) {
    try {
        read_model(bytes, "", "");
    } catch (const Error& error) {
        BOOST_TEST(error.message().find('\n') == std::string::npos);
        return fmt::format("{}: {}", static_cast<int>(error.exit()), error.message());
    }
    return "read";
}
void expect_said(const ZipFile& file, const std::string& part) {
    const std::string message = said(file.bytes());
    BOOST_TEST(message.find(part) != std::string::npos, message << " lacks " << part);
}

std::string pickled(const std::string& code) {
    return ZipFile().add("archive/data.pkl", code).add("archive/data/0", floats({1, 2, 3, 4})).text();
}
ZipFile flat(const std::string& state) {
    return ZipFile().add("serialized_exported_program.json", with_meta(program)).add("serialized_state_dict.pt", state);
}

std::string text(const std::string& word) {
    std::string code = "X";
    const auto size = static_cast<uint32_t>(word.size());
    code.append(reinterpret_cast<const char*>(&size), 4);
    return code + word;
}
std::string number(int32_t value) { return "J" + std::string(reinterpret_cast<const char*>(&value), 4); }

// {"a.w": tensor of `sizes` and `strides` at `offset` of storage "0"}
std::string state(const std::vector<int32_t>& sizes, const std::vector<int32_t>& strides, int32_t offset, const std::string& key = "0") {
    const auto tuple = [](const std::vector<int32_t>& items) {
        std::string code = "(";
        for (const int32_t item : items) code += number(item);
        return code + "t";
    };
    return "\x80\x02}" + text("a.w") + "ctorch._utils\n_rebuild_tensor_v2\n((" + text("storage") + "ctorch\nFloatStorage\n" + text(key) +
           text("cpu") + number(4) + "tQ" + number(offset) + tuple(sizes) + tuple(strides) + "\x89NtRs.";
}

// The result for an input [2, 3] of equal numbers.
std::vector<float> result_of(const Graph& graph, float x) {
    ThreadPool pool(1);
    Session session(Program::compile(graph, {}), pool);
    const Tensor input = Tensor::make<float>({2, 3}, std::vector<float>(6, x));
    return to_floats(session.run(std::span(&input, 1))[0]);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_program_runs_with_its_weights_and_modules) {
    const Model model = read_model(package().bytes(), "", "");
    BOOST_REQUIRE_EQUAL(model.graph.order().size(), 2);
    BOOST_TEST(model.graph.node(model.graph.order()[0]).scope == "/a/b/");
    BOOST_TEST((model.graph.find("a.w") != ValueId::none));
    BOOST_TEST(result_of(model.graph, 1) == (std::vector<float>{2, 0, 4, 0, 6, 0}), boost::test_tools::per_element());
}

// A second name of an operator is read as the first, with the arguments that the first has.
BOOST_AUTO_TEST_CASE(second_names_are_read) {
    BOOST_TEST(torch_format::canonical("aten.multiply.Scalar") == "aten.mul.Scalar");
    BOOST_TEST(torch_format::canonical("aten.multiply_.Tensor") == "aten.mul_.Tensor");
    BOOST_TEST(torch_format::canonical("aten.special_softmax.default") == "aten.softmax.int");
    BOOST_TEST(torch_format::canonical("aten.mul.Tensor") == "aten.mul.Tensor");
    torch_format::ProgramNode node{.target = "aten.linalg_diagonal.default", .in = {{"A", {}}}};
    torch_format::stand_for(node);
    BOOST_TEST(node.target == "aten.diagonal.default");
    BOOST_TEST(node.alias == "aten.linalg_diagonal.default");
    BOOST_REQUIRE_EQUAL(node.in.size(), 3);
    BOOST_TEST(node.in[0].first == "self");
    BOOST_TEST(node.in[1].first == "dim1");
    BOOST_TEST(node.in[1].second.integer == -2);
    const std::string json = replaced(with_meta(program), "torch.ops.aten.add.Tensor", "torch.ops.aten.multiply.Tensor");
    const Model model = read_model(package(json).bytes(), "", "");
    BOOST_TEST(model.graph.node(model.graph.order()[0]).is(ops::Mul));
}

// The generated table, which scripts/torch-aliases would write otherwise now.
BOOST_AUTO_TEST_CASE(second_names_and_rows_do_not_overlap) {
    std::set<std::string> own;
    for (const torch_format::MapRow* row : torch_format::map_rows())
        for (const std::string& name : split(row->names, ' ')) own.insert(name);
    const auto without_overload = [](std::string_view name) { return std::string(name.substr(0, name.find('.', name.find('.') + 1))); };
    BOOST_TEST(std::ranges::is_sorted(torch_format::aliases(), {}, &torch_format::Alias::name));
    BOOST_TEST(std::ranges::is_sorted(torch_format::helped_by_decomposition()));
    for (const torch_format::Alias& alias : torch_format::aliases()) {
        BOOST_TEST(!own.contains(std::string(alias.name)), alias.name);
        BOOST_TEST(!own.contains(without_overload(alias.name)), alias.name);
    }
    for (const std::string_view name : torch_format::helped_by_decomposition()) BOOST_TEST(!torch_format::map_row(name).row, name);
}

BOOST_AUTO_TEST_CASE(what_helps_with_operators_that_are_kept_is_said) {
    const auto hint = [](const std::string& name) {
        return torch_format::remedy(*unknown_op(name.substr(name.rfind(':') + 1), name.substr(0, name.rfind(':')), 1));
    };
    BOOST_TEST(hint("torch.aten:kl_div.default") ==
               "torch can take it apart into operators that quern has: export again, and save ep.run_decompositions()");
    BOOST_TEST(hint("torch.aten:scatter_reduce.two") == "quern has it in other forms; what it does not have: means, include_self=False");
    BOOST_TEST(hint("torch.aten:linalg_svd.default").empty());
    BOOST_TEST(hint("com.example:kl_div.default").empty());
    const std::string json = replaced(with_meta(program), "torch.ops.aten.relu.default", "torch.ops.aten.kl_div.default");
    const Model model = read_model(package(json).bytes(), "", "");
    BOOST_CHECK_EXCEPTION(result_of(model.graph, 1), Error, [](const Error& error) {
        return error.exit() == Exit::unsupported && error.hint().find("run_decompositions") != std::string::npos;
    });
}

// What is written into a part of a tensor is in the whole, and in other views of it.
BOOST_AUTO_TEST_CASE(writes_into_views_are_seen_by_all) {
    const std::string row = R"({"dtype":7,"sizes":[{"as_int":3}],"strides":[{"as_int":1}],"storage_offset":{"as_int":0},"layout":7})";
    std::string json = replaced(
        program,
        R"({"target":"torch.ops.aten.relu.default","inputs":[{"name":"self","arg":{"as_tensor":{"name":"add"}}}],"outputs":[{"as_tensor":{"name":"relu"}}],"metadata":{}})",
        R"({"target":"torch.ops.aten.permute.default","inputs":[{"name":"self","arg":{"as_tensor":{"name":"add"}}},{"name":"dims","arg":{"as_ints":[1,0]}}],"outputs":[{"as_tensor":{"name":"turned"}}],"metadata":{}},
{"target":"torch.ops.aten.select.int","inputs":[{"name":"self","arg":{"as_tensor":{"name":"add"}}},{"name":"dim","arg":{"as_int":0}},{"name":"index","arg":{"as_int":1}}],"outputs":[{"as_tensor":{"name":"row"}}],"metadata":{}},
{"target":"torch.ops.aten.neg_.default","inputs":[{"name":"self","arg":{"as_tensor":{"name":"row"}}}],"outputs":[{"as_tensor":{"name":"neg_"}}],"metadata":{}},
{"target":"torch.ops.aten.relu.default","inputs":[{"name":"self","arg":{"as_tensor":{"name":"turned"}}}],"outputs":[{"as_tensor":{"name":"relu"}}],"metadata":{}})");
    json = replaced(json, R"("relu":META)", R"("relu":TURNED,"turned":TURNED,"row":ROW,"neg_":ROW)");
    json = with_meta(json);
    for (const auto& [word, meta] :
         {std::pair{std::string("TURNED"), replaced(meta23, R"({"as_int":2},{"as_int":3}])", R"({"as_int":3},{"as_int":2}])")},
          std::pair{std::string("ROW"), row}})
        for (size_t at = json.find(word); at != std::string::npos; at = json.find(word)) json.replace(at, word.size(), meta);
    const std::vector<float> y = result_of(read_model(package(json).bytes(), "", "").graph, 0);
    BOOST_TEST(y == (std::vector<float>{1, 4, 0, 0, 3, 6}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_older_layout_has_pickled_weights) {
    ZipFile file = flat(ZipFile().add("archive/data.pkl", state({2, 3}, {0, 1}, 1)).add("archive/data/0", floats({9, 1, 2, 3})).text());
    const Model model = read_model(file.bytes(), "", "");
    const auto w = model.graph.constant(model.graph.find("a.w"))->view<float>();
    BOOST_TEST(std::vector<float>(w.begin(), w.end()) == (std::vector<float>{1, 2, 3, 1, 2, 3}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(broken_programs_are_refused) {
    const auto changed = [](const std::string& from, const std::string& to) { return package(replaced(with_meta(program), from, to)); };
    expect_said(changed("\"major\":8", "\"major\":9"), "4: <memory>: program \"model\": schema version 9 of torch 2.15.0");
    expect_said(changed("{\"schema", "{{\"schema"), "3: <memory>: program \"model\": not JSON");
    expect_said(changed("\"dtype\":7", "\"dtype\":99"), "4: <memory>: program \"model\": value \"x\": element type number 99");
    expect_said(changed("\"dtype\":7", "\"dtype\":\"f\""), "3: <memory>");
    expect_said(changed("\"layout\":7", "\"layout\":1"), "a tensor that is not strided");
    expect_said(changed("{\"name\":\"add\"}}}],\"outputs\"", "{\"name\":\"adds\"}}}],\"outputs\""),
                "\"adds\" is used before it is computed");
    expect_said(changed("\"parameter_name\":\"a.w\"", "\"parameter_name\":\"a.v\""),
                "3: <memory>: program \"model\": \"a.v\": has no contents");
    expect_said(changed("\"outputs\":[{\"as_tensor\":{\"name\":\"relu\"}}],\n\"nodes\"", "\"outputs\":[],\n\"nodes\""),
                "its signature has 2 inputs and 1 outputs, its graph 2 and 0");
    expect_said(changed("user_output", "gradient_to_parameter"),
                "4: <memory>: program \"model\": an output that is a gradient_to_parameter");
    expect_said(changed("{\"as_tensor\":{\"name\":\"relu\"}}],\n\"nodes\"", "{\"as_tensor\":{\"name\":\"none\"}}],\n\"nodes\""),
                "\"none\" is used before it is computed");
    expect_said(changed("\"name\":\"other\",", "\"name\":\"another\","), "node \"add\" (aten.add.Tensor): has no argument \"other\"");
    expect_said(changed("\"sizes\":[{\"as_int\":2}", "\"sizes\":[{\"as_int\":-2}"), "3: ");
}

// Names that stand for two results would let a view be one of itself.
BOOST_AUTO_TEST_CASE(views_of_themselves_are_refused) {
    std::string json = with_meta(program);
    json = replaced(json, "torch.ops.aten.relu.default", "torch.ops.aten.alias.default");
    json = replaced(json, "\"outputs\":[{\"as_tensor\":{\"name\":\"relu\"}}],\"metadata\"",
                    "\"outputs\":[{\"as_tensor\":{\"name\":\"add\"}}],\"metadata\"");
    expect_said(package(json), "3: <memory>: program \"model\": \"add\" is computed twice");
}

// Each view of the one before.
BOOST_AUTO_TEST_CASE(long_chains_of_views_are_bounded) {
    std::string nodes, metas, last = "add";
    for (int i = 0; i < 5000; ++i) {
        const std::string name = fmt::format("v{}", i);
        nodes +=
            fmt::format(R"({{"target":"torch.ops.aten.alias.default","inputs":[{{"name":"self","arg":{{"as_tensor":{{"name":"{}"}}}}}}],)"
                        R"("outputs":[{{"as_tensor":{{"name":"{}"}}}}],"metadata":{{}}}},)",
                        last, name);
        metas += fmt::format("\"{}\":META,", name);
        last = name;
    }
    std::string json =
        replaced(program, "{\"target\":\"torch.ops.aten.relu.default\"", nodes + "{\"target\":\"torch.ops.aten.relu.default\"");
    json = replaced(json, "\"tensor_values\":{", "\"tensor_values\":{" + metas);
    expect_said(package(with_meta(json)),
                "4: <memory>: program \"model\": node \"v1000\" (aten.alias.default): views are of views deeper than 1000 levels");
}

BOOST_AUTO_TEST_CASE(weights_beyond_their_storage_are_refused) {
    const auto changed = [](const std::string& from, const std::string& to) {
        return package(with_meta(program), replaced(with_meta(table), from, to));
    };
    expect_said(changed("{\"as_int\":2}", "{\"as_int\":2000000000}"),
                "3: <memory>: program \"model\": \"a.w\": a tensor [2000000000,3] of float32 reads element");
    expect_said(changed("\"strides\":[{\"as_int\":3}", "\"strides\":[{\"as_int\":9223372036854775807}"), "3: <memory>");
    expect_said(changed("\"strides\":[{\"as_int\":3}", "\"strides\":[{\"as_int\":-3}"), "stride -3");
    expect_said(changed("\"storage_offset\":{\"as_int\":0}", "\"storage_offset\":{\"as_int\":1}"),
                "reads element 6 of a storage of 24 bytes");
    expect_said(changed("\"storage_offset\":{\"as_int\":0}", "\"storage_offset\":{\"as_int\":-1}"), "3: <memory>");
    expect_said(changed("weight_0", "weight_1"), "has no member \"m/data/weights/weight_1\", which is a.w");
    expect_said(changed("\"use_pickle\":false", "\"use_pickle\":true"),
                "4: <memory>: program \"model\": \"a.w\": is pickled by a class of its own");
    expect_said(flat(pickled(state({1000000, 1000000}, {0, 0}, 0))),
                "4: <memory>: program \"model\": \"a.w\": a tensor [1000000,1000000] repeats a storage of 16 bytes");
    expect_said(flat(pickled(state({5}, {1}, 0))), "reads element 4 of a storage of 16 bytes");
    expect_said(flat(pickled(state({4}, {1}, 0, "1"))), "has no storage \"1\"");
}

// One storage that is the contents of many names, each in another order than it lies: a few kilobytes that stand for gigabytes.
BOOST_AUTO_TEST_CASE(storages_that_are_named_again_and_again_are_bounded) {
    std::string entries, specs, inputs, metas;
    const int names = 4000;
    for (int i = 0; i < names; ++i) {
        entries +=
            fmt::format(R"({}"b{}":{{"path_name":"weight_0","is_param":false,"use_pickle":false,"tensor_meta":BIG}})", i ? "," : "", i);
        specs += fmt::format(R"({{"buffer":{{"arg":{{"name":"b_{}"}},"buffer_name":"b{}"}}}},)", i, i);
        inputs += fmt::format(R"({{"as_tensor":{{"name":"b_{}"}}}},)", i);
        metas += fmt::format(R"("b_{}":BIG,)", i);
    }
    const std::string big =
        R"({"dtype":7,"sizes":[{"as_int":500},{"as_int":500}],"strides":[{"as_int":1},{"as_int":500}],"storage_offset":{"as_int":0},"layout":7})";
    const auto with_big = [&](std::string text) {
        for (size_t at = text.find("BIG"); at != std::string::npos; at = text.find("BIG")) text.replace(at, 3, big);
        return text;
    };
    std::string json =
        replaced(program, "\"inputs\":[{\"as_tensor\":{\"name\":\"p_w\"}}", "\"inputs\":[" + inputs + "{\"as_tensor\":{\"name\":\"p_w\"}}");
    json = replaced(json, "\"input_specs\":[", "\"input_specs\":[" + specs);
    json = replaced(json, "\"tensor_values\":{", "\"tensor_values\":{" + metas);
    const std::string weights = replaced(table, "\"a.w\"", entries + ",\"a.w\"");
    ZipFile file = ZipFile()
                       .add("m/models/model.json", with_meta(with_big(json)))
                       .add("m/data/weights/weight_0", std::string(1'000'000, '\1'))
                       .add("m/data/weights/model_weights_config.json", with_meta(with_big(weights)));
    expect_said(file, "its constants, each as often as it is used, take more than");
}

// Long keys that are memoized: each entry of the dictionary takes some bytes of the pickle and as many megabytes as its key.
BOOST_AUTO_TEST_CASE(pickles_whose_names_multiply_are_refused) {
    std::string code = "\x80\x02}" + text(std::string(4'000'000, 'k')) + "q" + std::string(1, '\1') + "}q" + std::string(1, '\2') + "s";
    for (int i = 0; i < 4000; ++i) code += "h" + std::string(1, '\1') + "h" + std::string(1, '\2') + "s";
    expect_said(flat(pickled(code + ".")), "names that are longer than its pickle together");
}

// A list of one list of one pair each, a thousand times a thousand times.
BOOST_AUTO_TEST_CASE(pickles_whose_members_multiply_are_refused) {
    const auto memo = [](char index) { return "q" + std::string(1, index); };
    std::string code =
        "\x80\x02"
        "ccollections\nOrderedDict\n(]" +
        memo('\1') + "(";
    code += "(" + text("a") + text("b") + "t" + memo('\2');
    for (int i = 0; i < 5000; ++i) code += "h\2";
    code += "e";
    for (int i = 0; i < 5000; ++i) code += "h\1";
    expect_said(flat(pickled(code + "tR.")), "a pickle of more than 4000000 members");
}

// What deflates a thousand to one is refused before it is unpacked.
BOOST_AUTO_TEST_CASE(deflated_programs_are_in_proportion_to_the_file) {
    ZipFile file = package();
    file.add("m/models/more.json", std::string(1 << 20, 'x'), 8);
    file.members.back().claimed = 1u << 30;
    file.members[0].method = 8;
    expect_said(file, "its archive deflates");
}

BOOST_AUTO_TEST_CASE(pickles_are_not_executed) {
    expect_said(flat(pickled("cos\nsystem\n(" + text("true") + "tR.")),
                "4: <memory>: serialized_state_dict.pt: its pickle names os.system, which is not executed");
    expect_said(flat(pickled("cbuiltins\neval\n.")), "builtins.eval");
    expect_said(flat(pickled(text("torch") + text("load") + "\x93.")), "torch.load");
    expect_said(flat(pickled("\x80\x09.")), "4: <memory>: serialized_state_dict.pt: pickle protocol 9");
    expect_said(flat(pickled("i")), "operation 0x69 of a pickle at byte 0");
    expect_said(flat(pickled(".")), "pickle takes from an empty stack");
    expect_said(flat(pickled("(.")), "pickle takes from an empty stack");
    expect_said(flat(pickled("t.")), "pickle has no mark");
    expect_said(flat(pickled("h\x05.")), "pickle recalls what it has not made");
    expect_said(flat(pickled("NNs.")), "pickle fills something else");
    expect_said(flat(pickled("NNR.")), "pickle calls something else than a function");
    expect_said(flat(pickled("X\xff\xff\xff\xff.")), "pickle ends at byte");
    expect_said(flat(pickled("NQ.")), "names something else than a storage");
    expect_said(flat(pickled("")), "pickle ends at byte 0");
}

// A dictionary that holds itself, and lists in lists, cost neither the stack nor time.
BOOST_AUTO_TEST_CASE(nested_pickles_are_bounded) {
    std::string cycle = "}q\x01";
    for (int i = 0; i < 40; ++i) cycle += text(std::to_string(i)) + "h\x01s";
    expect_said(flat(pickled(cycle + ".")), "3: <memory>: serialized_state_dict.pt: dictionaries nest deeper than 64 levels");
    std::string deep;
    for (int i = 0; i < 1'000'000; ++i) deep += "]";
    for (int i = 1; i < 1'000'000; ++i) deep += "a";
    expect_said(flat(pickled(deep + ".")), "\"a.w\": has no contents in the file");
}

BOOST_AUTO_TEST_CASE(other_archives_are_named) {
    expect_said(ZipFile().add("m/code/__torch__.py", "").add("m/data.pkl", ""), "4: <memory>: is a TorchScript archive");
    expect_said(ZipFile().add("m/data.pkl", "}."), "weights without a graph");
    expect_said(ZipFile().add("m/data/aotinductor/model/a.so", ""), "4: <memory>: is a package of AOTInductor");
    const std::string executorch = std::string("\x10\0\0\0ET12", 8) + std::string(32, '\0');
    BOOST_TEST(said(Bytes::copy(executorch.data(), executorch.size())).find("4: <memory>: is a program of ExecuTorch") == 0);
    BOOST_CHECK_EXCEPTION(read_model(package().bytes(), "", "other"), Error, [](const Error& error) {
        return error.exit() == Exit::usage && error.message().find("the programs model") != std::string::npos;
    });
}

BOOST_AUTO_TEST_CASE(cut_archives_are_refused) {
    const std::string whole = package().text();
    for (size_t size = 0; size < whole.size() - 2; size += 7) {
        const std::string message = said(Bytes::copy(whole.data(), size));
        BOOST_TEST((message.starts_with("3: ") || message.starts_with("4: ")), size << ": " << message);
    }
}

BOOST_AUTO_TEST_SUITE_END()
