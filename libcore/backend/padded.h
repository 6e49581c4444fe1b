// Memory that a back end is given, in guarded sessions with bytes around it that nobody may write.
#pragma once

#include <algorithm>
#include <cstring>
#include <optional>

#include "libcore/base/bytes.h"

namespace quern {

class Padded {
   public:
    static constexpr size_t guard = 4096;
    static constexpr std::byte pattern{0xA5};

    Padded(size_t size, bool guarded) : size_(size), pad_(guarded ? guard : 0), bytes_(size + 2 * pad_) {
        std::fill_n(bytes_.data(), pad_, pattern);
        std::fill_n(data() + size_, pad_, pattern);
    }
    std::byte* data() { return bytes_.data() + pad_; }
    size_t size() const { return size_; }
    Bytes freeze() && { return std::move(bytes_).freeze().slice(pad_, size_); }
    void spoil() { std::fill_n(data(), size_, pattern); }  // what somebody reads there afterwards is nonsense

    // Where the first byte outside was written, from the memory's beginning.
    std::optional<int64_t> stray() {
        for (size_t i = 0; i < pad_; ++i)
            if (bytes_.data()[pad_ - 1 - i] != pattern) return -static_cast<int64_t>(i) - 1;
        for (size_t i = 0; i < pad_; ++i)
            if (data()[size_ + i] != pattern) return static_cast<int64_t>(size_ + i);
        return std::nullopt;
    }
    // Where it differs from what it should still hold.
    std::optional<int64_t> changed(const Bytes& from) {
        for (size_t i = 0; i < std::min(size_, from.size()); ++i)
            if (data()[i] != from.data()[i]) return static_cast<int64_t>(i);
        return std::nullopt;
    }

   private:
    size_t size_, pad_;
    MutableBytes bytes_;
};

}  // namespace quern
