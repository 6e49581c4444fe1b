// What a run leaves: Result_<i>/<tensor>.raw or .npy in a folder, one .npz with arrays "Result_<i>/<tensor>", or a framed stream.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "formats/tensors/fit.h"

namespace quern {

inline constexpr std::array<std::string_view, 4> result_formats{"raw", "npy", "npz", "stream"};

class ResultWriter {
   public:
    virtual ~ResultWriter() = default;
    // Results come in order, from 0. Tensors as run() gives them; float kinds are written as float32, with `native` in each
    // tensor's storage: codes as they are, numbers of an encoded output as its codes.
    virtual void write(uint64_t result, const std::vector<Tensor>& tensors) = 0;
    virtual void finish() {}
};

// The <tensor> of a name: what is no letter, digit, "_", "-" or "." as %XX; names longer than file systems take keep their beginning and
// get a digest.
std::string result_stem(const std::string& name);

// `path`: a folder for raw and npy, a file ("-": standard output) for npz and stream.
std::unique_ptr<ResultWriter> make_result_writer(std::string_view format, const std::string& path, std::vector<InputSpec> outputs,
                                                 bool native);

// Part `k` of `parts` along dim 0 of an output of a batched run; an output without that dim belongs to each part.
Tensor part_of(const Tensor& tensor, uint64_t k, uint64_t parts);

}  // namespace quern
