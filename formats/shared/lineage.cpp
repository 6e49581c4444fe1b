#include "formats/shared/lineage.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "libcore/base/digest.h"

namespace quern {

struct Lineage::State {
    std::once_flag computed;
    std::vector<Bytes> files;
    std::string text;

    void compute() {
        Digest digest;
        for (const Bytes& file : std::exchange(files, {})) digest.update(file);
        text = digest.hex();
    }
};

Lineage::Lineage(std::string digest) {
    if (digest.empty()) return;
    state_ = std::make_shared<State>();
    std::call_once(state_->computed, [&] { state_->text = std::move(digest); });
}

Lineage Lineage::of(std::vector<Bytes> files) {
    Lineage lineage;
    lineage.state_ = std::make_shared<State>();
    lineage.state_->files = std::move(files);
    const bool costs_memory = !std::ranges::all_of(lineage.state_->files, &Bytes::mapped);
    if (costs_memory) lineage.text();
    return lineage;
}

const std::string& Lineage::text() const {
    static const std::string unknown;
    if (!state_) return unknown;
    std::call_once(state_->computed, [&] { state_->compute(); });
    return state_->text;
}

}  // namespace quern
