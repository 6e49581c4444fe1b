#include "libcore/os/foreign_code.h"

#include <atomic>
#include <cstdlib>
#include <string_view>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace quern {
namespace {

std::atomic<bool> forbidden = false;

// What forbids it: an option or a variable; "" if nothing does.
std::string_view forbidding() {
    if (forbidden) return "--no-libraries";
    const char* set = std::getenv("QUERN_LIBRARIES");
    const std::string_view word = set ? set : "";
    if (word == "off") return "QUERN_LIBRARIES=off";
    if (!word.empty() && word != "on") throw usage_error("QUERN_LIBRARIES: got \"{}\", need on or off", escape(word));
    return {};
}

}  // namespace

void forbid_foreign_code() { forbidden = true; }

bool foreign_code_allowed() { return forbidding().empty(); }

void need_foreign_code() {
    if (const std::string_view what = forbidding(); !what.empty()) throw unsupported("is code of others, which {} forbids", what);
}

}  // namespace quern
