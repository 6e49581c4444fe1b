// States that a session carries: a cache that is changed where it lies, a decoder that is run token by token, sessions side by side.
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "libcore/exec/session.h"
#include "tests/common/graph_of.h"
#include "tests/unit/attention_draw.h"

using namespace quern;

namespace {

enum In : size_t { token, positions, at, valid, key_cache, value_cache };
enum Out : size_t { result, next_keys, next_values };
constexpr int64_t width = 16;

// One layer with 4 heads over 2 heads of keys, whose caches [1,2,C,8] are inputs and outputs.
constexpr std::string_view layer = R"(
%norm = "onnx.RMSNormalization"(%x, %scale) {onnx_node_name = "norm"} : (tensor<1x?{s}x16xf32>, tensor<*xf32>) -> tensor<*xf32>
%q = "onnx.MatMul"(%norm, %wq) {onnx_node_name = "q"} : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
%k = "onnx.MatMul"(%norm, %wk) {onnx_node_name = "k"} : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
%v = "onnx.MatMul"(%norm, %wv) {onnx_node_name = "v"} : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
%qr = "onnx.RotaryEmbedding"(%q, %cos, %sin, %positions) {onnx_node_name = "qr", num_heads = 4} : (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<1x?{s}xi64>) -> tensor<*xf32>
%kr = "onnx.RotaryEmbedding"(%k, %cos, %sin, %positions) {onnx_node_name = "kr", num_heads = 2} : (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<1x?{s}xi64>) -> tensor<*xf32>
%kh = "onnx.Reshape"(%kr, %heads) {onnx_node_name = "kh"} : (tensor<*xf32>, tensor<*xi64>) -> tensor<*xf32>
%vh = "onnx.Reshape"(%v, %heads) {onnx_node_name = "vh"} : (tensor<*xf32>, tensor<*xi64>) -> tensor<*xf32>
%kt = "onnx.Transpose"(%kh) {onnx_node_name = "kt", perm = [0, 2, 1, 3]} : (tensor<*xf32>) -> tensor<*xf32>
%vt = "onnx.Transpose"(%vh) {onnx_node_name = "vt", perm = [0, 2, 1, 3]} : (tensor<*xf32>) -> tensor<*xf32>
%keys = "onnx.TensorScatter"(%past_keys, %kt, %at) {onnx_node_name = "keys"} : (tensor<1x2x?{c}x8xf32>, tensor<*xf32>, tensor<1xi64>) -> tensor<*xf32>
%values = "onnx.TensorScatter"(%past_values, %vt, %at) {onnx_node_name = "values"} : (tensor<1x2x?{c}x8xf32>, tensor<*xf32>, tensor<1xi64>) -> tensor<*xf32>
%none = "onnx.NoValue"() : () -> none
%y = "onnx.Attention"(%qr, %keys, %values, %none, %none, %none, %valid) {onnx_node_name = "attention", q_num_heads = 4, kv_num_heads = 2, is_causal = 1} : (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, none, none, none, tensor<1xi64>) -> tensor<*xf32>)";

Graph decoder() {
    std::mt19937 random(7);
    Graph graph = graph_of(layer, {{"scale", random_floats(random, {width})},
                                   {"wq", random_floats(random, {width, 32})},
                                   {"wk", random_floats(random, {width, 16})},
                                   {"wv", random_floats(random, {width, 16})},
                                   {"cos", random_floats(random, {8192, 4})},
                                   {"sin", random_floats(random, {8192, 4})},
                                   {"heads", ints_of({0, 0, 2, 8})}});
    const auto ids = [&](std::initializer_list<const char*> names) {
        std::vector<ValueId> all;
        for (const char* name : names) all.push_back(graph.find(name));
        return all;
    };
    graph.inputs = ids({"x", "positions", "at", "valid", "past_keys", "past_values"});
    graph.outputs = ids({"y", "keys", "values"});
    infer_types(graph);
    verify(graph);
    return graph;
}

// Inputs for tokens [first, first + count) of x; the caches are carried.
std::vector<Tensor> step(const Tensor& x, int64_t first, int64_t count) {
    std::vector<int64_t> places(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) places[static_cast<size_t>(i)] = first + i;
    const auto items = x.view<float>().subspan(static_cast<size_t>(first * width), static_cast<size_t>(count * width));
    return {Tensor::make<float>({1, count, width}, items),
            Tensor::make<int64_t>({1, count}, places),
            ints_of({first}),
            ints_of({first + count}),
            Tensor{},
            Tensor{}};
}

void carry_caches(Session& session, int64_t capacity) {
    session.carry(key_cache, next_keys, Dims{1, 2, capacity, 8});
    session.carry(value_cache, next_values, Dims{1, 2, capacity, 8});
}

const std::byte* place_of(const Session& session, size_t input) { return session.state(input).tensor.data.data(); }

}  // namespace

BOOST_AUTO_TEST_CASE(token_by_token_is_all_at_once) {
    std::mt19937 random(8);
    const Tensor x = random_floats(random, {1, 40, width});
    ThreadPool pool(2);
    const auto program = Program::compile(decoder(), {});
    for (const Choice& choice : program->choices()) BOOST_TEST(choice.kernel != "reference", choice.node);
    Session whole(program, pool), parts(program, pool);
    carry_caches(whole, 64);
    carry_caches(parts, 64);
    const auto want = to_floats(whole.run(step(x, 0, 40)).at(result));
    std::vector<float> got;
    const auto add = [&](int64_t first, int64_t count) {
        const auto outputs = parts.run(step(x, first, count));
        BOOST_TEST(!outputs.at(next_keys).defined());
        std::ranges::copy(to_floats(outputs.at(result)), std::back_inserter(got));
    };
    add(0, 17);
    for (int64_t i = 17; i < 40; ++i) add(i, 1);
    BOOST_REQUIRE(got.size() == want.size());
    for (size_t i = 0; i < got.size(); ++i) BOOST_REQUIRE_SMALL(got[i] - want[i], 1e-5f);
    BOOST_TEST(to_floats(parts.state(key_cache).tensor).size() == size_t{2 * 64 * 8});
}

// The cache has one place from the first run to the last, and a run takes no memory of its size.
BOOST_AUTO_TEST_CASE(a_carried_cache_stays_where_it_is) {
    std::mt19937 random(8);
    const Tensor x = random_floats(random, {1, 8, width});
    ThreadPool pool(2);
    const auto program = Program::compile(decoder(), {});
    Session small(program, pool), large(program, pool);
    for (const auto& [session, capacity] : {std::pair(&small, int64_t{16}), std::pair(&large, int64_t{8192})}) {
        carry_caches(*session, capacity);
        const std::byte *keys = place_of(*session, key_cache), *values = place_of(*session, value_cache);
        for (int64_t i = 0; i < 8; ++i) {
            session->run(step(x, i, 1));
            BOOST_TEST(place_of(*session, key_cache) == keys);
            BOOST_TEST(place_of(*session, value_cache) == values);
        }
    }
    BOOST_TEST(large.arena_bytes() < small.arena_bytes() + 8192 * 8);  // the parts of keys that are summed apart
}

BOOST_AUTO_TEST_CASE(a_given_state_is_copied_once_and_kept_for_who_gave_it) {
    std::mt19937 random(9);
    const Tensor x = random_floats(random, {1, 8, width}), first = random_floats(random, {1, 2, 16, 8});
    const Tensor before = Tensor::make<float>(first.dims, first.view<float>());
    ThreadPool pool(1);
    Session session(Program::compile(decoder(), {}), pool);
    session.carry(key_cache, next_keys, first);
    session.carry(value_cache, next_values, Dims{1, 2, 16, 8});
    session.run(step(x, 0, 1));
    BOOST_TEST(identical(first, before));
    const std::byte* own = place_of(session, key_cache);
    BOOST_TEST(own != first.data.data());
    session.run(step(x, 1, 1));
    BOOST_TEST(place_of(session, key_cache) == own);

    const Tensor kept = session.state(key_cache).tensor;  // held by the caller: what it holds stays as it is
    const Tensor copy = Tensor::make<float>(kept.dims, kept.view<float>());
    session.run(step(x, 2, 1));
    BOOST_TEST(identical(kept, copy));
    BOOST_TEST(!identical(kept, session.state(key_cache).tensor));
}

// One session's caches go on in another, which has a copy of its own from its first run on; the first lets go of them.
BOOST_AUTO_TEST_CASE(states_are_handed_from_session_to_session) {
    std::mt19937 random(13);
    const Tensor x = random_floats(random, {1, 8, width});
    ThreadPool pool(1);
    const auto program = Program::compile(decoder(), {});
    Session alone(program, pool), first(program, pool), second(program, pool);
    for (Session* session : {&alone, &first}) carry_caches(*session, 16);
    first.run(step(x, 0, 5));
    alone.run(step(x, 0, 5));
    second.carry(key_cache, next_keys, first.state(key_cache).tensor);
    second.carry(value_cache, next_values, first.state(value_cache).tensor);
    carry_caches(first, 16);
    for (int64_t i = 5; i < 8; ++i) BOOST_TEST(identical(second.run(step(x, i, 1)).at(result), alone.run(step(x, i, 1)).at(result)));
}

BOOST_AUTO_TEST_CASE(sessions_side_by_side_have_states_of_their_own) {
    std::mt19937 random(10);
    const Tensor x = random_floats(random, {1, 8, width}), other = random_floats(random, {1, 8, width});
    ThreadPool pool(2);
    const auto program = Program::compile(decoder(), {});
    Session alone(program, pool), one(program, pool), two(program, pool);
    for (Session* session : {&alone, &one, &two}) carry_caches(*session, 16);
    for (int64_t i = 0; i < 8; ++i) {
        const Tensor want = alone.run(step(x, i, 1)).at(result), got = one.run(step(x, i, 1)).at(result);
        two.run(step(other, i, 1));
        BOOST_TEST(identical(got, want));
    }
}

BOOST_AUTO_TEST_CASE(a_state_that_is_wrong_or_lost_is_refused) {
    std::mt19937 random(11);
    const Tensor x = random_floats(random, {1, 8, width});
    ThreadPool pool(1);
    Session session(Program::compile(decoder(), {}), pool);
    BOOST_CHECK_THROW(session.carry(6, 1, Tensor()), Error);
    BOOST_CHECK_THROW(session.carry(0, 3, Tensor()), Error);
    BOOST_CHECK_THROW(session.state(key_cache), Error);
    carry_caches(session, 4);
    std::vector<Tensor> bad = step(x, 0, 1);
    bad[at] = Tensor::make<int64_t>({2}, std::array<int64_t, 2>{0, 0});
    BOOST_CHECK_THROW(session.run(bad), Error);  // refused before anything runs: nothing is lost
    BOOST_CHECK_NO_THROW(session.run(step(x, 0, 1)));
    BOOST_CHECK_THROW(session.run(step(x, 4, 1)), Error);  // behind the cache
    BOOST_CHECK_EXCEPTION(session.run(step(x, 1, 1)), Error,
                          [](const Error& error) { return std::string(error.what()).find("lost") != std::string::npos; });
    carry_caches(session, 4);
    BOOST_CHECK_NO_THROW(session.run(step(x, 0, 1)));
}

BOOST_AUTO_TEST_CASE(states_of_the_reference_are_carried_too) {
    std::mt19937 random(12);
    const Tensor x = random_floats(random, {1, 8, width});
    ThreadPool pool(1);
    Session fast(Program::compile(decoder(), {}), pool), reference(Program::compile(decoder(), {.reference = true}), pool);
    carry_caches(fast, 16);
    carry_caches(reference, 16);
    for (int64_t i = 0; i < 8; ++i) {
        const auto got = to_floats(fast.run(step(x, i, 1)).at(result)), want = to_floats(reference.run(step(x, i, 1)).at(result));
        for (size_t k = 0; k < got.size(); ++k) BOOST_REQUIRE_SMALL(got[k] - want[k], 1e-5f);
    }
}
