// The session interface as a C program uses it: document 000's flows.
#include <malloc.h>

#include <chrono>
#include <thread>

#include "libcore/kernels/context_isa.h"
#include "tests/unit/session_fixture.h"

using namespace session_test;

BOOST_FIXTURE_TEST_CASE(session_runs_a_model_from_file_memory_and_package, Fixture) {
    load();
    BOOST_TEST(state() == QUERN_STATE_LOADED);
    ok(quern_prepare(s()));
    set_buffers();
    ok(quern_run(s()));
    near_truth(1e-6f);
    ok(quern_load_model_from_memory(s(), net, std::string(net).size()));
    ok(quern_prepare(s()));
    set_buffers();
    y.assign(6, -1);
    ok(quern_run(s()));
    near_truth(1e-6f);
    fs::create_directories(folder / "package/metadata");
    fs::copy_file(folder / "net.mlir", folder / "package/net.mlir");
    std::ofstream(folder / "package/metadata/MANIFEST") << R"({"major-version": "1", "models": ["net.mlir"], "configs": ["config.cfg"]})";
    std::ofstream(folder / "package/metadata/config.cfg") << "# settings\nNUM_THREADS=1\nTRACING_MODE=1\n";
    std::string notes;
    ok(quern_set_log(
        s(), [](void* self, const char* text) { *static_cast<std::string*>(self) += text; }, &notes));
    ok(quern_load_model_from_file(s(), (folder / "package").c_str()));
    BOOST_TEST(notes == "config: TRACING_MODE has no effect");
    std::ofstream(folder / "package/metadata/MANIFEST") << R"({"models": ["../../etc/passwd"]})";
    fails(quern_load_model_from_file(s(), (folder / "package").c_str()), QUERN_BAD_INPUT, "is not the name of a file in the package");
}

BOOST_FIXTURE_TEST_CASE(session_quantizes_and_reloads, Fixture) {
    load();
    ok(quern_set_quantization_type(s(), "int8_wo"));
    const std::string path = (folder / "net.q.circle").string();
    ok(quern_set_quantized_model_path(s(), path.c_str()));
    ok(quern_quantize(s()));
    BOOST_TEST(state() == QUERN_STATE_PREPARED);
    set_buffers();
    ok(quern_run(s()));
    near_truth(0.1f);

    load();
    ok(quern_prepare(s()));
    set_buffers();
    ok(quern_set_quantization_type(s(), "uint8"));
    fails(quern_quantize(s()), QUERN_USAGE, "needs ranges");
    ok(quern_set_execute_config(s(), QUERN_RECORD_MINMAX));
    for (int i = 0; i < 3; ++i) ok(quern_run(s()));
    near_truth(1e-6f);
    uint64_t runs = 0;
    ok(quern_recorded_runs(s(), &runs));
    BOOST_TEST(runs == 3u);
    ok(quern_quantize(s()));
    BOOST_TEST(fs::exists(path));
    ok(quern_reset_execute_config(s()));
    ok(quern_run(s()));
    near_truth(0.2f);
    quern_io_info info{};
    info.struct_size = sizeof info;
    ok(quern_output_info(s(), 0, &info));
    BOOST_TEST(info.dtype == QUERN_FLOAT32);
    BOOST_TEST(info.storage == QUERN_UINT8);
    std::vector<uint8_t> codes(6);
    ok(quern_set_output(s(), 0, QUERN_UINT8, codes.data(), codes.size()));
    ok(quern_run(s()));
    for (size_t i = 0; i < codes.size(); ++i)
        BOOST_TEST(std::fabs((static_cast<double>(codes[i]) - static_cast<double>(info.zero)) * info.scale - y[i]) <= 1e-5);
    fails(quern_quantize(s()), QUERN_USAGE, "quantized already");
}

BOOST_FIXTURE_TEST_CASE(session_generates_code_and_switches_back_ends, Fixture) {
    load();
    ok(quern_codegen(s(), "context-gen", QUERN_PREFERENCE_DEFAULT));
    BOOST_TEST(fs::exists(folder / "net.qctx"));
    ok(quern_prepare(s()));
    set_buffers();
    ok(quern_run(s()));
    near_truth(1e-6f);
    fails(quern_codegen(s(), "context-gen", QUERN_PREFERENCE_DEFAULT), QUERN_USAGE, "compiled already");
    fails(quern_codegen(s(), "contxt", QUERN_PREFERENCE_DEFAULT), QUERN_USAGE, "");
    load();
    ok(quern_prepare(s()));
    ok(quern_set_available_backends(s(), "ref"));
    set_buffers();
    y.assign(6, -1);
    ok(quern_run(s()));
    near_truth(1e-6f);
    BOOST_TEST(quern_set_available_backends(s(), "nowhere") == QUERN_UNSUPPORTED);
    ok(quern_run(s()));
}

BOOST_FIXTURE_TEST_CASE(session_gives_options_to_back_ends_and_generators, Fixture) {
    fails(quern_set_backend_options(s(), "{"), QUERN_USAGE, "options {: ");
    fails(quern_set_backend_options(s(), "[]"), QUERN_USAGE, "options []: need a JSON object");
    fails(quern_set_codegen_option(s(), "", "x"), QUERN_USAGE, "the name is empty");
    fails(quern_set_codegen_option(s(), nullptr, "x"), QUERN_USAGE, "name is NULL");
    std::string said;
    ok(quern_set_log(
        s(), [](void* self, const char* text) { *static_cast<std::string*>(self) += text; }, &said));
    load();
    ok(quern_set_backend_options(s(), "{\"device\": \"npu1\"}"));
    ok(quern_prepare(s()));
    BOOST_TEST(said.find("the options {\"device\": \"npu1\"} of back ends have no effect") != said.npos);
    ok(quern_set_backend_options(s(), nullptr));

    ok(quern_set_codegen_option(s(), "speed", "2"));
    fails(quern_codegen(s(), "context", QUERN_PREFERENCE_DEFAULT), QUERN_USAGE, "generator context has no option \"speed\"");
    ok(quern_set_codegen_option(s(), "speed", ""));
    ok(quern_set_codegen_option(s(), "isa", "vax"));
    fails(quern_codegen(s(), "context", QUERN_PREFERENCE_DEFAULT), QUERN_USAGE, "need one of base, avx2, avx512, aarch64");
    const std::string other = quern::context_isa() == "aarch64" ? "avx2" : "aarch64";
    ok(quern_set_codegen_option(s(), "isa", other.c_str()));
    ok(quern_codegen(s(), "context", QUERN_PREFERENCE_DEFAULT));
    BOOST_TEST(said.find("net.qctx is for " + other + ": the model that it was made of stays loaded") != said.npos);
    ok(quern_prepare(s()));
    set_buffers();
    ok(quern_run(s()));
    near_truth(1e-6f);
    fails(quern_load_model_from_file(s(), (folder / "net.qctx").c_str()), QUERN_UNSUPPORTED, "is compiled for " + other + ", here is ");
}

BOOST_FIXTURE_TEST_CASE(session_quantizes_by_the_rules_of_a_target, Fixture) {
    std::string said;
    ok(quern_set_log(
        s(), [](void* self, const char* text) { *static_cast<std::string*>(self) += text; }, &said));
    int32_t quantized = -1;
    fails(quern_is_quantized(s(), &quantized), QUERN_USAGE, "the session is created");
    fails(quern_set_quantization_target(s(), "nowhere"), QUERN_USAGE, "there is no target \"nowhere\"");
    ok(quern_set_quantization_target(s(), "htp"));
    BOOST_TEST(said.find("target htp takes type u8i8") != said.npos);
    ok(quern_set_quantization_type(s(), "w8a16"));
    BOOST_TEST(said.find("type w8a16 stands for w8u16") != said.npos);
    load();
    ok(quern_is_quantized(s(), &quantized));
    BOOST_TEST(quantized == 0);
    fails(quern_is_quantized(s(), nullptr), QUERN_USAGE, "out is NULL");
    ok(quern_prepare(s()));
    set_buffers();
    ok(quern_set_execute_config(s(), QUERN_RECORD_MINMAX));
    ok(quern_run(s()));
    const std::string path = (folder / "net.q.onnx").string();
    ok(quern_set_quantized_model_path(s(), path.c_str()));
    ok(quern_quantize(s()));
    ok(quern_is_quantized(s(), &quantized));
    BOOST_TEST(quantized == 1);
    quern_io_info info{};
    info.struct_size = sizeof info;
    ok(quern_output_info(s(), 0, &info));
    BOOST_TEST(info.storage == QUERN_UINT16);

    load();
    ok(quern_set_quantization_target(s(), nullptr));  // int16 again
    ok(quern_prepare(s()));
    set_buffers();
    ok(quern_set_execute_config(s(), QUERN_RECORD_MINMAX));
    ok(quern_run(s()));
    ok(quern_quantize(s()));
    ok(quern_output_info(s(), 0, &info));
    BOOST_TEST(info.storage == QUERN_INT16);
}

BOOST_FIXTURE_TEST_CASE(session_says_what_is_wrong, Fixture) {
    fails(quern_prepare(s()), QUERN_USAGE, "the session is created");
    fails(quern_run(nullptr), QUERN_USAGE, "NULL");
    fails(quern_load_model_from_file(s(), (folder / "none").c_str()), QUERN_IO, "none");
    fails(quern_load_model_from_memory(s(), "junk", 4), QUERN_BAD_INPUT, "<memory>");
    BOOST_TEST(state() == QUERN_STATE_CREATED);
    load();
    fails(quern_run(s()), QUERN_USAGE, "run: the session is loaded, it must be prepared");
    ok(quern_prepare(s()));
    fails(quern_run(s()), QUERN_USAGE, "input \"x\": no buffer is set");
    fails(quern_set_input(s(), 0, QUERN_INT8, x.data(), 8), QUERN_BAD_INPUT, "the buffer is int8, need float32");
    fails(quern_set_input(s(), 1, QUERN_FLOAT32, x.data(), 8), QUERN_USAGE, "the model has 1");
    ok(quern_set_input(s(), 0, QUERN_FLOAT32, x.data(), 8));
    fails(quern_run(s()), QUERN_BAD_INPUT, "has 8 bytes");
    fails(quern_set_quantization_type(s(), "uint9"), QUERN_USAGE, "uint9");
}

BOOST_FIXTURE_TEST_CASE(session_compiles_by_itself, Fixture) {
    load();
    ok(quern_prepare(s()));
    set_buffers();
    ok(quern_set_quantization_type(s(), "uint8"));
    ok(quern_set_quantized_model_path(s(), (folder / "net.q.circle").c_str()));
    ok(quern_set_minmax_runs(s(), 2));
    const char* path = "";
    for (int i = 0; i < 2000 && std::string(path).find("net.q.qctx") == std::string::npos; ++i) {
        ok(quern_run_with_auto_compilation(s(), "context-gen", QUERN_PREFERENCE_DEFAULT));
        near_truth(0.2f);
        ok(quern_model_path(s(), &path));
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    BOOST_TEST(fs::path(path).filename() == "net.q.qctx");
}

// Memory of the heap that is in use, where sanitizers do not stand in for it.
size_t bytes_in_use() { return ::mallinfo2().uordblks; }

BOOST_AUTO_TEST_CASE(session_that_has_no_place_is_not_made) {
    BOOST_TEST(quern_create_session(nullptr) == QUERN_USAGE);
    BOOST_TEST(quern_last_error() == std::string("out is NULL"));
    const size_t before = bytes_in_use();
    for (int i = 0; i < 100; ++i) quern_create_session(nullptr);
    BOOST_TEST(bytes_in_use() < before + 100 * 16);
    quern_inference_session* made = nullptr;
    BOOST_TEST(quern_create_session(&made) == QUERN_OK);
    BOOST_TEST(made != nullptr);
    quern_close_session(made);
}

BOOST_FIXTURE_TEST_CASE(session_keeps_names_until_the_model_changes, Fixture) {
    load();
    quern_io_info info{};
    info.struct_size = sizeof info;
    ok(quern_input_info(s(), 0, &info));
    const char* name = info.name;
    const int64_t dims[] = {2, 4};
    ok(quern_set_input_shape(s(), 0, 2, dims));
    ok(quern_prepare(s()));
    ok(quern_set_available_backends(s(), "ref"));
    ok(quern_input_info(s(), 0, &info));
    BOOST_TEST(info.name == name);  // the same memory
    BOOST_TEST(std::string(name) == "x");
}

BOOST_FIXTURE_TEST_CASE(session_takes_no_more_threads_than_a_machine_has, Fixture) {
    fails(quern_set_threads(s(), 2'000'000'000), QUERN_USAGE, "threads: got 2000000000, need 1 to 4096");
    fails(quern_set_threads(s(), 0), QUERN_USAGE, "threads: got 0, need 1 to 4096");
}

BOOST_FIXTURE_TEST_CASE(session_products_are_files, Fixture) {
    fails(quern_set_quantized_model_path(s(), "-"), QUERN_USAGE, "need the name of a file");
    fails(quern_set_codegen_model_path(s(), "-"), QUERN_USAGE, "need the name of a file");
    fails(quern_load_model_from_file(s(), ""), QUERN_USAGE, "path is empty");
}

BOOST_FIXTURE_TEST_CASE(session_names_models_from_memory_in_its_errors, Fixture) {
    ok(quern_load_model_from_memory(s(), net, std::string(net).size()));
    ok(quern_set_quantization_type(s(), "uint8"));
    fails(quern_quantize(s()), QUERN_USAGE, "<memory>: type uint8 needs ranges");
    const int64_t dims[] = {3, 4}, flat[] = {8};
    fails(quern_set_input_shape(s(), 0, 2, dims), QUERN_BAD_INPUT, "input \"x\": got [3,4], need [2,4]");
    fails(quern_set_input_shape(s(), 0, 1, flat), QUERN_BAD_INPUT, "input \"x\": got a rank of 1, need [2,4]");
}
