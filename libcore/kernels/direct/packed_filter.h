// Constant factors of a product as the tiles read them: [blocks of columns][taps][depth][tile_columns], zeros behind the last column.
#pragma once

#include <mutex>

#include "libcore/base/bytes.h"

namespace quern::direct {

// Item (column, tap, depth) of the source lies at column * column_step + tap * tap_step + depth * depth_step.
struct FilterLayout {
    int64_t columns, taps, depth;
    int64_t column_step, tap_step, depth_step;
    size_t packed_bytes() const;  // throws Exit::bad_input if no memory could hold them
};

class PackedFilter {
   public:
    // Floats that are packed when somebody first asks for them.
    PackedFilter(FilterLayout layout, Bytes source) : layout_(layout), source_(std::move(source)) {}
    // What packed() gave in another process. Throws Exit::bad_input if it is of another size.
    static std::unique_ptr<PackedFilter> restored(FilterLayout layout, Bytes packed);

    bool needs_packing() const { return !restored_; }
    const Bytes& packed() const;  // by any thread
    const float* data() const { return reinterpret_cast<const float*>(packed().data()); }

   private:
    FilterLayout layout_;
    bool restored_ = false;
    mutable Bytes source_, packed_;
    mutable std::once_flag once_;
};

}  // namespace quern::direct
