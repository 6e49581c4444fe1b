// Operators that back ends and op packages bring: rows whose functions are C functions of a library, which a tool leaves in a process of
// its own.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "libcore/backend/op_facts.h"

namespace quern {

// Loads the operators of a library: an op package, or a back end by its name or path. The library is opened in a helper process, computes
// there and stays there. Errors begin with `what` and the name.
inline constexpr std::string_view op_package = "op package";
void load_op_package(const std::string& name, std::string_view what = op_package);
// Those that QUERN_OP_PACKAGES names (";" between them).
void load_op_packages_of_environment();

std::vector<std::string> loaded_op_packages();  // the paths of what was loaded so

// For that process. The library's operators, of either kind of library; runs its code.
std::span<const quern_custom_op* const> open_ops(const std::string& path);
// Throws Exit::unsupported naming the operator that no row can be made of.
std::vector<OpFacts> facts_of(std::span<const quern_custom_op* const> ops);
// Adds them to the operators of this process, once for each library. Throws Exit::unsupported or Exit::usage naming the operator.
void register_custom_ops(std::span<const quern_custom_op* const> ops);
std::vector<const Op*> custom_ops();  // that were added, in order
// The node of such an operator, on numbers or on codes.
void eval_custom_op(EvalCtx& ctx, bool codes);

}  // namespace quern
