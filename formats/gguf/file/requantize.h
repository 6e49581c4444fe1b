// A GGUF file in other types: tensor by tensor, each read from the mapped file, encoded by rows on all threads and written, so that no more
// than one is in memory. Any architecture.
#pragma once

#include <functional>
#include <optional>

#include "formats/gguf/file/importance.h"
#include "formats/gguf/file/mixes.h"
#include "libcore/os/threads.h"

namespace quern::gguf {

// Tensors whose name has `pattern` in it get `type`; the first that fits counts, before the mix.
struct TypeRule {
    std::string pattern, type;
};

struct RequantizeOptions {
    const Mix* mix = nullptr;
    bool pure = false;              // every matrix in the mix's base type
    bool allow_fallback = false;    // rows that do not fill blocks: another type, which is told; else an error
    bool allow_requantize = false;  // of tensors that are quantized already
    bool measure = false;           // errors of each tensor
    std::vector<TypeRule> rules;
    std::optional<Importance> importance;
    bool allow_missing = false;  // tensors that the importance matrix does not have
};

// What became of a tensor.
struct TensorChange {
    std::string name;
    const BlockFormat *from = nullptr, *to = nullptr;
    int64_t elements = 0;
    bool fallback = false;
    std::string source, written;                // measured: digests of the blocks, as they were and as they are
    double largest = 0, noise = 0, signal = 0;  // measured: greatest error, sums of squares of errors and of numbers
};

// Decided before anything is written. Throws Exit::bad_input naming tensor and type for rows that do not fit, Exit::unsupported for types
// that cannot be written, Exit::usage for rules and importance that concern no tensor.
std::vector<TensorChange> plan_types(const File& file, const RequantizeOptions& options);

// Bytes of the file that is written as planned, of which nothing is encoded to know it.
uint64_t planned_size(const File& file, const std::vector<TensorChange>& plan, const RequantizeOptions& options);

// Writes the file as planned and fills in what was measured. `step` hears of each tensor.
void requantize(const File& file, std::vector<TensorChange>& plan, const RequantizeOptions& options, const std::string& path,
                ThreadPool& pool, const std::function<void()>& step);

}  // namespace quern::gguf
