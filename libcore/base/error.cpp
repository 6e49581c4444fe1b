#include "libcore/base/error.h"

#include "libcore/base/text.h"

namespace quern {

Error::Error(Exit exit, std::string_view message) : exit_(exit), message_(printable(message)) {}

Error& Error::with_details(std::vector<std::string> lines) {
    details_ = std::move(lines);
    for (std::string& line : details_) line = printable(line);
    return *this;
}

}  // namespace quern
