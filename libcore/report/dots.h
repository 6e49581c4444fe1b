// The figure of dots of a page: decibels upward, with labels as HTML beside the picture.
#pragma once

#include <string>
#include <vector>

#include "libcore/report/forms.h"
#include "libcore/report/page.h"

namespace quern {

// Dots for items; the first `linked` lead to the elements v<number>. "": there is nothing to show.
std::string dots_figure(const std::vector<const Json*>& items, const Dots& dots, const Scope& around, size_t linked);

}  // namespace quern
