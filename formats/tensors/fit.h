// How arrays and raw files serve as inputs of a model: shapes, batches, element types.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libcore/graph/graph.h"

namespace quern {

// What a model's input needs, or an output gives.
struct InputSpec {
    std::string name;
    Type type;                    // logical
    std::optional<Encoding> enc;  // its storage, for native samples
    bool open_batch = false;      // its first dim is open and counts samples: the rows of an array are samples

    // Element type of headerless files: float kinds as float32, others as they are; native: the storage.
    DType raw_dtype(bool native) const;
};
// Open first dims count samples unless they have different names, or recurrent operators take them as time.
std::vector<InputSpec> input_specs(const Graph& graph);
std::vector<std::string> names_of(const std::vector<InputSpec>& specs);
std::vector<InputSpec> output_specs(const Graph& graph);

// An array taken apart into items that are fed one by one.
struct Fit {
    Dims dims;           // of one item
    uint64_t count = 1;  // items
    int64_t group = 1;   // items that make one sample: 1, or the batch of a model whose samples come one element each
};

// An array as items of `want`: its own shape; a missing or an additional leading dim of samples; size-1 dims added or dropped;
// a flat array of the right length. Throws Exit::bad_input: "array is [..], need [..]".
Fit fit_array(std::span<const int64_t> have, const Type& want);
// The same, but the rows of an input with an open batch are items.
Fit fit_rows(std::span<const int64_t> have, const InputSpec& spec);
// As fit_array for a headerless file of `elements`: one sample, one element of a batch, or what gives an only unknown dim.
std::optional<Fit> fit_raw(uint64_t elements, const Shape& want);

// The elements as the model's logical dtype: floats among each other, integers exactly or Exit::bad_input; with `native`,
// codes of the encoding's storage type become the numbers that they mean.
Tensor to_logical(const Tensor& tensor, const InputSpec& spec, bool native);

}  // namespace quern
