// All quantities, from the rows of their families.
#pragma once

#include <span>

#include "libcore/support/quantity.h"

namespace quern::support {

std::span<const Quantity> quantities();
const Quantity* find_quantity(std::string_view name);  // without argument; nullptr if there is none

}  // namespace quern::support
