// What the picture and the page share.
#pragma once

#include <string>
#include <string_view>

namespace quern::place {

inline std::string count_of_nodes(size_t count) { return std::to_string(count) + (count == 1 ? " node" : " nodes"); }

// Fill of a device's nodes by its place among the devices, cpu first; distinct also to colour-blind eyes (M. Okabe, K. Ito, 2008).
std::string_view device_fill(size_t device);
std::string_view device_ink(size_t device);  // of text on it

}  // namespace quern::place
