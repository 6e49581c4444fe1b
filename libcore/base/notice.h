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

}  // namespace quern
