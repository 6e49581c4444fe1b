// Importance matrices: how much each column of each weight counts, as means of squared activations. Files of llama.cpp, in the form of GGUF
// and in the older one, and ours.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "libcore/base/bytes.h"
#include "libcore/os/io.h"

namespace quern::gguf {

struct Importance {
    std::map<std::string, std::vector<float>> columns;  // by tensor: a weight for each column, of stacks for each matrix
    std::vector<std::string> datasets;
    uint64_t chunks = 0, chunk_size = 0;
};

// Throws Exit::bad_input naming the place.
Importance read_importance(const Bytes& bytes, const std::string& path);

// What is summed for one: squares by column, and of how many rows.
struct ImportanceSums {
    struct Entry {
        std::vector<double> squares;
        uint64_t rows = 0;
    };
    std::map<std::string, Entry> tensors;
    std::string dataset;
    uint64_t chunks = 0, chunk_size = 0;
};

// In the form of GGUF. Throws Exit::unsupported for names that are too long for it.
void write_importance(const ImportanceSums& sums, OutputFile& file);

}  // namespace quern::gguf
