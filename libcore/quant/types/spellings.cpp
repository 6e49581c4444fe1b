#include "libcore/quant/types/spellings.h"

#include <algorithm>
#include <array>

#include "libcore/base/notice.h"
#include "libcore/base/text.h"

namespace quern {
namespace {

constexpr std::array spellings_table{Spelling{"int8", "i8"},
                                     Spelling{"w8a8", "i8"},
                                     Spelling{"int16x8", "w8a16"},
                                     Spelling{"a16w8", "w8a16"},
                                     Spelling{"u16i8", "w8u16"},
                                     Spelling{"uint16x8", "w8u16"},
                                     Spelling{"u16i4", "w4u16"},
                                     Spelling{"fp16", "f16"},
                                     Spelling{"float16", "f16"},
                                     Spelling{"bfloat16", "bf16"},
                                     Spelling{"int4", "wo-i4"},
                                     Spelling{"dynamic", "dynamic-i8"},
                                     Spelling{"fp8", "f8-e4m3"},
                                     Spelling{"float8", "f8-e4m3"},
                                     Spelling{"float8_e4m3fn", "f8-e4m3"},
                                     Spelling{"float8e4m3fn", "f8-e4m3"},
                                     Spelling{"e4m3", "f8-e4m3"},
                                     Spelling{"float8_e5m2", "f8-e5m2"},
                                     Spelling{"float8e5m2", "f8-e5m2"},
                                     Spelling{"e5m2", "f8-e5m2"}};

}  // namespace

std::span<const Spelling> all_spellings() { return spellings_table; }

std::string_view type_of_spelling(std::string_view name) {
    const auto row = std::ranges::find(spellings_table, name, &Spelling::name);
    return row == spellings_table.end() ? name : row->type;
}

void say_spelling(std::string_view name) {
    if (const std::string_view type = type_of_spelling(name); type != name) say_notice(fmt::format("type {} stands for {}", name, type));
}

}  // namespace quern
