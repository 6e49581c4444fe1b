#include "libcore/base/digest.h"

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

std::string Digest::hex() const {
    const XXH128_hash_t hash = XXH3_128bits_digest(state_->state);
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace quern
