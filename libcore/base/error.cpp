#include "libcore/base/error.h"

#include "libcore/base/few.h"

namespace quern {

Error::Error(Exit exit, std::string_view message) : exit_(exit), message_(one_line(message)) {}

Error& Error::with_details(std::vector<std::string> lines) {
    details_ = std::move(lines);
    for (std::string& line : details_) line = one_line(line);
    return *this;
}

}  // namespace quern
