// What the library has to say to the user beside its result: what it has changed or left out, a line each.
#pragma once

#include <string>
#include <string_view>

namespace quern {

using NoticeSink = void (*)(std::string_view message);
// Where lines go from now on; nullptr (at first): nowhere.
void set_notice_sink(NoticeSink sink);
void say_notice(const std::string& message);
// The same for those who asked for more (-v): nowhere unless show_details(true) was said.
void say_detail(const std::string& message);
void show_details(bool shown);

// As long as it lives no notice is printed: of what is only tried there is nothing to report.
class NoNotices {
   public:
    NoNotices();
    ~NoNotices();
    NoNotices(const NoNotices&) = delete;
    NoNotices& operator=(const NoNotices&) = delete;

   private:
    NoticeSink before_;
};

}  // namespace quern
