// The pictures of pages: SVG that stretches to the room there is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libcore/report/forms.h"
#include "libcore/report/page.h"

namespace quern {

// A step for each of "values". With a "band" [from, to], in steps, those outside of it are in the warning colour. `how`: the class of its
// size, or "id": small, with an id from which area_again() draws it as large as there is room for.
std::string area_picture(const Json& area, std::string_view how, size_t place);
std::string area_again(const Json& area, size_t place);

// Of a list of {"observed": [least, greatest], "range": [least, greatest]}: what is observed, on a band of the range.
std::string bands_picture(const Json& channels);

// "boxes", each {"x", "y", "w", "h", "colour", "title"}, on "width" by "height". Those without title are not to be pointed at.
std::string boxes_picture(const Json& picture, std::string_view kind);

// Dots for items; the first `linked` lead to the elements v<number>. "": there is nothing to show.
std::string dots_figure(const std::vector<const Json*>& items, const Dots& dots, const Scope& around, size_t linked);

}  // namespace quern
