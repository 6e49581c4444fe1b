// Rows of a blob as samples: FILE:u8[96,96,3]/255-0.5@2,0,1
//
// After the file: element type, shape of one row, then steps from left to right, each in float32: *S /S +O -O (one number, or one for
// each index of the row's last dim), @perm (transposes the row), ~axis (reverses an axis).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/tensors/fit.h"

namespace quern {

struct RowStep {
    char kind = '*';             // one of * / + - @ ~
    std::vector<float> numbers;  // of * / + -
    std::vector<size_t> axes;    // of @ ~
};

struct RowSpec {
    std::string path;
    DType dtype = DType::none;
    Dims dims;  // of one row in the file
    std::vector<RowStep> steps;

    Dims result_dims() const;  // after the steps
    uint64_t row_bytes() const { return storage_size(dtype, static_cast<uint64_t>(count_of(dims))); }
};

// nullopt: `text` has no ":dtype[" part, so it is a plain path. Throws Exit::usage if what follows is wrong.
std::optional<RowSpec> parse_rows(std::string_view text);

// One row with its steps applied: the file's dtype if there are no arithmetic steps, else float32.
Tensor load_row(const RowSpec& spec, const Bytes& blob, uint64_t row);

}  // namespace quern
