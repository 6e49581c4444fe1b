// Names of torch's operators that are another one under a second name, and what a user can do about those that are kept.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "libcore/graph/op.h"

namespace quern::torch_format {

struct ProgramNode;  // program.h

struct Alias {
    std::string_view name, stands_for;  // both with the overload or both without: then all of them are
    std::string_view arguments;         // "self=A dim1:-2": self is called A there, and dim1 is -2 where the file does not have it
};

// Written by scripts/torch-aliases.
std::span<const Alias> aliases();                             // by name
std::span<const std::string_view> helped_by_decomposition();  // that are kept, and of which torch's own decomposition makes what has rows

// What the operator stands for, or itself: "aten.multiply_.Tensor" -> "aten.mul_.Tensor".
std::string canonical(std::string_view target);
// A node whose operator is an alias becomes one of what that stands for.
void stand_for(ProgramNode& node);
// A hint for whoever meets an operator of torch that is kept; "" for others.
std::string remedy(const Op& op);

}  // namespace quern::torch_format
