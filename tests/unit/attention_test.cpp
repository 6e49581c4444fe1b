// Kernels of libcore/kernels/attention and the norm beside their reference, over drawn operands: near it, and the same bits on any number
// of threads.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

#include "libcore/exec/session.h"
#include "tests/unit/attention_draw.h"

using namespace quern;

namespace {

std::vector<Tensor> run(const Graph& graph, const std::vector<Tensor>& in, int threads, bool reference = false) {
    ThreadPool pool(threads);
    const auto program = Program::compile(graph, {.reference = reference});
    if (!reference) BOOST_TEST(program->choices().at(0).kernel != "reference", program->choices().at(0).refusals);
    Session session(program, pool);
    return session.run(in);
}

// The largest difference, beside the largest number.
float distance(const Tensor& got, const Tensor& want) {
    BOOST_REQUIRE(got.dims == want.dims);
    const std::vector<float> a = to_floats(got), b = to_floats(want);
    float most = 0, difference = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        most = std::max(most, std::abs(b[i]));
        difference = std::max(difference, a[i] == b[i] ? 0 : std::abs(a[i] - b[i]));
        if (std::isnan(a[i]) != std::isnan(b[i])) return std::numeric_limits<float>::infinity();
    }
    return most == 0 ? difference : difference / most;
}

void compare(const Graph& graph, const std::vector<Tensor>& in, float most) {
    const auto want = run(graph, in, 1, true), one = run(graph, in, 1), three = run(graph, in, 3);
    for (size_t i = 0; i < want.size(); ++i) {
        BOOST_TEST(distance(one[i], want[i]) <= most);
        BOOST_TEST(identical(one[i], three[i]));
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(attentions_are_their_reference) {
    for (uint32_t seed = 0; seed < 300; ++seed) {
        const DrawnAttention drawn = draw_attention(seed);
        BOOST_TEST_CONTEXT("seed " << seed)
        compare(graph_of_node("Attention", drawn.in, drawn.outputs, drawn.attrs, seed % 2 == 0), drawn.samples(), 1e-5f);
    }
}

// What lies behind the keys that are no padding is not even read.
BOOST_AUTO_TEST_CASE(keys_behind_the_valid_ones_are_not_read) {
    std::mt19937 random(1);
    const int64_t valid = 10, capacity = 4096;
    std::vector<Tensor> in(7);
    in[0] = random_floats(random, {1, 4, 1, 16});
    std::vector<float> cache(static_cast<size_t>(2 * capacity * 16), std::nanf(""));
    for (int64_t head = 0; head < 2; ++head)
        for (int64_t i = 0; i < valid * 16; ++i) cache[static_cast<size_t>(head * capacity * 16 + i)] = 0.01f * static_cast<float>(i % 37);
    in[1] = in[2] = Tensor::make<float>({1, 2, capacity, 16}, cache);
    in[6] = ints_of({valid});
    const std::vector<Tensor> samples{in[0], in[1], in[2], in[6]};
    for (const float item : to_floats(run(graph_of_node("Attention", in, 1, {}), samples, 2).at(0))) BOOST_REQUIRE(std::isfinite(item));
}

BOOST_AUTO_TEST_CASE(an_attention_that_does_not_fit_is_refused) {
    std::mt19937 random(1);
    std::vector<Tensor> in{random_floats(random, {1, 2, 3, 8}), random_floats(random, {1, 2, 5, 8}), random_floats(random, {1, 2, 5, 8})};
    in.resize(7);
    in[6] = ints_of({6});
    const Graph graph = graph_of_node("Attention", in, 1, {}, true);
    BOOST_CHECK_THROW(run(graph, {in[0], in[1], in[2], in[6]}, 1), Error);
    BOOST_CHECK_THROW(run(graph, {in[0], random_floats(random, {1, 2, 5, 7}), in[2], ints_of({5})}, 1), Error);
    BOOST_CHECK_THROW(run(graph, {in[0], in[1], random_floats(random, {1, 2, 4, 8}), ints_of({4})}, 1), Error);
    BOOST_CHECK_NO_THROW(run(graph, {in[0], in[1], in[2], ints_of({5})}, 1));
}

BOOST_AUTO_TEST_CASE(rotary_positions_are_their_reference) {
    std::mt19937 random(2);
    for (const int64_t interleaved : {0, 1})
        for (const int64_t rotated : {0, 4, 10})
            for (const int64_t length : {1, 5, 700}) {
                const int64_t half = (rotated == 0 ? 12 : rotated) / 2;
                const std::vector<Tensor> caches{random_floats(random, {900, half}), random_floats(random, {900, half})};
                std::vector<int64_t> positions(static_cast<size_t>(2 * length));
                for (size_t i = 0; i < positions.size(); ++i) positions[i] = static_cast<int64_t>(i * 7 % 900);
                const Tensor ids = Tensor::make<int64_t>({2, length}, positions);
                const Attrs attrs{{"interleaved", interleaved}, {"rotary_embedding_dim", rotated}, {"num_heads", int64_t{3}}};
                for (const Dims& dims : {Dims{2, length, 36}, Dims{2, 3, length, 12}}) {
                    const std::vector<Tensor> in{random_floats(random, dims), caches[0], caches[1], ids};
                    compare(graph_of_node("RotaryEmbedding", in, 1, attrs, true), in, 0);
                }
            }
}

BOOST_AUTO_TEST_CASE(a_position_outside_of_the_rotary_cache_is_refused) {
    std::mt19937 random(2);
    const std::vector<Tensor> in{random_floats(random, {1, 1, 2, 8}), random_floats(random, {4, 4}), random_floats(random, {4, 4}),
                                 Tensor::make<int64_t>({1, 2}, std::array<int64_t, 2>{3, 4})};
    BOOST_CHECK_THROW(run(graph_of_node("RotaryEmbedding", in, 1, {}), in, 1), Error);
}

BOOST_AUTO_TEST_CASE(rms_norms_are_their_reference) {
    std::mt19937 random(3);
    for (const int64_t size : {1, 7, 16, 64, 1000, 4096})
        for (const int64_t groups : {1, 3, 40}) {
            const std::vector<Tensor> in{random_floats(random, {2, groups, size}, 30), random_floats(random, {size})};
            compare(graph_of_node("RMSNormalization", in, 1, {{"epsilon", 1e-5f}}), in, 1e-6f);
        }
}

BOOST_AUTO_TEST_CASE(rows_are_written_into_a_cache) {
    std::mt19937 random(4);
    for (const char* mode : {"linear", "circular"})
        for (const int64_t start : {0, 2, 5, 7}) {
            const std::vector<Tensor> in{random_floats(random, {2, 3, 9, 4}), random_floats(random, {2, 3, 2, 4}), ints_of({start, 1})};
            compare(graph_of_node("TensorScatter", in, 1, {{"mode", std::string(mode)}}, true), in, 0);
        }
    const std::vector<Tensor> in{random_floats(random, {1, 3, 9, 4}), random_floats(random, {1, 3, 2, 4}), ints_of({8})};
    compare(graph_of_node("TensorScatter", in, 1, {{"mode", std::string("circular")}}), in, 0);
    BOOST_CHECK_THROW(run(graph_of_node("TensorScatter", in, 1, {}), in, 1), Error);
}
