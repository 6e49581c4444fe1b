#include "libcore/base/error.h"

#include "libcore/base/text.h"

namespace quern {

Error::Error(Exit exit, std::string_view message) : exit_(exit), message_(printable(message)) {}

}  // namespace quern
