// Two operands that are broadcast to each other, as rows in which each goes along or is one element.
#pragma once

#include <vector>

#include "libcore/graph/type.h"

namespace quern::codes {

class PairRows {
   public:
    // Throws Exit::bad_input if they cannot be broadcast.
    PairRows(const Dims& a, const Dims& b);

    const Dims& dims() const { return dims_; }  // of the result
    size_t count() const { return count_; }     // rows
    size_t length() const { return row_.length; }
    bool a_is_one() const { return row_.a == 0; }  // element of a whole row
    bool b_is_one() const { return row_.b == 0; }

    struct Start {
        size_t a, b;
    };
    Start start(size_t row) const;  // the first elements

   private:
    // Dims side by side along which both do the same.
    struct Run {
        size_t length, a, b;  // a, b: elements from one step to the next; 0: it is repeated
    };
    Dims dims_;
    Run row_{1, 1, 1};
    std::vector<Run> outer_;  // from the innermost on
    size_t count_ = 1;
};

}  // namespace quern::codes
