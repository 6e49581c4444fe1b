#include "libcore/memory/memory.h"

#include <algorithm>
#include <new>
#include <utility>

#include "libcore/base/error.h"

namespace quern {
namespace {

constexpr size_t max_layouts = 8, max_blocks = 4096;
constexpr int max_attempts = 3;  // to record a run that does not repeat itself
constexpr uint64_t spare_bytes = uint64_t{64} << 20, spare_times = 4;
constexpr uint64_t never = ~uint64_t{0};

}  // namespace

void Memory::begin(std::vector<Dims> shapes) {
    const std::scoped_lock lock(mutex_);
    const auto found = std::find_if(layouts_.begin(), layouts_.end(), [&](const Layout& layout) { return layout.shapes == shapes; });
    if (found != layouts_.end())
        layouts_.splice(layouts_.begin(), layouts_, found);
    else
        layouts_.emplace_front().shapes = std::move(shapes);
    if (layouts_.size() > max_layouts) layouts_.pop_back();
    current_ = &layouts_.front();
    ++run_;
    clock_ = taken_ = missed_ = missed_bytes_ = 0;
    max_missed_bytes_ = spare_bytes;
    for (const Block& block : current_->blocks)
        max_missed_bytes_ += spare_times * std::min<uint64_t>(block.size, never / spare_times / max_blocks / 2);
    live_.clear();
    if (!current_->recorded) {
        current_->blocks.clear();
    } else if (current_->bytes > arena_bytes_) {
        arena_ = nullptr;
        arena_bytes_ = 0;
        try {
            arena_ = new_buffer(current_->bytes).data;
            arena_bytes_ = current_->bytes;
        } catch (const std::bad_alloc&) {
            if (exact_) throw unsupported("there is no memory for its arena of {} bytes", current_->bytes);
            current_->recorded = false;  // the plan of a file: what the run really takes decides
            current_->blocks.clear();
        }
    }
}

void Memory::end(bool completed) {
    const std::scoped_lock lock(mutex_);
    Layout& layout = *std::exchange(current_, nullptr);
    if (!live_.empty()) {  // somebody keeps a part of the arena: it is theirs now
        for (const Live& live : live_) layout.blocks[live.block].leaves = true;
        live_.clear();
        arena_ = nullptr;
        arena_bytes_ = 0;
    }
    if (!completed) return;
    if (!layout.recorded)
        lay_out(layout);
    else if (missed_ > 0 && layout.attempts < max_attempts)
        layout.recorded = false;
}

void Memory::lay_out(Layout& layout) {
    std::vector<Lifetime> inner;
    for (Block& block : layout.blocks) {
        block.leaves = block.dies == never;
        if (!block.leaves) inner.push_back(block);
    }
    const Plan plan = plan_memory(inner);
    auto offset = plan.offsets.begin();
    for (Block& block : layout.blocks)
        if (!block.leaves) block.offset = *offset++;
    layout.bytes = plan.bytes;
    layout.recorded = true;
    ++layout.attempts;
    pool_->trim();
}

Buffer Memory::take(size_t size) {
    const std::scoped_lock lock(mutex_);
    if (!current_) return pool_->take(size);
    const size_t block = taken_++;
    if (block >= max_blocks) {
        if (current_->recorded) miss(size);
        return pool_->take(size);
    }
    return current_->recorded ? place(size, block) : record(size);
}

Buffer Memory::record(size_t size) {
    Block block;
    block.size = size;
    block.born = clock_++;
    block.dies = never;
    current_->blocks.push_back(block);
    return watched(pool_->take(size).data, size, current_->blocks.size() - 1);
}

Buffer Memory::place(size_t size, size_t index) {
    const bool known = index < current_->blocks.size() && current_->blocks[index].size == size;
    if (!known) miss(size);
    if (!known || current_->blocks[index].leaves) return pool_->take(size);
    const size_t begin = current_->blocks[index].offset, end = begin + size;
    const auto taken = [&](const Live& live) { return live.begin < end && begin < live.end; };
    if (!arena_ || std::any_of(live_.begin(), live_.end(), taken)) {
        miss(size);
        return pool_->take(size);
    }
    live_.push_back({index, begin, end});
    return watched({arena_, arena_.get() + begin}, size, index);
}

void Memory::miss(size_t size) {
    ++missed_;
    missed_bytes_ += size;
    if (exact_ && missed_bytes_ > max_missed_bytes_)
        throw bad_input("takes {} bytes more than its memory plan of {} bytes", missed_bytes_, current_->bytes);
}

// `data`, telling this memory when its last owner is gone.
Buffer Memory::watched(std::shared_ptr<std::byte> data, size_t size, size_t block) {
    std::byte* bytes = data.get();
    auto tell = [owner = std::move(data), memory = weak_from_this(), run = run_, block](std::byte*) mutable {
        owner.reset();
        if (const auto alive = memory.lock()) alive->returned(run, block);
    };
    return {{bytes, std::move(tell)}, size};
}

void Memory::returned(uint64_t run, size_t block) {
    const std::scoped_lock lock(mutex_);
    if (run != run_ || !current_) return;
    if (!current_->recorded)
        current_->blocks[block].dies = clock_++;
    else
        std::erase_if(live_, [&](const Live& live) { return live.block == block; });
}

uint64_t Memory::held_bytes() const {
    const std::scoped_lock lock(mutex_);
    return arena_bytes_ + pool_->held_bytes();
}

void MemoryLayout::check() const {
    size_t max = 0;
    for (size_t i = 0; i < blocks.size(); ++i) {
        const Block& block = blocks[i];
        if (block.leaves) continue;
        if (block.size > bytes || block.offset > bytes - block.size || block.offset % 64 != 0 || block.dies <= block.born)
            throw bad_input("buffer {} of the memory plan is not inside the arena of {} bytes", i, bytes);
        max += (block.size + 63) / 64 * 64;
        for (size_t k = 0; k < i; ++k) {
            const Block& other = blocks[k];
            const bool apart = other.leaves || other.dies <= block.born || block.dies <= other.born ||
                               other.offset + other.size <= block.offset || block.offset + block.size <= other.offset;
            if (!apart) throw bad_input("buffers {} and {} of the memory plan overlap", k, i);
        }
    }
    if (bytes > max) throw bad_input("the arena of {} bytes is larger than its buffers", bytes);
}

std::vector<MemoryLayout> Memory::layouts() const {
    const std::scoped_lock lock(mutex_);
    std::vector<MemoryLayout> all;
    for (const Layout& layout : layouts_)
        if (layout.recorded) all.push_back(layout);
    return all;
}

void Memory::set_layouts(std::span<const MemoryLayout> layouts, bool exact) {
    for (const MemoryLayout& layout : layouts) {
        if (layout.blocks.size() > max_blocks)
            throw bad_input("a memory plan has {} buffers, need at most {}", layout.blocks.size(), max_blocks);
        layout.check();
    }
    const std::scoped_lock lock(mutex_);
    layouts_.clear();
    exact_ = exact;
    for (const MemoryLayout& layout : layouts.first(std::min(layouts.size(), max_layouts))) {
        Layout& own = layouts_.emplace_back();
        static_cast<MemoryLayout&>(own) = layout;
        own.recorded = true;
        own.attempts = 1;
    }
}

}  // namespace quern
