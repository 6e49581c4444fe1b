// TFLite and Circle files with variables, tables, signatures and recurrent operators that others cannot check: by numbers.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>

#include "formats/circle/circle.h"
#include "formats/tflite/tflite.h"
#include "libcore/exec/session.h"
#include "libcore/graph/op.h"
#include "libcore/os/threads.h"
#include "libcore/passes/passes.h"
#include "libcore/runs/state.h"
#include "tests/unit/tflite_files.h"

using namespace quern;
using namespace quern::test;
using tflite::BuiltinOptions;
using tflite::TensorType;
using Code = tflite::BuiltinOperator;

BOOST_AUTO_TEST_SUITE(tflite_state)

namespace {

Model checked(Model model) {
    for_each_graph(model.graph, [](Graph& graph, const std::string&) { graph.sort(); });
    infer_types(model.graph);
    verify(model.graph);
    return model;
}

Model read(const std::string& file, const std::string& signature = "") {
    const Bytes bytes = Bytes::copy(file.data(), file.size());
    return checked(signature.empty() ? tflite_format::read(bytes, "-") : tflite_format::read_signature(bytes, "-", signature));
}

std::vector<Tensor> run(const Model& model, const std::vector<Tensor>& inputs) {
    ThreadPool pool(1);
    Session session(Program::compile(model.graph, {.reference = true}), pool);
    return session.run(inputs);
}

fb::Offset<void> handle_options(TfliteFile& file, const char* name) {
    return tflite::CreateVarHandleOptionsDirect(file.builder, "", name).Union();
}

int handle(TfliteFile& file) { return file.tensor("handle", {}, 0, {.type = TensorType::RESOURCE}); }

// y = v + x; v = y. With `start` v begins with a first call's constant, else with 0.
std::string counter(bool start) {
    TfliteFile file;
    const int x = file.tensor("x", {2}), y = file.tensor("y", {2}), v = file.tensor("v", {2}), h = handle(file);
    if (start) file.op(Code::CALL_ONCE, {}, {}, BuiltinOptions::CallOnceOptions, tflite::CreateCallOnceOptions(file.builder, 1).Union());
    file.op(Code::VAR_HANDLE, {}, {h}, BuiltinOptions::VarHandleOptions, handle_options(file, "count"));
    file.op(Code::READ_VARIABLE, {h}, {v});
    file.op(Code::ADD, {v, x}, {y});
    file.op(Code::ASSIGN_VARIABLE, {h, y}, {});
    file.end_graph({x}, {y});
    if (start) {
        const int own = handle(file), first = file.floats("first", {2}, {10, 20});
        file.op(Code::VAR_HANDLE, {}, {own}, BuiltinOptions::VarHandleOptions, handle_options(file, "count"));
        file.op(Code::ASSIGN_VARIABLE, {own, first}, {});
        file.end_graph({}, {});
    }
    return file.finish();
}

// A buffer of texts.
uint32_t texts(TfliteFile& file, const std::vector<std::string>& words) {
    std::vector<int32_t> head{static_cast<int32_t>(words.size())};
    auto at = static_cast<int32_t>(4 * (words.size() + 2));
    std::string all;
    for (const std::string& word : words) {
        head.push_back(at);
        at += static_cast<int32_t>(word.size());
        all += word;
    }
    head.push_back(at);
    std::vector<uint8_t> bytes(4 * head.size());
    std::memcpy(bytes.data(), head.data(), bytes.size());
    bytes.insert(bytes.end(), all.begin(), all.end());
    return file.buffer(bytes);
}

}  // namespace

BOOST_AUTO_TEST_CASE(variables_are_states) {
    for (const bool start : {false, true}) {
        Model model = read(counter(start));
        const std::vector<float> first = start ? std::vector<float>{11, 22} : std::vector<float>{1, 2};
        BOOST_TEST(to_floats(run(model, {Tensor::vector<float>(std::array{1.0f, 2.0f})}).at(0)) == first, boost::test_tools::per_element());
        fold_constants.run(model.graph);
        drop_dead.run(model.graph);
        const auto exposed = expose_state(model.graph);
        BOOST_REQUIRE(exposed.size() == 1u);
        infer_types(model.graph);
        const StatePlan plan = plan_states(model.graph, true, {}, exposed);
        BOOST_REQUIRE(plan.loops.size() == 1u);
        std::vector<Tensor> inputs(2), state = plan.initial(model.graph);
        for (int i = 1; i <= 3; ++i) {
            inputs[plan.loops[0].first] = state[0];
            inputs[plan.fed.at(0)] = Tensor::vector<float>(std::array{1.0f, 2.0f});
            const auto outputs = run(model, inputs);
            BOOST_TEST(to_floats(outputs.at(0))[0] == (start ? 10 : 0) + i);
            state[0] = outputs.at(plan.loops[0].second);
        }
    }
}

BOOST_AUTO_TEST_CASE(a_variable_in_a_branch_is_refused) {
    TfliteFile file;
    const int c = file.tensor("c", {}, 0, {.type = TensorType::BOOL}), x = file.tensor("x", {1}), y = file.tensor("y", {1});
    file.op(Code::IF, {c, x}, {y}, BuiltinOptions::IfOptions, tflite::CreateIfOptions(file.builder, 1, 1).Union());
    file.end_graph({c, x}, {y});
    const int in = file.tensor("in", {1}), h = handle(file), out = file.tensor("out", {1});
    file.op(Code::VAR_HANDLE, {}, {h}, BuiltinOptions::VarHandleOptions, handle_options(file, "count"));
    file.op(Code::READ_VARIABLE, {h}, {out});
    file.end_graph({in}, {out});
    BOOST_CHECK_EXCEPTION(read(file.finish()), Error, [](const Error& error) {
        return error.exit() == Exit::unsupported && error.message().find("runs on a condition") != std::string::npos;
    });
}

BOOST_AUTO_TEST_CASE(tables_are_filled_by_a_first_call) {
    TfliteFile file;
    const auto options = [&] { return tflite::CreateHashtableOptions(file.builder, 3, TensorType::STRING, TensorType::INT64).Union(); };
    const TensorSpec text{.type = TensorType::STRING}, whole{.type = TensorType::INT64};
    const int keys = file.tensor("keys", {3}, texts(file, {"b", "zz", "a"}), text), h = handle(file);
    const int other = file.tensor("other", {1}, file.buffer(std::vector<int64_t>{-7}), whole), y = file.tensor("y", {3}, 0, whole);
    const int size = file.tensor("size", {1}, 0, whole);
    file.op(Code::CALL_ONCE, {}, {}, BuiltinOptions::CallOnceOptions, tflite::CreateCallOnceOptions(file.builder, 1).Union());
    file.op(Code::HASHTABLE, {}, {h}, BuiltinOptions::HashtableOptions, options());
    file.op(Code::HASHTABLE_FIND, {h, keys, other}, {y});
    file.op(Code::HASHTABLE_SIZE, {h}, {size});
    file.end_graph({}, {y, size});
    const int own = handle(file), names = file.tensor("names", {2}, texts(file, {"a", "b"}), text),
              numbers = file.tensor("numbers", {2}, file.buffer(std::vector<int64_t>{10, 20}), whole);
    file.op(Code::HASHTABLE, {}, {own}, BuiltinOptions::HashtableOptions, options());
    file.op(Code::HASHTABLE_IMPORT, {own, names, numbers}, {});
    file.end_graph({}, {});
    const auto out = run(read(file.finish()), {});
    BOOST_TEST(to_ints(out.at(0)) == (std::vector<int64_t>{20, -7, 10}), boost::test_tools::per_element());
    BOOST_TEST(to_ints(out.at(1)) == std::vector<int64_t>{2}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(signatures_name_graphs) {
    TfliteFile file;
    for (const Code code : {Code::NEG, Code::SQUARE}) {
        const int x = file.tensor("x", {1}), y = file.tensor("y", {1});
        file.op(code, {x}, {y});
        file.end_graph({x}, {y});
    }
    file.signature("minus", 0, 0);
    file.signature("square", 1, 1);
    const std::string bytes = file.finish();
    const std::vector<Tensor> three{Tensor::vector<float>(std::array{3.0f})};
    BOOST_TEST(to_floats(run(read(bytes), three).at(0))[0] == -3);
    BOOST_TEST(to_floats(run(read(bytes, "minus"), three).at(0))[0] == -3);
    const Model square = read(bytes, "square");
    BOOST_TEST(to_floats(run(square, three).at(0))[0] == 9);
    BOOST_TEST(square.graph.metadata.count("tflite.signature.minus") == 0u);
    BOOST_TEST(square.graph.metadata.at("tflite.signature.square").find("\"subgraph\": 0") != std::string::npos);
    BOOST_CHECK_EXCEPTION(read(bytes, "sqare"), Error, [](const Error& error) {
        return error.exit() == Exit::usage && error.message().find("\"square\"") != std::string::npos;
    });
}

BOOST_AUTO_TEST_CASE(circle_turns_pairs_and_gates) {
    TfliteFile file;
    const int x = file.tensor("x", {1, 1, 1, 4}), y = file.tensor("y", {1, 1, 1, 4});
    const std::vector<float> angles{0.1f, 0.7f, 0.1f, 0.7f};
    std::vector<float> sines, cosines;
    for (const float angle : angles) {
        sines.push_back(std::sin(angle));
        cosines.push_back(std::cos(angle));
    }
    const int sine = file.floats("sin", {1, 1, 1, 4}, sines), cosine = file.floats("cos", {1, 1, 1, 4}, cosines);
    file.op(Code::ROPE, {x, sine, cosine}, {y});
    file.end_graph({x}, {y});
    const std::string bytes = file.finish("CIR0");
    const std::vector<float> items{1, 2, 3, 4};
    const Model model = checked(circle_format::read(Bytes::copy(bytes.data(), bytes.size()), "-"));
    const auto got = to_floats(run(model, {Tensor::make<float>({1, 1, 1, 4}, items)}).at(0));
    for (size_t i = 0; i < 2; ++i) {
        BOOST_TEST(std::abs(got[i] - (items[i] * cosines[i] - items[i + 2] * sines[i])) < 1e-6f);
        BOOST_TEST(std::abs(got[i + 2] - (items[i] * sines[i] + items[i + 2] * cosines[i])) < 1e-6f);
    }

    TfliteFile gru;
    const int data = gru.tensor("x", {2, 1, 1}), out = gru.tensor("y", {1, 1});
    const int w = gru.floats("w", {3, 1}, {0.5f, -0.25f, 1.0f}), r = gru.floats("r", {3, 1}, {0.3f, 0.6f, -0.9f});
    const int wb = gru.floats("wb", {3}, {0.1f, 0.2f, 0.3f}), rb = gru.floats("rb", {3}, {-0.1f, 0.4f, 0.2f}),
              s = gru.floats("s", {1, 1}, {0.5f});
    gru.op(Code::GRU, {data, w, wb, r, rb, s}, {out});
    gru.end_graph({data}, {out});
    const std::string other = gru.finish("CIR0");
    const Model second = checked(circle_format::read(Bytes::copy(other.data(), other.size()), "-"));
    float h = 0.5f;
    const auto logistic = [](float v) { return 1 / (1 + std::exp(-v)); };
    for (const float v : {2.0f, -1.0f}) {
        const float z = logistic(0.5f * v + 0.1f + 0.3f * h - 0.1f), reset = logistic(-0.25f * v + 0.2f + 0.6f * h + 0.4f);
        h = z * h + (1 - z) * std::tanh(v + 0.3f + reset * (-0.9f * h + 0.2f));
    }
    BOOST_TEST(std::abs(to_floats(run(second, {Tensor::make<float>({2, 1, 1}, std::array{2.0f, -1.0f})}).at(0))[0] - h) < 1e-6f);
}

BOOST_AUTO_TEST_SUITE_END()
