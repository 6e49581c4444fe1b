// What onert records on a device (minmax.bin), as a Circle file names it.
#pragma once

#include <string>
#include <vector>

namespace quern::onert {

// The names of what onert records of the main graph, by place; "" where it records nothing.
struct Places {
    std::vector<std::string> operators, inputs;
};

}  // namespace quern::onert
