// What a device does for a partition: kernels in order over buffers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quern::opencl {

// A product of float32 matrices for CLBlast: c = alpha * a * b, `count` of them, rows without gaps.
struct BlasProduct {
    size_t m, n, k, count;
    bool transposed_b;
    float alpha;
    std::array<size_t, 3> steps;  // from one matrix of a, b, c to the next
};

struct Step {
    std::string node, op;          // what it is for
    std::string_view family;       // a text of kernels/
    std::string options;           // of the compiler: which of its variants
    std::vector<int32_t> buffers;  // the result's, then the operands'
    std::vector<int32_t> numbers;  // what the kernel gets beside them
    std::array<size_t, 3> items{1, 1, 1};
    std::optional<BlasProduct> blas;  // instead of a kernel of ours
};

enum class Place : uint8_t { temporary, input, output, constant, flag };

struct Buffer {
    Place place = Place::temporary;
    size_t bytes = 0;
    std::function<std::vector<std::byte>()> make;  // of a constant: its bytes, when a device wants them
};

struct Program {
    std::vector<Buffer> buffers;
    std::vector<Step> steps;
    std::vector<int32_t> inputs, outputs;  // buffers, as the net has its values
    int32_t flag = -1;                     // the buffer whose first int says that a kernel found an index out of range
};

// What a device can, as far as it decides about results.
struct Abilities {
    bool doubles = false;          // cl_khr_fp64
    bool exact_quotients = false;  // division and square roots are rounded as IEEE 754 says
    bool blas = false;             // CLBlast is built in, and takes products
};

}  // namespace quern::opencl
