// A place in a file that is read from front to back, with the bounds checked.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "libcore/base/bytes.h"
#include "libcore/base/error.h"

namespace quern::gguf {

class Cursor {
   public:
    // `swapped`: the file has the other byte order.
    Cursor(Bytes bytes, uint64_t at, bool swapped) : bytes_(std::move(bytes)), at_(at), swapped_(swapped) {}

    uint64_t at() const { return at_; }
    uint64_t left() const { return bytes_.size() - at_; }
    bool swapped() const { return swapped_; }
    const Bytes& bytes() const { return bytes_; }

    // `field` is for messages.
    template <class T>
    T number(std::string_view field) {
        std::array<std::byte, sizeof(T)> raw;
        if (left() < raw.size()) throw bad_input("byte {}: {} is cut off, the file ends", at_, field);
        std::memcpy(raw.data(), bytes_.data() + at_, raw.size());
        if (swapped_) std::ranges::reverse(raw);
        T number;
        std::memcpy(&number, raw.data(), raw.size());
        at_ += raw.size();
        return number;
    }

    Bytes take(uint64_t size, std::string_view field) {
        if (size > left()) throw bad_input("byte {}: {} has {} bytes, {} are left", at_, field, size, left());
        at_ += size;
        return bytes_.slice(at_ - size, size);
    }

    // A length, then as many characters.
    Bytes text(std::string_view field, uint64_t limit) {
        const uint64_t start = at_;
        const auto length = number<uint64_t>(field);
        if (length > limit) throw bad_input("byte {}: {} has {} bytes, at most {} are read", start, field, length, limit);
        return take(length, field);
    }

   private:
    Bytes bytes_;
    uint64_t at_;
    bool swapped_;
};

}  // namespace quern::gguf
