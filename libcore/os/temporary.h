// Temporary files that have a name: folders in $TMPDIR.
#pragma once

#include <optional>
#include <string>

#include "libcore/os/leftovers.h"

namespace quern {

// $TMPDIR, or /tmp.
std::string temporary_place();

// A folder that is removed with all it holds.
class TemporaryFolder {
   public:
    TemporaryFolder();  // in $TMPDIR; Exit::io if it cannot be made
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const std::string& path() const { return path_; }

   private:
    std::string path_;
    std::optional<Leftover> leftover_;
};

}  // namespace quern
