// quantize's options about parts of a model: a file of rules, and rules by flags.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libcore/cli/tool.h"
#include "libcore/quant/types/rules.h"

namespace quern {

class RuleFlags {
   public:
    void add(Options& add);
    // The file's rules with those of the flags in their places; nothing if there are neither. `base`: the type that a quantsim
    // configuration is about; what has no counterpart of it is told. Throws Exit::usage naming a flag.
    std::optional<Rules> read(const Scheme& base) const;
    bool allow_unmatched() const { return allow_unmatched_; }

   private:
    static Rules read_file(std::string_view text, const Scheme& base);

    std::string file_;
    std::optional<std::string> global_, io_;
    std::vector<std::string> module_names_, module_types_, node_names_, subgraphs_, op_types_;
    bool allow_unmatched_ = false;
};

}  // namespace quern
