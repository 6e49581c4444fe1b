#include "libcore/base/notice.h"

#include <atomic>

namespace quern {
namespace {

std::atomic<NoticeSink> current = nullptr;
std::atomic<bool> details = false;

}  // namespace

void set_notice_sink(NoticeSink sink) { current = sink; }

NoNotices::NoNotices() : before_(current.exchange(nullptr)) {}

NoNotices::~NoNotices() { current = before_; }

void say_notice(const std::string& message) {
    if (const NoticeSink sink = current) sink(message);
}

void say_detail(const std::string& message) {
    if (details) say_notice(message);
}

void show_details(bool shown) { details = shown; }

}  // namespace quern
