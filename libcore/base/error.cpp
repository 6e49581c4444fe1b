#include "libcore/base/error.h"

#include "libcore/base/few.h"
#include "libcore/base/text.h"

namespace quern {

// Names in messages are short (escape()); this is for what else a file may hold.
static std::string one_line(std::string_view text) {
    constexpr size_t longest = 4000;
    return printable(shortened(text, longest));
}

Error::Error(Exit exit, std::string_view message) : exit_(exit), message_(one_line(message)) {}

Error& Error::with_details(std::vector<std::string> lines) {
    details_ = std::move(lines);
    for (std::string& line : details_) line = one_line(line);
    return *this;
}

}  // namespace quern
