// Qualcomm's chips by the names that people have for them.
#pragma once

#include <string>
#include <string_view>

namespace quern::ort {

// QNN's number of the chip, its soc_model, for the number itself, a part number (SM8650) or a name of trade (Snapdragon 8 Gen 3), in any
// case and with any of " _-" between words. Throws Exit::usage, with those that are known.
std::string soc_model(std::string_view chip);

}  // namespace quern::ort
