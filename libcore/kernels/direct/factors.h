// The constants of a product as the tiles read them: factors [blocks of columns][taps][depth][tile_columns], zeros after the last column,
// and a bias for each column.
#pragma once

#include <functional>
#include <mutex>
#include <span>
#include <vector>

#include "libcore/base/bytes.h"
#include "libcore/os/threads.h"

namespace quern::direct {

// Item (column, tap, depth) of the source lies at column * column_step + tap * tap_step + depth * depth_step.
struct FilterLayout {
    int64_t columns, taps, depth;
    int64_t column_step, tap_step, depth_step;
    size_t packed_bytes() const;  // throws Exit::bad_input if no memory could hold them
};

class Factors {
   public:
    // Floats that are packed when somebody first asks for them.
    Factors(FilterLayout layout, std::function<Bytes()> source, std::span<const float> bias)
        : layout_(layout), bias_(Bytes::copy_of(bias)), source_(std::move(source)) {}
    // What state() gave in another process. Throws Exit::bad_input if it is of another size.
    Factors(FilterLayout layout, std::span<const Bytes> state);

    bool needs_packing() const { return !restored_; }
    void pack(ThreadPool* pool = nullptr) const;  // by any thread; with the help of a pool, if there is one
    const float* filter() const { return floats(packed()); }
    const float* bias() const { return floats(bias_); }
    std::vector<Bytes> state() const { return {packed(), bias_}; }

   private:
    static const float* floats(const Bytes& bytes) { return reinterpret_cast<const float*>(bytes.data()); }
    const Bytes& packed() const {
        pack();
        return packed_;
    }

    FilterLayout layout_;
    bool restored_ = false;
    Bytes bias_;
    mutable std::function<Bytes()> source_;
    mutable Bytes packed_;
    mutable std::once_flag once_;
};

}  // namespace quern::direct
