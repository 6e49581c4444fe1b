// Which algorithms treat which nodes: those of the flags, or of the rule that decides about the node.
#pragma once

#include <string>
#include <vector>

#include "libcore/quant/algorithms/algorithm.h"

namespace quern {

class AlgorithmChoice {
   public:
    // `rules`: nullptr if there are none. Throws Exit::bad_input naming a rule whose algorithm is unknown or there twice.
    AlgorithmChoice(const std::vector<const Algorithm*>& flags, const Rules* rules);

    bool any() const { return !all_.empty(); }
    // In the order of the flags, behind them those that rules alone name, in the order of the table.
    const std::vector<const Algorithm*>& all() const { return all_; }
    bool takes(const Algorithm& row, const Node& node, const std::string& path) const;

   private:
    std::vector<const Algorithm*> flags_, all_;
    const Rules* rules_;
};

}  // namespace quern
