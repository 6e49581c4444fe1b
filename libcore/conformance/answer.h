// The side of the process that foreign code is in (a job of tools/foreign).
#pragma once

#include <functional>
#include <string>

namespace quern::conformance {

// Makes the steps that the request asks for. It says where it is, for the message if it does not survive, and tells what comes of each
// step.
struct Reporter {
    std::function<void(const std::string& place)> at;
    std::function<void(const std::string& text)> tell;
};
void answer_request(const std::string& request, const Reporter& reporter);

}  // namespace quern::conformance
