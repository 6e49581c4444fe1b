// onert's way to speak of inputs and outputs by number: a JSON array of pairs, [0, [1, 20], 2, []] or [0, 40, 2, 80].
#pragma once

#include <map>
#include <string>

#include "libcore/graph/type.h"

namespace quern::onert_run {

// "h5": the shapes of what is loaded.
bool are_of_file(const std::string& text);
// `option` is for messages. Throws Exit::usage. Of "h5" none.
std::map<size_t, Dims> shape_pairs(const std::string& option, const std::string& text);
std::map<size_t, size_t> size_pairs(const std::string& option, const std::string& text);

}  // namespace quern::onert_run
