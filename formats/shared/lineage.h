// The digest of the file that a model was imported from. It is computed when somebody asks: most uses of a model do not, and files are
// large.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "libcore/base/bytes.h"

namespace quern {

class Lineage {
   public:
    Lineage() = default;
    Lineage(std::string digest);  // NOLINT: what another file says of it
    // Of the bytes of a file and of those beside it that belong to it.
    static Lineage of(std::vector<Bytes> files);

    bool empty() const { return !state_; }
    const std::string& text() const;  // "": unknown
    bool operator==(const Lineage& other) const { return text() == other.text(); }

   private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace quern
