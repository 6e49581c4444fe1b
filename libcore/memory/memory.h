// Memory: the buffers of a session. The first run of a set of input shapes takes them from a pool and records when each is needed;
// from then on they have their places in one planned arena. What is not as recorded (shapes that depend on data, loops that run more
// often) or leaves the run (outputs) comes from the pool.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "libcore/graph/type.h"
#include "libcore/memory/buffer_pool.h"
#include "libcore/memory/plan.h"

namespace quern {

// A run over inputs of one set of shapes, as it was recorded: each buffer in the order in which they are taken, and its place.
struct MemoryLayout {
    struct Block : Lifetime {
        size_t offset = 0;
        bool leaves = false;  // the run: its buffer is not a part of the arena
    };
    std::vector<Dims> shapes;
    std::vector<Block> blocks;
    size_t bytes = 0;  // of the arena

    // Throws Exit::bad_input unless every place lies in the arena, those that are needed at one time do not overlap, and the arena is no
    // larger than its blocks.
    void check() const;
};

class Memory : public std::enable_shared_from_this<Memory> {
   public:
    static std::shared_ptr<Memory> make() { return std::shared_ptr<Memory>(new Memory); }

    // A run over inputs of these shapes begins; its last buffer but those that leave it is gone at the end.
    void begin(std::vector<Dims> shapes);
    void end(bool completed);
    Buffer take(size_t size);

    uint64_t held_bytes() const;  // the arena, and what the pool holds

    // Of runs that are recorded, the one used last first; and those of another process, which are checked.
    std::vector<MemoryLayout> layouts() const;
    // `exact`: all shapes are fixed, so that a run takes what its plan says but for scratch space. One that takes much more (64 MiB and
    // four times its buffers) throws Exit::bad_input before it has it: sizes of a file that do not fit its plan.
    void set_layouts(std::span<const MemoryLayout> layouts, bool exact = false);

   private:
    using Block = MemoryLayout::Block;
    struct Layout : MemoryLayout {
        int attempts = 0;
        bool recorded = false;
    };
    struct Live {
        size_t block, begin, end;
    };

    Memory() = default;
    Buffer record(size_t size);
    Buffer place(size_t size, size_t block);
    Buffer watched(std::shared_ptr<std::byte> data, size_t size, size_t block);
    void returned(uint64_t run, size_t block);
    void lay_out(Layout& layout);
    void miss(size_t size);

    mutable std::mutex mutex_;
    std::shared_ptr<BufferPool> pool_ = BufferPool::make();
    std::list<Layout> layouts_;  // the one used last first
    std::shared_ptr<std::byte> arena_;
    size_t arena_bytes_ = 0;
    Layout* current_ = nullptr;
    uint64_t run_ = 0, clock_ = 0;
    size_t taken_ = 0, missed_ = 0;
    bool exact_ = false;
    uint64_t missed_bytes_ = 0, max_missed_bytes_ = 0;  // of this run
    std::vector<Live> live_;
};

}  // namespace quern
