#include "libcore/base/digest.h"

#include <algorithm>

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

namespace quern {

struct Digest::State {
    XXH3_state_t* state = XXH3_createState();
    ~State() { XXH3_freeState(state); }
};

Digest::Digest() : state_(std::make_unique<State>()) { XXH3_128bits_reset(state_->state); }
Digest::~Digest() = default;

Digest& Digest::update(const void* data, size_t size) {
    XXH3_128bits_update(state_->state, data, size);
    return *this;
}

Digest& Digest::update(const Bytes& bytes) {
    constexpr size_t step = size_t{16} << 20;
    for (size_t at = 0; at < bytes.size(); at += step) {
        const Bytes part = bytes.slice(at, std::min(step, bytes.size() - at));
        update(part.data(), part.size());
        part.release();
    }
    return *this;
}

std::string Digest::hex() const {
    const XXH128_hash_t hash = XXH3_128bits_digest(state_->state);
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace quern
