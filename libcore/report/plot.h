// The pictures of pages: SVG that stretches to the room there is.
#pragma once

#include <string>
#include <string_view>

#include "libcore/base/json_fwd.h"

namespace quern {

// A step for each of "values". With a "band" [from, to], in steps, those outside of it are in the warning colour. `how`: the class of its
// size, or "id": small, with an id from which area_again() draws it as large as there is room for.
std::string area_picture(const Json& area, std::string_view how, size_t place);
std::string area_again(const Json& area, size_t place);

// Of a list of {"observed": [least, greatest], "range": [least, greatest]}: what is observed, on a band of the range.
std::string bands_picture(const Json& channels);

// "boxes", each {"x", "y", "w", "h", "colour", "title"}, on "width" by "height". Those without title are not to be pointed at.
std::string boxes_picture(const Json& picture, std::string_view kind);

}  // namespace quern
