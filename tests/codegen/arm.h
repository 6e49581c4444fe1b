// Generated C on machines that QEMU has.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/graph/tensor.h"

namespace quern {

struct ArmBoard {
    std::string_view name, compiler, start, script, machine;  // start: the file of what main() calls; script: of the linker
    double instructions_of_tick;                              // of the timer, where each takes a nanosecond; 0: not counted
};
std::span<const ArmBoard> arm_boards();
const ArmBoard* arm_board(std::string_view name);

int shell(const std::string& command);
bool has_arm_tools();
// Compiles the generated source in the folder, runs it once on these inputs, counts the instructions, and says what is wrong, nothing if
// its outputs are those wanted.
std::string check_on_arm(const ArmBoard& board, const std::string& folder, bool freestanding, const std::vector<Tensor>& in,
                         const std::vector<Tensor>& wanted);

}  // namespace quern
