// Operators of a library that stays in a helper process, quern-foreign, as long as this process lives: what they do wrong there is an error
// of the node that they compute.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "libcore/backend/op_facts.h"

namespace quern {

class Helper;

class RemoteOps {
   public:
    // Starts the process, which opens the library. A call there may take `seconds`; 0: no limit. `driver`: it is a back end, too.
    RemoteOps(const std::string& path, int seconds, bool driver);

    const std::vector<OpFacts>& facts() const { return facts_; }
    void infer(InferCtx& ctx) const;
    // `codes`: as eval_codes of the interface, on what is encoded.
    void eval(EvalCtx& ctx, bool codes) const;

   private:
    std::shared_ptr<Helper> helper_;
    std::vector<OpFacts> facts_;
};

}  // namespace quern
