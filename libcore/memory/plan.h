// Plan: where the buffers of a run lie in one arena, from how long each is needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace quern {

// A buffer of `size` bytes that is needed in [born, dies), in any unit of time.
struct Lifetime {
    size_t size = 0;
    uint64_t born = 0, dies = 0;
};

struct Plan {
    std::vector<size_t> offsets;  // of each lifetime, 64-byte aligned
    size_t bytes = 0;             // of the arena
};

// Buffers needed at the same time do not overlap. Largest first, each at the lowest offset that is free during its life ("greedy by
// size": Pisarchyk and Lee, Efficient Memory Management for Deep Neural Net Inference, 2020).
Plan plan_memory(std::span<const Lifetime> buffers);

}  // namespace quern
