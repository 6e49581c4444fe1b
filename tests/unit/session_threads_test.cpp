// The session interface on several threads, and automatic compilation that goes wrong or is cut short.
#include <sys/wait.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "tests/unit/session_fixture.h"

using namespace session_test;

BOOST_FIXTURE_TEST_CASE(session_calls_wait_for_each_other, Fixture) {
    load();
    ok(quern_prepare(s()));
    set_buffers();
    ok(quern_run(s()));
    const std::vector<float> wanted = y;
    std::atomic<int> wrong = 0;
    const auto caller = [&](int number) {
        for (int i = 0; i < 50; ++i) {
            quern_io_info info{};
            info.struct_size = sizeof info;
            quern_status status = QUERN_OK;
            switch ((number + i) % 5) {
                case 0: status = quern_output_info(s(), 0, &info); break;
                case 1: status = quern_set_available_backends(s(), i % 2 ? "ref" : ""); break;
                case 2: status = quern_set_input(s(), 0, QUERN_FLOAT32, x.data(), 32); break;
                case 3: status = quern_prepare(s()); break;
                default: status = quern_run(s());
            }
            if (status != QUERN_OK) ++wrong;
            if (quern_set_input(s(), 7, QUERN_FLOAT32, x.data(), 32) != QUERN_USAGE) ++wrong;
            if (std::string(quern_last_error()) != "input 7: the model has 1") ++wrong;  // of this thread
        }
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < 6; ++i) threads.emplace_back(caller, i);
    for (std::thread& thread : threads) thread.join();
    BOOST_TEST(wrong == 0);
    ok(quern_run(s()));
    for (size_t i = 0; i < y.size(); ++i) BOOST_TEST(std::fabs(y[i] - wanted[i]) <= 1e-6f);
}

BOOST_FIXTURE_TEST_CASE(sessions_run_side_by_side, Fixture) {
    std::atomic<int> wrong = 0;
    const auto caller = [&] {
        std::vector<float> own(6);
        quern_inference_session* session = nullptr;
        wrong += quern_create_session(&session) != QUERN_OK;
        wrong += quern_load_model_from_file(session, (folder / "net.mlir").c_str()) != QUERN_OK;
        wrong += quern_prepare(session) != QUERN_OK;
        wrong += quern_set_input(session, 0, QUERN_FLOAT32, x.data(), 32) != QUERN_OK;
        wrong += quern_set_output(session, 0, QUERN_FLOAT32, own.data(), 24) != QUERN_OK;
        for (int i = 0; i < 50; ++i) wrong += quern_run(session) != QUERN_OK || std::fabs(own[1] - 4.875f) > 1e-6f;
        quern_close_session(session);
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back(caller);
    for (std::thread& thread : threads) thread.join();
    BOOST_TEST(wrong == 0);
}

BOOST_FIXTURE_TEST_CASE(session_goes_on_when_automatic_compilation_fails, Fixture) {
    fails(quern_set_minmax_runs(s(), 0), QUERN_USAGE, "need at least 1");
    load();
    fails(quern_run_with_auto_compilation(s(), "", QUERN_PREFERENCE_DEFAULT), QUERN_USAGE, "must be prepared");
    ok(quern_prepare(s()));
    set_buffers();
    fails(quern_run_with_auto_compilation(s(), "", QUERN_PREFERENCE_DEFAULT), QUERN_USAGE, "no quantization type is set");
    ok(quern_set_quantization_type(s(), "uint8"));
    fails(quern_run_with_auto_compilation(s(), "nothing-gen", QUERN_PREFERENCE_DEFAULT), QUERN_USAGE, "unknown plugin");
    ok(quern_set_quantized_model_path(s(), (folder / "none" / "net.q.circle").c_str()));
    ok(quern_set_minmax_runs(s(), 2));
    quern_status status = QUERN_OK;
    for (int i = 0; i < 2000 && status == QUERN_OK; ++i) {
        status = quern_run_with_auto_compilation(s(), "", QUERN_PREFERENCE_DEFAULT);
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    BOOST_TEST(status == QUERN_IO);
    BOOST_TEST(std::string(quern_last_error()).find("net.q.circle") != std::string::npos, quern_last_error());
    y.assign(6, -1);
    ok(quern_run_with_auto_compilation(s(), "", QUERN_PREFERENCE_DEFAULT));
    near_truth(1e-6f);
    const char* path = "";
    ok(quern_model_path(s(), &path));
    BOOST_TEST(fs::path(path).filename() == "net.mlir");
}

BOOST_FIXTURE_TEST_CASE(session_compiles_weights_without_recording_and_may_be_closed_meanwhile, Fixture) {
    load();
    ok(quern_prepare(s()));
    set_buffers();
    ok(quern_set_quantization_type(s(), "int8_wo"));
    ok(quern_set_quantized_model_path(s(), (folder / "net.q.circle").c_str()));
    ok(quern_run_with_auto_compilation(s(), "", QUERN_PREFERENCE_DEFAULT));
    near_truth(1e-6f);
    uint64_t runs = 1;
    ok(quern_recorded_runs(s(), &runs));
    BOOST_TEST(runs == 0u);
    held.reset();  // waits for what is made
    BOOST_TEST(fs::exists(folder / "net.q.circle"));
}

namespace {

// The exit code of what a forked process does; 99 if it does not end.
template <class Body>
int in_fork(const Body& body) {
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(60);
        ::_exit(body());
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

}  // namespace

// Two threads, and oneDNN behind both products: OpenMP's threads are there before the fork.
BOOST_FIXTURE_TEST_CASE(a_forked_process_makes_sessions_of_its_own, Fixture) {
    const auto run = [&](quern_inference_session* session) {
        quern_status failed = quern_set_threads(session, 2);
        for (const auto step : {quern_prepare, quern_run}) {
            if (failed == QUERN_OK) failed = step(session);
            if (failed == QUERN_OK && step == quern_prepare) failed = quern_set_input(session, 0, QUERN_FLOAT32, x.data(), 32);
            if (failed == QUERN_OK && step == quern_prepare) failed = quern_set_output(session, 0, QUERN_FLOAT32, y.data(), 24);
        }
        return failed;
    };
    load();
    ok(run(s()));
    const std::vector<float> want = y;
    const int inherited = in_fork([&] {
        if (quern_run(s()) != QUERN_UNSUPPORTED) return 1;
        const std::string said = quern_last_error();
        if (said.find("of which this one is a fork") == said.npos) return 2;
        quern_inference_session* own = nullptr;
        if (quern_create_session(&own) != QUERN_OK) return 3;
        if (quern_load_model_from_file(own, (folder / "net.mlir").c_str()) != QUERN_OK) return 4;
        y.assign(6, -1);
        for (int i = 0; i < 3; ++i)
            if (run(own) != QUERN_OK || y != want) return 5;
        quern_close_session(own);
        quern_close_session(s());
        return 0;
    });
    BOOST_TEST(inherited == 0);
    ok(quern_run(s()));
    BOOST_TEST(y == want, boost::test_tools::per_element());
}
