// How data meet a constant matrix, or a stack of them, in a MatMul: data [outer, count or 1, rows, depth].
#pragma once

#include "libcore/base/error.h"
#include "libcore/graph/tensor.h"

namespace quern {

struct StackedProduct {
    int64_t outer = 1, count = 1, rows = 1;
    bool shared = true;  // all matrices of the stack multiply the same data
    Dims dims;           // of the result

    // `stack`: how many matrices [depth, columns]; 0: one that is not a stack. Data of a stack are matrices.
    StackedProduct(const Dims& data, int64_t stack, int64_t depth, int64_t columns) : dims(data) {
        if (data.empty() || data.back() != depth) throw bad_input("input 0 is {}, need rows of {}", to_string(data), depth);
        if (stack > 0 && data.size() < 2) throw bad_input("input 0 is {}, need matrices", to_string(data));
        dims.back() = columns;
        if (stack > 0 && dims.size() == 2) dims.insert(dims.begin(), 1);
        if (stack <= 1) {
            for (size_t i = 0; i + 1 < dims.size(); ++i) rows *= dims[i];
            return;
        }
        int64_t& across = dims[dims.size() - 3];
        if (across != 1 && across != stack) throw bad_input("input 0 is {}, need 1 or {} matrices", to_string(data), stack);
        shared = across == 1;
        across = count = stack;
        rows = dims[dims.size() - 2];
        for (size_t i = 0; i + 3 < dims.size(); ++i) outer *= dims[i];
    }

    int64_t products() const { return outer * count; }
    // Of product i: which matrix of the data, of the stack.
    int64_t data_of(int64_t i) const { return shared ? i / count : i; }
    int64_t matrix_of(int64_t i) const { return i % count; }
};

}  // namespace quern
