// The graph of a language model in a GGUF file: standard operators around the file's own blocks.
//
// Inputs: input_ids, position_ids int64 [batch, sequence]; attention_mask int64 [batch, total_sequence], 1 for tokens and 0 for padding;
// past_key_values.N.key and .value float32 [batch, heads, past_sequence, size] for each layer. Outputs: logits float32
// [batch, sequence, vocabulary]; present.N.key and .value with total_sequence positions.
#pragma once

#include <optional>

#include "formats/gguf/file/container.h"
#include "libcore/graph/graph.h"

namespace quern::gguf {

struct Built {
    Graph graph;
    std::vector<const TensorInfo*> beside;  // tensors that are no constants of it: what tables were made of, and what nobody asked for
    std::vector<std::string> unused;        // the latter
    struct Shortened {
        int64_t context, positions;
    };
    std::optional<Shortened> shortened;  // what the file names, and what the tables of angles have
};

// Throws Exit::unsupported for an architecture that is not known, Exit::bad_input for tensors that are not as the metadata say.
Built build(const File& file);

}  // namespace quern::gguf
