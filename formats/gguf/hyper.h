// The numbers of a language model, as a file's metadata have them ("llama.embedding_length"), with llama.cpp's defaults.
#pragma once

#include <string>
#include <vector>

#include "formats/gguf/architecture.h"
#include "formats/gguf/file/container.h"

namespace quern::gguf {

// How positions are stretched beyond what a model was trained on.
struct RopeScaling {
    enum class Kind : uint8_t { none, linear, yarn, longrope };
    Kind kind = Kind::none;
    double factor = 1;  // > 1: positions are divided by it
    int64_t original_context = 0;
    double attention_factor = 1;  // of cosine and sine
    double beta_fast = 32, beta_slow = 1;
};

struct Hyper {
    const Architecture* architecture = nullptr;
    int64_t context = 0, embedding = 0, layers = 0, vocabulary = 0;
    std::vector<int64_t> heads, kv_heads, feed_forward;  // of each layer
    int64_t key_length = 0, value_length = 0;            // of a head
    int64_t experts = 0, experts_used = 0;               // of mixtures
    bool parallel = false;                               // attention and MLP read the same; the file's word
    double epsilon = 0;                                  // of norms
    int64_t rotated = 0;                                 // elements of a head that turn
    double base = 0, local_base = 0;
    RopeScaling scaling;
    std::vector<int64_t> windows;  // of each layer: how many keys it sees; 0: all
    double embedding_scale = 1, residual_scale = 1, attention_scale = 0, logit_scale = 1;
    double attention_softcap = 0, logit_softcap = 0;  // 0: none
};

// Throws Exit::bad_input naming the key, Exit::unsupported for what is not built.
Hyper hyper_of(const File& file);

}  // namespace quern::gguf
