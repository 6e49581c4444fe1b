#include "libcore/memory/memory.h"

#include <boost/test/unit_test.hpp>

using namespace quern;

namespace {

// A run that needs `inner` buffers one after the other, each while the next one is made, and returns one.
Buffer chain(Memory& memory, std::vector<Dims> shapes, std::span<const size_t> inner) {
    memory.begin(std::move(shapes));
    Buffer before;
    for (const size_t size : inner) {
        Buffer next = memory.take(size);
        std::fill_n(next.data.get(), size, std::byte{1});
        before = std::move(next);
    }
    Buffer out = memory.take(100);
    before = {};
    memory.end(true);
    return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(memory_test)

BOOST_AUTO_TEST_CASE(buffers_that_live_together_lie_apart) {
    std::vector<Lifetime> buffers;
    uint64_t state = 1;
    const auto random = [&](uint64_t below) { return (state = state * 6364136223846793005ull + 1442695040888963407ull) >> 33 % below; };
    for (int i = 0; i < 200; ++i) {
        const uint64_t born = random(100) % 100;
        buffers.push_back({random(5000) % 5000 + 1, born, born + 1 + random(20) % 20});
    }
    const Plan plan = plan_memory(buffers);
    size_t together = 0;
    for (size_t i = 0; i < buffers.size(); ++i) {
        BOOST_TEST(plan.offsets[i] % 64 == 0);
        BOOST_TEST(plan.offsets[i] + buffers[i].size <= plan.bytes);
        for (size_t k = 0; k < i; ++k) {
            if (buffers[i].born >= buffers[k].dies || buffers[k].born >= buffers[i].dies) continue;
            ++together;
            BOOST_TEST((plan.offsets[i] + buffers[i].size <= plan.offsets[k] || plan.offsets[k] + buffers[k].size <= plan.offsets[i]));
        }
    }
    BOOST_TEST(together > 100);
}

BOOST_AUTO_TEST_CASE(a_chain_needs_two_neighbours) {
    const std::vector<Lifetime> buffers{{640, 0, 2}, {6400, 1, 3}, {640, 2, 4}, {1280, 3, 5}};
    BOOST_TEST(plan_memory(buffers).bytes == 6400u + 640u);  // the small ones share the place behind the large one
}

BOOST_AUTO_TEST_CASE(the_second_run_of_a_shape_has_an_arena) {
    const auto memory = Memory::make();
    const std::array<size_t, 4> sizes{10'000, 200'000, 10'000, 64};
    const Buffer first = chain(*memory, {{1}}, sizes);
    const Buffer second = chain(*memory, {{1}}, sizes);
    const uint64_t planned = memory->held_bytes();
    BOOST_TEST(planned <= 210'048u + 64 + 2 * 1024);  // the outputs are the pool's
    for (int i = 0; i < 5; ++i) chain(*memory, {{1}}, sizes);
    BOOST_TEST(memory->held_bytes() <= planned + 1024);
    const std::array<size_t, 4> wider{20'000, 400'000, 20'000, 64};
    for (int i = 0; i < 3; ++i) chain(*memory, {{2}}, wider);
    BOOST_TEST(memory->held_bytes() >= 420'000u);
    chain(*memory, {{1}}, wider);  // as another shape: not as recorded
    chain(*memory, {{1}}, wider);
}

BOOST_AUTO_TEST_CASE(what_leaves_a_run_against_the_plan_is_kept) {
    const auto memory = Memory::make();
    const auto run = [&](bool keep) {
        memory->begin({});
        Buffer buffer = memory->take(5000), other = memory->take(5000);
        std::fill_n(buffer.data.get(), 5000, std::byte{keep ? uint8_t{7} : uint8_t{9}});
        if (!keep) buffer = {};
        other = {};
        memory->end(true);
        return buffer;
    };
    run(false);
    const Buffer kept = run(true);
    for (int i = 0; i < 3; ++i) run(false);
    BOOST_TEST(std::all_of(kept.data.get(), kept.data.get() + 5000, [](std::byte b) { return b == std::byte{7}; }));
}

BOOST_AUTO_TEST_SUITE_END()
