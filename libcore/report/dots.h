// The figure of dots of a page: decibels upward, with labels as HTML beside the picture.
#pragma once

#include <string>
#include <vector>

#include "libcore/report/forms.h"

namespace quern {

// A dot for each item, over a scale of decibel; the first of them lead to the rows of a table of the same items in the same order.
struct Dots {
    std::string x, decibel;    // paths of numbers; minus infinite: in a row above the scale
    std::string kind;          // the path of its classes (page_assets.h)
    std::string title, below;  // texts: of a dot, and below the figure
    std::string top = {};      // what the row above is called
    std::string on_top = {};   // the path of a list of more x there
    bool labelled = false;     // the x axis has numbers
};

// Dots for items; the first `linked` lead to the elements v<number>. "": there is nothing to show.
std::string dots_figure(const std::vector<const Json*>& items, const Dots& dots, const Scope& around, size_t linked);

}  // namespace quern
