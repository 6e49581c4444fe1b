// Whether a file that was written has the weights of the model that it was made of: every number the same, bit for bit.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libcore/graph/graph.h"

namespace quern {

struct VerifiedWeights {
    struct Type {
        std::string name;  // "Q4_K", "float32"
        uint64_t tensors = 0, elements = 0;
    };
    std::vector<Type> types;
    std::vector<std::string> left_out;  // what is a constant of one of the graphs alone
};

// Compares each of the constants `names` of `source` that is a constant of `made`, too, which was written, with what `written`, which was
// read back, computes under its name: of constants, whatever nodes they are spelled with, and for a table of rows under the name of what is
// looked up. One tensor at a time is decoded. Throws Exit::no naming the first tensor that differs.
VerifiedWeights verify_weights(const Graph& source, const Graph& made, const Graph& written, const std::vector<std::string>& names);

std::string verified_text(const VerifiedWeights& verified);

}  // namespace quern
