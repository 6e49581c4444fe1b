#include "libcore/base/notice.h"

#include <atomic>

namespace quern {
namespace {

std::atomic<NoticeSink> current = nullptr;

}  // namespace

void set_notice_sink(NoticeSink sink) { current = sink; }

void say_notice(const std::string& message) {
    if (const NoticeSink sink = current) sink(message);
}

}  // namespace quern
