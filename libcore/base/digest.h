// A 128-bit content digest (XXH3), printed as 32 hex digits. Identifies models and cache entries; not cryptographic.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "libcore/base/bytes.h"

namespace quern {

class Digest {
   public:
    Digest();
    ~Digest();
    Digest& update(const void* data, size_t size);
    Digest& update(std::string_view text) { return update(text.data(), text.size()); }
    Digest& update(const Bytes& bytes);  // step by step, giving the pages of a mapped file back
    std::string hex() const;

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace quern
