// Products of foreign code: made in an empty folder, written to where they are wanted when they are complete.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "libcore/os/child.h"
#include "libcore/os/temporary.h"

namespace quern {

// A copy of `from` under the name `to`, executable if it is.
void deliver_file(const std::string& from, const std::string& to);

class StagedProduct {
   public:
    // `path`: where the product is wanted; "-": standard output, for `name`.
    StagedProduct(std::string path, const std::string& name);
    // Where it is made.
    const std::string& output() const { return output_; }
    // Writes it, and what lies beside it; the files, as the user knows them. Throws Exit::unsupported if it is not there.
    std::vector<std::string> deliver();

   private:
    std::string path_, output_;
    TemporaryFolder folder_;
};

}  // namespace quern
