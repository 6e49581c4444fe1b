#include "libcore/os/foreign_code.h"

#include <atomic>
#include <cstdlib>
#include <string_view>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace quern {
namespace {

std::atomic<bool> forbidden = false;

}  // namespace

void forbid_foreign_code() { forbidden = true; }

void need_foreign_code() {
    if (forbidden) throw unsupported("is code of others, which --no-libraries forbids");
    const char* set = std::getenv("QUERN_LIBRARIES");
    const std::string_view word = set ? set : "";
    if (word == "off") throw unsupported("is code of others, which QUERN_LIBRARIES=off forbids");
    if (!word.empty() && word != "on") throw usage_error("QUERN_LIBRARIES: got \"{}\", need on or off", escape(word));
}

}  // namespace quern
